"""Many analyses in one view on a terminal: averages, what was found, and where to look first."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from viva.engine.wording import DETECTIONS
from viva.reports.cells import MAX_ROWS_SHOWN, rows, score_cell, section
from viva.reports.tally import AnalysisTally
from viva.reports.words import SESSION_SCORES, printable


def summary(tally: AnalysisTally) -> Iterator[RenderableType]:
    reached, missed, unknown = (tally.outcomes[done] for done in (True, False, None))
    told = f"{tally.count:,} traces: goal reached in {reached:,}, missed in {missed:,}, not known in {unknown:,}"
    yield Text(told, "bold")
    yield section("Averages", averages(tally))
    yield section("Found", render_findings(tally))
    yield section("Lowest", lowest(tally))


def averages(tally: AnalysisTally) -> RenderableType:
    table = rows()
    for name, label in SESSION_SCORES.items():
        table.add_row(label, score_cell(tally.average(name), name), Text(f"of {tally.known[name]:,}", "dim"))
    return table


def render_findings(tally: AnalysisTally) -> RenderableType:
    table = rows()
    table.add_row(f"{tally.bad_turns:,}", f"bad answers of {tally.responses:,}")
    for kind, count in tally.detections.most_common():
        table.add_row(f"{count:,}", Text(DETECTIONS[kind].label, "dim"))
    for type_, count in tally.issues.most_common():
        table.add_row(f"{count:,}", Text(type_, "dim"))
    return table


def lowest(tally: AnalysisTally) -> RenderableType | None:
    if not tally.lowest:
        return None
    table = rows()
    for analysis in tally.lowest[:MAX_ROWS_SHOWN]:
        first = analysis.recommendations[0].text if analysis.recommendations else ""
        table.add_row(score_cell(analysis.overall_score), Text(printable(analysis.id)), Text(printable(first), "dim"))
    return table
