"""The command `viva analyze`: files in, a report out, faults and progress on standard error."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from viva.config import BadSetting, configured_judge
from viva.engine.bulk import Options
from viva.engine.cluster import Cluster
from viva.engine.intake.files import STANDARD_INPUT
from viva.reports.reporting import Job, Report, report
from viva.reports.words import printable
from viva.reports.writers import ENDINGS, Style

BAD_INPUT, UNDER_THRESHOLD = 2, 100
LISTED = 20  # faults of one trace that are printed


class UnknownFormat(BadSetting):
    """The format cannot be told from the name of the file."""


class Unreadable(BadSetting):
    """A file cannot be read."""


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
    on_terminal = out is None and sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if on_terminal else None
    style = Style(explain, fail_under, width, on_terminal and "NO_COLOR" not in os.environ)
    options = Options(configured_judge() if judge else None)
    cluster = ray_cluster(judge) if engine == "ray" else None
    job = Job(files, format_ or format_of(out), style, jobs or os.cpu_count() or 1, options, cluster)
    with progress(files) as on_read:
        done = report(job, out, sys.stdout, on_read)
    tell_faults(done)
    if done.unscored:
        sys.stderr.write(f"viva: the judge did not rule on {done.unscored} of {done.asked} answers.\n")
    return BAD_INPUT if done.faulty or not done.traces else UNDER_THRESHOLD if done.low else 0


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
            if name != STANDARD_INPUT:
                open(name, "rb").close()
        except OSError as error:
            raise Unreadable(f"{name} cannot be read: {error.strerror}.") from None
    if out is not None and not out.parent.is_dir():
        raise Unreadable(f"There is no folder {out.parent} to write to.")


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
