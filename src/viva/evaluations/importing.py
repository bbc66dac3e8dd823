"""Importing SIP files of another hub: read leniently, numbered anew where the number is taken, written beside our own."""

import dataclasses
import os
from pathlib import Path
from typing import NamedTuple

from viva.evaluations import sip as sips
from viva.evaluations import store
from viva.evaluations.catalogue import NOT_UTF8, put, sip_files
from viva.evaluations.sip import InvalidSip, Sip
from viva.kit.db import Connection
from viva.kit.errors import Fault, VivaError


class Imported(NamedTuple):
    """What became of one file: its SIP with warnings, no SIP where the document is no evaluation, or an error."""

    path: Path
    sip: Sip | None
    warnings: list[Fault]
    error: VivaError | None


def import_folder(db: Connection, folder: Path, target: Path) -> list[Imported]:
    return [import_file(db, path, target) for path in sip_files([folder])]


def import_file(db: Connection, path: Path, target: Path) -> Imported:
    try:
        reading = sips.parse_leniently(read_text(path))
        if reading.sip is None:
            return Imported(path, None, reading.warnings, None)
        sip, renumbered = numbered(db, reading.sip)
        put(db, sip)
    except VivaError as error:
        return Imported(path, None, [], error)
    write(target / f"SIP-{sip.sip}.md", sips.render(sip))
    return Imported(path, sip, reading.warnings + renumbered, None)


def read_text(path: Path) -> str:
    try:
        return path.read_text()
    except UnicodeDecodeError as error:
        raise InvalidSip([NOT_UTF8]) from error


def numbered(db: Connection, sip: Sip) -> tuple[Sip, list[Fault]]:
    """The SIP under the number it has here already, its own where that is free, or the next free one."""
    number = store.find_number(db, sip.id)
    if number is None:
        number = sip.sip if sip.sip and store.id_of_number(db, sip.sip) is None else store.next_number(db)
    if number == sip.sip:
        return sip, []
    warning = Fault("sip", "RENUMBERED", f"SIP-{sip.sip} is taken here; {sip.id} becomes SIP-{number}.")
    return dataclasses.replace(sip, sip=number), [warning]


def write(path: Path, text: str) -> None:
    """Whole or not at all: a reader never meets half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    draft.write_text(text)
    os.replace(draft, path)
