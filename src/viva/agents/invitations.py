"""Invitations: codes with a limit of uses and an end. The database keeps a hash of each code, and counts its uses."""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec import Struct

from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Forbidden, Invalid, NotFound
from viva.kit.ids import new_id
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many, one

INVITATION_PREFIX = "viva_invite_"
MAX_INVITATION_USES = 10_000
MAX_INVITATION_DAYS = 366
MAX_NOTE_CHARACTERS = 200


class RegistrationClosed(Forbidden):
    """This hub takes no new accounts."""


class InvitationNeeded(Forbidden):
    """This hub takes new accounts by invitation only. Ask a maintainer for a code."""


class InvitationInvalid(Forbidden):
    """This invitation is not valid: it is unknown, used up, over, or revoked."""


class NoSuchJoinInvitation(NotFound):
    """There is no invitation with this id."""


class RevokedAlready(Conflict):
    """This invitation is revoked already."""


class BadInvitation(Invalid):
    """An invitation has 1 to 10,000 uses, 1 to 366 days, and a note of at most 200 characters."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("invitation", "bad_invitation", self.__doc__ or ""),))


class JoinInvitation(Struct, frozen=True):
    id: str
    note: str
    max_uses: int
    uses: int
    made_by: str | None
    made_at: datetime
    expires_at: datetime
    revoked_at: datetime | None

    @property
    def is_valid(self) -> bool:
        return self.revoked_at is None and self.uses < self.max_uses and self.expires_at > now()


INVITATION_COLUMNS = ", ".join(JoinInvitation.__struct_fields__)


class MadeInvitation(NamedTuple):
    """A new invitation. Its code is shown once."""

    invitation: JoinInvitation
    code: str


def hash_code(code: str) -> str:
    # 128 random bits cannot be guessed from their hash.
    return hashlib.sha256(code.encode(errors="replace")).hexdigest()


def admit(db: Connection, registration: str, code: str | None) -> str | None:
    """Whether a new account may register here: the id of the invitation that it uses, or None if it needs none."""
    if registration == "closed":
        raise RegistrationClosed()
    if code:
        return use(db, code)
    if registration == "invite":
        raise InvitationNeeded()
    return None


def use(db: Connection, code: str) -> str:
    """Count one use. The statement itself checks the limit, so that many at once cannot exceed it."""
    row = db.execute(
        """
        UPDATE invitations SET uses = uses + 1
        WHERE code_hash = ? AND uses < max_uses AND expires_at > ? AND revoked_at IS NULL RETURNING id
        """,
        [hash_code(code), now()],
    ).fetchone()
    if row is None:
        raise InvitationInvalid()
    return str(row[0])


def make_invitation(db: Connection, max_uses: int, days: int, note: str) -> MadeInvitation:
    if not (
        1 <= max_uses <= MAX_INVITATION_USES and 1 <= days <= MAX_INVITATION_DAYS and len(note) <= MAX_NOTE_CHARACTERS
    ):
        raise BadInvitation()
    code, made_at = INVITATION_PREFIX + secrets.token_urlsafe(16), now()
    invitation = JoinInvitation(
        new_id("invitation"), note, max_uses, 0, db.actor.account_id, made_at, made_at + timedelta(days=days), None
    )

    db.execute(
        f"INSERT INTO invitations (code_hash, {INVITATION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [hash_code(code), *(getattr(invitation, name) for name in JoinInvitation.__struct_fields__)],
    )
    events.record(db, "invitation.made", "invitation", invitation.id, max_uses=max_uses, days=days)
    return MadeInvitation(invitation, code)


def revoke_invitation(db: Connection, invitation_id: str) -> JoinInvitation:
    changed = db.execute(
        "UPDATE invitations SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", [now(), invitation_id]
    )
    invitation = get(db, invitation_id)
    if changed.rowcount != 1:
        raise RevokedAlready()
    events.record(db, "invitation.revoked", "invitation", invitation_id)
    return invitation


def get(db: Connection, invitation_id: str) -> JoinInvitation:
    sql = f"SELECT {INVITATION_COLUMNS} FROM invitations WHERE id = ?"
    return one(JoinInvitation, db.execute(sql, [invitation_id]), NoSuchJoinInvitation)


def list_invitations(db: Connection, limit: int, cursor: str | None = None) -> Page[JoinInvitation]:
    """Invitations, newest first."""
    before, values = "TRUE", {"limit": limit + 1}
    if cursor:
        at, invitation_id = read_cursor(cursor, tuple[datetime, str])
        before, values = "(made_at, id) < (:at, :id)", {**values, "at": at, "id": invitation_id}  # type: ignore[dict-item]
    sql = f"SELECT {INVITATION_COLUMNS} FROM invitations WHERE {before} ORDER BY made_at DESC, id DESC LIMIT :limit"
    return page(many(JoinInvitation, db.execute(sql, values)), limit, lambda made: (made.made_at, made.id))
