"""Reporting on analyses: written in a format one after the other, and counted."""

from collections.abc import Iterable
from typing import IO

import msgspec

from viva.engine.analysis import Analysed, Analysis
from viva.engine.intake.faults import BadTrace
from viva.reports.junit import is_low
from viva.reports.writers import WRITERS, ReportWriter, Style

MAX_TOLD_FAULTS = 100  # traces at fault that are told one by one


class Report(msgspec.Struct):
    """How a run over files went."""

    traces: int = 0
    low: int = 0  # traces under the threshold
    faulty: int = 0
    faults: list[BadTrace] = []
    asked: int = 0  # answers that a judge was to rule on
    unscored: int = 0  # of these, on how many it did not

    @property
    def is_complete(self) -> bool:
        """Whether there is something to deliver: traces, and none of them at fault."""
        return bool(self.traces) and not self.faulty


def write_report(analysed: Iterable[Analysed], format_: str, style: Style, draft: IO[str]) -> Report:
    """Write the analyses as they come; what is written counts only where the report is complete."""
    writer: ReportWriter = WRITERS[format_](draft, style)
    decoder = msgspec.json.Decoder(Analysis)
    done = Report()
    for one in analysed:
        if one.fault:
            done.faulty += 1
            done.faults += [one.fault][: MAX_TOLD_FAULTS - len(done.faults)]
        elif one.analysis:
            analysis = decoder.decode(one.analysis)
            writer.add(one.analysis, analysis)
            count(done, analysis, style.fail_under)
    writer.close()
    return done


def count(done: Report, analysis: Analysis, fail_under: float | None) -> None:
    done.traces += 1
    done.low += is_low(analysis, fail_under)
    if analysis.judge is not None:
        done.asked += analysis.judge.asked
        done.unscored += analysis.judge.unscored
