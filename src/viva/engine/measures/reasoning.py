"""Reasoning: does a thought lead to the action that follows, is it about the work, does it notice errors, do its sums hold."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from viva.engine.calls.failures import speaks_of_failure
from viva.engine.evidence import MAX_EVIDENCE_PIECES, InteractionIndex, Score, cut
from viva.engine.faults import RunFault, make_fault, score_left
from viva.engine.outcome.arithmetic import false_equations
from viva.engine.reading import Place, Reading, once
from viva.engine.team.figures import values_of
from viva.engine.team.flow import AgentRun, stretches
from viva.engine.team.thoughts import ReasonedThought, last_words, other_value, thoughts

THOUGHT_COST = 0.8  # of the score of one thought, for a fault that is certain
WHY = {
    "against": "The thought has {mine}, but what is done has {done}.",
    "leads": "The thought does not lead to what is done next: “{deed}”.",
    "beside": "The thought has nothing to do with the task, with what was seen or with what is done.",
    "blind": "The step before failed, and the thought does not notice.",
    "again": "The thought repeats an earlier one.",
    "sum": "The sum does not hold: {sum}.",
}
MIN_THOUGHT_STEMS = 4  # words under which a thought is a note ("next: search"), not reasoning
UNLIKE = 0.25  # static similarity below which texts without a common word have nothing to do with each other
MAX_COMPARED = 3_000
MIN_COMPARED_STEMS = 3  # words of a text that a thought can be compared with: not of "finish: yes"
ABOUT_WORK = frozenset(
    "apologiz apolog mistak confus reconsid reflect task problem question answer step plan try again".split()
)
SHORT_STEM = 3
EMBEDDED = 300  # characters whose meaning is compared: a thought comes to the point by then
MAX_EQUATION_CHARACTERS = 20_000
ThoughtKey = tuple[str, str, str]  # who thought it, the words, and what was done


class ThoughtJudgement(NamedTuple):
    """Where a piece of reasoning stands, what it leaves of the score, and its faults."""

    place: Place
    value: float
    faults: list[RunFault]


def measure(reading: Reading) -> dict[InteractionIndex, Score]:
    """A score for every interaction that holds thoughts or sums."""
    rows: dict[InteractionIndex, list[ThoughtJudgement]] = {}
    for judged in judge_thoughts(reading):
        rows.setdefault(judged.place[:2], []).append(judged)
    return {where: average_thoughts(found) for where, found in rows.items()}


def find_faults(reading: Reading) -> list[RunFault]:
    return [fault for judged in judge_thoughts(reading) for fault in judged.faults]


def average_thoughts(rows: list[ThoughtJudgement]) -> Score:
    faults = sorted((fault for row in rows for fault in row.faults), key=lambda fault: -fault.confidence)
    value = sum(row.value for row in rows) / len(rows)
    return Score(round(value, 4), tuple(fault.evidence for fault in faults[:MAX_EVIDENCE_PIECES]))


@once
def judge_thoughts(reading: Reading) -> list[ThoughtJudgement]:
    """Every thought, and every response that has sums, with its faults."""
    found: list[ThoughtJudgement] = []
    before: AgentRun | None = None
    said: set[ThoughtKey] = set()
    known: set[float | str] = set()
    heard = [reading.trace.initial_task]  # what is known since the last thought; most runs have none
    turn = -1
    for stretch in stretches(reading):
        while turn < stretch.places[0].turn:
            turn += 1
            heard.append(reading.trace.turns[turn].user_message)
        same_turn = before is not None and before.places[-1].turn == stretch.places[0].turn
        received = last_words(before) if before is not None and same_turn else None
        for thought in thoughts(stretch, received):
            known.update(*(values_of(text) for text in (*heard, thought.seen) if text))
            heard.clear()
            faults = list(thought_faults(reading, thought, received, said, known))
            if faults or len(reading.stems(thought.text)) >= MIN_THOUGHT_STEMS:
                found.append(ThoughtJudgement(thought.place, score_left(faults, THOUGHT_COST), faults))
        found += response_sums(reading, stretch)
        heard.append(stretch.handed_over)
        before = stretch
    return found


def thought_faults(
    reading: Reading, thought: ReasonedThought, received: str | None, said: set[ThoughtKey], known: set[float | str]
) -> Iterator[RunFault]:
    def fault(kind: str, confidence: float, **words: str) -> RunFault:
        why = WHY[kind].format(**words)
        return make_fault(reading, kind, thought.place, confidence, why, thought.text, thought.step)

    if pair := other_value(thought, known):
        yield fault("against", 0.7, mine=pair[0].written, done=pair[1].written)
    if thought.failed and not speaks_of_failure(thought.text):
        yield fault("blind", 0.4)
    key = (thought.place.interaction.agent_id, " ".join(thought.text.lower().split()), " ".join(thought.deeds)[:200])
    if key in said and len(reading.stems(thought.text)) >= MIN_THOUGHT_STEMS:
        yield fault("again", 0.4)
    elif is_unlike(reading, thought.text, thought.deeds):
        trace, turn = reading.trace, reading.trace.turns[thought.place.turn]
        task = (turn.user_message, trace.initial_task, received, thought.seen)
        if is_unlike(reading, thought.text, (*thought.deeds, *task)):
            yield fault("beside", 0.8)
        else:
            yield fault("leads", 0.3, deed=cut(thought.deeds[0], 80))
    said.add(key)
    for wrong in list(false_equations(thought.text))[:1]:
        yield fault("sum", 0.8, sum=cut(wrong, 80))


def is_unlike(reading: Reading, thought: str, texts: Iterable[str | None]) -> bool:
    """Whether a thought shares no word with any of the texts, and is unlike them in meaning. False without texts."""
    mind, others = reading.stems(thought), [text[:MAX_COMPARED] for text in texts if text]
    if len(mind) < MIN_THOUGHT_STEMS or not mind.isdisjoint(ABOUT_WORK):
        return False
    if max((len(reading.stems(text)) for text in others), default=0) < MIN_COMPARED_STEMS:
        return False
    telling = {stem for stem in mind if len(stem) > SHORT_STEM or stem.isdigit()}  # small words of other languages
    if any(not telling.isdisjoint(reading.stems(text)) for text in others):
        return False
    mine, *rest = reading.vectors([thought[:EMBEDDED], *(text[:EMBEDDED] for text in others)])
    return max(float(mine @ other) for other in rest) < UNLIKE


def response_sums(reading: Reading, stretch: AgentRun) -> Iterator[ThoughtJudgement]:
    """Responses that work something out in equations, judged by whether these hold."""
    for place in stretch.places:
        text = (place.interaction.agent_response or "")[:MAX_EQUATION_CHARACTERS]
        if "=" in text and any(sign.isdigit() for sign in text):
            for wrong in list(false_equations(text))[:1]:
                faults = [make_fault(reading, "sum", place, 0.8, WHY["sum"].format(sum=cut(wrong, 80)), text)]
                yield ThoughtJudgement(place, score_left(faults, THOUGHT_COST), faults)
