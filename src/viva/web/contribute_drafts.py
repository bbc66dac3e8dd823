"""The contributions of a visitor: those of the account, and those that this browser holds a token for."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.contributions import drafting
from viva.contributions.model import Contribution, ContributionSummary
from viva.contributions.ownership import Editor, Visitor
from viva.kit.db import Connection
from viva.web import pages
from viva.web.contribute_access import (
    CONTRIBUTE_PATH,
    ElsewhereError,
    address_of_draft,
    show_draft_page,
    show_private,
    tokens_cookie,
    tokens_in,
)
from viva.web.contribute_actions import MAX_SMALL_FORM_BYTES, read_form, write_as_editor
from viva.web.contribute_words import STATUS_WORDS
from viva.web.queries import count, word
from viva.web.wording import address

DRAFTS_PER_PAGE = 50


@dataclass(frozen=True)
class DraftsPage:
    drafts: list[ContributionSummary]
    total: int
    status: str
    offset: int
    is_deleted: bool
    statuses = {"in_progress": STATUS_WORDS["draft"]} | {k: v for k, v in STATUS_WORDS.items() if k != "draft"}

    @property
    def next_page(self) -> str | None:
        following = self.offset + DRAFTS_PER_PAGE
        return (
            address(f"{CONTRIBUTE_PATH}/drafts", status=self.status, offset=following)
            if following < self.total
            else None
        )


@get("/evaluations/contribute/drafts")
async def list_drafts(request: Request) -> Response[str]:
    status, offset = word(request, "status"), count(request, "offset")

    def read(db: Connection) -> DraftsPage:
        viewer = pages.frame_of(request).viewer
        chosen = status if status in DraftsPage.statuses else ""
        drafts, total = find_drafts(db, viewer, list(tokens_in(request).values()), chosen, offset)
        return DraftsPage(drafts, total, chosen, offset, bool(word(request, "deleted")))

    return await show_private(request, "contribute/drafts.html", read)


def find_drafts(
    db: Connection, viewer: Agent | None, tokens: list[str], status: str, offset: int
) -> tuple[list[ContributionSummary], int]:
    """Those of the account page by page; on the first page also those of tokens, at most one for each."""
    found: dict[str, ContributionSummary] = {}
    total = 0
    if viewer:
        page = drafting.list_drafts(db, Visitor(agent=viewer), status or None, DRAFTS_PER_PAGE, offset)
        found, total = {draft.id: draft for draft in page.contributions}, page.total
    if not offset:
        for token in tokens:
            held = drafting.list_drafts(db, Visitor(token=token), status or None, 1, 0)
            found |= {draft.id: draft for draft in held.contributions}
    drafts = sorted(found.values(), key=lambda draft: draft.updated_at, reverse=True)
    return drafts, max(total, len(drafts))


@dataclass(frozen=True)
class DeletePage:
    contribution: Contribution


@get("/evaluations/contribute/{contribution_id:str}/delete")
async def confirm_deletion(request: Request, contribution_id: str) -> Response[str] | Redirect:
    def read(db: Connection, editor: Editor) -> DeletePage:
        editor.check_is_contributor()
        if editor.contribution.status != "draft":
            raise ElsewhereError(address_of_draft(contribution_id, "status"))
        return DeletePage(editor.contribution)

    return await show_draft_page(request, contribution_id, "contribute/delete.html", read)


@post("/evaluations/contribute/{contribution_id:str}/delete", request_max_body_size=MAX_SMALL_FORM_BYTES)
async def delete(request: Request, contribution_id: str) -> Redirect:
    await read_form(request)
    await write_as_editor(request, contribution_id, lambda db, editor: drafting.delete(db, editor, contribution_id))
    cookies = [tokens_cookie(request, contribution_id, None)] if contribution_id in tokens_in(request) else []
    return Redirect(f"{CONTRIBUTE_PATH}/drafts?deleted=1", status_code=303, cookies=cookies)
