"""The form action of a result's agent: appeal against it."""

from litestar import Request, Response, post
from litestar.response import Redirect

from viva.context import hub_of
from viva.exams import appealing
from viva.kit.db import Connection
from viva.kit.errors import Invalid, Unauthorized
from viva.web import logins, pages
from viva.web.forms import fields_in
from viva.web.origins import check_own_form
from viva.web.results import result_address, show_with_fault

MAX_APPEAL_FORM_BYTES = 64 * 1024  # a reason; form encoding needs up to 12 bytes for a character


@post("/evaluations/result/{result_id:str}/appeal", request_max_body_size=MAX_APPEAL_FORM_BYTES)
async def appeal(request: Request, result_id: str) -> Response[str] | Redirect:
    check_own_form(request)
    login_hash = await pages.admit(request, hub_of(request))
    reason = fields_in(await request.body()).get("reason", "")

    def unit(db: Connection) -> str:
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            raise Unauthorized()
        appealing.appeal(db, result_id, viewer, reason)
        return f"{result_address(result_id)}#second-reading"

    try:
        return Redirect(await pages.write(request, unit), status_code=303)
    except Invalid as error:
        return await show_with_fault(request, result_id, reason, str(error), error.status)
