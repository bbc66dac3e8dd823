"""Who may see a trace: its owner, and everybody with the link that the owner made."""

import hashlib
import hmac
import secrets

from viva.kit import events
from viva.kit.db import Connection
from viva.kit.errors import Forbidden, Gone
from viva.traces import store
from viva.traces.model import StoredTrace

SHARE_TOKEN_BYTES = 32


class NotYourTrace(Forbidden):
    """Only the owner of this trace may see it, or somebody with a share link that still works."""


class TraceHidden(Gone):
    """A maintainer has hidden this trace."""


class OwnersOnly(Forbidden):
    """Only the owner of this trace may do this."""


def get_visible(db: Connection, trace_id: str, viewer_id: str | None, token: str | None = None) -> StoredTrace:
    """The trace, for its owner, for the token of its share link, or for a maintainer to whom it was reported."""
    trace = store.get(db, trace_id)
    if trace.owner_id == viewer_id or store.is_reported_to(db, trace_id, viewer_id):
        return trace
    if not (token and is_shared_by(trace, token)):
        raise NotYourTrace()
    if trace.hidden_at:
        raise TraceHidden(store.hidden_line(db, trace_id))
    return trace


def get_own(db: Connection, trace_id: str, caller_id: str) -> StoredTrace:
    """The trace, for its owner only."""
    trace = store.get(db, trace_id)
    if trace.owner_id != caller_id:
        raise OwnersOnly()
    return trace


def is_shared_by(trace: StoredTrace, token: str) -> bool:
    return trace.share_digest is not None and hmac.compare_digest(trace.share_digest, digest_of(token))


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def share(db: Connection, trace_id: str, caller_id: str) -> str:
    """Make a share link and return its token. An earlier link stops working."""
    trace = get_own(db, trace_id, caller_id)
    token = secrets.token_urlsafe(SHARE_TOKEN_BYTES)

    db.execute("UPDATE traces SET share_digest = ? WHERE id = ?", [digest_of(token), trace.id])
    events.record(db, "trace.shared", "trace", trace.id)
    return token


def revoke(db: Connection, trace_id: str, caller_id: str) -> None:
    """Revoke the share link, if there is one."""
    trace = get_own(db, trace_id, caller_id)
    if trace.share_digest is not None:
        db.execute("UPDATE traces SET share_digest = NULL WHERE id = ?", [trace.id])
        events.record(db, "trace.unshared", "trace", trace.id)
