"""Form actions of a review: comment, try the handler, run the gate again, approve, request changes, reject."""

import asyncio
from collections.abc import Callable

from litestar import Request, Response, post
from litestar.response import Redirect

from viva.agents.access import require_maintainer
from viva.agents.model import Agent
from viva.context import HubContext, hub_of
from viva.contributions import bounds, ownership, publishing, reviewing, store, trying
from viva.contributions.publishing import ReviewDecision
from viva.contributions.trying import TrialOutcome
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Invalid, NotFound, TooMany
from viva.web import logins, pages
from viva.web.forms import fields_in, refusal_text
from viva.web.origins import check_own_form
from viva.web.queries import number
from viva.web.reviews import QUEUE_PATH, SignInFirst, review_path, show_page
from viva.web.wording import address

MAX_REVIEW_FORM_BYTES = 128 * 1024  # the longest notes, of characters that take several bytes each


class NoSuchReviewAction(NotFound):
    """A review has no such action."""


class NotConfirmed(Invalid):
    """Tick the box to confirm your decision. Nothing was changed."""


Fields = dict[str, str]


def add_comment(db: Connection, hub: HubContext, contribution_id: str, reviewer: Agent, fields: Fields) -> str:
    author = ownership.find_editor(db, contribution_id, reviewer)
    reviewing.comment(db, contribution_id, author, fields.get("text", ""), fields.get("field") or None)
    return address(review_path(contribution_id), commented=1) + "#comments"


def approve(db: Connection, hub: HubContext, contribution_id: str, reviewer: Agent, fields: Fields) -> str:
    check_confirmed(fields)
    notes = fields.get("notes", "").strip()
    if notes:
        notes = bounds.check_text("notes", notes, bounds.MAX_REASON_CHARACTERS)
    decision = ReviewDecision(
        notes or None, fields.get("way") == "merge", bool(fields.get("gate_ticked")), number(fields.get("revision", ""))
    )
    publishing.approve(db, hub.destination, contribution_id, reviewer, decision)
    return address(review_path(contribution_id), approved=1)


def check_gate_again(db: Connection, hub: HubContext, contribution_id: str, reviewer: Agent, fields: Fields) -> str:
    reviewing.check_gate_again(db, contribution_id, reviewer)
    return address(review_path(contribution_id), checking=1) + "#gate"


def request_changes(db: Connection, hub: HubContext, contribution_id: str, reviewer: Agent, fields: Fields) -> str:
    check_confirmed(fields)
    reviewing.request_changes(db, contribution_id, reviewer, fields.get("feedback", ""))
    return address(QUEUE_PATH, changed=1)


def reject(db: Connection, hub: HubContext, contribution_id: str, reviewer: Agent, fields: Fields) -> str:
    check_confirmed(fields)
    reviewing.reject(db, contribution_id, reviewer, fields.get("reason", ""))
    return address(QUEUE_PATH, rejected=1)


def check_confirmed(fields: Fields) -> None:
    if not fields.get("confirmed"):
        raise NotConfirmed()


REVIEW_ACTIONS: dict[str, Callable[[Connection, HubContext, str, Agent, Fields], str]] = {
    "comment": add_comment,
    "gate": check_gate_again,
    "approve": approve,
    "request-changes": request_changes,
    "reject": reject,
}


@post(f"{QUEUE_PATH}/{{contribution_id:str}}/{{action:str}}", request_max_body_size=MAX_REVIEW_FORM_BYTES)
async def do_in_review(request: Request, contribution_id: str, action: str) -> Response[str] | Redirect:
    """Do what the form asks. A refused form is shown again with its texts."""
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    fields = fields_in(await request.body())
    if action not in (*REVIEW_ACTIONS, "try"):
        raise NoSuchReviewAction()

    def unit(db: Connection) -> str:
        reviewer = logins.viewer(db, login_hash, request)
        if reviewer is None:
            raise SignInFirst
        require_maintainer(reviewer)
        if action == "try":
            return ""
        return REVIEW_ACTIONS[action](db, hub, contribution_id, reviewer, fields)

    try:
        target = await pages.write(request, unit)
        if not target:
            return await show_page(request, contribution_id, trials=await try_handler(hub, contribution_id))
        if action == "approve":
            await publishing.publish_now(hub.database, hub.destination, contribution_id)
    except SignInFirst:
        return Redirect(address("/login", next=review_path(contribution_id)), status_code=303)
    except (Conflict, Invalid, TooMany) as error:
        return await show_page(request, contribution_id, fault=refusal_text(error), written=fields, status=error.status)
    return Redirect(target, status_code=303)


async def try_handler(hub: HubContext, contribution_id: str) -> list[TrialOutcome]:
    """Run the proposed handler on the exemplars, in the sandbox."""
    contribution = await hub.database.read(lambda db: store.get(db, contribution_id))
    samples = trying.list_samples(contribution.exemplars)
    code = contribution.executable_code or ""
    return await asyncio.to_thread(trying.try_handler, code, samples, contribution.config)
