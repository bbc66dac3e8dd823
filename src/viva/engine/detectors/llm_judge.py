"""LLM judge: where the other detectors are silent, a judge says whether the answer served the user."""

from typing import NamedTuple

from viva.engine.detectors.hallucination import results
from viva.engine.evidence import Evidence, Signal, cut
from viva.engine.reading import Reading, answer, answering
from viva.judging.model import Judge, Question, Ruling, Usage


class JudgedTurns(NamedTuple):
    """One signal a turn, what they cost, on how many answers it was asked, and on how many of them it did not rule."""

    signals: list[Signal]
    usage: Usage
    asked: int
    unscored: int


ASK = (
    "Did the answer fail the user? It failed if it is wrong, misses what was asked, contradicts what is known, "
    "or leaves the user worse off than an honest refusal would."
)


def detect(reading: Reading, judge: Judge, silent: list[bool]) -> JudgedTurns:
    """Asked only about turns that have an answer and on which no other detector has spoken."""
    asked = [t for t, quiet in enumerate(silent) if quiet and answer(reading.trace.turns[t])]
    hearing = judge.ask([question(reading, t) for t in asked])
    rulings = dict(zip(asked, hearing.rulings, strict=True))
    found = [signal(reading, t, rulings.get(t)) for t in range(len(silent))]
    return JudgedTurns(found, hearing.usage, len(asked), hearing.rulings.count(None))


def question(reading: Reading, t: int) -> Question:
    turn = reading.trace.turns[t]
    after = reading.trace.turns[t + 1].user_message if t + 1 < len(reading.trace.turns) else None
    texts = {
        "the task": reading.trace.initial_task,
        "what is known": turn.knowledge,
        "what the tools gave back": "\n".join(results(turn)),
        "the user's message": turn.user_message,
        "the answer": answer(turn),
        "the user's next message": after,
    }
    return Question(ASK, {name: text for name, text in texts.items() if text})


def signal(reading: Reading, t: int, ruling: Ruling | None) -> Signal:
    """The probability that a ruling gives; with no ruling the turn stays unscored."""
    if ruling is None:
        return Signal()
    probability = ruling.confidence if ruling.answer == "yes" else 1 - ruling.confidence
    turn = reading.trace.turns[t]
    ruled_on = Evidence(ruling.reason, cut(answer(turn)), turn.turn_index, answering(turn))
    return Signal(probability, ruling.reason, (ruled_on,))
