"""The findings of one analysis in one list, numbered: the decisive mistake, failed answers, issues, coordination."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from viva.engine.analysis import Analysis
from viva.engine.evidence import Evidence, Issue
from viva.engine.precision import is_unsure
from viva.engine.wording import COORDINATION_CASES, DETECTIONS, ISSUES
from viva.reports.words import DECISIVE_MISTAKE, bad_turns, ranked_issues
from viva.traces.marks import NO_INDEX

GroupName = Literal["mistake", "answers", "HIGH", "MEDIUM", "LOW", "together"]
GROUP_TITLES: dict[GroupName, str] = {
    "mistake": "The decisive mistake",
    "answers": "Answers that failed the user",
    "HIGH": "Issues of high severity",
    "MEDIUM": "Issues of medium severity",
    "LOW": "Issues of low severity",
    "together": "Between the agents",
}
KIND_LABELS: dict[str, str] = {
    DECISIVE_MISTAKE: GROUP_TITLES["mistake"],
    **{kind: wording.label for kind, wording in DETECTIONS.items()},
    **{kind: wording.label for kind, wording in ISSUES.items()},
    **COORDINATION_CASES,
}


class MarkPlace(NamedTuple):
    """What a mark of the owner is about. Without an interaction or a step, the index is that of none."""

    turn_index: int
    interaction_index: int = NO_INDEX
    step_index: int = NO_INDEX


class RunFinding(NamedTuple):
    """One finding. `kind` is the engine's code, and `about` the turn, part or step that is at fault."""

    kind: str
    about: MarkPlace
    group: GroupName
    label: str
    text: str
    agent_id: str | None
    evidence: tuple[Evidence, ...]
    confidence: float | None = None
    number: int = 0

    @property
    def is_unsure(self) -> bool:
        return is_unsure(self.kind)

    @property
    def is_severe(self) -> bool:
        return self.group in ("mistake", "answers", "HIGH")

    @property
    def place(self) -> Evidence | None:
        """Where its words stand: the place of the first evidence."""
        return next((piece for piece in self.evidence if piece.turn_index is not None), None)


class FindingGroup(NamedTuple):
    """Findings of one group, the surest first."""

    title: str
    findings: list[RunFinding]
    more: int


def label_of(kind: str) -> str:
    """A kind of finding in words, as a heading."""
    label = KIND_LABELS.get(kind, kind)
    return label[:1].upper() + label[1:]


def list_findings(analysis: Analysis) -> list[RunFinding]:
    """All findings with their numbers from 1."""
    found = [*mistake(analysis), *failed_answers(analysis), *issues(analysis), *coordination_cases(analysis)]
    return [finding._replace(number=number) for number, finding in enumerate(found, 1)]


def mistake(analysis: Analysis) -> Iterator[RunFinding]:
    blamed = analysis.failure_attribution
    if blamed:
        place = Evidence(blamed.reason, "", blamed.turn_index, blamed.interaction_index)
        yield RunFinding(
            kind=DECISIVE_MISTAKE,
            about=MarkPlace(blamed.turn_index, blamed.interaction_index),
            group="mistake",
            label=label_of(DECISIVE_MISTAKE),
            text=blamed.reason.removeprefix(f"{blamed.agent_id} "),  # the agent is named before it
            agent_id=blamed.agent_id,
            evidence=blamed.evidence or (place,),
            confidence=blamed.confidence,
        )


def failed_answers(analysis: Analysis) -> Iterator[RunFinding]:
    for turn in bad_turns(analysis):
        yield RunFinding(
            kind=turn.detection_type,
            about=MarkPlace(turn.turn_index),
            group="answers",
            label=f"Turn {turn.turn_index + 1}: {DETECTIONS[turn.detection_type].label}",
            text=turn.reason,
            agent_id=None,
            evidence=turn.evidence or (Evidence(turn.reason, "", turn.turn_index),),
            confidence=turn.confidence,
        )


def issues(analysis: Analysis) -> Iterator[RunFinding]:
    ranked = ranked_issues(analysis)
    for severity in ("HIGH", "MEDIUM", "LOW"):
        yield from (finding_of(issue) for issue in ranked if issue.severity == severity)


def finding_of(issue: Issue) -> RunFinding:
    place = Evidence(issue.message, issue.evidence, issue.turn_index, issue.interaction_index, issue.step_index)
    return RunFinding(
        kind=issue.type,
        about=place_of(place),
        group=issue.severity,
        label=label_of(issue.type),
        text=issue.message,
        agent_id=issue.agent_id,
        evidence=(place,),
        confidence=issue.confidence,
    )


def coordination_cases(analysis: Analysis) -> Iterator[RunFinding]:
    for kind, title in COORDINATION_CASES.items():
        for piece in getattr(analysis.coordination, kind):
            yield RunFinding(kind, place_of(piece), "together", title, piece.why, None, (piece,))


def place_of(piece: Evidence) -> MarkPlace:
    places = (piece.turn_index, piece.interaction_index, piece.step_index)
    return MarkPlace(*(NO_INDEX if place is None else place for place in places))


def group_findings(findings: list[RunFinding], most: int) -> list[FindingGroup]:
    """The groups that have findings, each with its first ones."""
    groups = []
    for group, title in GROUP_TITLES.items():
        own = [finding for finding in findings if finding.group == group]
        if own:
            groups.append(FindingGroup(title, own[:most], len(own) - len(own[:most])))
    return groups
