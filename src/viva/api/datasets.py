"""Routes of datasets, and of the marks by which owners say whether detections are right."""

from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.model import Agent
from viva.analyses import datasets, marking
from viva.analyses.datasets import DatasetLine, DatasetSummary, NoSuchDataset
from viva.analyses.marking import NoSuchDetection
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.routing import get, post
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.traces import marks, sharing
from viva.traces.marks import DetectionLabel, DetectionMark, DetectionPlace
from viva.traces.sharing import OwnersOnly
from viva.traces.store import NoSuchTrace

Index = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class DatasetsPage(Struct):
    datasets: list[DatasetLine]
    next_cursor: str | None


class PrecisionView(Struct):
    """How many detections of a kind were marked, how many of them as right, and their share."""

    kind: str
    marked: int
    right: int
    precision: float


class DatasetView(DatasetSummary, frozen=True):
    """A dataset as a whole, with the precision of each kind of detection by the marks of its owner."""

    precision: list[PrecisionView]


class LabelsPage(Struct):
    labels: list[DetectionLabel]
    next_cursor: str | None


class DetectionMarkBody(Struct, forbid_unknown_fields=True):
    """A detection (`rdm`) or an issue (`UNAUTHORIZED_TOOL`) at its place. A `right` of null takes the mark back."""

    kind: Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[A-Za-z_]+$")]
    turn_index: Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
    right: bool | None
    interaction_index: Index | None = None
    step_index: Index | None = None


class OneDetectionMark(Struct):
    """The mark as it is now; null if it was taken back."""

    mark: DetectionMark | None


class MarksList(Struct):
    marks: list[DetectionMark]


@get("/datasets", BadCursor, is_slow=True)
def list_datasets(
    db: Connection, caller: Agent, limit: LimitParameter = DEFAULT_PAGE_ITEMS, cursor: CursorParameter = None
) -> DatasetsPage:
    """List your datasets by name, with the number of traces and their mean score."""
    return DatasetsPage(*datasets.list_datasets(db, caller.id, limit, cursor))


@get("/datasets/{dataset:str}", NoSuchDataset, is_slow=True)
def show_dataset(db: Connection, caller: Agent, dataset: str) -> DatasetView:
    """Show a dataset: scores by agent, by role and by day, the weakest agent, and what is found most often."""
    summary = datasets.summarize(db, caller.id, dataset)
    values = {name: getattr(summary, name) for name in summary.__struct_fields__}
    precision = [PrecisionView(each.kind, each.marked, each.right, each.precision) for each in summary.marks]
    return DatasetView(**values, precision=precision)


@get("/datasets/{dataset:str}/labels", BadCursor, NoSuchDataset)
def list_labels(
    db: Connection,
    caller: Agent,
    dataset: str,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> LabelsPage:
    """List the marks of a dataset as labels: which detections of which traces are right and which are wrong."""
    datasets.check_exists(db, caller.id, dataset)
    return LabelsPage(*marks.list_of_dataset(db, caller.id, dataset, limit, cursor))


@get("/traces/{trace_id:str}/marks", NoSuchTrace, OwnersOnly)
def list_marks(db: Connection, caller: Agent, trace_id: str) -> MarksList:
    """List your marks on the detections of a trace."""
    return MarksList(marks.list_of_trace(db, sharing.get_own(db, trace_id, caller.id).id))


@post("/traces/{trace_id:str}/marks", NoSuchTrace, OwnersOnly, NoSuchDetection, status=200)
def mark_detection(db: Connection, caller: Agent, trace_id: str, data: DetectionMarkBody) -> OneDetectionMark:
    """Mark a detection or an issue of your trace as right or wrong. A second mark replaces the first."""
    place = DetectionPlace(data.kind, data.turn_index, data.interaction_index, data.step_index)
    marking.mark(db, trace_id, caller.id, place, data.right)
    return OneDetectionMark(marks.find(db, trace_id, place))


router = Router("", route_handlers=[list_datasets, show_dataset, list_labels, list_marks, mark_detection])
