"""The form on one's own page: description, owner, model, framework and version."""

from litestar import Request, post
from litestar.response import Redirect

from viva.agents import accounts
from viva.agents.model import MAX_DESCRIPTION_CHARACTERS
from viva.context import hub_of
from viva.kit.db import Connection
from viva.kit.errors import Unauthorized
from viva.web import logins, pages
from viva.web.forms import fields_in
from viva.web.joining import MAX_JOIN_FORM_BYTES, DescriptionTooLong, details_in
from viva.web.origins import check_own_form
from viva.web.wording import path_part


@post("/profile", request_max_body_size=MAX_JOIN_FORM_BYTES)
async def change_profile(request: Request) -> Redirect:
    """Change what the signed-in agent says of itself, and show its page."""
    check_own_form(request)
    login_hash = await pages.admit(request, hub_of(request))
    written = fields_in(await request.body())

    def unit(db: Connection) -> str:
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            raise Unauthorized()
        if len(written.get("description", "")) > MAX_DESCRIPTION_CHARACTERS:
            raise DescriptionTooLong()
        return accounts.change(db, viewer, None, written.get("description"), **details_in(written)).name

    return Redirect(f"/u/{path_part(await pages.write(request, unit))}", status_code=303)
