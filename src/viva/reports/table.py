"""Analyses as tables for a terminal: scores of each agent, bad turns, the decisive mistake, recommendations."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from viva.engine.analysis import Analysis, TurnResult
from viva.engine.wording import DETECTIONS
from viva.reports.cells import MAX_ROWS_SHOWN, add_rest, plain_table, score_cell, section
from viva.reports.explaining import EvidenceRenderer, render_evidence
from viva.reports.summary import render_summary
from viva.reports.tally import AnalysisTally
from viva.reports.words import (
    AGENT_SCORES,
    COURSES,
    DECISIVE_MISTAKE,
    SESSION_SCORES,
    bad_turns,
    intake,
    outcome,
    printable,
    ranked_issues,
    sureness,
)

MAX_TRACES_EXPLAINED = 3  # the ones with the lowest scores


def render_report(tally: AnalysisTally, explain: bool, min_confidence: float = 0.0) -> Iterator[RenderableType]:
    """One trace in full, or a summary of many. With `explain`, the summary is followed by the lowest traces in full."""
    if tally.count == 0 or tally.first is None:
        yield Text("No traces.")
    elif tally.count == 1:
        yield from render_trace(tally.first, explain, min_confidence)
    else:
        yield from render_summary(tally)
        for analysis in tally.lowest[:MAX_TRACES_EXPLAINED] if explain else ():
            yield Text("")
            yield from render_trace(analysis, explain, min_confidence)


def render_trace(analysis: Analysis, explain: bool, min_confidence: float) -> Iterator[RenderableType]:
    yield Text.assemble(("Trace ", "bold"), (printable(analysis.id), "bold cyan"), f": {outcome(analysis)}")
    yield Text(printable(intake(analysis)), "dim")
    yield Text("  ").join(labelled_score(analysis, name, label) for name, label in SESSION_SCORES.items())
    trajectory = analysis.trajectory
    if trajectory.efficiency is not None:
        yield Text.assemble(
            ("Trajectory ", "dim"),
            COURSES[trajectory.signal],
            ("  useful steps ", "dim"),
            score_cell(trajectory.efficiency),
        )
    evidence = EvidenceRenderer() if explain else None
    if evidence:
        yield from evidence.render_scores({**analysis.evidence, "useful steps": trajectory.evidence})
    yield section("Agents", agents_table(analysis))
    if evidence:
        for agent_id, agent in analysis.per_agent_scores.items():
            yield from evidence.render_scores({f"{agent_id} {name}": pieces for name, pieces in agent.evidence.items()})
    yield section("Bad turns", bad_turns_table(bad_turns(analysis, min_confidence), evidence))
    if evidence and (parts := evidence.render_parts(analysis)):
        yield section("More evidence", parts)
    yield section("Tool issues", issues_table(analysis))
    yield section("Decisive mistake", render_attribution(analysis))
    yield section("Recommendations", recommendations_table(analysis))


def labelled_score(analysis: Analysis, name: str, label: str) -> Text:
    value: float | None = getattr(analysis, name)
    return Text.assemble((f"{label} ", "dim"), score_cell(value, name))


def agents_table(analysis: Analysis) -> RenderableType | None:
    if not analysis.per_agent_scores:
        return None
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    for label in [*AGENT_SCORES.values(), "Parts", "Issues"]:
        table.add_column(label, justify="right")
    agents = sorted(analysis.per_agent_scores.items(), key=lambda item: item[1].overall or 0.0)
    for agent_id, agent in agents[:MAX_ROWS_SHOWN]:
        cells = [score_cell(getattr(agent, name)) for name in AGENT_SCORES]
        table.add_row(Text(printable(agent_id)), *cells, str(agent.interactions_count), str(len(agent.issues)))
    return add_rest(table, len(agents) - MAX_ROWS_SHOWN, "agents with higher scores")


def bad_turns_table(bad: list[TurnResult], evidence: EvidenceRenderer | None) -> RenderableType | None:
    if not bad:
        return None
    table = plain_table()
    for turn in bad[:MAX_ROWS_SHOWN]:
        label = f"{DETECTIONS[turn.detection_type].label} ({sureness(turn.detection_type, turn.confidence)})"
        table.add_row(f"turn {turn.turn_index + 1}", Text(label, "red"), Text(printable(turn.reason), "dim"))
        for piece in evidence.take_new(turn.evidence) if evidence else ():
            table.add_row("", "", render_evidence(piece))
    return add_rest(table, len(bad) - MAX_ROWS_SHOWN, "bad turns")


def issues_table(analysis: Analysis) -> RenderableType | None:
    if not analysis.issues:
        return None
    table = plain_table()
    for issue in ranked_issues(analysis)[:MAX_ROWS_SHOWN]:
        sure, where = sureness(issue.type, issue.confidence), f"turn {issue.turn_index + 1}"
        table.add_row(issue.severity, issue.type, sure, where, Text(printable(issue.message), "dim"))
    return add_rest(table, len(analysis.issues) - MAX_ROWS_SHOWN, "issues")


def render_attribution(analysis: Analysis) -> RenderableType | None:
    attribution = analysis.failure_attribution
    if attribution is None:
        return None
    position = f"turn {attribution.turn_index + 1}, part {attribution.interaction_index + 1}"
    sure = sureness(DECISIVE_MISTAKE, attribution.confidence)
    return Text.assemble(
        (printable(attribution.agent_id), "bold"),
        f" in {position} ({sure}): {printable(attribution.reason)}",
    )


def recommendations_table(analysis: Analysis) -> RenderableType | None:
    if not analysis.recommendations:
        return None
    table = plain_table()
    for item in analysis.recommendations[:MAX_ROWS_SHOWN]:
        table.add_row(
            Text(f"+{item.impact:.2f}", "green"), Text(printable(item.text)), Text(printable(item.because), "dim")
        )
    return add_rest(table, len(analysis.recommendations) - MAX_ROWS_SHOWN, "recommendations")
