"""Deleting traces with everything that was made of them: by their owner, with an account, or when they are old."""

from datetime import timedelta

from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.traces import quota, sharing, spans, store
from viva.traces.model import StoredTrace


def delete_trace(db: Connection, trace_id: str, caller_id: str) -> None:
    delete_stored(db, sharing.get_own(db, trace_id, caller_id))


def delete_stored(db: Connection, trace: StoredTrace) -> None:
    if store.delete(db, trace):
        events.record(db, "trace.deleted", "trace", trace.id)


def delete_of_account(db: Connection, owner_id: str) -> None:
    """Delete the traces of an account and its spans. Of very many, a sweep deletes the rest; nobody can see them."""
    store.revoke_shares(db, owner_id)
    spans.forget_account(db, owner_id)
    delete_some_of(db, owner_id)


def delete_left_behind(db: Connection) -> int:
    """Delete traces of accounts that are deleted. Returns how many were deleted."""
    owner_id = quota.find_deleted_owner(db)
    if owner_id is None:
        return 0
    spans.forget_account(db, owner_id)  # those of a request that came while the account was deleted
    return delete_some_of(db, owner_id)


def delete_some_of(db: Connection, owner_id: str) -> int:
    """Delete as many traces as fit into one transaction. With the last of them, nothing more is counted."""
    deleted = store.delete_some_of(db, owner_id)
    if deleted < store.TRACES_DELETED_WITH_ACCOUNT:
        quota.forget(db, owner_id)
    return deleted


def delete_old(db: Connection, days: int) -> int:
    """Delete traces that came more than so many days ago. Returns how many were deleted."""
    found = store.list_received_before(db, now() - timedelta(days=days))
    for trace in found:
        delete_stored(db, trace)
    return len(found)
