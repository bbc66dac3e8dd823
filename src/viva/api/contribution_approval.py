"""Routes of a maintainer who approves a contribution or takes over a pull request."""

from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.model import Agent
from viva.api.jobs import OneJob, view
from viva.api.route_spec import ReadAgain
from viva.api.routing import post
from viva.context import HubContext
from viva.contributions import publishing, store, taking_over
from viva.contributions.bounds import MAX_REASON_CHARACTERS
from viva.contributions.gaming import GateRunning
from viva.contributions.model import Contribution, WrongState
from viva.contributions.publication_store import EvaluationIdTaken
from viva.contributions.store import NoSuchContribution
from viva.evaluations.sip import InvalidSip
from viva.evaluations.sip_fields import MAX_SIP_NUMBER
from viva.kit.db import Connection

APPROVAL_ERRORS = (
    MaintainersOnly,
    NoSuchContribution,
    WrongState,
    EvaluationIdTaken,
    InvalidSip,
    publishing.NoRepository,
    publishing.ReviewedAnother,
    GateRunning,
    publishing.GateFailed,
    publishing.GateNotTicked,
)


class ApproveBody(Struct, forbid_unknown_fields=True):
    """With `auto_merge` the evaluation is live at once. Without it, a branch is made in the hub's git repository. An
    approval of a revision that the gate has not checked confirms that you checked it, unless `gate_ticked` is false.
    With the `revision` that you read, nothing else is approved."""

    review_notes: Annotated[str, Meta(max_length=MAX_REASON_CHARACTERS)] | None = None
    auto_merge: bool = False
    gate_ticked: bool = True
    revision: int | None = None


class PullRequestBody(Struct, forbid_unknown_fields=True):
    number: Annotated[int, Meta(ge=1, le=MAX_SIP_NUMBER)]


class ApprovalView(Struct, omit_defaults=True):
    """The approved contribution, and what the gate says: `passed` or `not_checked`. `evaluation_url` is there once the
    evaluation is live. Until then, `publication_problem` of the contribution may say why it is not."""

    contribution: Contribution
    gate: str
    evaluation_url: str | None = None


def read_approval(db: Connection, caller: Agent, reference: str) -> ApprovalView:
    require_maintainer(caller)
    contribution = store.get(db, reference)
    report = store.find_gate(db, contribution.id, contribution.revision)
    return ApprovalView(contribution, report.status if report else "not_checked")


async def publish(hub: HubContext, approval: ApprovalView) -> ApprovalView:
    """Make the evaluation live before the answer is sent. If the hub stops here, its next start does it."""
    contribution = approval.contribution
    if contribution.status == "approved" and contribution.auto_merge:
        published = await publishing.publish_now(hub.database, hub.destination, contribution.id)
        contribution = published or contribution
    is_live = contribution.status == "merged"
    url = f"{hub.base_url}/evaluations/{contribution.evaluation_id}" if is_live else None
    return ApprovalView(contribution, approval.gate, url)


@post(
    "/{contribution_id:str}/approve",
    *APPROVAL_ERRORS,
    status=200,
    read_again=ReadAgain(lambda approval: approval.contribution.id, read_approval),
    complete=publish,
)
def approve(db: Connection, caller: Agent, hub: HubContext, contribution_id: str, data: ApproveBody) -> ApprovalView:
    """Approve a contribution and give it its number. Only maintainers may."""
    decision = publishing.ReviewDecision(data.review_notes, data.auto_merge, data.gate_ticked, data.revision)
    approved, gate = publishing.approve(db, hub.destination, contribution_id, caller, decision)
    return ApprovalView(approved, gate)


@post("/pull-requests", MaintainersOnly, taking_over.NoGitHub, status=202)
def take_over_pull_request(db: Connection, caller: Agent, hub: HubContext, data: PullRequestBody) -> OneJob:
    """Make a submission of the SIP in an open pull request, under its author's name. Only maintainers may.

    A background job does it. If it fails, the list of jobs says why."""
    return OneJob(view(taking_over.request(db, hub.destination, caller, data.number)))


router = Router("/evaluations/contribute", route_handlers=[approve, take_over_pull_request])
