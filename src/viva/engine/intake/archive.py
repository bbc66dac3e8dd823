"""Reads the samples of an Inspect log that is a zip archive (`.eval`). Nothing is unpacked beyond the size limits."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple

from backports.zstd import ZstdError, ZstdFile

from viva.engine.intake.faults import BadTrace, bad_trace, refuse
from viva.engine.intake.forms.inspect import replace_constants
from viva.engine.intake.limits import Limits
from viva.kit.errors import Fault

HEADER_NAMES = ("header.json", "_journal/start.json")  # a log that was cut off has only the second
SAMPLES_FOLDER = "samples/"
ZSTANDARD_METHOD = 93
LOCAL_HEADER_BYTES = 30  # before the name of an entry
LOCAL_HEADER_TAIL = struct.Struct("<HH")  # its last fields: the lengths of the name and of the extra field
MAX_ARCHIVE_ENTRIES = 100_000  # samples of the largest benchmarks are some ten thousand


class ArchivedSample(NamedTuple):
    """One sample with the head of its log, as JSON, or its fault."""

    name: str
    raw: bytes
    fault: BadTrace | None = None


def samples(file: IO[bytes], limits: Limits) -> Iterator[ArchivedSample]:
    """Each sample of the archive as a log of its own."""
    try:
        with zipfile.ZipFile(file) as archive:
            yield from read_samples(archive, limits)
    except zipfile.BadZipFile as error:
        yield ArchivedSample("", b"", bad_trace([Fault("file", "damaged", f"the archive is damaged: {error}")]))


def read_samples(archive: zipfile.ZipFile, limits: Limits) -> Iterator[ArchivedSample]:
    names = archive.namelist()
    header = next((name for name in HEADER_NAMES if name in names), None)
    listed = [name for name in names if name.startswith(SAMPLES_FOLDER) and name.endswith(".json")]
    if header is None or not listed or len(names) > MAX_ARCHIVE_ENTRIES:
        fault = Fault("file", "unknown_form", "is a zip archive, but no log of Inspect with samples")
        yield ArchivedSample("", b"", bad_trace([fault]))
        return
    size = 0
    head = b""
    for name in (header, *listed):
        try:
            raw = read_entry(archive, name, limits)
            size += len(raw)
            if size > limits.file:
                refuse("file", "too_large", f"unpacks to more than {limits.file:,} bytes")
        except BadTrace as error:
            yield ArchivedSample(name, b"", error)
            if name == header or size > limits.file:
                return
            continue
        if name == header:
            head = raw
        else:
            yield ArchivedSample(name, b'{"log":' + head + b',"sample":' + raw + b"}")


def read_entry(archive: zipfile.ZipFile, name: str, limits: Limits) -> bytes:
    """The content of an entry, or BadTrace. Not more is unpacked than the limit, whatever the archive claims."""
    try:
        with open_entry(archive, name) as entry:
            raw = entry.read(limits.bytes + 1)
    except NotImplementedError as error:
        refuse("file", "compressed", f"is compressed in a way that is not read: {error}")
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, ZstdError) as error:
        refuse("file", "damaged", f"cannot be unpacked: {error}")
    if len(raw) > limits.bytes:
        refuse("file", "too_large", f"has more than {limits.bytes:,} bytes")
    return replace_constants(raw)


def open_entry(archive: zipfile.ZipFile, name: str) -> IO[bytes] | ZstdFile:
    """An entry for reading. Inspect compresses with Zstandard, which Python itself reads only from 3.14 on."""
    entry = archive.getinfo(name)
    if entry.compress_type != ZSTANDARD_METHOD:
        return archive.open(name)
    packed = archive.fp
    if packed is None:
        raise EOFError("the archive is closed")
    packed.seek(entry.header_offset)
    name_length, extra_length = LOCAL_HEADER_TAIL.unpack(packed.read(LOCAL_HEADER_BYTES)[-LOCAL_HEADER_TAIL.size :])
    packed.seek(name_length + extra_length, io.SEEK_CUR)
    return ZstdFile(io.BytesIO(packed.read(entry.compress_size)))
