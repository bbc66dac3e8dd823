"""Faults: what the detectors and measures found wrong, each at the interaction that made it.

A room adds its faults by giving `RunFault`s of a kind that FAULT_MEANINGS names. `confidence` is the probability that the
fault is real; below MIN_FAULT_CONFIDENCE it only raises the suspicion in a run that failed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from viva.engine.evidence import Evidence, InteractionIndex, Issue, Score, cut
from viva.engine.measures.coordination import Coordination
from viva.engine.measures.tool_use import ToolUse
from viva.engine.measures.trajectory import Trajectory
from viva.engine.outcome.signs import sign_evidence
from viva.engine.outcome.table import COMPLETION, run_signs
from viva.engine.reading import Reading, answering
from viva.engine.response_failure import ResponseFailure

FAULT_MEANINGS = {
    "tool": "made a call at fault",
    "unauthorized": "used a tool that it does not have",
    "minor_tool": "made a doubtful call",
    "answer": "gave an answer that failed the user",
    "refusal": "told as done what a tool had not done",
    "sum": "stated an equation that does not hold",
    "handoff": "did not pass on what the next agent needed",
    "response": "gave no real answer",
    "thought": "did not act on its own thought",
    "duplicate_work": "did again what another agent had done",
    "role_breaches": "did or said what is another agent's task",
    "ping_pong": "sent the work to and fro",
    "deadlock": "waited while the other waited too",
    "drift": "did something that the user had not asked for",
    "loop": "did the same again with nothing new",
}
MINOR_KINDS = frozenset(
    ("minor_tool", "response", "loop", "thought")
)  # no reason to blame anybody if the run went well
MIN_FAULT_CONFIDENCE = 0.5
LOST_HANDOFF = 0.6  # a handoff at or below this lost what was needed
WEAK_THOUGHT = 0.5  # a thought at or below this did not lead to the act
WEAK_RESPONSE = 0.5  # a response at or below this is a promise, a refusal, a repetition or nothing
SIGN_KINDS = {"refused_told_as_done": "refusal", "false_sum": "sum"}
TOOL_KINDS = {"UNAUTHORIZED_TOOL": "unauthorized"}
TEAM_KINDS = ("duplicate_work", "role_breaches", "ping_pong", "deadlock")


class RunFault(NamedTuple):
    """One thing that an interaction did wrong. `turn` and `part` are positions."""

    kind: str
    turn: int
    part: int
    confidence: float
    evidence: Evidence

    @property
    def is_concrete(self) -> bool:
        return self.kind not in MINOR_KINDS and self.confidence >= MIN_FAULT_CONFIDENCE


class RunFindings(NamedTuple):
    """What was found about a run before anybody is blamed."""

    turns: Sequence[ResponseFailure]
    tools: ToolUse
    team: Coordination
    parts: Mapping[str, Mapping[InteractionIndex, Score]]
    drift: Score
    course: Trajectory


def gather_faults(reading: Reading, found: RunFindings) -> list[RunFault]:
    """Every fault of a run, in no particular order."""
    positions = {turn.turn_index: t for t, turn in enumerate(reading.trace.turns)}
    return [
        *tool_faults(found.tools.issues, positions),
        *answer_faults(reading, found.turns),
        *low_scores(found.parts["handoff"], "handoff", LOST_HANDOFF),
        *low_scores(found.parts["reasoning"], "thought", WEAK_THOUGHT),
        *low_scores(found.parts["response_quality"], "response", WEAK_RESPONSE),
        *(fault for kind in TEAM_KINDS for fault in place_faults(kind, getattr(found.team, kind), 1.0, positions)),
        *place_faults("drift", found.drift.evidence, found.drift.value or 0.0, positions),
        *loop_faults(found.course, positions),
        *outcome_faults(reading),
    ]


def tool_faults(issues: Iterable[Issue], positions: Mapping[int, int]) -> Iterator[RunFault]:
    for issue in issues:
        kind = "minor_tool" if issue.severity == "low" else TOOL_KINDS.get(issue.type, "tool")
        at = issue.turn_index, issue.interaction_index
        seen = Evidence(issue.message, cut(issue.evidence), *at, issue.step_index)
        yield RunFault(kind, positions[at[0]], at[1], issue.confidence, seen)


def answer_faults(reading: Reading, turns: Sequence[ResponseFailure]) -> Iterator[RunFault]:
    for t, bad in enumerate(turns):
        part = answering(reading.trace.turns[t])
        if bad.is_bad and bad.bad_score is not None and part >= 0:
            words = cut(reading.trace.turns[t].agent_interactions[part].agent_response or "")
            yield RunFault("answer", t, part, bad.bad_score, Evidence(bad.reason, words, reading.turn_index(t), part))


def low_scores(scores: Mapping[InteractionIndex, Score], kind: str, most: float) -> Iterator[RunFault]:
    for (turn, part), score in scores.items():
        if score.value is not None and score.value <= most and score.evidence:
            yield RunFault(kind, turn, part, 1 - score.value, score.evidence[0])


def place_faults(
    kind: str, cases: Iterable[Evidence], confidence: float, positions: Mapping[int, int]
) -> Iterator[RunFault]:
    for case in cases:
        if case.turn_index is not None and case.interaction_index is not None:
            yield RunFault(kind, positions[case.turn_index], case.interaction_index, confidence, case)


def loop_faults(course: Trajectory, positions: Mapping[int, int]) -> Iterator[RunFault]:
    for loop in course.loops:
        seen = Evidence("The same again", loop.what, loop.turn_index, loop.interaction_index, loop.step_index)
        yield RunFault("loop", positions[loop.turn_index], loop.interaction_index, 1.0, seen)


def outcome_faults(reading: Reading) -> Iterator[RunFault]:
    """Faults that show in how the run ended."""
    meanings = {feature.name: feature.meaning for feature in COMPLETION}
    turns = [turn.turn_index for turn in reading.trace.turns]
    for sign in run_signs(reading) if reading.places else ():
        if sign.value and sign.name in SIGN_KINDS and sign.turn is not None and sign.interaction is not None:
            seen = sign_evidence(sign, meanings[sign.name], turns)
            yield RunFault(SIGN_KINDS[sign.name], sign.turn, sign.interaction, sign.value, seen)
