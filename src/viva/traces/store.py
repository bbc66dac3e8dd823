"""Traces and their texts in the database."""

import hashlib
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection, refusing
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import find, many, one
from viva.traces import quota, spans
from viva.traces.model import NewTrace, StoredTrace
from viva.traces.quota import TraceQuota
from viva.traces.reading import encode_storable, open_content, open_short_content

TRACE_COLUMNS = ", ".join(StoredTrace.__struct_fields__)
TRACES_DELETED_PER_SWEEP = 100  # in one transaction; each may have megabytes
TRACES_DELETED_WITH_ACCOUNT = 1_000  # more would delay other writes

TraceSort = Literal["-received_at", "received_at", "overall_score", "-overall_score", "name", "-name"]
# Each sort order has an index that begins with the owner; then the type of its key in a cursor.
SORT_COLUMNS: dict[str, tuple[str, Any]] = {
    "received_at": ("received_at", tuple[datetime, str]),
    "overall_score": ("coalesce(overall_score, -1)", tuple[float, str]),
    "name": ("name", tuple[str, str]),
}


class NoSuchTrace(NotFound):
    """There is no trace with this id."""


class UploadedTwice(Conflict):
    """Another request with the same Idempotency-Key is storing these traces just now; try again."""


class TraceFilter(Struct, frozen=True):
    """Which traces of an account are listed; None leaves a condition out."""

    owner_id: str
    dataset: str | None = None
    tag: str | None = None
    form: str | None = None
    q: str | None = None  # a part of the name
    max_score: float | None = None


class UploadPlace(Struct, frozen=True):
    """Where a trace stands in an upload that can be repeated."""

    key: str  # the hash of an Idempotency-Key
    line: int


def add(
    db: Connection,
    owner_id: str,
    new: NewTrace,
    limits: TraceQuota,
    dataset: str | None = None,
    place: UploadPlace | None = None,
    span_key: str | None = None,
) -> str:
    """Store a trace with its text and tags. Returns its id."""
    quota.take_room(db, owner_id, 1, len(new.content), limits)
    trace_id = new_id("trace")
    with refusing({"traces_upload_key": UploadedTwice}):
        db.execute(
            """
            INSERT INTO traces (id, owner_id, name, dataset, form, received_at, agents, turns, interactions, calls,
                dropped, masked, tags, stored_bytes, upload_key, upload_line, upload_digest, span_key)
            VALUES (:id, :owner_id, :name, :dataset, :form, :received_at, :agents, :turns, :interactions, :calls,
                :dropped, :masked, :tags, :stored_bytes, :upload_key, :upload_line, :upload_digest, :span_key)
            """,
            {
                **row_of(new),
                "id": trace_id,
                "owner_id": owner_id,
                "dataset": dataset,
                "received_at": now(),
                "upload_key": place and place.key,
                "upload_line": place and place.line,
                "upload_digest": place and new.digest,
                "span_key": span_key,
            },
        )
    add_parts(db, trace_id, owner_id, new)
    return trace_id


def row_of(new: NewTrace) -> dict[str, Any]:
    counts = {name: getattr(new, name) for name in ("form", "agents", "turns", "interactions", "calls")}
    lists = {name: encode_storable(getattr(new, name)) for name in ("dropped", "masked", "tags")}
    return counts | lists | {"name": new.name, "stored_bytes": len(new.content)}


def add_parts(db: Connection, trace_id: str, owner_id: str, new: NewTrace) -> None:
    db.execute("INSERT INTO trace_texts (trace_id, content) VALUES (?, ?)", [trace_id, new.content])
    add_tags(db, trace_id, owner_id, new.tags)


def add_tags(db: Connection, trace_id: str, owner_id: str, tags: tuple[str, ...]) -> None:
    for tag in tags:
        db.execute("INSERT INTO trace_tags (trace_id, owner_id, tag) VALUES (?, ?, ?)", [trace_id, owner_id, tag])


