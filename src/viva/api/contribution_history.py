"""Routes of a draft's history and of its collaborators."""

from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct

from viva.api.contributions import READ_EDITED_AGAIN, OneContribution, find_editor, view
from viva.api.route_spec import ReadAgain
from viva.api.routing import delete, get, post
from viva.contributions import collaborators, differences, drafting, revisions
from viva.contributions.differences import FieldChange
from viva.contributions.model import Collaborator, DraftRevision, Proposal, WrongState
from viva.contributions.ownership import ContributorOnly, NotYourDraft, Visitor
from viva.contributions.store import NoSuchContribution
from viva.kit.db import Connection

RevisionNumber = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class DraftHistory(Struct):
    """The revisions of a draft, newest first. The oldest are dropped, except those that were submitted."""

    revisions: list[DraftRevision]


class OneRevision(Struct):
    """A revision with its content, and how it differs from another one."""

    revision: int
    content: Proposal
    against: int | None
    changes: list[FieldChange]


class RestoreBody(Struct, forbid_unknown_fields=True):
    revision: RevisionNumber


class Collaborators(Struct):
    collaborators: list[Collaborator]


class InviteBody(Struct, forbid_unknown_fields=True):
    name: str


class NewInvitation(Struct):
    """Send the token to the person that you invite. It is not shown again."""

    collaborator: Collaborator
    token: str


class JoinBody(Struct, forbid_unknown_fields=True):
    """The token of an invitation. Without an account, give the name that others see."""

    token: Annotated[str, Meta(max_length=200)]
    name: str | None = None


@get("/{contribution_id:str}/history", NoSuchContribution, is_slow=True)
def list_history(db: Connection, visitor: Visitor, contribution_id: str) -> DraftHistory:
    """List the revisions of a draft."""
    return DraftHistory(drafting.list_history(db, find_editor(db, contribution_id, visitor)))


@get("/{contribution_id:str}/history/{revision:str}", NoSuchContribution, revisions.NoSuchRevision, is_slow=True)
def show_revision(
    db: Connection,
    visitor: Visitor,
    contribution_id: str,
    revision: RevisionNumber,
    against: RevisionNumber | None = None,
) -> OneRevision:
    """Show a revision and what changed in it, compared with the revision `against` or with the one before."""
    find_editor(db, contribution_id, visitor)
    content = revisions.get_content(db, contribution_id, revision)
    against = against or revisions.find_previous(db, contribution_id, revision)
    before = revisions.get_content(db, contribution_id, against) if against else content
    return OneRevision(revision, content, against, differences.list_changes(before, content))


@post(
    "/{contribution_id:str}/restore",
    NoSuchContribution,
    NotYourDraft,
    WrongState,
    revisions.NoSuchRevision,
    status=200,
    read_again=READ_EDITED_AGAIN,
)
def restore_revision(db: Connection, visitor: Visitor, contribution_id: str, data: RestoreBody) -> OneContribution:
    """Make the content of an earlier revision the present one, as a new revision."""
    editor = find_editor(db, contribution_id, visitor)
    return view(editor, drafting.restore(db, editor, contribution_id, data.revision))


@get("/{contribution_id:str}/collaborators", NoSuchContribution)
def list_collaborators(db: Connection, visitor: Visitor, contribution_id: str) -> Collaborators:
    """List who was invited to edit the draft."""
    find_editor(db, contribution_id, visitor)
    return Collaborators(collaborators.list_collaborators(db, contribution_id))


@post(
    "/{contribution_id:str}/collaborators",
    NoSuchContribution,
    ContributorOnly,
    WrongState,
    drafting.TooManyCollaborators,
)
def invite_collaborator(db: Connection, visitor: Visitor, contribution_id: str, data: InviteBody) -> NewInvitation:
    """Invite somebody to edit your draft. Whoever has the token may read and change it."""
    editor = find_editor(db, contribution_id, visitor)
    return NewInvitation(*drafting.invite(db, editor, contribution_id, data.name))


def read_joined(db: Connection, visitor: Visitor, data: JoinBody, reference: str) -> OneContribution:
    return view(find_editor(db, reference, visitor if visitor.agent else Visitor(token=data.token)))


@post(
    "/join",
    collaborators.NoSuchInvitation,
    collaborators.CollaboratesAlready,
    status=200,
    read_again=ReadAgain(lambda answer: str(answer.contribution.id), read_joined),
)
def join_draft(db: Connection, visitor: Visitor, data: JoinBody) -> OneContribution:
    """Accept an invitation. With an API key, your account becomes a collaborator and the token ends."""
    return view(drafting.join(db, data.token, visitor.agent, data.name))


@delete(
    "/{contribution_id:str}/collaborators/{collaborator_id:str}",
    NoSuchContribution,
    ContributorOnly,
    collaborators.NoSuchCollaborator,
)
def remove_collaborator(db: Connection, visitor: Visitor, contribution_id: str, collaborator_id: str) -> None:
    """Remove a collaborator from your draft."""
    editor = find_editor(db, contribution_id, visitor)
    drafting.remove_collaborator(db, editor, contribution_id, collaborator_id)


router = Router(
    "/evaluations/contribute",
    route_handlers=[
        list_history,
        show_revision,
        restore_revision,
        list_collaborators,
        invite_collaborator,
        join_draft,
        remove_collaborator,
    ],
)
