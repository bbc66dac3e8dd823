"""Uploading traces: each is stored whole with a request for its analysis, or not at all."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from viva.analyses import running
from viva.analyses.model import AnalysisChoices, Subject
from viva.kit import events
from viva.kit.db import Connection
from viva.kit.idempotency import KeyReused
from viva.traces import store
from viva.traces.batches import NumberedTrace
from viva.traces.model import NewTrace
from viva.traces.quota import TraceQuota
from viva.traces.store import UploadPlace


class Upload(NamedTuple):
    """Whose traces come, where they go, and how they are analysed. `key` is the hash of an Idempotency-Key."""

    owner_id: str
    dataset: str | None = None
    key: str | None = None
    choices: AnalysisChoices = running.DEFAULT_CHOICES
    quota: TraceQuota = TraceQuota()


class TakenTrace(Struct, frozen=True):
    """A trace that is stored. `name` is the id that it had where it was recorded."""

    line: int
    id: str
    name: str
    analysis_id: str


def take(db: Connection, upload: Upload, traces: Sequence[NumberedTrace]) -> list[TakenTrace]:
    """Store the traces. One that an earlier request with the same Idempotency-Key stored is not stored again."""
    lines = [line for line, _ in traces]
    known = store.list_uploaded(db, upload.owner_id, upload.key, min(lines), max(lines)) if upload.key else {}
    for line, new in traces:
        if line in known and known[line].upload_digest != new.digest:
            raise KeyReused()

    taken = []
    for line, new in traces:
        if earlier := known.get(line):
            taken.append(TakenTrace(line, earlier.id, earlier.name, earlier.analysis_id))
        else:
            taken.append(take_one(db, upload, line, new))
    added = len(traces) - len(known)
    if added:
        events.record(db, "traces.uploaded", "trace", taken[0].id, traces=added)
    return taken


def take_one(db: Connection, upload: Upload, line: int, new: NewTrace) -> TakenTrace:
    place = UploadPlace(upload.key, line) if upload.key else None
    trace_id = store.add(db, upload.owner_id, new, upload.quota, upload.dataset, place)
    analysis_id = running.request(db, Subject("trace", trace_id), new.turns, upload.choices, account_id=upload.owner_id)
    return TakenTrace(line, trace_id, new.name, analysis_id)
