"""A summary of many analyses for a terminal: averages, findings and the lowest scores."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from viva.engine.precision import mark_unsure
from viva.engine.wording import DETECTIONS
from viva.reports.cells import MAX_ROWS_SHOWN, plain_table, score_cell, section
from viva.reports.tally import AnalysisTally
from viva.reports.words import SESSION_SCORES, printable


def render_summary(tally: AnalysisTally) -> Iterator[RenderableType]:
    reached, missed, unknown = (tally.outcomes[completed] for completed in (True, False, None))
    counts = f"{tally.count:,} traces: goal reached in {reached:,}, missed in {missed:,}, unknown in {unknown:,}"
    yield Text(counts, "bold")
    yield section("Averages", averages_table(tally))
    yield section("Findings", findings_table(tally))
    yield section("Lowest scores", lowest_table(tally))


def averages_table(tally: AnalysisTally) -> RenderableType:
    table = plain_table()
    for name, label in SESSION_SCORES.items():
        table.add_row(label, score_cell(tally.average(name), name), Text(f"of {tally.known[name]:,}", "dim"))
    return table


def findings_table(tally: AnalysisTally) -> RenderableType:
    table = plain_table()
    table.add_row(f"{tally.bad_turns:,}", f"bad answers of {tally.responses:,}")
    for kind, count in tally.detections.most_common():
        table.add_row(f"{count:,}", Text(mark_unsure(kind, DETECTIONS[kind].label), "dim"))
    for type_, count in tally.issues.most_common():
        table.add_row(f"{count:,}", Text(mark_unsure(type_, type_), "dim"))
    return table


def lowest_table(tally: AnalysisTally) -> RenderableType | None:
    if not tally.lowest:
        return None
    table = plain_table()
    for analysis in tally.lowest[:MAX_ROWS_SHOWN]:
        first = analysis.recommendations[0].text if analysis.recommendations else ""
        table.add_row(score_cell(analysis.overall_score), Text(printable(analysis.id)), Text(printable(first), "dim"))
    return table
