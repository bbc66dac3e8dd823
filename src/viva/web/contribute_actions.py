"""How the forms of a contribution are sent: only from own pages, by somebody who may change it, in one unit."""

import asyncio
from collections.abc import Callable

from litestar import Request

from viva.agents.model import Agent
from viva.context import hub_of
from viva.contributions.ownership import Editor
from viva.kit.db import Connection, T
from viva.web import logins, pages
from viva.web.contribute_access import editor_at, validate_ahead
from viva.web.forms import texts_in
from viva.web.origins import check_own_form

# A config of 256 KiB and two lists of exemplars; form encoding needs up to 3 bytes for each byte.
MAX_CONTRIBUTION_FORM_BYTES = 4 * 1024 * 1024
MAX_SMALL_FORM_BYTES = 16 * 1024


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form that one of our own pages sent."""
    check_own_form(request)
    return await asyncio.to_thread(texts_in, await request.body())


async def write_as_editor(
    request: Request, contribution_id: str, action: Callable[[Connection, Editor], T], is_validated: bool = False
) -> T:
    """Run the action of a form, in one unit, for somebody who may read the contribution.

    With `is_validated`, the action validates the contribution."""
    login_hash = await pages.admit(request, hub_of(request))
    if is_validated:
        await validate_ahead(request, contribution_id)

    def unit(db: Connection) -> T:
        viewer: Agent | None = logins.viewer(db, login_hash, request)
        return action(db, editor_at(request, db, contribution_id, viewer))

    return await pages.write(request, unit)
