"""The history of a draft: its revisions, what each changed, and going back to one."""

from dataclasses import dataclass
from typing import NamedTuple

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.contributions import differences, drafting, revisions
from viva.contributions.differences import FieldChange
from viva.contributions.model import Contribution, DraftRevision
from viva.contributions.ownership import Editor
from viva.kit.db import Connection
from viva.web.contribute_access import address_of_draft, show_draft_page
from viva.web.contribute_actions import MAX_SMALL_FORM_BYTES, read_form, write_as_editor
from viva.web.queries import count, number


class ShownDiff(NamedTuple):
    before: DraftRevision | None
    after: DraftRevision
    changes: list[FieldChange]


@dataclass(frozen=True)
class HistoryPage:
    contribution: Contribution
    revisions: list[DraftRevision]
    shown: ShownDiff | None
    may_restore: bool
    is_restored: bool


@get("/evaluations/contribute/{contribution_id:str}/history")
async def show_history(request: Request, contribution_id: str) -> Response[str] | Redirect:
    def read(db: Connection, editor: Editor) -> HistoryPage:
        kept = drafting.list_history(db, editor)
        return HistoryPage(
            editor.contribution,
            kept,
            find_diff(db, contribution_id, kept, count(request, "revision")),
            editor.contribution.status == "draft" and editor.role != "maintainer",
            bool(count(request, "restored")),
        )

    return await show_draft_page(request, contribution_id, "contribute/history.html", read)


def find_diff(db: Connection, contribution_id: str, kept: list[DraftRevision], chosen: int) -> ShownDiff | None:
    """What the chosen revision changed. Without a choice, what the newest one changed."""
    place = next((at for at, saved in enumerate(kept) if saved.revision == chosen), 0)
    if place + 1 >= len(kept):
        return None
    after, before = kept[place], kept[place + 1]
    changes = differences.list_changes(
        revisions.get_content(db, contribution_id, before.revision),
        revisions.get_content(db, contribution_id, after.revision),
    )
    return ShownDiff(before, after, changes)


@post("/evaluations/contribute/{contribution_id:str}/history", request_max_body_size=MAX_SMALL_FORM_BYTES)
async def restore(request: Request, contribution_id: str) -> Redirect:
    fields = await read_form(request)
    chosen = number(fields.get("revision", ""))
    await write_as_editor(
        request, contribution_id, lambda db, editor: drafting.restore(db, editor, contribution_id, chosen)
    )
    return Redirect(address_of_draft(contribution_id, "history", restored=1), status_code=303)
