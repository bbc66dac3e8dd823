"""Routes of aggregated results: leaderboard, findings, matrix, item statistics."""

from typing import Literal

from litestar import Router
from msgspec import Struct

from viva.agents.model import Agent
from viva.api.paging import CursorParameter, LimitParameter, SearchText
from viva.api.routing import get
from viva.contributions import authorship
from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.exams import shown_findings, visibility
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.results import agreement, item_statistics, leaderboard, summary_text
from viva.results.agreement import EvaluationAgreement
from viva.results.findings import Findings
from viva.results.item_statistics import ItemReport
from viva.results.leaderboard import Standing
from viva.results.matrix import Matrix
from viva.results.official import Scope

OfficialScope = Literal["true", "any"]
SCOPES: dict[str, Scope] = {"true": "official", "any": "any"}


class LeaderboardPage(Struct):
    leaderboard: list[Standing]
    next_cursor: str | None


class FindingsAnswer(Findings, frozen=True):
    """The findings, with a summary in sentences, and how far markers agree over all versions."""

    sentences: list[str]
    agreement: EvaluationAgreement


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
    official: OfficialScope = "true",
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> LeaderboardPage:
    """Show the best official result of each agent, best first. With `official=any`, practice counts too.

    The order is by share of the score, passed, points, then the newer result. Agents that are equal in share, passed and points have
    the same rank."""
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    evaluations.check_version(db, evaluation, version)
    return LeaderboardPage(*leaderboard.top(db, evaluation.id, version, limit, cursor, SCOPES[official]))


@get("/{evaluation_id:str}/findings", evaluations.NoSuchEvaluation, evaluations.NoSuchVersion)
def show_findings(
    db: Connection,
    viewer: Agent | None,
    evaluation_id: str,
    version: SearchText = None,
    official: OfficialScope = "true",
) -> OneFindings:
    """Show statistics of the official results, or with `official=any` of all results.

    Shares are from 0 to 1, each with its 95 % interval and count."""
    current = visibility.get_evaluation(db, evaluation_id, viewer)
    evaluation = catalogue.at_known_version(db, current, version)
    all_findings = shown_findings.read_findings(db, current, evaluation, version, viewer, SCOPES[official])
    return OneFindings(to_answer(all_findings, version, agreement.read_agreement(db, evaluation.id)))


def to_answer(findings: Findings, version: str | None, agreement: EvaluationAgreement) -> FindingsAnswer:
    fields = {name: getattr(findings, name) for name in Findings.__struct_fields__}
    return FindingsAnswer(**fields, sentences=summary_text.sentences(findings, version), agreement=agreement)


@get("/{evaluation_id:str}/matrix", evaluations.NoSuchEvaluation, evaluations.NoSuchVersion, BadCursor)
def show_matrix(
    db: Connection,
    viewer: Agent | None,
    evaluation_id: str,
    version: SearchText = None,
    official: OfficialScope = "true",
    cursor: CursorParameter = None,
) -> OneMatrix:
    """Show the marks of the best agents for each prompt, twenty agents on a page. Without prompts it is empty."""
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    evaluations.check_version(db, evaluation, version)
    return OneMatrix(*shown_findings.read_matrix(db, evaluation, version, viewer, cursor, SCOPES[official]))


@get("/{evaluation_id:str}/items", evaluations.NoSuchEvaluation, evaluations.NoSuchVersion, authorship.NotTheAuthor)
def show_items(db: Connection, caller: Agent, evaluation_id: str, version: SearchText = None) -> OneItemReport:
    """Show difficulty, discrimination and time of each item, of the current version or another one.

    Only maintainers and the authors of the evaluation see it. At most the newest 5,000 results are read."""
    evaluation = visibility.get_evaluation(db, evaluation_id, caller)
    evaluations.check_version(db, evaluation, version)
    authorship.check_sees_items(db, evaluation.id, caller)
    return OneItemReport(item_statistics.read_report(db, evaluation.id, version or evaluation.version))


router = Router("/evaluations", route_handlers=[show_leaderboard, show_findings, show_matrix, show_items])
