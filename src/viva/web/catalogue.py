"""The page of all evaluations, by department and module."""

from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from litestar import Request, Response, get

from viva.agents.model import Agent
from viva.evaluations import store
from viva.evaluations.model import Evaluation
from viva.evaluations.store import EvaluationOrder
from viva.exams import open_exams, visibility
from viva.exams.open_exams import OpenExam
from viva.kit.db import Connection
from viva.kit.paging import MAX_PAGE_ITEMS
from viva.results import agent_results, overview
from viva.results.agent_results import EvaluationStanding
from viva.results.model import Tally
from viva.results.overview import PassRate
from viva.web import pages
from viva.web.queries import cursor, word
from viva.web.wording import STATUS_NAMES, address, words

FILTERED_COLUMNS = ("type", "status", "department", "module")
ORDERS: dict[str, EvaluationOrder] = {"newest": "newest", "attempts": "attempts", "rate": "rate", "name": "name"}
SORT_NAMES = {
    "": "Department and module",
    "newest": "Newest first",
    "attempts": "Most attempts",
    "rate": "Lowest pass rate",
    "name": "Name",
}


class OwnProgress(NamedTuple):
    """The viewer's results in an evaluation, and the attempt that is under way."""

    status: EvaluationStanding | None
    under_way: OpenExam | None

    @property
    def is_any(self) -> bool:
        return bool(self.status or self.under_way)


class CatalogueRow(NamedTuple):
    evaluation: Evaluation
    tally: Tally
    rate: PassRate | None
    own: OwnProgress


class Module(NamedTuple):
    name: str
    rows: list[CatalogueRow]


class Department(NamedTuple):
    """`name` is empty for evaluations without a department."""

    name: str
    modules: list[Module]


class Search(NamedTuple):
    q: str
    type: str
    status: str
    cursor: str | None
    department: str = ""
    module: str = ""
    sort: str = ""

    @property
    def is_narrow(self) -> bool:
        return bool(self.q or self.filters)

    @property
    def filters(self) -> dict[str, str]:
        """The columns that must have a value."""
        return {name: value for name in FILTERED_COLUMNS if (value := getattr(self, name))}

    def at(self, cursor: str | None) -> str:
        return address("/evaluations", **(self._asdict() | {"cursor": cursor}))


class CatalogueChoices(NamedTuple):
    """The departments and modules that evaluations have, by name."""

    departments: list[str]
    modules: list[str]

    @property
    def department_names(self) -> list[tuple[str, str]]:
        return [(name, words(name)) for name in self.departments]

    @property
    def module_names(self) -> list[tuple[str, str]]:
        return [(name, words(name)) for name in self.modules]


@dataclass(frozen=True)
class CataloguePage:
    departments: list[Department]  # empty if the rows are sorted
    sorted_rows: list[CatalogueRow]
    choices: CatalogueChoices
    count: int
    search: Search
    next_cursor: str | None
    statuses: dict[str, str]  # that the filter offers
    sorts: dict[str, str] = field(default_factory=lambda: SORT_NAMES)

    @property
    def next_page(self) -> str:
        return self.search.at(self.next_cursor)


@get("/evaluations")
async def list_evaluations(request: Request) -> Response[str]:
    names = ("q", "type", "status", "department", "module", "sort")
    search = Search(cursor=cursor(request), **{name: word(request, name) for name in names})
    return await pages.show(
        request, "evaluations/list.html", lambda db: catalogue_page(db, search, pages.frame_of(request).viewer)
    )


def catalogue_page(db: Connection, search: Search, viewer: Agent | None) -> CataloguePage:
    with_drafts = visibility.sees_drafts(viewer)
    order = ORDERS.get(search.sort, "number")
    found = store.list_evaluations(db, search.filters, search.q, MAX_PAGE_ITEMS, search.cursor, with_drafts, order)
    tallies = overview.tallies(db, [evaluation.id for evaluation in found.items])
    statuses = agent_results.standings_by_evaluation(db, viewer.id) if viewer else {}
    unfinished = open_exams.list_open_exams(db, viewer.id) if viewer else {}
    rows = [
        row(item, tallies.get(item.id, Tally(0, 0, 0)), OwnProgress(statuses.get(item.id), unfinished.get(item.id)))
        for item in found.items
    ]
    offered = {name: label for name, label in STATUS_NAMES.items() if with_drafts or name != "draft"}
    return CataloguePage(
        departments=by_department(rows) if order == "number" else [],
        sorted_rows=[] if order == "number" else rows,
        choices=list_choices(db),
        count=len(rows),
        search=search,
        next_cursor=found.next_cursor,
        statuses=offered,
    )


def list_choices(db: Connection) -> CatalogueChoices:
    known = store.list_known(db)
    departments = {each.department for each in known if each.department}
    return CatalogueChoices(sorted(departments), sorted({each.module for each in known}))


def row(evaluation: Evaluation, tally: Tally, own: OwnProgress) -> CatalogueRow:
    return CatalogueRow(evaluation, tally, overview.pass_rate(tally), own)


def by_department(rows: list[CatalogueRow]) -> list[Department]:
    """Sort departments by name. Evaluations without a department come last."""

    def name_of(row: CatalogueRow) -> str:
        return row.evaluation.department or ""

    ordered = sorted(rows, key=lambda row: (not name_of(row), name_of(row), row.evaluation.module, row.evaluation.sip))
    return [Department(name, by_module(list(group))) for name, group in groupby(ordered, name_of)]


def by_module(rows: list[CatalogueRow]) -> list[Module]:
    return [Module(name, list(group)) for name, group in groupby(rows, lambda row: row.evaluation.module)]
