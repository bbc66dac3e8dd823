"""Answering: does what an agent says take up what it was asked, by the user, by the agent before it or by the talk so far."""

from itertools import islice
from typing import NamedTuple

from viva.engine.reading import Reading
from viva.engine.team.flow import stretches

ASKED = 2  # words of a question under which it asks for nothing in particular
TOLD = 4  # words of anything else under which it does not either: thanks, a yes, a name
BRIEF = 4  # words up to which an answer that came with deeds may be a bare "done"
WORDS = 10  # words of a request, or of an answer, that count at most: a longer one holds several things
PHRASE = 5  # words, of which at most one carries meaning, that say nothing: "here is what I found about that"
CLEAR = 0.4  # of ENOUGH: from here on the words alone tell, and meaning need not be asked
ENOUGH = 0.25  # share of words in common that makes an answer one to the point
AKIN = 0.35  # likeness of the two texts that does the same in other words
STRANGE = 0.10  # likeness at which an answer has nothing to do with the request
FLOOR = 0.7  # an answer in quite other words is often right: this much is never taken off
LOOK = 3_000  # characters whose words are compared
EMBEDDED = 300  # characters whose meaning is compared: an answer comes to the point by then
END = 150  # characters at the end of an answer in which it asks back
CODE = "```"
TALK = 2  # turns before that an answer may go on with


class AnsweredRequest(NamedTuple):
    """An answer, what it was asked directly, and what the talk was about."""

    answer: str
    requests: list[str]
    talk: list[str]
    with_deeds: bool = False


def to_the_point(reading: Reading, rows: list[AnsweredRequest]) -> list[float]:
    """For each answer from FLOOR, beside every request, to 1. Those in doubt are embedded in one batch."""
    shares = [share(reading, row) for row in rows]
    doubt = {at: texts_to_compare(rows[at]) for at, value in enumerate(shares) if value < CLEAR}
    vectors = iter(reading.vectors([text for texts in doubt.values() for text in texts]))
    for at, texts in doubt.items():
        answer, *others = islice(vectors, len(texts))
        likeness = max(float(answer @ other) for other in others)
        shares[at] = max(shares[at], min(1.0, (likeness - STRANGE) / (AKIN - STRANGE)))
    return [FLOOR + (1 - FLOOR) * value for value in shares]


def texts_to_compare(row: AnsweredRequest) -> list[str]:
    return [text[:EMBEDDED] for text in (row.answer, *row.requests, *row.talk[:1])]


def share(reading: Reading, row: AnsweredRequest) -> float:
    """How far the words alone show that an answer takes something up; 1 also when nothing definite was asked."""
    if not row.requests or not row.answer or CODE in row.requests[-1]:
        return 1.0  # after code comes its output
    if "?" in row.answer[-END:]:
        return 1.0  # to ask for what one needs to know is an answer
    said = reading.stems(row.answer[:LOOK])
    asked = [reading.stems(request[:LOOK]) for request in row.requests]
    if any(len(stems) < (ASKED if "?" in text else TOLD) for stems, text in zip(asked, row.requests, strict=True)):
        return 1.0
    if row.with_deeds and len(said) <= BRIEF:
        return 1.0
    if len(said) < 2:
        return float(len(row.answer.split()) < PHRASE)
    direct = max(len(said & stems) / min(len(stems), WORDS) for stems in asked)
    if direct >= ENOUGH:
        return 1.0
    talk = set[str]().union(*asked, *(reading.content(text[:LOOK]) for text in row.talk))
    return min(1.0, max(direct, len(said & talk) / min(len(said), WORDS)) / ENOUGH)


def requests_to_each(reading: Reading) -> list[list[str]]:
    """For every interaction, in the order of the run, what it was asked: by the user and the agent before it."""
    texts: list[list[str]] = []
    before = None
    for stretch in stretches(reading):
        turn = stretch.places[0].turn
        asked = [reading.trace.turns[turn].user_message or ""]
        if before is not None and before.places[-1].turn == turn:
            asked.append(before.handed_over[:LOOK])
        texts += [[text for text in asked if text]] * len(stretch.places)
        before = stretch
    return texts


def talk_before(reading: Reading, turn: int) -> list[str]:
    """What was said in the turns just before, the latest first, and the task."""
    texts: list[str | None] = []
    for earlier in reversed(reading.trace.turns[max(0, turn - TALK) : turn]):
        if earlier.agent_interactions:
            texts.append(earlier.agent_interactions[-1].agent_response)
        texts.append(earlier.user_message)
    return [text for text in (*texts, reading.trace.initial_task) if text]
