"""Reporting on analyses: each is written in a format and counted."""

from collections.abc import Iterable
from typing import IO

import msgspec

from viva.engine.analysis import Analysed, Analysis
from viva.engine.intake.faults import BadTrace
from viva.reports.junit import is_low
from viva.reports.writers import WRITERS, ReportWriter, Style

MAX_FAULTY_TRACES_LISTED = 100  # the rest is only counted


class Report(msgspec.Struct):
    """The counts and faults of one run over files."""

    traces: int = 0
    low: int = 0  # traces below the threshold
    faulty: int = 0
    faults: list[BadTrace] = []
    asked: int = 0  # answers that the judge was asked about
    unscored: int = 0  # those of them without a ruling

    @property
    def is_complete(self) -> bool:
        """Whether the report can be delivered: there are traces, and none has a fault."""
        return bool(self.traces) and not self.faulty


def write_report(analysed: Iterable[Analysed], format_: str, style: Style, draft: IO[str]) -> Report:
    """Write the analyses one by one. The draft is valid only if the report is complete."""
    writer: ReportWriter = WRITERS[format_](draft, style)
    decoder = msgspec.json.Decoder(Analysis)
    report = Report()
    for item in analysed:
        if item.fault:
            report.faulty += 1
            report.faults += [item.fault][: MAX_FAULTY_TRACES_LISTED - len(report.faults)]
        elif item.analysis:
            analysis = decoder.decode(item.analysis)
            writer.add(item.analysis, analysis)
            count(report, analysis, style.fail_under)
    writer.close()
    return report


def count(report: Report, analysis: Analysis, fail_under: float | None) -> None:
    report.traces += 1
    report.low += is_low(analysis, fail_under)
    if analysis.judge is not None:
        report.asked += analysis.judge.asked
        report.unscored += analysis.judge.unscored
