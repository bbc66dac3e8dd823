"""Routes of traces: list, show, change, share and delete them."""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import Router
from msgspec import Meta, Raw, Struct

from viva.agents.access import id_of
from viva.agents.model import Agent
from viva.analyses import deleting
from viva.analyses import store as analyses
from viva.analyses.model import AnalysisRun, Subject
from viva.api.paging import CursorParameter, LimitParameter, SearchText
from viva.api.route_spec import EncodedAnswer
from viva.api.routing import delete, get, patch, post
from viva.context import HubContext
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, MAX_PAGE_ITEMS, BadCursor
from viva.traces import sharing, spans, store
from viva.traces.model import BadDataset, BadTags, StoredTrace, check_dataset, check_tags
from viva.traces.sharing import NotYourTrace, OwnersOnly
from viva.traces.spans import NoSuchSpans
from viva.traces.store import NoSuchTrace, TraceFilter, TraceSort

ShareToken = Annotated[str, Meta(max_length=100, description="The token of a share link.")] | None
DatasetName = Annotated[str, Meta(max_length=100, description="The name of a dataset.")] | None


class IntakeView(Struct):
    """What was read: the form of the document, how many of each part, and the parts that could not be read."""

    form: str
    agents: int
    turns: int
    interactions: int
    calls: int
    dropped: list[dict[str, Any]]


class WholeIntake(IntakeView):
    """What was read, with the version of the form, as far as the recording names one."""

    version: str | None


class TraceView(Struct):
    """A trace without its text. `name` is its id where it was recorded, or the first words of its task; the score is that
    of the latest analysis."""

    id: str
    name: str
    dataset: str | None
    tags: list[str]
    received_at: datetime
    intake: IntakeView
    masked: list[dict[str, Any]]
    is_shared: bool
    analysis_id: str | None
    overall_score: float | None


class WholeTrace(TraceView):
    """A trace as it was read, with its analyses, newest first. `intake` has the form and what was dropped, too."""

    intake: WholeIntake
    initial_task: str | None
    success: bool | None
    total_cost: float | None
    total_latency_ms: float | None
    session_metadata: dict[str, Any] | None
    agents: list[dict[str, Any]]
    turns: list[dict[str, Any]]
    analyses: list[AnalysisRun]
    form: str | msgspec.UnsetType | None = msgspec.UNSET
    form_version: str | msgspec.UnsetType | None = msgspec.UNSET
    dropped: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET


class TracesPage(Struct):
    traces: list[TraceView]
    next_cursor: str | None


class TraceChanges(Struct, forbid_unknown_fields=True):
    """A field that is left out stays as it is. A dataset of null takes the trace out of its dataset."""

    tags: list[str] | msgspec.UnsetType = msgspec.UNSET
    dataset: str | msgspec.UnsetType | None = msgspec.UNSET


class OneTrace(Struct):
    trace: TraceView


class SharedTrace(Struct):
    """The address that shows the trace to anybody. It is not shown again."""

    url: str
    token: str


def view(trace: StoredTrace) -> TraceView:
    intake = IntakeView(**{name: getattr(trace, name) for name in IntakeView.__struct_fields__})
    return TraceView(
        trace.id,
        trace.name,
        trace.dataset,
        trace.tags,
        trace.received_at,
        intake,
        trace.masked,
        trace.share_digest is not None,
        trace.analysis_id,
        trace.overall_score,
    )


@get("", BadCursor)
def list_traces(
    db: Connection,
    caller: Agent,
    dataset: DatasetName = None,
    tag: SearchText = None,
    form: SearchText = None,
    q: SearchText = None,
    max_score: Annotated[float, Meta(ge=0, le=1)] | None = None,
    sort: TraceSort = "-received_at",
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> TracesPage:
    """List your traces, newest first. `q` is a part of the name; `max_score` leaves out better runs."""
    chosen = TraceFilter(caller.id, dataset, tag, form, q, max_score)
    traces, next_cursor = store.list_traces(db, chosen, sort, limit, cursor)
    return TracesPage([view(trace) for trace in traces], next_cursor)


@get("/{trace_id:str}", NoSuchTrace, NotYourTrace, may_be_slow=True)
def show_trace(
    db: Connection, viewer: Agent | None, trace_id: str, share: ShareToken = None
) -> EncodedAnswer[WholeTrace]:
    """Show a trace as it was read, for its owner or with a share link."""
    trace = sharing.get_visible(db, trace_id, id_of(viewer), share)
    document = msgspec.json.decode(store.read_json(db, trace.id), type=dict[str, Raw])
    runs = analyses.list_runs(db, Subject("trace", trace.id), MAX_PAGE_ITEMS, None).items
    shown = view(trace)
    intake = msgspec.structs.asdict(shown.intake) | {"version": document.get("form_version")}
    about = msgspec.structs.asdict(shown) | {"intake": intake, "analyses": runs}
    return EncodedAnswer(msgspec.json.encode(document | about))


class ReceivedSpans(Struct):
    """What became of the spans of one trace of OpenTelemetry. `reason` says why they cannot be read; `trace_id` is null
    until they are."""

    trace_id: str | None
    dataset: str | None
    changed_at: datetime
    is_waiting: bool
    reason: str | None


@get("/opentelemetry/{otel_trace_id:str}", NoSuchSpans)
def show_spans(db: Connection, caller: Agent, otel_trace_id: str) -> ReceivedSpans:
    """Show what became of the spans that you sent to `/v1/traces`, by the trace id of OpenTelemetry.

    While others may come, `is_waiting` is true. Spans that cannot be read are deleted after a day."""
    group = spans.get_group(db, caller.id, otel_trace_id)
    trace = store.find_of_spans(db, caller.id, otel_trace_id)
    is_waiting = group.waiting_since is not None
    return ReceivedSpans(trace.id if trace else None, group.dataset, group.changed_at, is_waiting, group.reason)


@patch("/{trace_id:str}", NoSuchTrace, OwnersOnly, BadTags, BadDataset)
def change_trace(db: Connection, caller: Agent, trace_id: str, data: TraceChanges) -> OneTrace:
    """Change the tags of your trace, or its dataset."""
    trace = sharing.get_own(db, trace_id, caller.id)
    if data.tags is not msgspec.UNSET:
        store.set_tags(db, trace, check_tags(data.tags))
    if data.dataset is not msgspec.UNSET:
        store.set_dataset(db, trace, check_dataset(data.dataset))
    return OneTrace(view(store.get(db, trace.id)))


@delete("/{trace_id:str}", NoSuchTrace, OwnersOnly)
def delete_trace(db: Connection, caller: Agent, trace_id: str) -> None:
    """Delete your trace with its text, its marks and its analyses."""
    deleting.delete_trace(db, trace_id, caller.id)


@post("/{trace_id:str}/share", NoSuchTrace, OwnersOnly)
def share_trace(db: Connection, caller: Agent, hub: HubContext, trace_id: str) -> SharedTrace:
    """Make a link by which anybody can see your trace and its analyses. An earlier link stops working."""
    token = sharing.share(db, trace_id, caller.id)
    return SharedTrace(f"{hub.base_url}/traces/{trace_id}?share={token}", token)


@delete("/{trace_id:str}/share", NoSuchTrace, OwnersOnly)
def revoke_share(db: Connection, caller: Agent, trace_id: str) -> None:
    """Revoke the share link of your trace."""
    sharing.revoke(db, trace_id, caller.id)


router = Router(
    "/traces",
    route_handlers=[list_traces, show_spans, show_trace, change_trace, delete_trace, share_trace, revoke_share],
)
