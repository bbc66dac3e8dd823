"""Drafting: a contributor begins a proposal, edits it alone or with others, and can go back to any revision."""

from typing import Any, NamedTuple

from msgspec import structs

from viva.agents.model import Agent
from viva.contributions import bounds, collaborators, forking, limiting, ownership, revisions, store
from viva.contributions.model import Collaborator, Contribution, Contributor, DraftRevision, Proposal, WrongState
from viva.contributions.ownership import Editor, Visitor
from viva.contributions.store import ContributionsPage
from viva.exams.model import HubFacts
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict
from viva.kit.ids import new_id

STATUS_OF_FILTER = {"in_progress": "draft"}  # the drafts page calls a draft in progress
# A union, because PostgreSQL would read all contributions for the same conditions with OR.
OWN_OR_SHARED = """
    id IN (
        SELECT id FROM evaluation_contributions WHERE contributor_id = :agent_id
        UNION SELECT id FROM evaluation_contributions WHERE token_hash = :token_hash
        UNION SELECT contribution_id FROM evaluation_contribution_collaborators WHERE agent_id = :agent_id
        UNION SELECT contribution_id FROM evaluation_contribution_collaborators WHERE token_hash = :token_hash)
"""


class TooManyCollaborators(Conflict):
    """This draft has 20 collaborators; remove one first."""


class NewDraft(NamedTuple):
    """A new draft. `token` is for a contributor without an account; it is shown once."""

    contribution: Contribution
    token: str | None


class Invitation(NamedTuple):
    """A collaborator who was invited. The token is shown once."""

    collaborator: Collaborator
    token: str


def create(
    db: Connection,
    hub: HubFacts,
    proposal: Proposal,
    contributor: Contributor,
    forked_from: str | None = None,
) -> NewDraft:
    """Begin a draft."""
    proposal = with_author(proposal, contributor.name)
    bounds.check_bounds(proposal)
    limiting.check_open_drafts(db, hub, contributor)

    contribution = new_contribution(proposal, contributor, forked_from)
    token = None if contributor.agent else ownership.contributor_token(hub.secret, contribution.id)
    store.add(db, contribution, ownership.hash_token(token) if token else None, db.actor.address_hash)
    revisions.add(db, contribution, contribution.contributor_id, contribution.contributor_name)
    events.record(db, "contribution.created", "contribution", contribution.id)
    return NewDraft(contribution, token)


def with_author(proposal: Proposal, name: str) -> Proposal:
    """The proposal with an author, who is the contributor unless it names somebody else."""
    return proposal if proposal.author.strip() else structs.replace(proposal, author=name)


def new_contribution(proposal: Proposal, contributor: Contributor, forked_from: str | None) -> Contribution:
    moment = now()
    unset = dict.fromkeys(
        ("sip_number", "submitted_at", "reviewed_at", "reviewed_by", "review_notes", "rejection_reason", "merged_at")
    )
    return Contribution(
        **structs.asdict(proposal),
        **unset,  # type: ignore[arg-type]
        id=new_id("eval_contrib"),
        contributor_id=contributor.agent.id if contributor.agent else None,
        contributor_email=contributor.email,
        contributor_name=contributor.name,
        status="draft",
        created_at=moment,
        updated_at=moment,
        merged_pr_url=None,
        revision=1,
        submissions=0,
        is_open_to_community=False,
        auto_merge=None,
        forked_from=forked_from,
    )


def update(
    db: Connection, editor: Editor, contribution_id: str, proposal: Proposal, revision: int | None
) -> Contribution:
    """Save the draft as a new revision. `revision` is the one that the change is based on; None accepts any."""
    editor.check_may_change()
    bounds.check_bounds(proposal)
    present = store.hold(db, contribution_id)
    proposal = with_author(proposal, present.contributor_name)
    if present.status != "draft" or revision not in (None, present.revision):
        raise store.refusal_of(present)
    if proposal == present.proposal:
        return present

    saved = store.save(db, contribution_id, proposal, revision)
    revisions.add(db, saved, editor.agent_id, editor.name)
    return saved


