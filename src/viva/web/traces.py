"""The page of an account's traces: upload, list, filter. A visitor sees what it is for, with examples."""

from dataclasses import dataclass, replace
from typing import cast

from litestar import Request, Response, get

from viva.agents import store as agents
from viva.agents.model import Agent, name_key
from viva.analyses import datasets
from viva.analyses.datasets import DatasetLine
from viva.context import hub_of
from viva.engine.intake.limits import MEBIBYTE
from viva.kit.db import Connection
from viva.kit.errors import Invalid
from viva.kit.paging import Page
from viva.traces import examples, quota, store
from viva.traces.examples import EXAMPLE_OWNER, EXAMPLE_TOKEN
from viva.traces.model import StoredTrace
from viva.traces.store import TraceFilter, TraceSort
from viva.web import pages
from viva.web.queries import cursor, word
from viva.web.trace_access import TRACES_PATH, trace_path
from viva.web.trace_reading import MAX_UPLOAD_BYTES, MAX_UPLOADED_TRACES
from viva.web.wording import address

TRACES_PER_PAGE = 50
DATASETS_SHOWN = 30
NEWEST_FIRST: TraceSort = "-received_at"
# For each column, the sort orders of the first and the second click.
COLUMN_SORTS: dict[str, tuple[TraceSort, TraceSort]] = {
    "name": ("name", "-name"),
    "score": ("overall_score", "-overall_score"),
    "received": ("-received_at", "received_at"),
}
TRACE_SORTS = {sort for sorts in COLUMN_SORTS.values() for sort in sorts}
SCORE_LIMITS = {"0.5": "below 0.5", "0.7": "below 0.7", "0.85": "below 0.85"}


@dataclass(frozen=True)
class TraceListPage:
    """`is_owner` is false for a visitor, who sees examples instead of a list."""

    is_owner: bool
    traces: list[StoredTrace]
    view: dict[str, str]  # q, dataset, tag, below, sort: what is chosen
    cursor: str | None = None
    next_cursor: str | None = None
    stored: int = 0  # how many traces the account has
    datasets: tuple[str, ...] = ()
    more_datasets: str | None = None  # the cursor after them
    first_new: str = ""  # the id of the first trace that was just uploaded
    fault: str = ""
    told: str = ""
    masks: bool = True  # whether this hub masks what it stores
    score_limits = SCORE_LIMITS
    max_traces = MAX_UPLOADED_TRACES
    max_mebibytes = MAX_UPLOAD_BYTES // MEBIBYTE

    @property
    def is_filtered(self) -> bool:
        return any(self.view[name] for name in ("q", "dataset", "tag", "below"))

    @property
    def new_traces(self) -> list[StoredTrace]:
        return [trace for trace in self.traces if self.first_new and trace.id >= self.first_new]

    def here(self, **changes: object) -> str:
        """The address of this list with other choices, at its first page."""
        return address(TRACES_PATH, **(self.view | changes))

    def sort_link(self, column: str) -> str:
        first, second = COLUMN_SORTS[column]
        return self.here(sort=second if self.sort == first else first)

    @property
    def sort(self) -> str:
        return self.view["sort"] or NEWEST_FIRST

    def order_of(self, column: str) -> str:
        """The `aria-sort` value of a column."""
        if self.sort not in COLUMN_SORTS[column]:
            return "none"
        return "descending" if self.sort.startswith("-") else "ascending"

    def path_of(self, trace: StoredTrace) -> str:
        return address(trace_path(trace.id), share="" if self.is_owner else EXAMPLE_TOKEN)

    def dataset_path(self, name: str) -> str:
        return address(f"{TRACES_PATH}/datasets/{name}", share="" if self.is_owner else EXAMPLE_TOKEN)


@get(TRACES_PATH)
async def list_traces(request: Request) -> Response[str]:
    return await show_list(request)


async def show_list(request: Request, fault: str = "", status: int = 200) -> Response[str]:
    masks = hub_of(request).masking_key is not None

    def read(db: Connection) -> TraceListPage:
        viewer = pages.frame_of(request).viewer
        page = own_page(db, request, viewer) if viewer else visitor_page(db)
        return replace(page, fault=fault, masks=masks)

    return await pages.show(request, "traces/list.html", read, status)


def own_page(db: Connection, request: Request, viewer: Agent) -> TraceListPage:
    view = {name: word(request, name) for name in ("q", "dataset", "tag", "below", "sort")}
    view["below"] = view["below"] if view["below"] in SCORE_LIMITS else ""
    view["sort"] = view["sort"] if view["sort"] in TRACE_SORTS else ""
    chosen = TraceFilter(
        viewer.id,
        dataset=view["dataset"] or None,
        tag=view["tag"] or None,
        q=view["q"] or None,
        max_score=float(view["below"]) if view["below"] else None,
    )
    lines = read_datasets(db, viewer.id, cursor(request, "datasets"))
    at = cursor(request)
    try:
        found = store.list_traces(db, chosen, cast(TraceSort, view["sort"] or NEWEST_FIRST), TRACES_PER_PAGE, at)
    except Invalid:  # a cursor of another list
        at = None
        found = store.list_traces(db, chosen, NEWEST_FIRST, TRACES_PER_PAGE, None)
    return TraceListPage(
        is_owner=True,
        traces=found.items,
        view=view,
        cursor=at,
        next_cursor=found.next_cursor,
        stored=quota.read_usage(db, viewer.id).traces,
        datasets=tuple(line.name for line in lines.items),
        more_datasets=lines.next_cursor,
        first_new=word(request, "new"),
        told="The trace was deleted." if word(request, "deleted") else "",
    )


def read_datasets(db: Connection, owner_id: str, at: str | None) -> Page[DatasetLine]:
    try:
        return datasets.list_datasets(db, owner_id, DATASETS_SHOWN, at)
    except Invalid:  # a cursor of another list
        return datasets.list_datasets(db, owner_id, DATASETS_SHOWN, None)


def visitor_page(db: Connection) -> TraceListPage:
    owner = agents.find_by_name(db, name_key(EXAMPLE_OWNER))
    found = examples.list_examples(db, owner.id) if owner else []
    names = dict.fromkeys(trace.dataset for trace in found if trace.dataset)
    view = dict.fromkeys(("q", "dataset", "tag", "below", "sort"), "")
    return TraceListPage(False, [trace for trace in found if not trace.dataset], view, datasets=tuple(names))
