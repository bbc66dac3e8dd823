"""The command `viva export`: it writes the results of an evaluation to a file and shows progress on standard error."""

import signal
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from viva.config import BadSetting
from viva.evaluations import store as evaluations
from viva.exams.shown_rows import ShownRows
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.kit.errors import VivaError
from viva.kit.outputs import check_output, format_by_ending, open_output
from viva.kit.progress import show_progress
from viva.results import store as results
from viva.results.export import ID, ExportColumns, ResultReader
from viva.results.export_formats import EXPORT_ENDINGS, EXPORT_FORMATS, FormatName

EXPORT_BATCH_ROWS = 1_000  # of one read; no other request waits for this process
TERMINATED_EXIT_CODE = 143
# A value that does not fit the type of its column may raise any of these.
ENCODING_ERRORS = (ValueError, TypeError, AttributeError, OverflowError, struct.error, msgspec.MsgspecError)


class UnreadableResult(VivaError):
    """A result in the database cannot be read."""


class ExportOrder(NamedTuple):
    evaluation: str
    version: str | None
    format: FormatName
    out: Path | None  # None is standard output
    official: bool | None = None  # only official results, or only practice; None is both


def prepare_export(
    evaluation: str, version: str | None, format_: str | None, out: Path | None, official: bool | None = None
) -> ExportOrder:
    """Check the options first, so that a long export does not fail at its end."""
    check_output(out)
    order = ExportOrder(
        evaluation,
        version,
        EXPORT_ENDINGS[f".{format_}"] if format_ else format_by_ending(out, EXPORT_ENDINGS, "csv"),
        out,
        official,
    )
    if order.format == "parquet" and out is None and sys.stdout.isatty():
        raise BadSetting("Parquet cannot be shown on a terminal. Name a file with -o.")
    return order


def run(database: Database, order: ExportOrder, secret: bytes) -> None:
    """Write the file. It has what everybody may see, because files are passed on."""

    def begin(db: Connection) -> tuple[ResultReader, int]:
        evaluation = evaluations.get(db, order.evaluation)
        evaluations.check_version(db, evaluation, order.version)
        count = results.tally(db, evaluation.id, order.version, "official" if order.official else "any").attempts
        show = ShownRows(secret, viewer=None).show
        return ResultReader(evaluation.id, order.version, now(), show, EXPORT_BATCH_ROWS, order.official), count

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED_EXIT_CODE))  # so that no draft stays on disk
    reader, count = database.read_now(begin)
    with open_output(order.out) as file:
        if order.out is None and sys.stdout.isatty():  # a progress bar would mix with the rows
            write(database, reader, order.format, file, lambda rows: None)
            return
        with show_progress("exporting", count) as on_read:
            write(database, reader, order.format, file, on_read)


def write(
    database: Database, reader: ResultReader, format_: FormatName, file: IO[bytes], on_read: Callable[[int], None]
) -> None:
    encoder = EXPORT_FORMATS[format_].encoder()
    file.write(encoder.begin())
    while not reader.is_done:
        columns = database.read_now(reader.next)
        try:
            encoded = encoder.add(columns)
        except ENCODING_ERRORS as error:
            raise unreadable_result(format_, columns, error) from error
        file.write(encoded)
        on_read(len(columns[ID]))
    file.write(encoder.end())
    file.flush()


def unreadable_result(format_: FormatName, columns: ExportColumns, error: Exception) -> UnreadableResult:
    """The error that names the first result that this format cannot encode."""
    for number, result_id in enumerate(columns[ID]):
        try:
            EXPORT_FORMATS[format_].encoder().add([column[number : number + 1] for column in columns])
        except ENCODING_ERRORS as row_error:
            return UnreadableResult(f"The result {result_id} in the database cannot be read: {row_error}.")
    return UnreadableResult(f"A result in the database cannot be read: {error}.")
