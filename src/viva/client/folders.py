"""Sends the recorded runs of a folder or a file to a hub. Sent again, the same runs are not stored twice."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from viva.client.calls import Call
from viva.client.retrying import HubError, fetch
from viva.client.steps import Steps
from viva.client.structs import TakenTrace, UploadAnswer
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.files import RawTrace, parse, read_traces

RUN_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".eval", ".traj", ".gz")
MAX_RUNS_PER_REQUEST = 64  # as many as a hub stores in one transaction
MAX_REQUEST_BYTES = 4 << 20
UNREADABLE_STATUS = 422
DescribeUpload = Callable[[bytes], Call[UploadAnswer]]  # the request for some lines


class FolderFault(msgspec.Struct, frozen=True):
    """A file, or a run in it, that was not sent, and why. `file` ends with the number of its line or its position."""

    file: str
    message: str


class SentFolder(msgspec.Struct, frozen=True):
    """What became of the runs of a folder or a file."""

    traces: list[TakenTrace]
    faults: list[FolderFault]


def send_files(place: Path, describe: DescribeUpload, on_progress: Callable[[int], None]) -> Steps[SentFolder]:
    """Send file after file."""
    sent = SentFolder([], [])
    for path in list_files(place):
        name = path.relative_to(place).as_posix() if path != place else path.name
        try:
            left = path.stat().st_size
            for items in chunks_of(runs_in(path, name, sent)):
                yield from send_chunk(items, name, describe, sent)
                done = min(left, sum(len(item.raw) for item in items))  # runs from an archive are longer than the file
                left -= done
                on_progress(done)
            on_progress(left)
        except OSError as error:
            sent.faults.append(FolderFault(name, f"The file cannot be read: {error.strerror}."))
    return sent


def list_files(place: Path) -> list[Path]:
    """The file itself, or the files with recorded runs below a folder in the order of their names, without hidden ones."""
    if not place.is_dir():
        place.stat()  # a place that does not exist is an error, not an empty folder
        return [place]
    found: list[Path] = []
    for parent, folders, names in os.walk(place):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            Path(parent, name) for name in names if not name.startswith(".") and name.lower().endswith(RUN_ENDINGS)
        ]
    return sorted(found)


def runs_in(path: Path, name: str, sent: SentFolder) -> Iterator[RawTrace]:
    """The runs of a file that can be read, each with its place below the folder. What is wrong with others is noted."""
    for item in read_traces(path):
        where = item.where.replace(str(path), name, 1)
        try:
            parse(item)
        except BadTrace as error:
            sent.faults.append(FolderFault(where, str(error).removeprefix(f"{item.where}: ")))
        else:
            yield item._replace(where=where)


def chunks_of(items: Iterable[RawTrace]) -> Iterator[list[RawTrace]]:
    chunk: list[RawTrace] = []
    size = 0
    for item in items:
        if chunk and (len(chunk) == MAX_RUNS_PER_REQUEST or size + len(item.raw) > MAX_REQUEST_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(item)
        size += len(item.raw)
    if chunk:
        yield chunk


def send_chunk(items: list[RawTrace], name: str, describe: DescribeUpload, sent: SentFolder) -> Steps[None]:
    """Send some runs of one file. The key is made from what is sent, so a hub knows them again."""
    call = describe(b"".join(msgspec.json.format(item.raw, indent=-1) + b"\n" for item in items))
    place = msgspec.json.encode((name, call.query))  # the same runs in another file or dataset are others
    call = msgspec.structs.replace(call, idempotency_key=hashlib.sha256(place + call.body).hexdigest())
    try:
        answer = yield from fetch(call)
    except HubError as error:
        if error.status != UNREADABLE_STATUS:
            raise
        sent.faults.append(FolderFault(name, str(error)))
        return
    sent.traces.extend(answer.traces)
    sent.faults.extend(FolderFault(items[fault.line - 1].where, fault.message) for fault in answer.errors)
