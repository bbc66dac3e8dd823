"""The page of one evaluation: description, leaderboard, results and findings."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from litestar import Request, Response, get

from viva.agents.matching import MatchingAgents, find_matching
from viva.agents.model import Agent
from viva.context import hub_of
from viva.contributions import authorship
from viva.evaluations import catalogue, research, store
from viva.evaluations.model import Evaluation
from viva.exams import prospects, revealing, shown_findings, visibility, withdrawals
from viva.exams.model import Cohort, ProctorPolicy
from viva.exams.open_registrations import OpenRegistration, find_open_registration
from viva.exams.withdrawals import Withdrawal
from viva.kit.db import Connection
from viva.kit.deleted import DELETED_NAME
from viva.kit.paging import DEFAULT_PAGE_ITEMS, Page
from viva.results import agent_best, item_statistics, leaderboard, listing, matrix
from viva.results import store as results
from viva.results.agent_best import OwnBest
from viva.results.agreement import EvaluationAgreement, read_agreement
from viva.results.findings import VersionRate
from viva.results.item_statistics import MIN_DISCRIMINATION_RESULTS, ItemReport
from viva.results.leaderboard import Standing
from viva.results.listing import WINDOW_RESULTS, ResultFilter, ResultList
from viva.results.matrix import MatrixPage
from viva.results.model import ResultLine
from viva.web import classes, pages
from viva.web.criteria import dicts_in
from viva.web.evaluation_findings import FindingsPart, findings_part
from viva.web.evaluation_view import VERDICT_CHOICES, Here, View

TOP_STANDINGS = 10
STANDINGS_PER_PAGE = 50
MAX_SUGGESTED_NAMES = 50  # in the field of a filter
MAX_ITEMS_SHOWN = 200  # the API has all
DOWNLOAD_FORMATS = {"csv": "CSV", "jsonl": "JSON Lines", "parquet": "Parquet"}


class SearchedNames(NamedTuple):
    """The agents and proctors that match the filters. None if a filter is not set."""

    agents: MatchingAgents | None
    proctors: MatchingAgents | None

    @property
    def is_cut(self) -> bool:
        """Whether more agents may match than the search returns."""
        return any(found.is_cut for found in self if found)


class OwnStatus(NamedTuple):
    """The viewer's best result and open registration in this evaluation."""

    best: OwnBest | None
    registration: OpenRegistration | None


@dataclass(frozen=True)
class EvaluationPage:
    evaluation: Evaluation  # as it was in the chosen version
    current_version: str
    version: str | None  # that everything on the page is about; None for all versions together
    versions: list[str]
    view: View
    here: Here
    best: Standing | None
    equals: int  # other agents with rank 1 on the first page of the leaderboard
    board: Page[Standing]
    results: ResultList[ResultLine]
    searched: SearchedNames
    findings: FindingsPart
    agreement: EvaluationAgreement
    matrix: MatrixPage
    prompt_names: dict[str, str]  # the descriptions of prompts by their ids
    classes: list[Cohort] | None  # the newest; None if it is not class work
    own: OwnStatus | None  # None if nobody is signed in
    items: ItemReport | None  # None if the viewer is neither a maintainer nor an author
    research: str  # sections in Markdown; only maintainers get the exemplars
    formats: dict[str, str]
    others: int  # public results, official or not
    withdrawn: list[Withdrawal]
    prospect: str  # what a result will be worth; empty if nobody can register
    body: str  # as the viewer may read it
    hides_answers: bool  # answers are for their candidates while the items are in use
    window: int = WINDOW_RESULTS  # how many results one page searches
    items_shown: int = MAX_ITEMS_SHOWN
    min_discrimination_results: int = MIN_DISCRIMINATION_RESULTS

    @property
    def unknown_names(self) -> list[str]:
        """The searched texts that match no name."""
        given = zip((self.view.agent, self.view.proctor), self.searched, strict=True)
        return [text for text, found in given if found and not found.names]

    @property
    def agent_suggestions(self) -> list[str]:
        return suggestions(
            self.searched.agents,
            [standing.agent_name for standing in self.board.items],
            [line.agent_name for line in self.results.items],
        )

    @property
    def proctor_suggestions(self) -> list[str]:
        return suggestions(self.searched.proctors, [line.proctor_name for line in self.results.items])

    @property
    def attempts(self) -> int:
        return self.findings.found.attempts

    @property
    def practice_count(self) -> int:
        """How many results are left out because they are practice."""
        return max(0, self.others - self.attempts) if self.view.scope == "official" else 0

    @property
    def mixed_versions(self) -> int:
        """How many versions the shown results come from, or 0 if one version is shown."""
        return 0 if self.version else len(self.findings.found.by_version)

    @property
    def other_versions(self) -> list[VersionRate]:
        """The versions with results, if the shown version has none."""
        return [] if self.attempts else self.findings.versions


@get("/evaluations/{sip:str}")
async def show_evaluation(request: Request, sip: str) -> Response[str]:
    view = View.from_request(request)

    def read(db: Connection) -> EvaluationPage:
        return evaluation_page(db, sip, view, pages.frame_of(request).viewer, hub_of(request).proctors)

    return await pages.show(request, "evaluations/show.html", read)


