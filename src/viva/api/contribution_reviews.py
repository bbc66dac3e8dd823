"""Routes of reviews: the queue, a maintainer's decisions, comments, and the review by the community."""

from datetime import datetime
from typing import Literal

from litestar import Router
from msgspec import Struct

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.model import Agent
from viva.api.contributions import READ_EDITED_AGAIN, OneContribution, find_editor, view
from viva.api.paging import LimitParameter, OffsetParameter, SearchText
from viva.api.route_spec import ReadAgain
from viva.api.routing import RouteDecorator, get, post
from viva.contributions import comments, community, differences, limiting, moderation, reviewing, store
from viva.contributions.community import CommunityPage, CommunityView
from viva.contributions.differences import FieldChange
from viva.contributions.gaming import GateRunning
from viva.contributions.model import (
    Contribution,
    ContributionComment,
    GateReport,
    Validation,
    WrongState,
)
from viva.contributions.ownership import ContributorOnly, Visitor
from viva.contributions.store import ContributionsPage, NoSuchContribution
from viva.kit.db import Connection
from viva.kit.errors import Unauthorized
from viva.kit.paging import DEFAULT_PAGE_ITEMS

QueueStatus = Literal["submitted", "under_review", "approved", "rejected", "merged"]


class ReviewAnswer(Struct):
    """A submission, its validation, its comments, what changed since the last submission, and what the gate found."""

    contribution: Contribution
    validation: Validation | None
    comments: list[ContributionComment]
    changes: list[FieldChange]
    gate: GateReport | None


class OneGate(Struct):
    """The gate of the present revision. `GET …/review` shows what it finds."""

    gate: GateReport | None


class FeedbackBody(Struct, forbid_unknown_fields=True):
    feedback: str


class RejectionBody(Struct, forbid_unknown_fields=True):
    reason: str


class CommentBody(Struct, forbid_unknown_fields=True):
    """`field` pins the comment to a column, or to a part such as `config.rubric[0]`."""

    text: str
    field: str | None = None


class OneComment(Struct):
    comment: ContributionComment


class CommentsPage(Struct):
    comments: list[ContributionComment]


class CommunityBody(Struct, forbid_unknown_fields=True):
    is_open: bool = True


class OneCommunityView(Struct):
    contribution: CommunityView


class VoteBody(Struct, forbid_unknown_fields=True):
    """1 is for it, -1 against it, and 0 takes your vote back."""

    vote: Literal[-1, 0, 1]


READ_CONTRIBUTION_AGAIN = ReadAgain(
    lambda answer: str(answer.contribution.id), lambda db, reference: OneContribution(store.get(db, reference))
)


def decision(name: str) -> RouteDecorator:
    """A route by which a maintainer decides on a submission."""
    return post(
        f"/{{contribution_id:str}}/{name}",
        MaintainersOnly,
        NoSuchContribution,
        WrongState,
        status=200,
        read_again=READ_CONTRIBUTION_AGAIN,
    )


@get("/queue", MaintainersOnly, is_slow=True)
def list_queue(
    db: Connection,
    caller: Agent,
    status: QueueStatus | None = None,
    contributor: SearchText = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    offset: OffsetParameter = 0,
) -> ContributionsPage:
    """List submissions, the oldest first; without a status, those that await a review. Only maintainers may."""
    require_maintainer(caller)
    return reviewing.list_queue(db, status, contributor, since, until, limit, offset)


@get("/{contribution_id:str}/review", MaintainersOnly, NoSuchContribution, WrongState, writes=True)
def show_review(db: Connection, caller: Agent, contribution_id: str) -> ReviewAnswer:
    """Open a submission for review. It is `under_review` from now on. Only maintainers may."""
    review = reviewing.open_review(db, contribution_id, caller)
    before, present = review.last_submission, review.contribution
    changes = differences.list_changes(before, present.proposal) if before else []
    return ReviewAnswer(present, review.validation, review.comments, changes, review.gate)


@post("/{contribution_id:str}/gate", MaintainersOnly, NoSuchContribution, WrongState, GateRunning, status=202)
def check_gate_again(db: Connection, caller: Agent, contribution_id: str) -> OneGate:
    """Run the anti-gaming gate once more for a submission, in the background. Only maintainers may."""
    return OneGate(reviewing.check_gate_again(db, contribution_id, caller))


