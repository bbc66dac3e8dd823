"""The command `viva analyze`: files in, a report out, faults and progress on standard error."""

import io
import os
import shutil
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from viva.config import BadSetting, configured_judge
from viva.engine.bulk import Options
from viva.engine.cluster import Cluster
from viva.engine.intake.files import STANDARD_INPUT
from viva.kit.errors import VivaError
from viva.reports.reporting import Assignment, Report, report
from viva.reports.words import printable
from viva.reports.writers import ENDINGS, Style

BAD_INPUT, UNDER_THRESHOLD, TERMINATED = 2, 100, 143
LISTED = 20  # faults of one trace that are printed


class UnknownFormat(BadSetting):
    """The format cannot be told from the name of the file."""


class Unreadable(BadSetting):
    """A file cannot be read, or not be written."""


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
    options = Options(configured_judge() if judge else None)
    cluster = ray_cluster(judge) if engine == "ray" else None
    format_ = format_ or format_of(out)
    if isinstance(screen, io.TextIOWrapper):  # what cannot be shown in a table is replaced; the others are files
        screen.reconfigure(errors="replace") if format_ == "table" else screen.reconfigure(encoding="utf-8")
    assignment = Assignment(files, format_, style, jobs or os.cpu_count() or 1, options, cluster)
    done = carried_out(assignment, out, screen)
    tell_faults(done)
    if done.unscored:
        sys.stderr.write(f"viva: the judge did not rule on {done.unscored} of {done.asked} answers.\n")
    return BAD_INPUT if done.faulty or not done.traces else UNDER_THRESHOLD if done.low else 0


def carried_out(assignment: Assignment, out: Path | None, screen: IO[str]) -> Report:
    try:
        with progress(assignment.paths) as on_read:
            done = report(assignment, out, screen, on_read)
            screen.flush()
            return done
    except BrokenProcessPool:
        raise ProcessLost from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Unreadable(f"{error.filename or out or 'Standard output'}: {error.strerror}.") from None


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
    if out is None:
        return
    if not out.parent.is_dir():
        raise Unreadable(f"There is no folder {out.parent} to write to.")
    if out.is_file() and any(name != STANDARD_INPUT and os.path.samefile(name, out) for name in files):
        raise Unreadable(f"{out} is one of the files to read.")


def format_of(out: Path | None) -> str:
    if out is None:
        return "table"
    if out.suffix.lower() not in ENDINGS:
        raise UnknownFormat(f"Which format? {out.name} does not end in one of {', '.join(ENDINGS)}; or give --format.")
    return ENDINGS[out.suffix.lower()]


def tell_faults(done: Report) -> None:
    for fault in done.faults:
        sys.stderr.write(f"{printable(str(fault))}\n")
        for one in fault.faults[1:LISTED]:
            sys.stderr.write(f"  {printable(one.field)}: {printable(one.message)}\n")
    if done.faulty:
        sys.stderr.write(f"viva: {done.faulty} of the traces cannot be read; nothing was written.\n")
    elif not done.traces:
        sys.stderr.write("viva: there are no traces in this; nothing was written.\n")


@contextmanager
def progress(files: list[str]) -> Iterator[Callable[[int], None]]:
    """A bar on standard error, on a terminal only; grows with what was read of the files."""
    if not sys.stderr.isatty():
        yield lambda size: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("analysing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total_size(files))
        yield lambda size: bar.advance(task, size)


def total_size(files: list[str]) -> int | None:
    """The bytes to read, where they can be known beforehand: not of standard input, nor of packed files."""
    if any(name == STANDARD_INPUT or name.endswith(".gz") for name in files):
        return None
    return sum(os.path.getsize(name) for name in files)
