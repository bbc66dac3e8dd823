"""The command `viva analyze`: files in, a report out, faults and progress on standard error."""

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
from typing import IO

from viva.config import BadSetting, configured_judge
from viva.engine.analysis import Analysed
from viva.engine.bulk import AnalysisOptions, analyze_files
from viva.engine.cluster import Cluster
from viva.engine.intake.files import STANDARD_INPUT
from viva.kit.errors import VivaError
from viva.kit.outputs import check_output, format_by_ending, open_output, refuse_unwritable
from viva.kit.progress import show_progress
from viva.reports.reporting import Report, write_report
from viva.reports.words import printable
from viva.reports.writers import REPORT_ENDINGS, Style

BAD_INPUT, UNDER_THRESHOLD, TERMINATED = 2, 100, 143
MAX_TOLD_FAULTS = 20  # of one trace
MEMORY_BYTES = 1 << 20  # of a report before it goes to a temporary file
COPIED_CHARACTERS = 1 << 16  # at a time


class Unreadable(BadSetting):
    """A file cannot be read."""


class ProcessLost(VivaError):
    """A process ended before its time, perhaps for want of memory; try --jobs 1."""


def run(
    files: list[str],
    out: Path | None,
    format_: str | None,
    explain: bool,
    fail_under: float | None,
    jobs: int | None,
    engine: str,
    judge: bool,
) -> int:
    """Analyse the files, deliver the report and return the exit code."""
    check_files(files, out)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # so that the processes we started end with us
    screen = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - it lives as long as we do
    on_terminal = out is None and screen.isatty()
    width = shutil.get_terminal_size().columns if on_terminal else None
    style = Style(explain, fail_under, width, on_terminal and "NO_COLOR" not in os.environ)
    options = AnalysisOptions(configured_judge() if judge else None)
    cluster = ray_cluster(judge) if engine == "ray" else None
    format_ = format_ or format_by_ending(out, REPORT_ENDINGS, "table")
    if isinstance(screen, io.TextIOWrapper):  # what cannot be shown in a table is replaced; the others are files
        screen.reconfigure(errors="replace") if format_ == "table" else screen.reconfigure(encoding="utf-8")
    analysed = analyze_files(files, jobs or os.cpu_count() or 1, options, cluster)
    done = deliver_report(with_progress(refuse_unreadable(analysed), files), format_, style, out, screen)
    tell_faults(done)
    if done.unscored:
        sys.stderr.write(f"viva: the judge did not rule on {done.unscored} of {done.asked} answers.\n")
    return BAD_INPUT if not done.is_complete else UNDER_THRESHOLD if done.low else 0


def deliver_report(
    analysed: Iterable[Analysed], format_: str, style: Style, out: Path | None, screen: IO[str]
) -> Report:
    """Write the report to `out` or to the screen. Where a trace is at fault, or there is none, nothing is written."""
    with tempfile.SpooledTemporaryFile(MEMORY_BYTES, "w+", encoding="utf-8", newline="\n") as draft:
        done = write_report(analysed, format_, style, draft)
        if done.is_complete:
            draft.seek(0)
            deliver(draft, out, screen)
    return done


def deliver(draft: IO[str], out: Path | None, screen: IO[str]) -> None:
    if out is None:
        with refuse_unwritable(None):
            shutil.copyfileobj(draft, screen)
            screen.flush()
        return
    with open_output(out) as file:
        while piece := draft.read(COPIED_CHARACTERS):
            file.write(piece.encode())


def refuse_unreadable(analysed: Iterator[Analysed]) -> Iterator[Analysed]:
    """Turn what fails on the way into a sentence."""
    try:
        yield from analysed
    except BrokenProcessPool:
        raise ProcessLost from None
    except OSError as error:
        raise Unreadable(f"{error.filename or 'A file'} cannot be read: {error.strerror}.") from None


def with_progress(analysed: Iterator[Analysed], files: list[str]) -> Iterator[Analysed]:
    with show_progress("analysing", total_size(files)) as on_read:
        for one in analysed:
            on_read(one.size)
            yield one


def ray_cluster(judge: bool) -> Cluster:
    if judge:
        raise BadSetting("A judge is asked from one machine: leave out --judge or --engine ray.")
    try:
        return Cluster()
    except ModuleNotFoundError:
        raise BadSetting("To analyse on a cluster install Ray beside Viva: pip install 'viva[ray]'.") from None


def check_files(files: list[str], out: Path | None) -> None:
    """Say now what would fail later."""
    for name in files:
        try:
            if name != STANDARD_INPUT and not stat.S_ISFIFO(os.stat(name).st_mode):
                open(name, "rb").close()
        except OSError as error:
            raise Unreadable(f"{name} cannot be read: {error.strerror}.") from None
    check_output(out)
    if out and out.is_file() and any(name != STANDARD_INPUT and os.path.samefile(name, out) for name in files):
        raise Unreadable(f"{out} is one of the files to read.")


def tell_faults(done: Report) -> None:
    for fault in done.faults:
        sys.stderr.write(f"{printable(str(fault))}\n")
        for one in fault.faults[1:MAX_TOLD_FAULTS]:
            sys.stderr.write(f"  {printable(one.field)}: {printable(one.message)}\n")
    if done.faulty:
        sys.stderr.write(f"viva: {done.faulty} of the traces cannot be read; nothing was written.\n")
    elif not done.traces:
        sys.stderr.write("viva: there are no traces in this; nothing was written.\n")


def total_size(files: list[str]) -> int | None:
    """The bytes to read, where they can be known beforehand: not of standard input, nor of packed files."""
    if any(name == STANDARD_INPUT or name.endswith(".gz") for name in files):
        return None
    return sum(os.path.getsize(name) for name in files)
