"""Importing SIP files of another hub: parse leniently, assign a free number, write the file to a folder of this hub."""

import dataclasses
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from viva.evaluations import numbers, sip_lenient, store
from viva.evaluations import sip as sips
from viva.evaluations.catalogue import IdReserved, check_not_older, put_sip
from viva.evaluations.numbers import FIRST_FOREIGN_NUMBER
from viva.evaluations.sip import Sip
from viva.evaluations.sip_folders import find_id, read_text, sip_files
from viva.evaluations.validation import KnownCatalogue, read_catalogue, validate
from viva.kit.db import Connection, Write
from viva.kit.errors import Conflict, Fault, VivaError
from viva.kit.files import open_whole


class NotTheirs(Conflict):
    """This id belongs to an evaluation of this hub's own."""


class ImportedSip(NamedTuple):
    """The outcome for one file: a SIP with warnings, no SIP if the document is not an evaluation, or an error."""

    path: Path
    sip: Sip | None
    warnings: list[Fault]
    error: VivaError | None

    @property
    def lines(self) -> list[str]:
        """The outcome as lines for the command."""
        imported = f"SIP-{self.sip.sip} {self.sip.id} {self.sip.version}" if self.sip else None
        warnings = [f"  {warning.field}: {warning.message} {warning.suggestion}".rstrip() for warning in self.warnings]
        return [f"{self.path.name}: {imported or self.error or 'not imported'}", *warnings]

    @property
    def as_json(self) -> dict[str, Any]:
        sip = self.sip and {"sip": self.sip.sip, "id": self.sip.id, "version": self.sip.version}
        warnings = [warning.as_json for warning in self.warnings]
        return {"file": self.path.name, **(sip or {}), "warnings": warnings, "error": self.error and str(self.error)}


def import_folder(write: Write, folder: Path, target: Path) -> list[ImportedSip]:
    """Import each file in a unit of its own."""
    paths = sip_files([folder])
    batch = {sip_lenient.slug(find_id(path)): "" for path in paths}  # an imported SIP may need a later one
    return [import_file(write, path, target, batch) for path in paths]


def import_file(write: Write, path: Path, target: Path, batch: dict[str, str]) -> ImportedSip:
    try:
        parsed = sips.parse_leniently(read_text(path))
        if parsed.sip is None:
            return ImportedSip(path, None, parsed.warnings, None)
        stored: StoredImport = write(partial(store_import, sip=parsed.sip, target=target))
    except VivaError as error:
        return ImportedSip(path, None, [], error)
    repairs = parsed.warnings + stored.warnings
    further = further_warnings(stored.sip, repairs, stored.known.with_ids(batch))
    return ImportedSip(path, stored.sip, repairs + further, None)


class StoredImport(NamedTuple):
    """A SIP under its number here, with warnings, and what the hub knew before."""

    sip: Sip
    warnings: list[Fault]
    known: KnownCatalogue


def store_import(db: Connection, sip: Sip, target: Path) -> StoredImport:
    check_may_replace(db, sip)
    sip, renumbered = assign_number(db, sip, target)
    known, document = read_catalogue(db), sips.render(sip)
    put_sip(db, sip, None, document)
    write_file(target / f"SIP-{sip.sip}.md", document)
    return StoredImport(sip, renumbered, known)


def further_warnings(sip: Sip, repairs: list[Fault], known: KnownCatalogue) -> list[Fault]:
    """What a contribution could not have. A fault that was repaired is not told twice."""
    told = {(fault.field, fault.code) for fault in repairs}
    found = validate(sips.front_of(sip), sip.body, "import", known).warnings
    return [fault for fault in found if (fault.field, fault.code) not in told]


def check_may_replace(db: Connection, sip: Sip) -> None:
    number = store.find_number(db, sip.id)
    if number is None:
        if reserved := numbers.find_reserved_number(db, sip.id):
            raise IdReserved(sip.id, reserved)
        return
    if number < FIRST_FOREIGN_NUMBER:
        raise NotTheirs(f"{sip.id} is SIP-{number} of this hub. The imported one needs another id.")
    check_not_older(db, sip)


def assign_number(db: Connection, sip: Sip, target: Path) -> tuple[Sip, list[Fault]]:
    """The SIP with the number it already has here, else its own number if that is free, else the next free number."""
    number = store.find_number(db, sip.id) or numbers.take_number(db, sip.id, target, sip.sip)
    if number == sip.sip:
        return sip, []
    warning = Fault("sip", "RENUMBERED", f"{sip.id} becomes SIP-{number} here.")
    return dataclasses.replace(sip, sip=number), [warning]


def write_file(path: Path, text: str) -> None:
    """Write the whole file or nothing, so that a reader never sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_whole(path) as file:
        file.write(text.encode())
