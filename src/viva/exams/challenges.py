"""Challenges in the database: one for each attempt, used once, within its time."""

import msgspec

from viva.exams.model import Challenge, NewChallenge
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Gone, NotFound
from viva.kit.ids import new_id
from viva.kit.rows import find, many

CHALLENGE_COLUMNS = ", ".join(Challenge.__struct_fields__)


class NoSuchChallenge(NotFound):
    """There is no challenge with this id for you in this evaluation."""


class AlreadyHandedIn(Conflict):
    """This attempt was handed in already."""


class TimeIsOver(Gone):
    """The time to hand this in is over."""


def issue(db: Connection, registration_id: str, new: NewChallenge) -> Challenge:
    """Store the challenge and return it. Two concurrent starts both get the one stored first."""
    issued_at = now()
    db.execute(
        """
        INSERT INTO evaluation_challenges (id, registration_id, content, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (registration_id) DO NOTHING
        """,
        [
            new_id("eval_chal"),
            registration_id,
            msgspec.json.encode(new.content).decode(),
            issued_at,
            issued_at + new.duration,
        ],
    )
    return get_of(db, registration_id)


def find_of(db: Connection, registration_id: str) -> Challenge | None:
    return find(
        Challenge,
        db.execute(
            f"SELECT {CHALLENGE_COLUMNS} FROM evaluation_challenges WHERE registration_id = ?", [registration_id]
        ),
    )


def get_of(db: Connection, registration_id: str) -> Challenge:
    challenge = find_of(db, registration_id)
    if challenge is None:
        raise NoSuchChallenge()
    return challenge


def check_open(challenge: Challenge) -> None:
    if challenge.used_at is not None:
        raise AlreadyHandedIn()
    if challenge.expires_at <= now():
        raise TimeIsOver()


def use(db: Connection, challenge: Challenge) -> None:
    """Mark the challenge as used. Of two concurrent submissions, one succeeds.

    The time may end while the submission is checked, so `used_at` is never later than `expires_at`."""
    used = db.execute(
        "UPDATE evaluation_challenges SET used_at = ? WHERE id = ? AND used_at IS NULL",
        [min(now(), challenge.expires_at), challenge.id],
    ).rowcount
    if used != 1:
        raise AlreadyHandedIn()


def list_overdue(db: Connection, limit: int) -> list[Challenge]:
    """Unused challenges whose time is over."""
    return many(
        Challenge,
        db.execute(
            f"""
            SELECT {CHALLENGE_COLUMNS} FROM evaluation_challenges WHERE used_at IS NULL AND expires_at < ?
            ORDER BY expires_at LIMIT ?
            """,
            [now(), limit],
        ),
    )


def drop(db: Connection, challenge: Challenge) -> None:
    """Delete an unused challenge: its attempt has ended in another way."""
    db.execute("DELETE FROM evaluation_challenges WHERE id = ? AND used_at IS NULL", [challenge.id])
