"""RDM, response dissatisfaction: the user's next message refuses, corrects or complains about the answer."""

from viva.engine.dialogue.reactions import Exchange, exchanges, features
from viva.engine.evidence import Evidence, Signal, cut
from viva.engine.logistic import head
from viva.engine.reading import Reading, answering
from viva.engine.wording import ANSWER_NOT_TAKEN_UP, REACTION_REASONS, USER_DOES_NOT_GO_ON, USER_GOES_ON

TELLING = 0.3  # what a feature must add to the balance to be named as a reason
REPEATED = frozenset(REACTION_REASONS[name] for name in ("repeats_request", "same_request", "repeats_earlier"))
OF_ANSWER = ("answer_fails", "answer_sorry", "answer_denies")


def detect(reading: Reading) -> list[Signal]:
    """For each turn, how probably the user was dissatisfied with its answer; None where nothing followed."""
    return [
        judge_reaction(reading, t, exchange) if exchange else Signal() for t, exchange in enumerate(exchanges(reading))
    ]


def judge_reaction(reading: Reading, turn: int, exchange: Exchange) -> Signal:
    found = features(exchange)
    table = head("rdm")
    added = {name: table.weights.get(name, 0.0) * found[name] for name in REACTION_REASONS}
    telling = [name for name in sorted(added, key=lambda name: -added[name])[:3] if added[name] > TELLING]
    probability = round(table.probability(found), 4)  # what is written decides, here and wherever it is read
    going_on = USER_GOES_ON if probability < 0.5 else USER_DOES_NOT_GO_ON
    reason = REACTION_REASONS[telling[0]] if telling else going_on
    return Signal(probability, reason, evidence(reading, turn, exchange, telling) if probability >= 0.5 else ())


def evidence(reading: Reading, turn: int, exchange: Exchange, telling: list[str]) -> tuple[Evidence, ...]:
    """The words of the user, and of the answer, that the telling features were found in."""
    here, after = reading.turn_index(turn), reading.turn_index(turn + 1)
    shown = [
        Evidence(REACTION_REASONS[name], cut(exchange.answer), here, answering(reading.trace.turns[turn]))
        if name in OF_ANSWER
        else Evidence(REACTION_REASONS[name], cut(exchange.next), after)
        for name in telling
    ]
    return tuple(shown) or (Evidence(ANSWER_NOT_TAKEN_UP, cut(exchange.next), after),)