def replace(db: Connection, stored: StoredTrace, new: NewTrace, limits: TraceQuota) -> None:
    """Store a newer state of the same trace, as when more of its spans came. Its analyses stay."""
    quota.give_back(db, stored.owner_id, 1, stored.stored_bytes)
    quota.take_room(db, stored.owner_id, 1, len(new.content), limits)
    db.execute("DELETE FROM trace_texts WHERE trace_id = ?", [stored.id])
    db.execute("DELETE FROM trace_tags WHERE trace_id = ?", [stored.id])
    db.execute(
        """
        UPDATE traces SET name = :name, form = :form, agents = :agents, turns = :turns, interactions = :interactions,
            calls = :calls, dropped = :dropped, masked = :masked, tags = :tags, stored_bytes = :stored_bytes
        WHERE id = :id
        """,
        row_of(new) | {"id": stored.id},
    )
    add_parts(db, stored.id, stored.owner_id, new)


def get(db: Connection, trace_id: str) -> StoredTrace:
    return one(StoredTrace, db.execute(f"SELECT {TRACE_COLUMNS} FROM traces WHERE id = ?", [trace_id]), NoSuchTrace)


def find_of_spans(db: Connection, owner_id: str, span_key: str) -> StoredTrace | None:
    sql = f"SELECT {TRACE_COLUMNS} FROM traces WHERE owner_id = ? AND span_key = ?"
    return find(StoredTrace, db.execute(sql, [owner_id, span_key]))


class UploadedTrace(Struct, frozen=True):
    """A trace of an earlier upload with the same Idempotency-Key."""

    id: str
    name: str
    upload_line: int
    upload_digest: str
    analysis_id: str


def list_uploaded(db: Connection, owner_id: str, key: str, first: int, last: int) -> dict[int, UploadedTrace]:
    """The traces of these lines of an earlier upload, by line, each with its first analysis."""
    rows = db.execute(
        """
        SELECT id, name, upload_line, upload_digest,
            (SELECT min(a.id) FROM analyses a WHERE a.subject_kind = 'trace' AND a.subject_id = t.id) AS analysis_id
        FROM traces t WHERE owner_id = ? AND upload_key = ? AND upload_line BETWEEN ? AND ?
        """,
        [owner_id, key, first, last],
    )
    return {trace.upload_line: trace for trace in many(UploadedTrace, rows)}


