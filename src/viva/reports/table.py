"""Analyses as tables for a terminal: scores of each agent, bad turns, blame, and what to do."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from viva.engine.analysis import Analysis
from viva.engine.wording import DETECTIONS
from viva.reports.cells import MAX_ROWS_SHOWN, rows, score_cell, section, with_rest
from viva.reports.explaining import Explaining, because
from viva.reports.summary import summary
from viva.reports.tally import AnalysisTally
from viva.reports.words import AGENT_SCORES, SESSION_SCORES, outcome, printable

MAX_TRACES_EXPLAINED = 3  # of many traces, those with the lowest scores


def report(tally: AnalysisTally, explain: bool) -> Iterator[RenderableType]:
    """One trace in full; of many the summary, and with `explain` the lowest in full."""
    if tally.count == 0 or tally.first is None:
        yield Text("No traces.")
    elif tally.count == 1:
        yield from one(tally.first, explain)
    else:
        yield from summary(tally)
        for analysis in tally.lowest[:MAX_TRACES_EXPLAINED] if explain else ():
            yield Text("")
            yield from one(analysis, explain)


def one(analysis: Analysis, explain: bool) -> Iterator[RenderableType]:
    yield Text.assemble(("Trace ", "bold"), (printable(analysis.id), "bold cyan"), f": {outcome(analysis)}")
    yield Text("  ").join(labelled_score(analysis, name, label) for name, label in SESSION_SCORES.items())
    course = analysis.trajectory
    if course.efficiency is not None:
        yield Text.assemble(
            ("Course ", "dim"), course.signal, ("  useful steps ", "dim"), score_cell(course.efficiency)
        )
    explaining = Explaining() if explain else None
    if explaining:
        yield from explaining.scores({**analysis.evidence, "useful steps": course.evidence})
    yield section("Agents", agents_table(analysis))
    if explaining:
        for agent_id, agent in analysis.per_agent_scores.items():
            yield from explaining.scores({f"{agent_id} {name}": pieces for name, pieces in agent.evidence.items()})
    yield section("Bad turns", bad_turns(analysis, explaining))
    if explaining and (parts := explaining.parts(analysis)):
        yield section("More of single parts", parts)
    yield section("Tool issues", issues_table(analysis))
    yield section("Blame", blame(analysis))
    yield section("What to do", advice(analysis))


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
    return with_rest(table, len(agents) - MAX_ROWS_SHOWN, "agents, which scored higher")


def bad_turns(analysis: Analysis, explaining: Explaining | None) -> RenderableType | None:
    bad = [turn for turn in analysis.turn_results if turn.is_bad]
    if not bad:
        return None
    table = rows()
    for turn in bad[:MAX_ROWS_SHOWN]:
        said = f"{DETECTIONS[turn.detection_type].label} ({turn.confidence:.2f})"
        table.add_row(f"turn {turn.turn_index + 1}", Text(said, "red"), Text(printable(turn.reason), "dim"))
        for evidence in explaining.new(turn.evidence) if explaining else ():
            table.add_row("", "", because(evidence))
    return with_rest(table, len(bad) - MAX_ROWS_SHOWN, "bad turns")


def issues_table(analysis: Analysis) -> RenderableType | None:
    if not analysis.issues:
        return None
    table = rows()
    for issue in analysis.issues[:MAX_ROWS_SHOWN]:
        table.add_row(issue.severity, issue.type, f"turn {issue.turn_index + 1}", Text(printable(issue.message), "dim"))
    return with_rest(table, len(analysis.issues) - MAX_ROWS_SHOWN, "issues")


def blame(analysis: Analysis) -> RenderableType | None:
    found = analysis.failure_attribution
    if found is None or analysis.task_completion:
        return None
    where = f"turn {found.turn_index + 1}, part {found.interaction_index + 1}"
    return Text.assemble(
        (printable(found.agent_id), "bold"), f" in {where} ({found.confidence:.2f}): {printable(found.reason)}"
    )


def advice(analysis: Analysis) -> RenderableType | None:
    if not analysis.recommendations:
        return None
    table = rows()
    for piece in analysis.recommendations[:MAX_ROWS_SHOWN]:
        table.add_row(
            Text(f"+{piece.impact:.2f}", "green"), Text(printable(piece.text)), Text(printable(piece.because), "dim")
        )
    return with_rest(table, len(analysis.recommendations) - MAX_ROWS_SHOWN, "recommendations")