def change(
    db: Connection, editor: Editor, contribution_id: str, changes: dict[str, Any], revision: int | None
) -> Contribution:
    """Save some fields of the draft, and leave the others as they are."""
    editor.check_may_change()
    present = store.hold(db, contribution_id)  # another change of other fields must not get lost
    return update(db, editor, contribution_id, structs.replace(present.proposal, **changes), revision)


def delete(db: Connection, editor: Editor, contribution_id: str) -> None:
    """Delete a draft with its history. What was submitted stays."""
    editor.check_is_contributor()

    store.delete_draft(db, contribution_id)
    events.record(db, "contribution.deleted", "contribution", contribution_id)


def fork(db: Connection, hub: HubFacts, evaluation_id: str, contributor: Contributor) -> NewDraft:
    """Begin a draft with the content of an evaluation."""
    original = forking.read_evaluation(db, evaluation_id, contributor)
    return create(db, hub, original.proposal, contributor, original.evaluation_id)


def fork_contribution(db: Connection, hub: HubFacts, editor: Editor, contributor: Contributor) -> NewDraft:
    """Begin a draft with the content of a contribution that the contributor may read."""
    proposal = forking.rename(editor.contribution.proposal, contributor)
    return create(db, hub, proposal, contributor, editor.contribution.evaluation_id or None)


def list_drafts(
    db: Connection, visitor: Visitor, status: str | None = None, limit: int = 50, offset: int = 0
) -> ContributionsPage:
    """The visitor's contributions in every state, and those of others that the visitor edits; last changed first."""
    conditions = [OWN_OR_SHARED]
    values: dict[str, Any] = {
        "agent_id": visitor.agent.id if visitor.agent else None,
        "token_hash": ownership.hash_token(visitor.token) if visitor.token else None,
    }
    if status:
        # Not the column itself: SQLite would look for all contributions in this state first.
        conditions.append("status || '' = :status")
        values["status"] = STATUS_OF_FILTER.get(status, status)
    return store.list_where(db, conditions, values, "updated_at DESC, id DESC", limit, offset)


def list_history(db: Connection, editor: Editor) -> list[DraftRevision]:
    return revisions.list_revisions(db, editor.contribution.id)


def restore(db: Connection, editor: Editor, contribution_id: str, revision: int) -> Contribution:
    """Save the content of an earlier revision as a new one."""
    return update(db, editor, contribution_id, revisions.get_content(db, contribution_id, revision), None)


def invite(db: Connection, editor: Editor, contribution_id: str, name: str) -> Invitation:
    """Invite somebody to edit the draft. Whoever holds the token may read and edit it."""
    editor.check_is_contributor()
    name = bounds.check_text("name", name, ownership.MAX_CONTRIBUTOR_NAME_CHARACTERS)
    present = store.hold(db, contribution_id)
    if present.status != "draft":
        raise WrongState("Collaborators can only be invited to a draft.")
    if len(collaborators.list_collaborators(db, contribution_id)) >= collaborators.MAX_COLLABORATORS:
        raise TooManyCollaborators()

    token = ownership.new_token()
    return Invitation(collaborators.add(db, contribution_id, name, ownership.hash_token(token)), token)


def join(db: Connection, token: str, agent: Agent | None, name: str | None = None) -> Editor:
    """Accept an invitation. With an account, the link is used up; without one, it stays the way in."""
    token_hash = ownership.hash_token(token)
    if agent:
        contribution_id = collaborators.join_with_account(db, token_hash, agent.id, agent.name)
        editor = ownership.find_editor(db, contribution_id, agent)
    else:
        name = bounds.check_text("name", name or "", ownership.MAX_CONTRIBUTOR_NAME_CHARACTERS)
        contribution_id = collaborators.join_with_token(db, token_hash, name)
        editor = ownership.find_editor(db, contribution_id, None, token)
    events.record(db, "contribution.joined", "contribution", contribution_id)
    return editor


def remove_collaborator(db: Connection, editor: Editor, contribution_id: str, collaborator_id: str) -> None:
    editor.check_is_contributor()
    collaborators.remove(db, contribution_id, collaborator_id)
