"""Reasoning: does a thought lead to the action that follows, is it new, does it use what was seen, does it notice errors."""

from viva.engine.evidence import MAX_EVIDENCE_PIECES, Evidence, InteractionIndex, Score, cut
from viva.engine.reading import Reading
from viva.engine.scoring import share, weighted_mean
from viva.engine.team.echoes import SpeechMemory
from viva.engine.team.flow import AgentRun, stretches
from viva.engine.team.speech import notices
from viva.engine.team.thoughts import LOOK, ReasonedThought, last_words, thoughts

# What each part counts. A part that does not apply gives its weight to the others.
WEIGHTS = {
    "leads": 0.40,  # a thought that does not lead to the deed was no reasoning, however clever
    "notices": 0.25,  # an error not seen is the dearest mistake: what follows rests on it
    "new": 0.20,  # thinking the same again is going in a circle
    "uses": 0.15,  # what was seen should matter, but may do so in other words
}
WHY = {
    "leads": "The thought does not lead to what is done next: “{deed}”.",
    "notices": "The step before failed, and the thought does not notice.",
    "new": "The thought repeats an earlier one.",
    "uses": "The thought uses nothing of what was seen just before.",
}
ENOUGH = 0.4  # share of the shorter text's words found in the other that makes a thought lead to a deed
COPY = 0.6  # share of common words from which on a thought begins to be the same as an earlier one
AKIN = 0.75  # what likeness in meaning counts when the words differ: it tells the subject, not the deed
SHORT = 4  # different words under which two thoughts are alike by chance
EMBEDDED = 300  # characters whose meaning is compared: a thought comes to the point by then
DEED = 80  # characters of what was done next, in what is said about a thought
NOTE = 5  # words under which a thought is a note ("next: search"), not reasoning
SEEN_ENOUGH = 2  # words taken from what was seen
PERFECT = 0.9999  # what differs from 1 by less is written as 1, and needs no evidence


def measure(reading: Reading) -> dict[InteractionIndex, Score]:
    """A score for every interaction that holds thoughts."""
    scores: dict[InteractionIndex, list[tuple[float, Evidence | None]]] = {}
    memories: dict[str, SpeechMemory] = {}
    before: AgentRun | None = None
    for stretch in stretches(reading):
        same_turn = before is not None and before.places[-1].turn == stretch.places[0].turn
        for thought in thoughts(stretch, last_words(before) if before is not None and same_turn else None):
            if len(reading.content(thought.text)) < NOTE:
                continue
            memory = memories.setdefault(stretch.agent_id, SpeechMemory(reading))
            judgement = score_thought(reading, thought, newness(reading, thought.text, memory))
            scores.setdefault(thought.place[:2], []).append(judgement)
        before = stretch
    return {where: average_thoughts(rows) for where, rows in scores.items()}


def average_thoughts(rows: list[tuple[float, Evidence | None]]) -> Score:
    evidence = [piece for _, piece in sorted(rows, key=lambda row: row[0]) if piece is not None]
    return Score(round(sum(value for value, _ in rows) / len(rows), 4), tuple(evidence[:MAX_EVIDENCE_PIECES]))


def newness(reading: Reading, text: str, memory: SpeechMemory) -> float:
    """1 for a thought not had before, 0 for one had word for word."""
    echo = memory.echo(text)
    if echo.exact:
        return 0.0
    return 1.0 if echo.alike < COPY or len(reading.stems(text)) < SHORT else (1 - echo.alike) / (1 - COPY)


def score_thought(reading: Reading, thought: ReasonedThought, newness: float) -> tuple[float, Evidence | None]:
    """The weighted parts of one thought, and its worst part as evidence."""
    parts = {
        "leads": leads(reading, thought),
        "new": newness,
        "uses": uses(reading, thought),
        "notices": None if not thought.failed else float(notices(thought.text)),
    }
    value = weighted_mean(parts, WEIGHTS)
    if value is None or value > PERFECT:
        return 1.0, None
    worst = max(parts, key=lambda name: share(name, parts, WEIGHTS))
    why = WHY[worst].format(deed=cut(thought.deeds[0], DEED)) if worst == "leads" else WHY[worst]
    where = (reading.turn_index(thought.place.turn), thought.place.part, thought.step)
    return value, Evidence(why, cut(thought.text), *where)


def leads(reading: Reading, thought: ReasonedThought) -> float | None:
    """How much of the best fitting deed was in the thought; None when nothing follows."""
    mind = reading.stems(thought.text)
    stems = [reading.stems(deed[:LOOK]) for deed in thought.deeds]
    shares = [len(deed & mind) / min(len(deed), len(mind)) for deed in stems if deed]
    if not shares or not mind:
        return None
    best = max(shares)
    if best < ENOUGH:
        mine, *others = reading.static([text[:EMBEDDED] for text in (thought.text, *thought.deeds)])
        best = max(best, *(AKIN * float(mine @ other) for other in others))
    return min(1.0, best / ENOUGH)


def uses(reading: Reading, thought: ReasonedThought) -> float | None:
    """Whether the thought takes up something that was seen just before; to notice a failure is to take it up."""
    if not thought.seen or notices(thought.text):
        return None
    asked = reading.trace.turns[thought.place.turn].user_message or ""
    seen = reading.stems(thought.seen[:LOOK]).difference(reading.content(asked))
    if len(seen) < SEEN_ENOUGH:
        return None
    return min(1.0, len(seen.intersection(reading.content(thought.text))) / SEEN_ENOUGH)
