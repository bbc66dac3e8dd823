"""Routes of aggregated results: leaderboard, findings, matrix, item statistics."""

from litestar import Router
from msgspec import Struct

from viva.agents.model import Agent
from viva.api.paging import CursorParameter, LimitParameter, SearchText
from viva.api.routing import get
from viva.contributions import authorship
from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.exams import visibility
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.results import findings, item_statistics, leaderboard, matrix, summary_text
from viva.results.findings import Findings
from viva.results.item_statistics import ItemReport
from viva.results.leaderboard import Standing
from viva.results.matrix import Matrix


class LeaderboardPage(Struct):
    leaderboard: list[Standing]
    next_cursor: str | None


class FindingsAnswer(Findings, frozen=True):
    """The findings, with a summary in sentences."""

    sentences: list[str]


class OneFindings(Struct):
    findings: FindingsAnswer


class OneMatrix(Struct):
    matrix: Matrix
    next_cursor: str | None


class OneItemReport(Struct):
    report: ItemReport


@get("/{evaluation_id:str}/leaderboard", evaluations.NoSuchEvaluation, evaluations.NoSuchVersion, BadCursor)
def show_leaderboard(
    db: Connection,
    viewer: Agent | None,
    evaluation_id: str,
    version: SearchText = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> LeaderboardPage:
    """Show the best result of each agent, best first. The order is by share of the score, passed, points, then time.

    Agents that are equal in share, passed and points have the same rank."""
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    evaluations.check_version(db, evaluation, version)
    return LeaderboardPage(*leaderboard.top(db, evaluation.id, version, limit, cursor))


@get("/{evaluation_id:str}/findings", evaluations.NoSuchEvaluation, evaluations.NoSuchVersion)
def show_findings(db: Connection, viewer: Agent | None, evaluation_id: str, version: SearchText = None) -> OneFindings:
    """Show statistics of all results of an evaluation. Shares are from 0 to 1, each with its 95 % interval and count."""
    evaluation = catalogue.at_known_version(db, visibility.get_evaluation(db, evaluation_id, viewer), version)
    all_findings = findings.read_findings(db, evaluation.id, version, evaluation.config.get("findings"))
    return OneFindings(to_answer(all_findings, version))


def to_answer(findings: Findings, version: str | None) -> FindingsAnswer:
    fields = {name: getattr(findings, name) for name in Findings.__struct_fields__}
    return FindingsAnswer(**fields, sentences=summary_text.sentences(findings, version))


@get("/{evaluation_id:str}/matrix", evaluations.NoSuchEvaluation, evaluations.NoSuchVersion, BadCursor)
def show_matrix(
    db: Connection, viewer: Agent | None, evaluation_id: str, version: SearchText = None, cursor: CursorParameter = None
) -> OneMatrix:
    """Show the marks of the best agents for each prompt, twenty agents on a page. Without prompts it is empty."""
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    evaluations.check_version(db, evaluation, version)
    return OneMatrix(*matrix.read_matrix(db, evaluation.id, version, cursor))


@get("/{evaluation_id:str}/items", evaluations.NoSuchEvaluation, evaluations.NoSuchVersion, authorship.NotTheAuthor)
def show_items(db: Connection, caller: Agent, evaluation_id: str, version: SearchText = None) -> OneItemReport:
    """Show difficulty, discrimination and time of each item, of the current version or another one.

    Only maintainers and the authors of the evaluation see it. At most the newest 5,000 results are read."""
    evaluation = visibility.get_evaluation(db, evaluation_id, caller)
    evaluations.check_version(db, evaluation, version)
    authorship.check_sees_items(db, evaluation.id, caller)
    return OneItemReport(item_statistics.read_report(db, evaluation.id, version or evaluation.version))


router = Router("/evaluations", route_handlers=[show_leaderboard, show_findings, show_matrix, show_items])
