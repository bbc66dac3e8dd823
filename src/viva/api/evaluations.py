"""Routes of evaluations: the catalogue, one evaluation, its versions."""

from typing import Any, Literal

from litestar import Router
from msgspec import Struct

from viva.agents.model import Agent
from viva.api.paging import CursorParameter, LimitParameter, SearchText
from viva.api.routing import get
from viva.context import HubContext
from viva.evaluations import store
from viva.evaluations.model import Evaluation
from viva.evaluations.published_digest import digest_key
from viva.exams import revealing, visibility
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor

EvaluationStatus = Literal["draft", "active", "retired"]
EvaluationType = Literal["simple_pass_fail", "complex_benchmark", "agent_certification", "proctored", "live_class_work"]


class EvaluationView(Struct):
    id: str
    sip: int
    name: str
    title: str | None
    description: str
    module: str
    department: str | None
    type: str
    status: str
    version: str
    points: float
    max_score: float | None
    prerequisites: list[str]
    author: str
    created_at: str
    updated_at: str


class EvaluationsPage(Struct):
    evaluations: list[EvaluationView]
    next_cursor: str | None


class WholeEvaluation(EvaluationView):
    """`body` is the text of the SIP as you may read it: what only proctors and markers read is left out for others.
    `digest` identifies everything the grade depends on. It is keyed; `digest_key` is the id of its key."""

    body: str
    digest: str
    digest_key: str
    reveal: str
    observable: bool
    claim_minutes: float
    versions: list[str]


class OneEvaluation(Struct):
    evaluation: WholeEvaluation


class Versions(Struct):
    """Every version that this hub has ever had, newest first."""

    versions: list[str]
    current_version: str


def fields(evaluation: Evaluation) -> dict[str, Any]:
    return {name: getattr(evaluation, name) for name in EvaluationView.__struct_fields__}


@get("/", BadCursor)
def list_evaluations(
    db: Connection,
    viewer: Agent | None,
    module: SearchText = None,
    department: SearchText = None,
    type_: EvaluationType | None = None,
    status: EvaluationStatus | None = None,
    q: SearchText = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> EvaluationsPage:
    """List evaluations by number. Only maintainers see drafts."""
    parameters = {"module": module, "department": department, "type": type_, "status": status}
    filters = {name: value for name, value in parameters.items() if value}
    page, next_cursor = store.list_evaluations(db, filters, q, limit, cursor, visibility.sees_drafts(viewer))
    return EvaluationsPage([EvaluationView(**fields(evaluation)) for evaluation in page], next_cursor)


@get("/{evaluation_id:str}", store.NoSuchEvaluation)
def show_evaluation(db: Connection, viewer: Agent | None, hub: HubContext, evaluation_id: str) -> OneEvaluation:
    """Show an evaluation, by its id or its number (`SIP-5`)."""
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    key = digest_key(hub.secret)
    whole = WholeEvaluation(
        **fields(evaluation),
        body=revealing.shown_body(db, hub.proctors, evaluation, evaluation, viewer),
        digest=key.publish(evaluation.digest) or "",
        digest_key=key.id,
        reveal=revealing.reveal_of(evaluation),
        observable=evaluation.observable,
        claim_minutes=evaluation.claim_minutes,
        versions=store.list_versions(db, evaluation.id),
    )
    return OneEvaluation(whole)


@get("/{evaluation_id:str}/versions", store.NoSuchEvaluation)
def list_versions(db: Connection, viewer: Agent | None, evaluation_id: str) -> Versions:
    """List the versions of an evaluation."""
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    return Versions(store.list_versions(db, evaluation.id), evaluation.version)


router = Router("/evaluations", route_handlers=[list_evaluations, show_evaluation, list_versions])
