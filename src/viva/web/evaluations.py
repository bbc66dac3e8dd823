"""The page of one evaluation: what it tests for, and every result."""

from dataclasses import dataclass
from typing import NamedTuple

from litestar import Request, Response, get

from viva.evaluations import catalogue, store
from viva.evaluations.model import Evaluation
from viva.kit.db import Connection
from viva.kit.paging import LIMIT, Page
from viva.results import overview
from viva.results import store as results
from viva.results.model import NamedResult, Tally
from viva.results.overview import PassRate
from viva.web import pages
from viva.web.queries import cursor, word
from viva.web.wording import address, path_part

NEWEST_FIRST = "-completed_at"
PASSED = {"yes": True, "no": False}


class View(NamedTuple):
    """Which results of an evaluation are shown, and how."""

    version: str | None
    passed: str
    given_sort: str
    cursor: str | None

    @property
    def sort(self) -> str:
        return self.given_sort if self.given_sort.removeprefix("-") in results.SORTS else NEWEST_FIRST


@dataclass(frozen=True)
class EvaluationPage:
    evaluation: Evaluation  # as it was in the chosen version
    current_version: str
    versions: list[str]
    view: View
    tally: Tally
    rate: PassRate | None
    results: Page[NamedResult]

    def here(self, **changes: object) -> str:
        """This page's address with something changed; the list then begins at its first page."""
        view = {"version": self.view.version, "passed": self.view.passed, "sort": self.view.given_sort}
        return address(f"/evaluations/{path_part(self.evaluation.id)}", **(view | changes))

    def sorted_by(self, column: str) -> str:
        """The address sorted by the column, highest first, or turned round where it is so already."""
        return self.here(sort=column if self.view.sort == f"-{column}" else f"-{column}")

    def order_of(self, column: str) -> str:
        """How a screen reader names the column's order."""
        return {f"-{column}": "descending", column: "ascending"}.get(self.view.sort, "none")


@get("/evaluations/{sip:str}")
async def show_evaluation(request: Request, sip: str) -> Response[str]:
    view = View(word(request, "version") or None, word(request, "passed"), word(request, "sort"), cursor(request))
    return await pages.show(request, "evaluations/show.html", lambda db: evaluation_page(db, sip, view))


def evaluation_page(db: Connection, sip: str, view: View) -> EvaluationPage:
    current = store.get(db, sip)
    versions = store.versions(db, current.id)
    if view.version and view.version not in versions:
        raise store.NoSuchVersion(f"{current.name} never had a version {view.version}.")
    tally = results.tally(db, current.id, view.version)
    only = results.Filter(current.id, view.version, None, PASSED.get(view.passed))
    return EvaluationPage(
        evaluation=as_it_was(db, current, view.version),
        current_version=current.version,
        versions=versions,
        view=view,
        tally=tally,
        rate=overview.pass_rate(tally),
        results=results.listed(db, only, view.sort, LIMIT, view.cursor),
    )


def as_it_was(db: Connection, evaluation: Evaluation, version: str | None) -> Evaluation:
    """The evaluation in that version; a version known from old results alone has left no text behind."""
    try:
        return catalogue.at_version(db, evaluation, version)
    except store.NoSuchVersion:
        return evaluation
