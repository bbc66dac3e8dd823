"""Faults of a run: what every detector and measure found wrong, each at the interaction that made it.

A room gives `RunFault`s of kinds that FAULT_MEANINGS names. `confidence` is the probability that the fault is real; below
MIN_FAULT_CONFIDENCE it only raises the suspicion in a run that failed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from viva.engine.claims.tellings import tellings
from viva.engine.detectors.hallucination import DOUBTFUL, against_record
from viva.engine.evidence import Evidence, InteractionIndex, Issue, Score, Trajectory, cut
from viva.engine.faults import RunFault
from viva.engine.logistic import at_base_rate
from viva.engine.measures import coordination, drift, reasoning
from viva.engine.measures.tool_use import ToolUse
from viva.engine.outcome.signs import sign_evidence
from viva.engine.outcome.table import COMPLETION, run_signs
from viva.engine.reading import Reading, answering
from viva.engine.response_failure import ResponseFailure

FAULT_MEANINGS = {
    "tool": "made a call at fault",
    "unauthorized": "used a tool that it does not have",
    "minor_tool": "made a doubtful call",
    "answer": "gave an answer that failed the user",
    "telling": "told something else than it had seen",
    "refusal": "told as done what a tool had not done",
    "sum": "stated an equation that does not hold",
    "context_lost": "did not pass on what the next agent needed",
    "response": "gave no real answer",
    "against": "acted against its own thought",
    "leads": "did not act on its own thought",
    "beside": "thought about something else than the task",
    "blind": "did not notice an error",
    "again": "thought the same again",
    "duplicate_work": "did again what another agent had done",
    "role_breaches": "did or said what is another agent's task",
    "contradictions": "contradicted what another agent had found",
    "ping_pong": "sent the work to and fro",
    "deadlock": "waited while the other waited too",
    "obeys": "obeyed an order that the user had not given",
    "off_goal": "did something that has nothing to do with the goal",
    "loop": "did the same again with nothing new",
}
# No reason to blame anybody if the run went well.
MINOR_KINDS = frozenset(("minor_tool", "response", "loop", "leads", "blind", "again"))
MIN_FAULT_CONFIDENCE = 0.5
WEAK_RESPONSE = 0.5  # a response at or below this is a promise, a refusal, a repetition or nothing
REFUSAL_SIGN = "refused_told_as_done"
TOOL_KINDS = {"UNAUTHORIZED_TOOL": "unauthorized"}


def is_concrete(fault: RunFault) -> bool:
    """Whether a fault is a reason to blame somebody even if the run went well."""
    return fault.kind not in MINOR_KINDS and fault.confidence >= MIN_FAULT_CONFIDENCE


class RunFindings(NamedTuple):
    """What was found about a run before anybody is blamed."""

    turns: Sequence[ResponseFailure]
    tools: ToolUse
    parts: Mapping[str, Mapping[InteractionIndex, Score]]
    course: Trajectory


def gather_faults(reading: Reading, found: RunFindings) -> list[RunFault]:
    positions = {turn.turn_index: t for t, turn in enumerate(reading.trace.turns)}
    return [
        *tool_faults(reading, found.tools.issues, positions),
        *answer_faults(reading, found.turns),
        *telling_faults(reading),
        *(fault for measure in (coordination, reasoning, drift) for fault in measure.find_faults(reading)),
        *low_responses(reading, found.parts["response_quality"]),
        *loop_faults(reading, found.course, positions),
        *outcome_faults(reading),
    ]


def fault_at(reading: Reading, kind: str, turn: int, part: int, confidence: float, evidence: Evidence) -> RunFault:
    agent_id = reading.trace.turns[turn].agent_interactions[part].agent_id
    return RunFault(kind, agent_id, turn, part, confidence, evidence)


def tool_faults(reading: Reading, issues: Iterable[Issue], positions: Mapping[int, int]) -> Iterator[RunFault]:
    for issue in issues:
        kind = "minor_tool" if issue.severity == "LOW" else TOOL_KINDS.get(issue.type, "tool")
        at = issue.turn_index, issue.interaction_index
        seen = Evidence(issue.message, cut(issue.evidence), *at, issue.step_index)
        yield fault_at(reading, kind, positions[at[0]], at[1], issue.confidence, seen)


def answer_faults(reading: Reading, turns: Sequence[ResponseFailure]) -> Iterator[RunFault]:
    """Answers that failed the user, where the user or the knowledge says so. What tools say is a `telling`."""
    for t, bad in enumerate(turns):
        part = answering(reading.trace.turns[t])
        by_tools = bad.detection_type == "hallucination" and not reading.trace.turns[t].knowledge
        if bad.is_bad and bad.bad_score is not None and part >= 0 and not by_tools:
            words = cut(reading.trace.turns[t].agent_interactions[part].agent_response or "")
            seen = Evidence(bad.reason, words, reading.turn_index(t), part)
            yield fault_at(reading, "answer", t, part, bad.bad_score, seen)


def telling_faults(reading: Reading) -> Iterator[RunFault]:
    for telling in tellings(reading):
        if telling.probability >= DOUBTFUL:
            signal, place = against_record(reading, telling), telling.place
            sure = at_base_rate(telling.probability, reading.base_rate)
            yield fault_at(reading, "telling", place.turn, place.part, sure, signal.evidence[0])


def low_responses(reading: Reading, scores: Mapping[InteractionIndex, Score]) -> Iterator[RunFault]:
    for (turn, part), score in scores.items():
        if score.value is not None and score.value <= WEAK_RESPONSE and score.evidence:
            yield fault_at(reading, "response", turn, part, 1 - score.value, score.evidence[0])


def loop_faults(reading: Reading, course: Trajectory, positions: Mapping[int, int]) -> Iterator[RunFault]:
    for loop in course.loops:
        seen = Evidence("The same again", loop.what, loop.turn_index, loop.interaction_index, loop.step_index)
        yield fault_at(reading, "loop", positions[loop.turn_index], loop.interaction_index, 1.0, seen)


def outcome_faults(reading: Reading) -> Iterator[RunFault]:
    """What shows in how the run ended: that a tool did not do it, and the answer does not say so."""
    meanings = {feature.name: feature.meaning for feature in COMPLETION}
    for sign in run_signs(reading) if reading.places else ():
        if sign.value and sign.name == REFUSAL_SIGN and sign.turn is not None and sign.interaction is not None:
            seen = sign_evidence(sign, meanings[sign.name], reading)
            yield fault_at(reading, "refusal", sign.turn, sign.interaction, sign.value, seen)
