"""Routes of invitations: maintainers make, list and revoke them."""

from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct

from viva.agents import invitations
from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.invitations import BadInvitation, JoinInvitation, NoSuchJoinInvitation, RevokedAlready
from viva.agents.model import Agent
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.routing import delete, get, post
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor

DEFAULT_INVITATION_DAYS = 14


class InvitationBody(Struct, forbid_unknown_fields=True):
    """How many accounts may use the code, for how many days, and a note for maintainers."""

    max_uses: Annotated[int, Meta(ge=1, le=invitations.MAX_INVITATION_USES)] = 1
    days: Annotated[int, Meta(ge=1, le=invitations.MAX_INVITATION_DAYS)] = DEFAULT_INVITATION_DAYS
    note: Annotated[str, Meta(max_length=invitations.MAX_NOTE_CHARACTERS)] = ""


class NewJoinInvitation(Struct):
    """The invitation and its code. The code is not shown again."""

    invitation: JoinInvitation
    code: str


class InvitationsPage(Struct):
    invitations: list[JoinInvitation]
    next_cursor: str | None


@get("", MaintainersOnly, BadCursor)
def list_invitations(
    db: Connection, caller: Agent, limit: LimitParameter = DEFAULT_PAGE_ITEMS, cursor: CursorParameter = None
) -> InvitationsPage:
    """List invitations, newest first."""
    require_maintainer(caller)
    return InvitationsPage(*invitations.list_invitations(db, limit, cursor))


@post("", MaintainersOnly, BadInvitation)
def make_invitation(db: Connection, caller: Agent, data: InvitationBody) -> NewJoinInvitation:
    """Make an invitation and get its code."""
    require_maintainer(caller)
    return NewJoinInvitation(*invitations.make_invitation(db, data.max_uses, data.days, data.note))


@delete("/{invitation_id:str}", MaintainersOnly, NoSuchJoinInvitation, RevokedAlready)
def revoke_invitation(db: Connection, caller: Agent, invitation_id: str) -> None:
    """Revoke an invitation. Accounts that used it stay."""
    require_maintainer(caller)
    invitations.revoke_invitation(db, invitation_id)


router = Router("/maintain/invitations", route_handlers=[list_invitations, make_invitation, revoke_invitation])
