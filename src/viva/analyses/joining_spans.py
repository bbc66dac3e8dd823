"""Spans become traces: stored as they come, and read as one document after a short silence."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

from viva.analyses import running
from viva.analyses.model import Subject
from viva.engine.intake.faults import BadTrace
from viva.jobs import queue
from viva.jobs.model import Work
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.traces import spans, store
from viva.traces.model import NewTrace
from viva.traces.quota import QuotaReached, TraceQuota
from viva.traces.reading import make_storable, read_trace
from viva.traces.span_documents import join_exports
from viva.traces.spans import SpanGroup

JOIN_WORK = "join_spans"
SPAN_SILENCE = timedelta(seconds=2)  # exporters send a batch every few seconds at most, and the last one at the end
MAX_SPAN_WAIT = timedelta(minutes=1)  # spans of a run that never falls silent are read all the same


def receive(db: Connection, owner_id: str, dataset: str | None, groups: Mapping[str, bytes], quota: TraceQuota) -> None:
    """Store the spans of one request, by trace id."""
    for key, content in sorted(groups.items()):  # in one order, so that two requests cannot wait for each other
        if spans.add(db, owner_id, key, dataset, content, quota):
            put_job(db, owner_id, key)


def put_job(db: Connection, owner_id: str, span_key: str) -> None:
    data = {"owner_id": owner_id, "span_key": span_key}
    queue.put(db, JOIN_WORK, data, SPAN_SILENCE, pool="processes", account_id=owner_id)


class JoinTask(NamedTuple):
    """A group to be read. `contents` is empty while its spans still come."""

    group: SpanGroup
    contents: list[bytes]


class JoinedTrace(NamedTuple):
    """The trace of a group, or why there is none."""

    trace: NewTrace | None
    reason: str | None


def work(masking_key: bytes | None, quota: TraceQuota) -> Work:
    """The background work "join_spans"."""
    return Work(read, partial(think, masking_key), partial(keep, quota))


def read(db: Connection, data: dict[str, Any]) -> JoinTask | None:
    group = spans.find_group(db, data["owner_id"], data["span_key"])
    if group is None or group.waiting_since is None:
        return None
    is_silent = now() - group.changed_at >= SPAN_SILENCE or is_overdue(group)
    return JoinTask(group, spans.list_contents(db, group.owner_id, group.span_key) if is_silent else [])


def is_overdue(group: SpanGroup) -> bool:
    return group.waiting_since is not None and now() - group.waiting_since >= MAX_SPAN_WAIT


def think(masking_key: bytes | None, task: JoinTask | None) -> JoinedTrace | None:
    """Read the spans. This happens in a worker process."""
    if task is None or not task.contents:
        return None
    try:
        return JoinedTrace(read_trace(join_exports(task.contents), masking_key), None)
    except BadTrace as error:
        return JoinedTrace(None, make_storable(str(error)))


def keep(quota: TraceQuota, db: Connection, task: JoinTask | None, joined: JoinedTrace | None, is_last: bool) -> None:
    group = task and spans.hold_group(db, task.group.owner_id, task.group.span_key)
    if task is None or group is None:
        return
    has_more = group.changed_at != task.group.changed_at  # others came meanwhile
    if joined is None or has_more:
        put_job(db, group.owner_id, group.span_key)
    if joined is None or (has_more and not is_overdue(group)):
        return
    spans.note_read(db, group, joined.reason, waiting_since=now() if has_more else None)
    if joined.trace:
        try:
            keep_trace(db, group, joined.trace, quota)
        except QuotaReached as error:
            spans.note_read(db, group, str(error))


def keep_trace(db: Connection, group: SpanGroup, new: NewTrace, quota: TraceQuota) -> None:
    """Store the trace, or its newer state, and request its analysis."""
    stored = store.find_of_spans(db, group.owner_id, group.span_key)
    if stored:
        store.replace(db, stored, new, quota)
        trace_id = stored.id
    else:
        trace_id = store.add(db, group.owner_id, new, quota, group.dataset, span_key=group.span_key)
        events.record(db, "traces.uploaded", "trace", trace_id, traces=1)
    running.request(db, Subject("trace", trace_id), new.turns, account_id=group.owner_id)
