"""RDM, response dissatisfaction: the user's next message refuses, corrects or complains about the answer."""

from viva.engine.dialogue.language import OTHER, language
from viva.engine.dialogue.reactions import OBJECTIONS, OF_USER, REACTION_TABLE, Exchange, exchanges, features
from viva.engine.evidence import Evidence, Signal, cut
from viva.engine.logistic import NO_ALARM, hold_below, load_model
from viva.engine.reading import Reading
from viva.engine.wording import LANGUAGE_NOT_COVERED, USER_GOES_ON

CUT = 0.5
MAX_REASONS = 3


def detect(reading: Reading) -> list[Signal]:
    """For each turn, how probably the user was dissatisfied with its answer; None where nothing followed."""
    tongue, found = language(reading), exchanges(reading)
    if tongue == OTHER:
        return [Signal(None, LANGUAGE_NOT_COVERED if exchange else "") for exchange in found]
    return [
        judge_reaction(reading, t, exchange, tongue) if exchange else Signal()
        for t, exchange in enumerate(reading.follow("rdm", found))
    ]


def judge_reaction(reading: Reading, turn: int, exchange: Exchange, tongue: str) -> Signal:
    """The probability, with the words that speak against the answer. Without such words it stays below the cut.

    Who only declines, repeats or gives up gives no reason to call the answer bad.
    """
    found, model = features(exchange, tongue), load_model("rdm")
    likely = model.probability(found)
    if not any(found[name] for name in OBJECTIONS):
        likely = hold_below(likely, NO_ALARM)
    whys = [feature.meaning for feature in model.reasons(found, REACTION_TABLE) if feature.name in OF_USER]
    likely = round(likely if whys else hold_below(likely, CUT), 4)  # what is written decides wherever it is read
    if likely < CUT:
        return Signal(likely, USER_GOES_ON)
    after = reading.turn_index(turn + 1)
    return Signal(likely, whys[0], tuple(Evidence(why, cut(exchange.next), after) for why in whys[:MAX_REASONS]))
