"""SIP numbers from 100 up. Each belongs to one evaluation for ever, whether imported, contributed or written by hand.

An id is reserved in the same way, because an approved contribution has its id before it is live."""

import itertools
from collections.abc import Iterator
from pathlib import Path

from viva.evaluations.sip_fields import MAX_SIP_NUMBER
from viva.kit.db import Connection

FIRST_FOREIGN_NUMBER = 100  # lower numbers are reserved for the SIPs that Viva ships, now and later


def suggest_number(db: Connection) -> int:
    """The number that the next new evaluation gets, unless another one is faster."""
    return next(number for number in list_candidates(db) if find_owner(db, number) is None)


def take_number(db: Connection, evaluation_id: str, folder: Path, preferred: int = 0) -> int:
    """Reserve the preferred number for the evaluation if it is free, else the next free one.

    Files are checked too: a draft that does not parse yet has a number, but is not in the catalogue."""
    wanted = [preferred] if preferred >= FIRST_FOREIGN_NUMBER else []
    return next(
        number
        for number in itertools.chain(wanted, list_candidates(db))
        if not (folder / f"SIP-{number}.md").exists() and reserve(db, number, evaluation_id)
    )


def list_candidates(db: Connection) -> Iterator[int]:
    """The numbers above the highest one, then all from 100: an imported SIP may have the largest possible number."""
    highest = db.execute("SELECT max(number) FROM evaluation_numbers").fetchone()[0] or 0
    yield from range(max(FIRST_FOREIGN_NUMBER, highest + 1), MAX_SIP_NUMBER + 1)
    yield from range(FIRST_FOREIGN_NUMBER, MAX_SIP_NUMBER + 1)


def reserve(db: Connection, number: int, evaluation_id: str) -> bool:
    """Reserve the number. False if it belongs to another evaluation; the primary key decides between two callers."""
    db.execute(
        "INSERT INTO evaluation_numbers (number, evaluation_id) VALUES (?, ?) ON CONFLICT (number) DO NOTHING",
        [number, evaluation_id],
    )
    return find_owner(db, number) == evaluation_id


def reserve_id(db: Connection, evaluation_id: str, number: int) -> bool:
    """Reserve the id for the number. False if it belongs to another one; the primary key decides between two callers."""
    db.execute(
        "INSERT INTO evaluation_ids (evaluation_id, number) VALUES (?, ?) ON CONFLICT (evaluation_id) DO NOTHING",
        [evaluation_id, number],
    )
    return find_reserved_number(db, evaluation_id) == number


def find_reserved_number(db: Connection, evaluation_id: str) -> int | None:
    """The number for which the id was reserved first. A live evaluation may have another one by now."""
    row = db.execute("SELECT number FROM evaluation_ids WHERE evaluation_id = ?", [evaluation_id]).fetchone()
    return None if row is None else int(row[0])


def find_owner(db: Connection, number: int) -> str | None:
    """The id of the evaluation to which the number belongs."""
    row = db.execute("SELECT evaluation_id FROM evaluation_numbers WHERE number = ?", [number]).fetchone()
    return None if row is None else str(row[0])
