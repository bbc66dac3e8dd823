"""The file of a backup: a zip archive. Its index is written last, so a file that was cut off is noticed."""

import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from viva.kit.errors import Invalid
from viva.kit.files import open_whole

BACKUP_FORMAT = 1
MANIFEST_NAME = "manifest.json"
SQLITE_NAME = "viva.db"
TABLES_FOLDER = "tables/"
SIPS_FOLDER = "sips/"
KEYS_FOLDER = "keys/"  # answers of SIPs that git brings, if they are in a folder of their own
SECRET_NAME = "secret"  # noqa: S105 - the name of a part
COPY_CHUNK_BYTES = 1 << 20


class BadBackup(Invalid):
    """This file is not a backup of Viva, or it is damaged."""


DatabaseKind = Literal["sqlite", "postgresql"]


class Manifest(Struct, frozen=True):
    """What a backup holds."""

    format: int
    database: DatabaseKind
    revision: str  # of the schema
    viva: str
    made_at: datetime
    secret_hash: str  # tells whether another hub has the same secret
    rows: dict[str, int]  # of each table


@contextmanager
def write_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """An archive to write to. It appears at `path` once it is complete, and only its owner can read it."""
    with (
        open_whole(path.resolve(), mode=0o600) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, True) as archive,
    ):
        yield archive


@contextmanager
def read_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive, once every part of it has been read and compared with its checksum."""
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
            if damaged:
                raise BadBackup(f"{path} is damaged: its part {damaged} cannot be read.")
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise BadBackup(f"{path} is not a backup of Viva, or it is damaged: {error}.") from error
    except OSError as error:
        raise BadBackup(f"{path} cannot be read: {error.strerror or error}.") from error


def read_manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    try:
        manifest = msgspec.json.decode(archive.read(MANIFEST_NAME), type=Manifest)
    except (KeyError, msgspec.MsgspecError) as error:
        raise BadBackup(f"{path} is not a backup of Viva.") from error
    if manifest.format != BACKUP_FORMAT:
        raise BadBackup(
            f"{path} was written by another version of Viva ({manifest.viva}). Restore it with that version."
        )
    return manifest


def hash_secret(secret: bytes) -> str:
    """Equal for equal secrets. A secret has 256 bits, so its hash does not help to guess it."""
    return hashlib.sha256(b"viva backup " + secret).hexdigest()[:16]


def free_name(path: Path) -> Path:
    """The path, or the path with the first number that is free: what an earlier restore has moved aside stays."""
    numbered = (path.with_name(f"{path.name}-{number}") for number in count(2))
    return next(each for each in chain([path], numbered) if not each.exists())
