"""The route of appeals against results."""

from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.model import Agent
from viva.api.routing import post
from viva.exams import appealing
from viva.kit.db import Connection
from viva.results.appeals import Appeal, AppealedAlready
from viva.results.store import NoSuchResult


class AppealBody(Struct, forbid_unknown_fields=True):
    reason: Annotated[str, Meta(min_length=appealing.MIN_APPEAL_CHARACTERS, max_length=appealing.MAX_APPEAL_CHARACTERS)]


class OneAppeal(Struct):
    appeal: Appeal


@post(
    "/{result_id:str}/appeal",
    NoSuchResult,
    appealing.NotYourResult,
    appealing.TooLateToAppeal,
    appealing.NothingToAppeal,
    appealing.PracticeResult,
    appealing.BadReason,
    AppealedAlready,
)
def appeal(db: Connection, caller: Agent, result_id: str, data: AppealBody) -> OneAppeal:
    """Appeal against a result of yours, once, within 14 days. Another marker reads it without knowing the verdict."""
    return OneAppeal(appealing.appeal(db, result_id, caller, data.reason))


router = Router("/results", route_handlers=[appeal])
