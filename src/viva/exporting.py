"""The command `viva export`: an evaluation's results in, a file out, progress on standard error."""

import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from viva.config import BadSetting
from viva.evaluations import store as evaluations
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.kit.errors import VivaError
from viva.results import store as results
from viva.results.export import Reading
from viva.results.export_formats import ENDINGS, FORMATS, FormatName

BATCH = 1_000  # results of one read: here nobody waits for the reader but whoever has called
TERMINATED = 143


class NotWritten(VivaError):
    """The file cannot be written."""


class Order(NamedTuple):
    evaluation: str
    version: str | None
    format: FormatName
    out: Path | None  # None is standard output


def prepared(evaluation: str, version: str | None, format_: str | None, out: Path | None) -> Order:
    """The order, if it can be carried out; what would fail later is said now."""
    if out is not None and not out.parent.is_dir():
        raise BadSetting(f"There is no folder {out.parent} to write to.")
    if out is not None and out.is_dir():
        raise BadSetting(f"{out} is a folder.")
    order = Order(evaluation, version, ENDINGS[f".{format_}"] if format_ else format_of(out), out)
    if order.format == "parquet" and out is None and sys.stdout.isatty():
        raise BadSetting("Parquet is not for a terminal: give a file with -o.")
    return order


def format_of(out: Path | None) -> FormatName:
    if out is None:
        return "csv"
    if out.suffix.lower() not in ENDINGS:
        raise BadSetting(f"Which format? {out.name} does not end in one of {', '.join(ENDINGS)}; or give --format.")
    return ENDINGS[out.suffix.lower()]


def run(database: Database, order: Order) -> None:
    def begin(db: Connection) -> tuple[Reading, int]:
        found = evaluations.get(db, order.evaluation)
        evaluations.check_version(db, found, order.version)
        count = results.tally(db, found.id, order.version).attempts
        return Reading(found.id, order.version, now(), BATCH), count

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # so that no draft is left behind
    reading, count = database.read_now(begin)
    try:
        with destination(order.out) as file, progress(count, order.out) as on_read:
            write(database, reading, order.format, file, on_read)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NotWritten(f"{order.out or 'Standard output'} cannot be written: {error.strerror}.") from error


def write(
    database: Database, reading: Reading, format_: FormatName, file: IO[bytes], on_read: Callable[[int], None]
) -> None:
    encoder = FORMATS[format_].encoder()
    file.write(encoder.begin())
    while not reading.is_done:
        rows = database.read_now(reading.next)
        file.write(encoder.add(rows))
        on_read(len(rows))
    file.write(encoder.end())
    file.flush()


@contextmanager
def destination(out: Path | None) -> Iterator[IO[bytes]]:
    """Standard output, a pipe or device as it is, or a file that appears under its name only when it is whole."""
    if out is None:
        yield sys.stdout.buffer
    elif out.exists() and not out.is_file():
        with out.open("wb") as device:
            yield device
    else:
        with draft_of(out.resolve()) as draft:
            yield draft


@contextmanager
def draft_of(out: Path) -> Iterator[IO[bytes]]:
    handle, name = tempfile.mkstemp(dir=out.parent, prefix=".viva-")
    try:
        with open(handle, "wb") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, out)
    except BaseException:
        os.unlink(name)
        raise


@contextmanager
def progress(count: int, out: Path | None) -> Iterator[Callable[[int], None]]:
    """A bar on standard error, on a terminal only, and not among the rows."""
    if not sys.stderr.isatty() or (out is None and sys.stdout.isatty()):
        yield lambda rows: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("exporting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=count)
        yield lambda rows: bar.advance(task, rows)
