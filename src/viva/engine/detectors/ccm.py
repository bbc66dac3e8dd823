"""CCM, conversation continuity: the user asks the same again, so the answer before did not serve."""

from viva.engine.dialogue.asking import LOOKED_AT, asks_further, features, same_words, topic
from viva.engine.dialogue.cues import shows
from viva.engine.dialogue.language import OTHER, language
from viva.engine.evidence import Evidence, Signal, cut
from viva.engine.logistic import load_model
from viva.engine.reading import Reading, answer, messages_and_answers
from viva.engine.wording import ASKED_AGAIN, ASKED_AGAIN_LATER, ASKED_SOMETHING_ELSE, LANGUAGE_NOT_COVERED

AHEAD = 3  # following messages that may ask again; later the user has come to something else
LATER = 0.8  # a repetition after other messages tells less about this answer
CUT = 0.5
CERTAIN = 0.98  # the same words in the same or another order
DOUBT = 0.2  # below this the words alone are sure enough that another thing is asked


def detect(reading: Reading) -> list[Signal]:
    """For each turn, how probably a following message asks again for what its message asked."""
    messages, tongue = [message for message, _ in messages_and_answers(reading)], language(reading)
    pairs = zip(messages_and_answers(reading), [*messages[1:], ""], strict=True)
    followed = [bool(message and reply and after) for (message, reply), after in pairs]
    if tongue == OTHER:
        return [Signal(None, LANGUAGE_NOT_COVERED if follows else "") for follows in followed]
    return [
        asked_again(reading, messages, t, tongue) if follows else Signal()
        for t, follows in enumerate(reading.follow("ccm", followed))
    ]


def asked_again(reading: Reading, messages: list[str], turn: int, tongue: str) -> Signal:
    """The next message's probability to ask the same; or that of a later one which has the very same words."""
    likely, place = same_request(reading, messages[turn], messages[turn + 1], tongue), turn + 1
    for later in range(turn + 2, min(turn + 1 + AHEAD, len(messages))):
        if likely < LATER and topic(messages[turn], tongue) and same_words(messages[turn], messages[later]):
            likely, place = LATER, later
    if likely < CERTAIN and found_nothing(reading, turn, tongue) and shows(messages[place], tongue)["otherwise"]:
        likely = 1 - CERTAIN  # the wish was changed, for it could not be met
    if likely < CUT:
        return Signal(round(likely, 4), ASKED_SOMETHING_ELSE)
    why = ASKED_AGAIN if place == turn + 1 else ASKED_AGAIN_LATER
    shown = [Evidence(why, cut(messages[k]), reading.turn_index(k)) for k in (turn, place)]
    return Signal(round(likely, 4), why, tuple(shown))


def found_nothing(reading: Reading, turn: int, tongue: str) -> bool:
    return shows(answer(reading.trace.turns[turn]), tongue, of_answer=True)["fails"] == 1.0


def same_request(reading: Reading, first: str, second: str, tongue: str) -> float:
    """The probability that two messages ask for the same; the sentence model is asked only where there is doubt."""
    first, second = first[:LOOKED_AT], second[:LOOKED_AT]
    if not topic(first, tongue) or not topic(second, tongue) or (asks_further(first) and asks_further(second)):
        return 1 - CERTAIN
    if same_words(first, second):
        return CERTAIN
    found = features(reading, first, second, tongue)
    likely = load_model("ccm_static").probability(found)
    if not reading.sentence_model or tongue != "en" or likely < DOUBT:
        return likely  # the sentence model has learnt English only
    one, two = reading.sentence([first, second])
    return load_model("ccm").probability(found | {"sentence": float(one @ two)})
