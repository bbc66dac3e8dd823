"""Form actions of markers: take a sheet or a second reading, and give it back."""

from collections.abc import Callable
from typing import NamedTuple

from litestar import Request, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.context import HubContext, hub_of
from viva.exams import marking, rereading
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.web import logins, pages
from viva.web.forms import fields_in
from viva.web.origins import check_own_form
from viva.web.wording import path_part

MAX_MARKING_ACTION_BYTES = 4 * 1024  # the form names an evaluation and what to take


class NoSuchMarkingAction(NotFound):
    """A marker has no such action."""


class MarkingAction(NamedTuple):
    """What a button does, and the page that follows."""

    run: Callable[[Connection, HubContext, str, str, Agent], object]
    next_page: str  # with the evaluation and what was taken


MARKING_ACTIONS = {
    "take-sheet": MarkingAction(
        lambda db, hub, evaluation_id, subject_id, viewer: marking.take(
            db, evaluation_id, subject_id, viewer, hub.proctors
        ),
        "/proctor/{}/{}",
    ),
    "release-sheet": MarkingAction(
        lambda db, hub, evaluation_id, subject_id, viewer: marking.release(db, evaluation_id, subject_id, viewer),
        "/proctor?sheet-back=1",
    ),
    "take-reading": MarkingAction(
        lambda db, hub, evaluation_id, reading_id, viewer: rereading.take(
            db, evaluation_id, reading_id, viewer, hub.proctors
        ),
        "/proctor/readings/{}/{}",
    ),
    "release-reading": MarkingAction(
        lambda db, hub, evaluation_id, reading_id, viewer: rereading.release(db, evaluation_id, reading_id, viewer),
        "/proctor?reading-back=1",
    ),
}


@post("/proctor/marking/{action:str}", request_max_body_size=MAX_MARKING_ACTION_BYTES)
async def do_as_marker(request: Request, action: str) -> Redirect:
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    written = fields_in(await request.body())
    chosen = MARKING_ACTIONS.get(action)
    if chosen is None:
        raise NoSuchMarkingAction()
    evaluation_id, subject_id = written.get("evaluation", ""), written.get("subject", "")

    def unit(db: Connection) -> str:
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            return "/login?next=/proctor"
        chosen.run(db, hub, evaluation_id, subject_id, viewer)
        return chosen.next_page.format(path_part(evaluation_id), path_part(subject_id))

    return Redirect(await pages.write(request, unit), status_code=303)
