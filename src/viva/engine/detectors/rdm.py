"""RDM, response dissatisfaction: the user's next message refuses, corrects or complains about the answer."""

from viva.engine.evidence import Evidence, Signal, cut
from viva.engine.heads import head
from viva.engine.reading import Reading, answering
from viva.engine.talk.reactions import Exchange, exchanges, features

TELLING = 0.3  # what a feature must add to the balance to be named as a reason
REASONS = {
    "next_complaint": "the user complains",
    "next_blames": "the user says what the agent did wrong",
    "next_corrects": "the user corrects the answer",
    "corrects_refusing": "the user refuses and corrects",
    "not_pair": "the user negates words of the answer",
    "next_gives_up": "the user gives up",
    "next_loud": "the user is impatient",
    "next_again": "the user has to say it again",
    "repeats_request": "the user repeats the request",
    "same_request": "the user makes the same request",
    "repeats_earlier": "the user repeats an earlier request",
    "declines_proposal": "the user declines what was proposed",
    "refuses_answer": "the user refuses the answer",
    "refuses_confirmation": "the user does not confirm",
    "next_refuses": "the user says no",
    "next_alternatives": "the user asks for something else",
    "other_than_proposed": "the user wants something other than proposed",
    "retries_failure": "the user tries again after a failure",
    "answer_fails": "the answer reports a failure",
    "answer_sorry": "the answer is an excuse",
    "answer_denies": "the answer is a denial",
    "accepts_failure": "the user puts up with a failure",
}
REPEATED = frozenset(REASONS[name] for name in ("repeats_request", "same_request", "repeats_earlier"))
OF_ANSWER = ("answer_fails", "answer_sorry", "answer_denies")


def detect(reading: Reading) -> list[Signal]:
    """For each turn, how probably the user was dissatisfied with its answer; None where nothing followed."""
    return [judged(reading, t, exchange) if exchange else Signal() for t, exchange in enumerate(exchanges(reading))]


def judged(reading: Reading, turn: int, exchange: Exchange) -> Signal:
    found = features(exchange)
    table = head("rdm")
    added = {name: table.weights.get(name, 0.0) * found[name] for name in REASONS}
    telling = [name for name in sorted(added, key=lambda name: -added[name])[:3] if added[name] > TELLING]
    probability = round(table.probability(found), 4)  # what is written decides, here and wherever it is read
    reason = REASONS[telling[0]] if telling else "the user goes on" if probability < 0.5 else "the user does not go on"
    return Signal(probability, reason, evidence(reading, turn, exchange, telling) if probability >= 0.5 else ())


def evidence(reading: Reading, turn: int, exchange: Exchange, telling: list[str]) -> tuple[Evidence, ...]:
    """The words of the user, and of the answer, that the telling features were found in."""
    here, after = reading.turn_index(turn), reading.turn_index(turn + 1)
    shown = [
        Evidence(REASONS[name], cut(exchange.answer), here, answering(reading.trace.turns[turn]))
        if name in OF_ANSWER
        else Evidence(REASONS[name], cut(exchange.next), after)
        for name in telling
    ]
    return tuple(shown) or (Evidence("the next message does not take the answer up", cut(exchange.next), after),)
