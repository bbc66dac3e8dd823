"""Two analyses side by side: how each score changed, and which detections and issues are new or gone."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from viva.reports.words import AGENT_SCORES, SESSION_SCORES
from viva.traces.marks import DetectionPlace


class ScoreChange(Struct, frozen=True):
    """A score in both analyses, and the second minus the first; None where it does not apply."""

    first: float | None
    second: float | None
    change: float | None


class ComparedFinding(Struct, frozen=True):
    """A detection or an issue, by its kind and its place."""

    kind: str
    agent_id: str | None
    turn_index: int
    interaction_index: int | None
    step_index: int | None
    message: str


class AnalysisComparison(Struct, frozen=True):
    """What differs between two analyses. `gone` was found by the first only, `new` by the second only."""

    first: str
    second: str
    scores: dict[str, ScoreChange]
    agents: dict[str, dict[str, ScoreChange]]
    new: list[ComparedFinding]
    gone: list[ComparedFinding]


def compare(first_id: str, first: Mapping[str, Any], second_id: str, second: Mapping[str, Any]) -> AnalysisComparison:
    """Compare two analyses, given as their JSON."""
    found, found_later = list_findings(first), list_findings(second)
    agents = list(dict.fromkeys([*first["per_agent_scores"], *second["per_agent_scores"]]))
    return AnalysisComparison(
        first_id,
        second_id,
        {name: change(first.get(name), second.get(name)) for name in SESSION_SCORES},
        {agent: compare_agent(first, second, agent) for agent in agents},
        new=subtract(found_later, found),
        gone=subtract(found, found_later),
    )


def compare_agent(first: Mapping[str, Any], second: Mapping[str, Any], agent: str) -> dict[str, ScoreChange]:
    before, after = (analysis["per_agent_scores"].get(agent, {}) for analysis in (first, second))
    return {name: change(before.get(name), after.get(name)) for name in AGENT_SCORES}


def change(first: float | None, second: float | None) -> ScoreChange:
    return ScoreChange(first, second, None if first is None or second is None else round(second - first, 4))


def list_findings(analysis: Mapping[str, Any]) -> list[ComparedFinding]:
    """The detections and issues of an analysis."""
    detections = [
        ComparedFinding(turn["detection_type"], None, turn["turn_index"], None, None, turn["reason"])
        for turn in analysis["turn_results"]
        if turn["is_bad"]
    ]
    issues = [
        ComparedFinding(
            issue["type"],
            issue["agent_id"],
            issue["turn_index"],
            issue["interaction_index"],
            issue["step_index"],
            issue["message"],
        )
        for issue in analysis["issues"]
    ]
    return detections + issues


def subtract(findings: Iterable[ComparedFinding], others: Iterable[ComparedFinding]) -> list[ComparedFinding]:
    """The findings that the others do not have. Messages may differ, since they may name numbers."""
    left = Counter(map(place_of, others))
    kept = []
    for finding in findings:
        if left[place_of(finding)]:
            left[place_of(finding)] -= 1
        else:
            kept.append(finding)
    return kept


def place_of(finding: ComparedFinding) -> DetectionPlace:
    return DetectionPlace(finding.kind, finding.turn_index, finding.interaction_index, finding.step_index)
