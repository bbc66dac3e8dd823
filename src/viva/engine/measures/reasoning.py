"""Reasoning: does a thought lead to the action that follows, is it about the work, does it notice errors, do its sums hold."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from viva.engine.call_text import flat
from viva.engine.calls.actions import name_words
from viva.engine.calls.failures import speaks_of_failure, text_reports_failure
from viva.engine.evidence import MAX_EVIDENCE_PIECES, InteractionIndex, Score, cut
from viva.engine.faults import RunFault, make_fault, score_left
from viva.engine.model import Step
from viva.engine.outcome.arithmetic import false_equations
from viva.engine.reading import Place, Reading, once
from viva.engine.team.figures import Figure, figures, values_of
from viva.engine.team.flow import AgentRun, step_text, stretches

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
MAX_THOUGHT_CHARACTERS = 3_000  # of a text compared: thoughts are shorter, and of a dump the head tells enough
MAX_FIGURES_MEANT = 8  # in a thought and in a call; more are a calculation or a program
SMALL_NUMBER = 10  # below which a number may count the points of a list
MAX_DEEDS = 5  # that one thought may lead to


class ReasonedThought(NamedTuple):
    """A thought with what was seen before it and what was done after it: all texts, and the calls among them."""

    place: Place
    step: int
    text: str
    seen: str | None
    failed: bool
    deeds: tuple[str, ...]
    call: Step | None


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
    scores: dict[InteractionIndex, Score] = {}
    for where, found in rows.items():
        faults = sorted((fault for row in found for fault in row.faults), key=lambda fault: -fault.confidence)
        value = sum(row.value for row in found) / len(found)
        scores[where] = Score(round(value, 4), tuple(fault.evidence for fault in faults[:MAX_EVIDENCE_PIECES]))
    return scores


def find_faults(reading: Reading) -> list[RunFault]:
    return [fault for judged in judge_thoughts(reading) for fault in judged.faults]


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


def last_words(stretch: AgentRun) -> str:
    interaction = stretch.places[-1].interaction
    return interaction.agent_response or (step_text(interaction.agent_steps[-1]) if interaction.agent_steps else "")


def thoughts(stretch: AgentRun, before: str | None) -> list[ReasonedThought]:
    """The thoughts of a stretch, each between what was seen and what was done until the next thought."""
    if not any(step.thought for place in stretch.places for step in place.interaction.agent_steps):
        return []
    rows = [(place, k, step) for place in stretch.places for k, step in steps(place)]
    found: list[ReasonedThought] = []
    deeds: list[str] = []
    call: Step | None = None
    closed = False  # whether the deeds at hand have had their thought already
    for at in range(len(rows) - 1, -1, -1):
        place, k, step = rows[at]
        if deed := (place.interaction.agent_response if k < 0 else deed_text(step)):
            call = step if step.tool_call else None if closed else call
            deeds, closed = ([deed] if closed else [deed, *deeds[: MAX_DEEDS - 1]]), False
        if step.thought and step.thought.strip():
            seen, failed = step_result(rows[at - 1][2]) if at else (before, False)
            text = step.thought[:MAX_THOUGHT_CHARACTERS]
            found.append(ReasonedThought(place, k, text, seen, failed, tuple(deeds), call))
            closed = True
    return found[::-1]


def steps(place: Place) -> list[tuple[int, Step]]:
    """The steps of an interaction; its response is the last, numbered -1."""
    rows = list(enumerate(place.interaction.agent_steps))
    return [*rows, (-1, Step())] if (place.interaction.agent_response or "").strip() else rows


def deed_text(step: Step) -> str:
    """What a step does, in words: its action, the tool's name and the values it is called with."""
    call = step.tool_call
    values = " ".join(flat(value)[:MAX_THOUGHT_CHARACTERS] for value in call.parameters.values()) if call else ""
    name = " ".join(name_words(call.tool_name)) if call else ""
    return " ".join(part for part in (step.action, name, values) if part)


def step_result(step: Step) -> tuple[str | None, bool]:
    """What a step brought to see, and whether it failed."""
    call = step.tool_call
    seen = step.observation or (call and (call.error or flat(call.result))) or None
    failed = bool(call and call.error) or text_reports_failure(seen or "")
    return (seen[:MAX_THOUGHT_CHARACTERS] if seen else None), failed


def other_value(thought: ReasonedThought, known: set[float | str]) -> tuple[Figure, Figure] | None:
    """A number or code that the thought has, where the call that follows has another of its kind.

    Only where each has one of the kind, or where nobody had said the one of the thought: otherwise it may speak of another.
    """
    if thought.call is None:
        return None
    mind, done = figures(thought.text), figures(deed_text(thought.call))
    if max(len(mind), len(done)) > MAX_FIGURES_MEANT:
        return None
    ours, theirs = {figure.value for figure in mind}, {figure.value for figure in done}
    for mine in mind:
        kin = [figure for figure in done if figure.look == mine.look and figure.value not in ours]
        if mine.value in theirs or not kin or mine.written in kin[0].written or kin[0].written in mine.written:
            continue
        alone = all(sum(figure.look == mine.look for figure in some) == 1 for some in (mind, done))
        small = isinstance(mine.value, float) and mine.value < SMALL_NUMBER
        if mine.value not in known or (alone and not small):
            return mine, kin[0]
    return None
