"""Who else sees a draft: collaborators who edit it, and the community that comments and votes."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.context import hub_of
from viva.contributions import collaborators, community, drafting, ownership
from viva.contributions.model import Collaborator, Contribution
from viva.contributions.ownership import Editor
from viva.kit.db import Connection
from viva.kit.errors import Invalid
from viva.web import logins, pages
from viva.web.contribute_access import address_of_draft, is_token, show_draft_page, show_private, tokens_cookie
from viva.web.contribute_actions import MAX_SMALL_FORM_BYTES, read_form, write_as_editor


@dataclass(frozen=True)
class SharingPage:
    contribution: Contribution
    collaborators: list[Collaborator]
    is_contributor: bool
    titles: list[str]  # what the community would see of the criteria
    invitation: str = ""  # the link, shown once
    invited_name: str = ""
    fault: str = ""


@get("/evaluations/contribute/{contribution_id:str}/sharing")
async def show_sharing(request: Request, contribution_id: str) -> Response[str] | Redirect:
    return await show_draft_page(request, contribution_id, "contribute/sharing.html", sharing_page)


def sharing_page(db: Connection, editor: Editor, invitation: str = "", name: str = "", fault: str = "") -> SharingPage:
    contribution = editor.contribution
    return SharingPage(
        contribution,
        collaborators.list_collaborators(db, contribution.id),
        editor.role == "contributor",
        community.criterion_titles(contribution.config),
        invitation,
        name,
        fault,
    )


@post("/evaluations/contribute/{contribution_id:str}/sharing", request_max_body_size=MAX_SMALL_FORM_BYTES)
async def share(request: Request, contribution_id: str) -> Response[str] | Redirect:
    """Invite or remove a collaborator, or open the contribution to the community. The button says which."""
    fields = await read_form(request)
    verb, _, subject = fields.get("do", "").partition(" ")
    invitation = fault = ""
    name = fields.get("name", "").strip()

    def action(db: Connection, editor: Editor) -> str:
        if verb == "invite":
            return drafting.invite(db, editor, contribution_id, name).token
        if verb == "remove":
            drafting.remove_collaborator(db, editor, contribution_id, subject)
        if verb in ("open", "close"):
            community.open_to_community(db, editor, contribution_id, verb == "open")
        return ""

    try:
        token = await write_as_editor(request, contribution_id, action)
    except Invalid as refused:
        token, fault = "", refused.faults[0].message if refused.faults else str(refused)
    if not token and not fault:
        return Redirect(address_of_draft(contribution_id, "sharing"), status_code=303)
    if token:
        invitation = hub_of(request).base_url + address_of_draft(contribution_id, "join", token=token)
    return await show_draft_page(
        request,
        contribution_id,
        "contribute/sharing.html",
        lambda db, editor: sharing_page(db, editor, invitation, name, fault),
        422 if fault else 200,
    )


@dataclass(frozen=True)
class InvitationPage:
    contribution: Contribution
    token: str
    name: str = ""
    fault: str = ""


@get("/evaluations/contribute/{contribution_id:str}/join")
async def show_invitation(request: Request, contribution_id: str) -> Response[str]:
    token = str(request.query_params.get("token", ""))
    return await invitation_page(request, contribution_id, token, "", "", 200)


async def invitation_page(
    request: Request, contribution_id: str, token: str, name: str, fault: str, status: int
) -> Response[str]:
    def read(db: Connection) -> InvitationPage:
        editor = ownership.find_editor(db, contribution_id, None, token if is_token(token) else None)
        return InvitationPage(editor.contribution, token, name or editor.name, fault)

    return await show_private(request, "contribute/join.html", read, status)


@post("/evaluations/contribute/{contribution_id:str}/join", request_max_body_size=MAX_SMALL_FORM_BYTES)
async def join(request: Request, contribution_id: str) -> Response[str] | Redirect:
    """Accept an invitation with the account that is signed in, or with a name and the token of the link."""
    fields = await read_form(request)
    token, name = fields.get("token", ""), fields.get("name", "").strip()
    login_hash = await pages.admit(request, hub_of(request))

    def unit(db: Connection) -> Editor:
        return drafting.join(db, token, logins.viewer(db, login_hash, request), name)

    try:
        editor = await pages.write(request, unit)
    except Invalid as refused:
        return await invitation_page(request, contribution_id, token, name, str(refused), 422)
    cookies = [] if editor.agent_id else [tokens_cookie(request, editor.contribution.id, token)]
    return Redirect(address_of_draft(editor.contribution.id), status_code=303, cookies=cookies)