@decision("request-changes")
def request_changes(db: Connection, caller: Agent, contribution_id: str, data: FeedbackBody) -> OneContribution:
    """Give a submission back to its contributor as a draft, with your feedback. Only maintainers may."""
    return OneContribution(reviewing.request_changes(db, contribution_id, caller, data.feedback))


@decision("reject")
def reject_contribution(db: Connection, caller: Agent, contribution_id: str, data: RejectionBody) -> OneContribution:
    """Reject a submission for good, with your reason. Only maintainers may."""
    return OneContribution(reviewing.reject(db, contribution_id, caller, data.reason))


@get("/{contribution_id:str}/comments", NoSuchContribution)
def list_comments(
    db: Connection,
    visitor: Visitor,
    contribution_id: str,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    offset: OffsetParameter = 0,
) -> CommentsPage:
    """List comments, newest first. Strangers see those of the community, if the contribution is open to it."""
    is_stranger = find_community(db, contribution_id, visitor) is not None
    return CommentsPage(comments.list_comments(db, contribution_id, is_stranger, limit, offset))


@post(
    "/{contribution_id:str}/comments", NoSuchContribution, WrongState, moderation.Unsuitable, limiting.TooManyComments
)
def add_comment(db: Connection, visitor: Visitor, contribution_id: str, data: CommentBody) -> OneComment:
    """Comment on a contribution. Comments of contributors and maintainers are not for the community."""
    if find_community(db, contribution_id, visitor) is None:
        editor = find_editor(db, contribution_id, visitor)
        return OneComment(reviewing.comment(db, contribution_id, editor, data.text, data.field))
    if visitor.agent is None:
        raise Unauthorized()
    return OneComment(community.comment(db, contribution_id, visitor.agent, data.text))


def find_community(db: Connection, contribution_id: str, visitor: Visitor) -> Contribution | None:
    """The contribution for a stranger to whom it is open; None for its editors and for maintainers."""
    try:
        find_editor(db, contribution_id, visitor)
    except NoSuchContribution:
        return community.get_open(db, contribution_id)
    return None


@get("/community")
def list_community(
    db: Connection, limit: LimitParameter = DEFAULT_PAGE_ITEMS, offset: OffsetParameter = 0
) -> CommunityPage:
    """List the submissions that are open to the community, newest first."""
    return community.list_open(db, limit, offset)


@get("/{contribution_id:str}/community", NoSuchContribution)
def show_community(db: Connection, contribution_id: str) -> OneCommunityView:
    """Show what everybody may see of a submission that is open to the community."""
    return OneCommunityView(community.view(db, community.get_open(db, contribution_id)))


@post(
    "/{contribution_id:str}/community",
    NoSuchContribution,
    ContributorOnly,
    WrongState,
    status=200,
    read_again=READ_EDITED_AGAIN,
)
def open_to_community(db: Connection, visitor: Visitor, contribution_id: str, data: CommunityBody) -> OneContribution:
    """Open your contribution to comments and votes of the community, or close it. It shows once it is submitted."""
    editor = find_editor(db, contribution_id, visitor)
    return view(editor, community.open_to_community(db, editor, contribution_id, data.is_open))


@post(
    "/{contribution_id:str}/votes",
    NoSuchContribution,
    community.OwnContribution,
    status=200,
    read_again=ReadAgain(
        lambda answer: str(answer.contribution.id),
        lambda db, reference: OneCommunityView(community.view(db, community.get_open(db, reference))),
    ),
)
def vote_on_contribution(db: Connection, caller: Agent, contribution_id: str, data: VoteBody) -> OneCommunityView:
    """Vote on a submission that is open to the community. Your last vote counts."""
    return OneCommunityView(community.vote(db, contribution_id, caller, data.vote))


router = Router(
    "/evaluations/contribute",
    route_handlers=[
        list_queue,
        show_review,
        check_gate_again,
        request_changes,
        reject_contribution,
        list_comments,
        add_comment,
        list_community,
        show_community,
        open_to_community,
        vote_on_contribution,
    ],
)
