"""The page of one evaluation: what it tests for, who is best, every result, and what they say together."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from litestar import Request, Response, get

from viva.agents import store as agents
from viva.agents.model import Agent, name_key
from viva.evaluations import catalogue, store
from viva.evaluations.model import Evaluation
from viva.exams import store as exams
from viva.exams import visibility
from viva.exams.model import Cohort, Registration
from viva.kit.db import Connection
from viva.kit.paging import LIMIT, Page
from viva.results import leaderboard, listing, matrix, own
from viva.results.leaderboard import Standing
from viva.results.listing import Listed
from viva.results.matrix import MatrixPage
from viva.results.own import OwnBest
from viva.web import classes, pages
from viva.web.criteria import dicts_in
from viva.web.evaluation_findings import FindingsPart, findings_part
from viva.web.evaluation_view import PASSED, Here, View

TOP = 10
BOARD = 50
FORMATS = {"csv": "CSV", "jsonl": "JSON Lines", "parquet": "Parquet"}


class Sought(NamedTuple):
    """The agents that results are narrowed to; `unknown` are names that nobody has."""

    agent_id: str | None = None
    proctor_agent_id: str | None = None
    unknown: tuple[str, ...] = ()


class OwnStatus(NamedTuple):
    """How the visitor stands in this evaluation."""

    best: OwnBest | None
    registration: Registration | None


@dataclass(frozen=True)
class EvaluationPage:
    evaluation: Evaluation  # as it was in the chosen version
    current_version: str
    versions: list[str]
    view: View
    here: Here
    best: Standing | None
    equals: int  # others on the leaderboard's first page who share the best one's rank
    board: Page[Standing]
    results: Listed
    sought: Sought
    findings: FindingsPart
    matrix: MatrixPage
    prompt_names: dict[str, str]  # those that the evaluation gives its prompts, by their ids
    classes: list[Cohort] | None  # the newest; None where it is no class work
    own: OwnStatus | None  # None where nobody is signed in
    formats: dict[str, str]

    @property
    def attempts(self) -> int:
        return self.findings.found.attempts

    @property
    def mixed_versions(self) -> int:
        """How many versions' results are taken together."""
        return 0 if self.view.version else len(self.findings.found.by_version)


@get("/evaluations/{sip:str}")
async def show_evaluation(request: Request, sip: str) -> Response[str]:
    view = View.of(request)

    def read(db: Connection) -> EvaluationPage:
        return evaluation_page(db, sip, view, pages.frame_of(request).viewer)

    return await pages.show(request, "evaluations/show.html", read)


def evaluation_page(db: Connection, sip: str, view: View, viewer: Agent | None = None) -> EvaluationPage:
    current, version = visibility.get_evaluation(db, sip, viewer), view.chosen_version
    evaluation = catalogue.as_it_was(db, current, version)
    board, sought = board_of(db, evaluation.id, view), sought_by(db, view)
    first = first_page_of(db, evaluation.id, view, board)
    return EvaluationPage(
        evaluation=evaluation,
        current_version=current.version,
        versions=store.versions(db, evaluation.id),
        view=view,
        here=Here(evaluation.id, view),
        best=first.items[0] if first.items else None,
        equals=sum(standing.rank == 1 for standing in first.items[1:]),
        board=board,
        results=results_of(db, evaluation.id, view, sought),
        sought=sought,
        findings=findings_part(db, evaluation, version),
        matrix=matrix.matrix(db, evaluation.id, version, view.matrix_cursor or None),
        prompt_names=prompt_names(evaluation.config),
        classes=classes.latest(db, evaluation.id) if evaluation.type == "live_class_work" else None,
        own=own_status(db, evaluation.id, version, viewer) if viewer else None,
        formats=FORMATS,
    )


def board_of(db: Connection, evaluation_id: str, view: View) -> Page[Standing]:
    if not view.is_whole_board:
        return leaderboard.top(db, evaluation_id, view.chosen_version, TOP, None)
    return leaderboard.top(db, evaluation_id, view.chosen_version, BOARD, view.board_cursor or None)


def first_page_of(db: Connection, evaluation_id: str, view: View, board: Page[Standing]) -> Page[Standing]:
    """The leaderboard's beginning, which is read again where the board shows a later page."""
    is_later = view.is_whole_board and view.board_cursor
    return leaderboard.top(db, evaluation_id, view.chosen_version, TOP, None) if is_later else board


def sought_by(db: Connection, view: View) -> Sought:
    names = [name for name in (view.agent, view.proctor) if name]
    found = {name: agents.find_by_name(db, name_key(name)) for name in names}
    ids = {name: agent.id for name, agent in found.items() if agent}
    return Sought(ids.get(view.agent), ids.get(view.proctor), tuple(name for name in found if name not in ids))


def results_of(db: Connection, evaluation_id: str, view: View, sought: Sought) -> Listed:
    if sought.unknown:
        return Listed([], None, is_cut=False)
    only = listing.Filter(
        evaluation_id=evaluation_id,
        version=view.chosen_version,
        agent_id=sought.agent_id,
        passed=PASSED.get(view.passed),
        proctor_agent_id=sought.proctor_agent_id,
        q=view.q or None,
    )
    return listing.listed(db, only, view.chosen_sort, LIMIT, view.cursor or None)


def prompt_names(config: dict[str, Any]) -> dict[str, str]:
    """What a row of the matrix is called; a prompt without a description has the text of its first criterion."""
    named = ((row.get("id"), row.get("description")) for row in dicts_in(config.get("prompts"), matrix.PROMPTS))
    return {name: text for name, text in named if isinstance(name, str) and isinstance(text, str) and text}


def own_status(db: Connection, evaluation_id: str, version: str | None, viewer: Agent) -> OwnStatus:
    return OwnStatus(
        own.find_best(db, evaluation_id, version, viewer.id), exams.find_open(db, viewer.id, evaluation_id)
    )
