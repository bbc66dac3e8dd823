"""Which hubs are served with a data folder. Each server leaves a record there, and locks it as long as it runs."""

import fcntl
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec

from viva.exams.model import ProctorPolicy

RECORDS_FOLDER = "served"

log = logging.getLogger("viva")


class ServedHub(msgspec.Struct, frozen=True):
    """What options of `viva serve` can change, so that the settings of another command do not say it."""

    database: str  # its address, without a password
    base_url: str
    proctors: ProctorPolicy


@contextmanager
def leave_record(data_dir: Path, hub: ServedHub) -> Iterator[None]:
    """Let other commands see the hub. One whose data folder cannot be written is served all the same."""
    folder = data_dir / RECORDS_FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        record = NamedTemporaryFile(dir=folder)  # noqa: SIM115 - open, and so locked, until the server ends
    except OSError as error:
        log.warning("%s cannot be written (%s), so `viva sit --keep` does not see this hub.", folder, error.strerror)
        yield
        return
    with record:
        fcntl.flock(record, fcntl.LOCK_EX)
        record.write(msgspec.json.encode(hub))
        record.flush()
        yield


def list_served(data_dir: Path) -> list[ServedHub]:
    """The hubs that are served now. The record of a server that was killed is not locked."""
    found = [read_locked(path) for path in sorted((data_dir / RECORDS_FOLDER).glob("*"))]
    return [msgspec.json.decode(text, type=ServedHub) for text in found if text]


def read_locked(path: Path) -> bytes:
    """What the file says if somebody has locked it."""
    try:
        with path.open("rb") as record:
            fcntl.flock(record, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return path.read_bytes()
    except FileNotFoundError:  # that server has just ended
        pass
    return b""