def evaluation_page(
    db: Connection, sip: str, view: View, viewer: Agent | None = None, policy: ProctorPolicy = "qualified"
) -> EvaluationPage:
    current = visibility.get_evaluation(db, sip, viewer)
    version = view.version_shown(current.version)
    evaluation = catalogue.at_known_version(db, current, version)
    board, searched = board_of(db, evaluation.id, view, version), search_names(db, view)
    first = first_page_of(db, evaluation.id, view, version, board)
    disclosure = revealing.disclose(db, current, version, viewer)
    sees_all = revealing.sees_everything(db, current, viewer)
    return EvaluationPage(
        evaluation=evaluation,
        current_version=current.version,
        version=version,
        versions=store.list_versions(db, evaluation.id),
        view=view,
        here=Here(evaluation.id, view, version),
        best=first.items[0] if first.items else None,
        equals=sum(standing.rank == 1 for standing in first.items[1:]),
        board=board,
        results=results_of(db, evaluation.id, view, version, searched, not disclosure.hides_feedback),
        searched=searched,
        findings=findings_part(db, current, evaluation, version, viewer, view.scope),
        agreement=read_agreement(db, evaluation.id),
        matrix=shown_findings.read_matrix(db, current, version, viewer, view.matrix_cursor or None, view.scope),
        prompt_names={} if disclosure.hides_texts else prompt_names(evaluation.config),
        classes=classes.latest(db, evaluation.id) if evaluation.type == "live_class_work" else None,
        own=own_status(db, evaluation.id, version, viewer) if viewer else None,
        others=results.tally(db, evaluation.id, version, "any").attempts,
        withdrawn=withdrawals.list_withdrawn(db, evaluation.id, version) if view.is_plain else [],
        prospect=prospects.foresee_for(db, policy, current, viewer).sentence if current.status == "active" else "",
        items=items_of(db, evaluation, viewer),
        research=research.read_sections(db, evaluation, sees_all),
        formats=DOWNLOAD_FORMATS,
        body=revealing.shown_body(db, policy, current, evaluation, viewer, sees_all),
        hides_answers=disclosure.hides_texts,
    )


def board_of(db: Connection, evaluation_id: str, view: View, version: str | None) -> Page[Standing]:
    limit, at = (STANDINGS_PER_PAGE, view.board_cursor or None) if view.is_whole_board else (TOP_STANDINGS, None)
    return leaderboard.top(db, evaluation_id, version, limit, at, view.scope, view.holder)


def first_page_of(
    db: Connection, evaluation_id: str, view: View, version: str | None, board: Page[Standing]
) -> Page[Standing]:
    """The first page of the leaderboard. It is read again if the board shows a later page, or versions of agents."""
    is_other = (view.is_whole_board and view.board_cursor) or view.holder != "agent"
    if not is_other:
        return board
    return leaderboard.top(db, evaluation_id, version, TOP_STANDINGS, None, view.scope)


def search_names(db: Connection, view: View) -> SearchedNames:
    return SearchedNames(*(find_matching(db, text) if text else None for text in (view.agent, view.proctor)))


def suggestions(searched: MatchingAgents | None, *shown: Sequence[str | None]) -> list[str]:
    """The names that the field of a filter offers: the matches, or else the names on the page."""
    names = searched.names.values() if searched and searched.names else itertools.chain(*shown)
    return [name for name in dict.fromkeys(names) if name and name != DELETED_NAME][:MAX_SUGGESTED_NAMES]


def results_of(
    db: Connection,
    evaluation_id: str,
    view: View,
    version: str | None,
    searched: SearchedNames,
    with_feedback: bool,
) -> ResultList[ResultLine]:
    result_filter = ResultFilter(
        evaluation_id=evaluation_id,
        version=version,
        agent_ids=searched.agents and tuple(searched.agents.names),
        passed=VERDICT_CHOICES.get(view.passed),
        proctor_ids=searched.proctors and tuple(searched.proctors.names),
        q=view.q or None,
        with_feedback=with_feedback,
    )
    return listing.list_lines(db, result_filter, view.chosen_sort, DEFAULT_PAGE_ITEMS, view.cursor or None)


def prompt_names(config: dict[str, Any]) -> dict[str, str]:
    """The labels of matrix rows. A prompt without a description gets the text of its first criterion."""
    named = (
        (row.get("id"), row.get("description")) for row in dicts_in(config.get("prompts"), matrix.MAX_MATRIX_PROMPTS)
    )
    return {name: text for name, text in named if isinstance(name, str) and isinstance(text, str) and text}


def items_of(db: Connection, evaluation: Evaluation, viewer: Agent | None) -> ItemReport | None:
    """The item statistics of the shown version."""
    if not authorship.sees_items(db, evaluation.id, viewer):
        return None
    return item_statistics.read_report(db, evaluation.id, evaluation.version)


def own_status(db: Connection, evaluation_id: str, version: str | None, viewer: Agent) -> OwnStatus:
    return OwnStatus(
        agent_best.find_best(db, evaluation_id, version, viewer.id),
        find_open_registration(db, viewer.id, evaluation_id),
    )
