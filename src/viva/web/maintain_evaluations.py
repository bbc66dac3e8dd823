"""The page on which maintainers close evaluations, and open them again."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.evaluations import closing as closings
from viva.evaluations.closing import EvaluationClosing
from viva.kit.db import Connection
from viva.maintaining import closing
from viva.web.maintain_access import (
    MAINTAIN_PATH,
    MAX_MAINTAIN_FORM_BYTES,
    MaintainForm,
    act_as_maintainer,
    show_to_maintainer,
)
from viva.web.queries import word
from viva.web.wording import address

EVALUATIONS_PATH = f"{MAINTAIN_PATH}/evaluations"
NOTICES = {"closed": "The evaluation is closed.", "reopened": "The evaluation is open again."}


@dataclass(frozen=True)
class ClosedEvaluationsPage:
    closed: list[EvaluationClosing]
    chosen: str = ""
    reason: str = ""
    notice: str = ""
    fault: str = ""


@get(EVALUATIONS_PATH)
async def list_closed(request: Request) -> Response[str] | Redirect:
    chosen, notice = word(request, "id"), NOTICES.get(word(request, "done"), "")
    return await show_to_maintainer(
        request,
        "maintain/evaluations.html",
        lambda db: ClosedEvaluationsPage(closings.list_closed(db), chosen, notice=notice),
    )


def close_or_reopen(db: Connection, form: MaintainForm) -> str:
    if form.field("reopen"):
        closing.reopen(db, form.field("reopen"))
        return address(EVALUATIONS_PATH, done="reopened")
    closing.close(db, form.field("id"), form.field("reason"))
    return address(EVALUATIONS_PATH, done="closed")


@post(EVALUATIONS_PATH, request_max_body_size=MAX_MAINTAIN_FORM_BYTES)
async def change_closed(request: Request) -> Response[str] | Redirect:
    async def show_refusal(fault: str, form: MaintainForm, status: int) -> Response[str] | Redirect:
        return await show_to_maintainer(
            request,
            "maintain/evaluations.html",
            lambda db: ClosedEvaluationsPage(
                closings.list_closed(db), form.field("id"), form.field("reason"), fault=fault
            ),
            status,
        )

    return await act_as_maintainer(request, close_or_reopen, show_refusal)
