"""CCM, conversation continuity: the user asks the same again, so the answer before did not serve."""

from viva.engine.dialogue.asking import LOOKED_AT, features, topic, word_set
from viva.engine.evidence import Evidence, Signal, cut
from viva.engine.logistic import head, squash
from viva.engine.reading import Reading, answer
from viva.engine.wording import ASKED_AGAIN, ASKED_AGAIN_LATER, ASKED_SOMETHING_ELSE

AHEAD = 3  # following messages that may ask again; later the user has come to something else
LATER = 0.8  # a repetition after other messages tells less about this answer
CUT = 0.5
CERTAIN = 0.98  # the same words in the same or another order
DOUBT = 0.12  # below this the static model alone is sure enough that another thing is asked

COURTESY = frozenset("please again just but so and ok okay then now hi hello still".split())


def detect(reading: Reading) -> list[Signal]:
    """For each turn, how probably a following message asks again for what its message asked."""
    messages = [(turn.user_message or "").strip() for turn in reading.trace.turns]
    answered = [bool(answer(turn).strip()) for turn in reading.trace.turns]
    followed = [bool(messages[t] and after) and answered[t] for t, after in enumerate([*messages[1:], ""])]
    compared = {k for t, follows in enumerate(followed) if follows for k in (t, t + 1)}
    reading.vectors([messages[k][:LOOKED_AT] for k in sorted(compared)])
    return [asked_again(reading, messages, t) if follows else Signal() for t, follows in enumerate(followed)]


def asked_again(reading: Reading, messages: list[str], turn: int) -> Signal:
    """The next message's probability to ask the same; or that of a later one which has the very same words."""
    likely, place = same_request(reading, messages[turn], messages[turn + 1]), turn + 1
    for later in range(turn + 2, min(turn + 1 + AHEAD, len(messages))):
        if likely < LATER and repeats_words(messages[turn], messages[later]):
            likely, place = LATER, later
    if likely < CUT:
        return Signal(round(likely, 4), ASKED_SOMETHING_ELSE)
    why = ASKED_AGAIN if place == turn + 1 else ASKED_AGAIN_LATER
    shown = [Evidence(why, cut(messages[k]), reading.turn_index(k)) for k in (turn, place)]
    return Signal(round(likely, 4), why, tuple(shown))


def repeats_words(first: str, second: str) -> bool:
    """Whether a later message has the very words of an earlier one; nothing finer, for the talk has moved on."""
    return bool(topic(first)) and word_set(first) - COURTESY == word_set(second) - COURTESY


def same_request(reading: Reading, first: str, second: str) -> float:
    """The probability that two messages ask for the same; the sentence model is asked only where there is doubt."""
    if word_set(first) == word_set(second):
        return CERTAIN if topic(first) or "?" in first else 1 - CERTAIN
    if not topic(first) or not topic(second):
        return 1 - CERTAIN
    rough = head("ccm_static")
    at_best = squash(rough.bias + rough.weights["static"] * reading.alike(first[:LOOKED_AT], second[:LOOKED_AT]))
    if at_best < DOUBT:
        return at_best
    found = features(reading, first, second)
    likely = rough.probability(found)
    if not reading.sentence_model or likely < DOUBT:
        return likely
    one, two = reading.sentence([first, second])
    return head("ccm").probability(found | {"sentence": float(one @ two)})