def hash_upload_key(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def find_content(db: Connection, trace_id: str) -> bytes | None:
    """The text of a trace, compressed; None if the trace was deleted."""
    row = db.execute("SELECT content FROM trace_texts WHERE trace_id = ?", [trace_id]).fetchone()
    return None if row is None else bytes(row[0])


def read_json(db: Connection, trace_id: str) -> bytes:
    """The trace as it was read, in JSON. A long one is opened in a thread."""
    content = find_content(db, trace_id)
    if content is None:
        raise NoSuchTrace()
    opened = open_short_content(content)
    if opened is None:
        db.leave_loop()
    return open_content(content) if opened is None else opened


def list_traces(
    db: Connection, chosen: TraceFilter, sort: TraceSort, limit: int, cursor: str | None
) -> Page[StoredTrace]:
    """Traces of one account by page, in one of the sort orders."""
    field, is_descending = sort.removeprefix("-"), sort.startswith("-")
    column, key_type = SORT_COLUMNS[field]
    conditions, values = conditions_of(db, chosen)
    values["limit"] = limit + 1
    if cursor:
        values["key"], values["after"] = read_cursor(cursor, key_type)
        conditions.append(f"({column}, id) {'<' if is_descending else '>'} (:key, :after)")
    order = "DESC" if is_descending else "ASC"
    rows = db.execute(
        f"""
        SELECT {TRACE_COLUMNS} FROM traces WHERE {" AND ".join(conditions)}
        ORDER BY {column} {order}, id {order} LIMIT :limit
        """,
        values,
    )
    return page(many(StoredTrace, rows), limit, lambda trace: (sort_key(trace, field), trace.id))


def sort_key(trace: StoredTrace, field: str) -> Any:
    value = getattr(trace, field)
    return -1.0 if value is None else value


def conditions_of(db: Connection, chosen: TraceFilter) -> tuple[list[str], dict[str, Any]]:
    conditions, values = ["owner_id = :owner_id"], dict[str, Any](owner_id=chosen.owner_id)
    for name, condition in CONDITIONS.items():
        if (value := getattr(chosen, name)) is not None:
            conditions.append(condition.format(place_in=db.place_in))
            values[name] = value.lower() if name == "q" else value
    return conditions, values


CONDITIONS = {
    "dataset": "dataset = :dataset",
    "form": "form = :form",
    "tag": "id IN (SELECT trace_id FROM trace_tags WHERE owner_id = :owner_id AND tag = :tag)",
    "q": "{place_in}(lower(name), :q) > 0",
    "max_score": "overall_score <= :max_score",
}


def set_tags(db: Connection, trace: StoredTrace, tags: tuple[str, ...]) -> None:
    db.execute("DELETE FROM trace_tags WHERE trace_id = ?", [trace.id])
    db.execute("UPDATE traces SET tags = ? WHERE id = ?", [encode_storable(tags), trace.id])
    add_tags(db, trace.id, trace.owner_id, tags)


def note_analysis(
    db: Connection, trace_id: str, analysis_id: str, overall_score: float | None, is_whole: bool = True
) -> None:
    """Show the score of the latest analysis in lists. One of some parts alone never replaces a whole one.

    Ids sort by time, so an older analysis replaces none of its kind."""
    db.execute(
        """
        UPDATE traces SET analysis_id = :analysis_id, overall_score = :score
        WHERE id = :id AND CASE
            WHEN analysis_id IS NULL THEN TRUE
            WHEN coalesce((SELECT a.options ->> 'parts' IS NULL FROM analyses a WHERE a.id = traces.analysis_id), TRUE)
                = :is_whole THEN analysis_id <= :analysis_id
            ELSE :is_whole END
        """,
        {"id": trace_id, "analysis_id": analysis_id, "score": overall_score, "is_whole": is_whole},
    )


def delete(db: Connection, trace: StoredTrace) -> bool:
    """Delete a trace. Its text, tags, marks and analyses go with it, and the spans that it was made of."""
    row = db.execute("DELETE FROM traces WHERE id = ? RETURNING span_key", [trace.id]).fetchone()
    if row is None:
        return False
    quota.give_back(db, trace.owner_id, 1, trace.stored_bytes)
    if row[0] is not None:
        spans.forget_group(db, trace.owner_id, row[0])
    return True


def delete_some_of(db: Connection, owner_id: str) -> int:
    """Delete traces of a deleted account, as many as fit into one transaction. Returns how many."""
    return db.execute(
        "DELETE FROM traces WHERE id IN (SELECT id FROM traces WHERE owner_id = ? LIMIT ?)",
        [owner_id, TRACES_DELETED_WITH_ACCOUNT],
    ).rowcount


def revoke_shares(db: Connection, owner_id: str) -> None:
    db.execute("UPDATE traces SET share_digest = NULL WHERE owner_id = ? AND share_digest IS NOT NULL", [owner_id])


def list_received_before(db: Connection, moment: datetime, limit: int = TRACES_DELETED_PER_SWEEP) -> list[StoredTrace]:
    """Some of the traces that came before. They are found by owner, so that times need no index of their own."""
    rows = db.execute(
        f"""
        SELECT {TRACE_COLUMNS} FROM traces WHERE id IN (
            SELECT t.id FROM trace_usage u CROSS JOIN traces t
            WHERE t.owner_id = u.owner_id AND t.received_at < ? LIMIT ?)
        """,
        [moment, limit],
    )
    return many(StoredTrace, rows)


def set_dataset(db: Connection, trace: StoredTrace, dataset: str | None) -> None:
    db.execute("UPDATE traces SET dataset = ? WHERE id = ?", [dataset, trace.id])


def is_reported_to(db: Connection, trace_id: str, viewer_id: str | None) -> bool:
    """Whether the viewer is a maintainer, and the trace is reported or hidden."""
    if viewer_id is None:
        return False
    row = db.execute(
        """
        SELECT 1 FROM agents a WHERE a.id = :viewer AND a.is_maintainer AND a.suspended_at IS NULL AND (
            EXISTS (SELECT 1 FROM reports WHERE status = 'open' AND subject_type = 'trace' AND subject_id = :trace)
            OR EXISTS (SELECT 1 FROM hidden_texts WHERE subject_type = 'trace' AND subject_id = :trace))
        """,
        {"viewer": viewer_id, "trace": trace_id},
    ).fetchone()
    return row is not None


def hidden_line(db: Connection, trace_id: str) -> str:
    """The line that says who hid the trace, and why."""
    row = db.execute(
        "SELECT original FROM hidden_texts WHERE subject_type = 'trace' AND subject_id = ?", [trace_id]
    ).fetchone()
    return row[0] if row else ""
