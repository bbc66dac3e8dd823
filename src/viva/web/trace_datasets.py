"""The page of one dataset: its weakest agent, its trend, what is found most often, and how often that is right."""

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from litestar import Request, Response, get

from viva.agents import store as agents
from viva.agents.model import name_key
from viva.analyses import datasets
from viva.analyses.datasets import DatasetSummary, DayScores, FrequentFinding, GroupScores, NoSuchDataset
from viva.engine.precision import PRECISION, Precision, is_unsure
from viva.kit.db import Connection
from viva.kit.errors import Unauthorized
from viva.results.intervals import Interval, wilson_interval
from viva.traces import examples, store
from viva.traces.examples import EXAMPLE_OWNER, EXAMPLE_TOKEN
from viva.traces.marks import MarkTally
from viva.traces.model import StoredTrace
from viva.traces.store import TraceFilter
from viva.web import charts, pages
from viva.web.charts import SHEET, Tick
from viva.web.queries import word
from viva.web.trace_access import TRACES_PATH, trace_path
from viva.web.trace_findings import label_of
from viva.web.wording import address, path_part

NEWEST_TRACES_SHOWN = 20
MAX_DAY_LABELS = 5


class SignInForDataset(Unauthorized):
    """Sign in to see your datasets."""


class DayPoint(NamedTuple):
    x: float
    y: float
    label: str
    day: DayScores


class DayTrend(NamedTuple):
    """The mean score of each day, on an axis of time."""

    points: list[DayPoint]
    ticks: list[Tick]

    @property
    def line(self) -> str:
        return " ".join(f"{point.x:.1f},{point.y:.1f}" for point in self.points)


class KindPrecision(NamedTuple):
    """How often a kind was right by the owner's marks, and by the readers of other runs."""

    label: str
    tally: MarkTally
    interval: Interval
    elsewhere: Precision | None


@dataclass(frozen=True)
class DatasetPage:
    summary: DatasetSummary
    traces: list[StoredTrace]
    trend: DayTrend | None
    precision: list[KindPrecision]
    is_owner: bool
    sheet = SHEET

    @property
    def weakest(self) -> GroupScores | None:
        return next((agent for agent in self.summary.agents if agent.name == self.summary.weakest_agent), None)

    @property
    def change(self) -> float | None:
        """How much the later half of the days is better than the earlier half."""
        days = self.trend.points if self.trend else []
        if len(days) < 2:
            return None
        half = len(days) // 2
        early, late = (mean_of(part) for part in (days[:half], days[half:]))
        return late - early

    def label(self, finding: FrequentFinding) -> str:
        return label_of(finding.kind)

    def is_unsure(self, kind: str) -> bool:
        return is_unsure(kind)

    def path_of(self, trace: StoredTrace) -> str:
        return self.page_of(trace_path(trace.id))

    def agent_path(self, agent: GroupScores) -> str:
        """The page of the agent in the trace in which it did worst."""
        return self.page_of(f"{trace_path(agent.worst_trace_id or '')}/agents/{path_part(agent.name)}")

    def finding_path(self, finding: FrequentFinding) -> str:
        return self.page_of(trace_path(finding.example_trace_id)) + "#findings"

    def page_of(self, path: str) -> str:
        return address(path, share="" if self.is_owner else EXAMPLE_TOKEN)

    @property
    def here(self) -> str:
        return self.page_of(f"{TRACES_PATH}/datasets/{path_part(self.summary.dataset.name)}")


@get(f"{TRACES_PATH}/datasets/{{name:str}}")
async def show_dataset(request: Request, name: str) -> Response[str]:
    return await pages.show(request, "traces/dataset.html", lambda db: dataset_page(db, request, name), is_slow=True)


def dataset_page(db: Connection, request: Request, name: str) -> DatasetPage:
    viewer = pages.frame_of(request).viewer
    if word(request, "share") == EXAMPLE_TOKEN:
        return example_page(db, name)
    if viewer is None:
        raise SignInForDataset()
    newest = store.list_traces(db, TraceFilter(viewer.id, dataset=name), "-received_at", NEWEST_TRACES_SHOWN, None)
    return make_page(datasets.summarize(db, viewer.id, name), newest.items, is_owner=True)


def example_page(db: Connection, name: str) -> DatasetPage:
    """A dataset of the demo, if every trace of it is an example."""
    owner = agents.find_by_name(db, name_key(EXAMPLE_OWNER))
    if owner is None:
        raise NoSuchDataset()
    summary = datasets.summarize(db, owner.id, name)
    shown = [trace for trace in examples.list_examples(db, owner.id) if trace.dataset == name]
    if len(shown) != summary.dataset.traces:
        raise NoSuchDataset()
    return make_page(summary, shown, is_owner=False)


def make_page(summary: DatasetSummary, traces: list[StoredTrace], is_owner: bool) -> DatasetPage:
    return DatasetPage(
        summary=summary,
        traces=traces[:NEWEST_TRACES_SHOWN],
        trend=draw_trend(summary.days),
        precision=[
            KindPrecision(
                label_of(tally.kind), tally, wilson_interval(tally.right, tally.marked), PRECISION.get(tally.kind)
            )
            for tally in summary.marks
        ],
        is_owner=is_owner,
    )


def draw_trend(days: list[DayScores]) -> DayTrend | None:
    """None if no day has a score."""
    scored = [(date.fromisoformat(day.day), day) for day in days if day.mean_score is not None]
    if not scored:
        return None
    first, span = scored[0][0], max(1, (scored[-1][0] - scored[0][0]).days)
    points = [
        DayPoint(
            charts.across(0.02 + 0.96 * (moment - first).days / span) if len(scored) > 1 else charts.across(0.5),
            charts.height_of(day.mean_score or 0.0),
            f"{moment:%-d %b %Y}",
            day,
        )
        for moment, day in scored
    ]
    step = -(-len(points) // MAX_DAY_LABELS)
    return DayTrend(points, [Tick(point.x, point.label.rpartition(" ")[0]) for point in points[::step]])


def mean_of(points: list[DayPoint]) -> float:
    return sum(point.day.mean_score or 0.0 for point in points) / len(points)
