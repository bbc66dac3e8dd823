"""The command `viva analyze`: it reads files, writes a report, and shows faults and progress on standard error."""

import io
import os
import shutil
import signal
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import IO, NamedTuple

from viva.config import BadSetting, configured_judge
from viva.engine.analysis import Analysed
from viva.engine.bulk import AnalysisOptions, analyze_files
from viva.engine.cluster import Cluster
from viva.engine.intake.files import STANDARD_INPUT
from viva.engine.logistic import BASE_RATE
from viva.kit.errors import VivaError
from viva.kit.outputs import check_output, format_by_ending, open_output, refuse_unwritable
from viva.kit.progress import show_progress
from viva.reports.reporting import Report, write_report
from viva.reports.words import printable
from viva.reports.writers import REPORT_ENDINGS, Style

BAD_INPUT_EXIT_CODE, UNDER_THRESHOLD_EXIT_CODE, TERMINATED_EXIT_CODE = 2, 100, 143
MAX_FAULTS_SHOWN = 20  # of one trace
REPORT_MEMORY_BYTES = 1 << 20  # a larger report goes to a temporary file
COPY_CHARACTERS = 1 << 16  # of one write


class Unreadable(BadSetting):
    """A file cannot be read."""


class ProcessLost(VivaError):
    """A process of this command ended early, perhaps because memory ran out. Try --jobs 1."""


class AnalyzeCommand(NamedTuple):
    """The arguments of the command."""

    files: list[str]
    out: Path | None
    format: str | None
    explain: bool
    fail_under: float | None
    jobs: int | None
    engine: str
    judge: bool
    fast: bool
    base_rate: float | None
    min_confidence: float


def run(command: AnalyzeCommand) -> int:
    """Analyse the files, deliver the report and return the exit code."""
    files, out = command.files, command.out
    check_files(files, out)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED_EXIT_CODE))  # so that our child processes end too
    screen = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - it stays open until the process ends
    on_terminal = out is None and screen.isatty()
    width = shutil.get_terminal_size().columns if on_terminal else None
    style = Style(
        command.explain,
        command.fail_under,
        width,
        on_terminal and "NO_COLOR" not in os.environ,
        command.min_confidence,
    )
    options = AnalysisOptions(
        configured_judge() if command.judge else None,
        sentence_model=not command.fast,
        base_rate=command.base_rate or BASE_RATE,
        min_confidence=command.min_confidence,
    )
    cluster = ray_cluster(command.judge) if command.engine == "ray" else None
    format_ = command.format or format_by_ending(out, REPORT_ENDINGS, "table")
    # A table replaces what the terminal cannot show; the other formats are files.
    if isinstance(screen, io.TextIOWrapper):
        screen.reconfigure(errors="replace") if format_ == "table" else screen.reconfigure(encoding="utf-8")
    analysed = analyze_files(files, command.jobs or os.cpu_count() or 1, options, cluster)
    report = deliver_report(with_progress(refuse_unreadable(analysed), files), format_, style, out, screen)
    print_faults(report)
    if report.unscored:
        sys.stderr.write(f"viva: the judge did not rule on {report.unscored} of {report.asked} answers.\n")
    if not report.is_complete:
        return BAD_INPUT_EXIT_CODE
    if report.low:
        sys.stderr.write(f"viva: {report.low} of {report.traces} traces score under {command.fail_under:g}.\n")
    return UNDER_THRESHOLD_EXIT_CODE if report.low else 0


def deliver_report(
    analysed: Iterable[Analysed], format_: str, style: Style, out: Path | None, screen: IO[str]
) -> Report:
    """Write the report to `out` or to the screen. Nothing is written if a trace has a fault or there is no trace."""
    with tempfile.SpooledTemporaryFile(REPORT_MEMORY_BYTES, "w+", encoding="utf-8", newline="\n") as draft:
        report = write_report(analysed, format_, style, draft)
        if report.is_complete:
            draft.seek(0)
            copy_draft(draft, out, screen)
    return report


def copy_draft(draft: IO[str], out: Path | None, screen: IO[str]) -> None:
    if out is None:
        with refuse_unwritable(None):
            shutil.copyfileobj(draft, screen)
            screen.flush()
        return
    with open_output(out) as file:
        while piece := draft.read(COPY_CHARACTERS):
            file.write(piece.encode())


def refuse_unreadable(analysed: Iterator[Analysed]) -> Iterator[Analysed]:
    """Turn a failure while reading into an error with a clear sentence."""
    try:
        yield from analysed
    except BrokenProcessPool:
        raise ProcessLost from None
    except OSError as error:
        raise Unreadable(f"{error.filename or 'A file'} cannot be read: {error.strerror}.") from None


def with_progress(analysed: Iterator[Analysed], files: list[str]) -> Iterator[Analysed]:
    with show_progress("analysing", total_size(files)) as on_read:
        for item in analysed:
            on_read(item.size)
            yield item


def ray_cluster(judge: bool) -> Cluster:
    if judge:
        raise BadSetting("A judge works on one machine only. Leave out --judge or --engine ray.")
    try:
        return Cluster()
    except ModuleNotFoundError:
        raise BadSetting("Analysing on a cluster needs Ray: pip install 'viva[ray]'.") from None


def check_files(files: list[str], out: Path | None) -> None:
    """Check files and output first, so that a long run does not fail at its end."""
    for name in files:
        try:
            if name != STANDARD_INPUT and not stat.S_ISFIFO(os.stat(name).st_mode):
                open(name, "rb").close()
        except OSError as error:
            raise Unreadable(f"{name} cannot be read: {error.strerror}.") from None
    check_output(out)
    if out and out.is_file() and any(name != STANDARD_INPUT and os.path.samefile(name, out) for name in files):
        raise Unreadable(f"{out} is also one of the files to read.")


def print_faults(report: Report) -> None:
    for trace in report.faults:
        sys.stderr.write(f"{printable(str(trace))}\n")
        for fault in trace.faults[1:MAX_FAULTS_SHOWN]:
            sys.stderr.write(f"  {printable(fault.field)}: {printable(fault.message)}\n")
    if report.faulty:
        sys.stderr.write(f"viva: {report.faulty} of the traces cannot be read; nothing was written.\n")
    elif not report.traces:
        sys.stderr.write("viva: the input has no traces; nothing was written.\n")


def total_size(files: list[str]) -> int | None:
    """The number of bytes to read. It is not known for standard input and compressed files."""
    if any(name == STANDARD_INPUT or name.endswith(".gz") for name in files):
        return None
    return sum(os.path.getsize(name) for name in files)
