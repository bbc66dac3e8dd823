"""Routes by which maintainers close evaluations, and open them again."""

from litestar import Router
from msgspec import Struct

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.model import Agent
from viva.api.maintain_agents import ReasonBody
from viva.api.routing import post
from viva.evaluations.closing import EvaluationClosing
from viva.evaluations.store import NoSuchEvaluation
from viva.kit.db import Connection
from viva.maintaining import closing
from viva.maintaining.reasons import ReasonNeeded


class ClosingAnswer(Struct):
    closing: EvaluationClosing


@post(
    "/{evaluation_id:str}/close",
    MaintainersOnly,
    NoSuchEvaluation,
    closing.ClosedAlready,
    ReasonNeeded,
    status=200,
)
def close_evaluation(db: Connection, caller: Agent, evaluation_id: str, data: ReasonBody) -> ClosingAnswer:
    """Close an evaluation. Nobody can register for it, and attempts that run end as usual."""
    require_maintainer(caller)
    return ClosingAnswer(closing.close(db, evaluation_id, data.reason))


@post("/{evaluation_id:str}/reopen", MaintainersOnly, NoSuchEvaluation, closing.NotClosed, status=200)
def reopen_evaluation(db: Connection, caller: Agent, evaluation_id: str) -> None:
    """Open a closed evaluation again."""
    require_maintainer(caller)
    closing.reopen(db, evaluation_id)


router = Router("/maintain/evaluations", route_handlers=[close_evaluation, reopen_evaluation])
