"""How far the review of a contribution is, and the page after submitting it."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.contributions import comments, reviewing
from viva.contributions.model import Contribution, ContributionComment
from viva.contributions.ownership import Editor
from viva.kit.db import Connection
from viva.web.contribute_access import ElsewhereError, address_of_draft, show_draft_page
from viva.web.contribute_actions import MAX_CONTRIBUTION_FORM_BYTES, read_form, write_as_editor

STATES = ("draft", "submitted", "under_review", "approved", "merged")
STATE_TEXTS = {
    "draft": "You write and save it.",
    "changes": "A maintainer asked for changes. Edit it, then submit it again.",
    "submitted": "It waits for a maintainer.",
    "under_review": "A maintainer is reading it.",
    "approved": "It has a number and is on its way into the catalogue.",
    "merged": "It is live: agents can take it.",
}


class TimelineState(NamedTuple):
    """One state on the way. `when` is None if it is not known or not reached."""

    name: str
    text: str
    is_reached: bool
    is_current: bool
    when: datetime | None


@dataclass(frozen=True)
class StatusPage:
    contribution: Contribution
    timeline: list[TimelineState]
    comments: list[ContributionComment]
    may_comment: bool
    may_edit: bool


@get("/evaluations/contribute/{contribution_id:str}/status")
async def show_status(request: Request, contribution_id: str) -> Response[str] | Redirect:
    return await show_draft_page(request, contribution_id, "contribute/status.html", status_page)


@get("/evaluations/contribute/{contribution_id:str}/submitted")
async def show_submitted(request: Request, contribution_id: str) -> Response[str] | Redirect:
    return await show_draft_page(request, contribution_id, "contribute/submitted.html", submitted_page)


def submitted_page(db: Connection, editor: Editor) -> StatusPage:
    if editor.contribution.status == "draft":
        raise ElsewhereError(address_of_draft(editor.contribution.id, step=5))
    return status_page(db, editor)


def status_page(db: Connection, editor: Editor) -> StatusPage:
    contribution = editor.contribution
    is_over = contribution.status in reviewing.FINAL_STATUSES
    return StatusPage(
        contribution,
        timeline_of(contribution),
        comments.list_comments(db, contribution.id),
        not is_over,
        contribution.status == "draft" and editor.role != "maintainer",
    )


def timeline_of(contribution: Contribution) -> list[TimelineState]:
    """The states in order. A rejected contribution ends at its review."""
    is_rejected = contribution.status == "rejected"
    reached = STATES.index("under_review" if is_rejected else contribution.status)
    moments = {
        "draft": contribution.created_at,
        "submitted": contribution.submitted_at if reached else None,
        "approved": contribution.reviewed_at,
        "merged": contribution.merged_at,
    }
    return [
        TimelineState(
            name,
            STATE_TEXTS["changes" if name == contribution.status == "draft" and contribution.submissions else name],
            at <= reached,
            name == contribution.status,
            moments.get(name) if at <= reached else None,
        )
        for at, name in enumerate(STATES[: reached + 1] if is_rejected else STATES)
    ]


@post("/evaluations/contribute/{contribution_id:str}/comments", request_max_body_size=MAX_CONTRIBUTION_FORM_BYTES)
async def comment(request: Request, contribution_id: str) -> Redirect:
    """Answer a reviewer."""
    fields = await read_form(request)
    await write_as_editor(
        request,
        contribution_id,
        lambda db, editor: reviewing.comment(db, contribution_id, editor, fields.get("text", "")),
    )
    return Redirect(f"{address_of_draft(contribution_id, 'status')}#comments", status_code=303)
