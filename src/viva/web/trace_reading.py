"""Reads the files of an upload form into traces. One fault refuses all of them."""

import io
from collections.abc import Iterator
from typing import NamedTuple

from viva.engine.intake import files
from viva.engine.intake.files import RawTrace
from viva.engine.intake.limits import MEBIBYTE
from viva.kit.errors import Invalid
from viva.traces.batches import MAX_UNPACKED_BYTES, UPLOAD_LIMITS, NumberedTrace
from viva.traces.reading import make_trace

MAX_UPLOAD_BYTES = 16 * MEBIBYTE  # of one form; the API takes longer ones as a stream
MAX_UPLOADED_TRACES = 1_000  # of one form


class UnreadableFiles(Invalid):
    """These files cannot be read."""


class NoFile(Invalid):
    """Choose a file with at least one trace first."""


class UploadedFile(NamedTuple):
    name: str
    content: bytes


def read_uploads(uploads: list[UploadedFile], masking_key: bytes | None, tags: tuple[str, ...]) -> list[NumberedTrace]:
    """All traces of the files, numbered from 1. Nothing is returned if one of them has a fault."""
    found: list[NumberedTrace] = []
    size = 0
    for item in items_of(uploads):
        size += len(item.raw)
        if size > MAX_UNPACKED_BYTES or len(found) == MAX_UPLOADED_TRACES:
            raise UnreadableFiles(
                f"A form takes up to {MAX_UPLOADED_TRACES:,} traces and {MAX_UNPACKED_BYTES // MEBIBYTE} MiB of text. "
                "Send larger files with POST /api/v1/traces as JSONL."
            )
        # Without a default id, a run that has none is named by its words.
        trace = make_trace(files.parse(item._replace(name=""), UPLOAD_LIMITS), item.raw, masking_key, tags)
        found.append(NumberedTrace(len(found) + 1, trace))
    if not found:
        raise NoFile()
    return found


def items_of(uploads: list[UploadedFile]) -> Iterator[RawTrace]:
    for upload in uploads:
        yield from files.items(io.BytesIO(upload.content), upload.name, UPLOAD_LIMITS)
