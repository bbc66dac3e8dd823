"""Routes of a maintainer who approves a contribution."""

from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.model import Agent
from viva.api.route_spec import ReadAgain
from viva.api.routing import post
from viva.context import HubContext
from viva.contributions import publishing, store
from viva.contributions.model import Contribution, WrongState
from viva.contributions.publication_store import EvaluationIdTaken
from viva.contributions.store import NoSuchContribution
from viva.evaluations.sip import InvalidSip
from viva.kit.db import Connection

APPROVAL_ERRORS = (
    MaintainersOnly,
    NoSuchContribution,
    WrongState,
    EvaluationIdTaken,
    InvalidSip,
    publishing.NoRepository,
    publishing.GateRunning,
    publishing.GateFailed,
    publishing.GateNotTicked,
)


class ApproveBody(Struct, forbid_unknown_fields=True):
    """With `auto_merge` the evaluation is live at once. Without it, a branch is made in the hub's git repository. An
    approval of a revision that the gate has not checked confirms that you checked it, unless `gate_ticked` is false."""

    review_notes: Annotated[str, Meta(max_length=20_000)] | None = None
    auto_merge: bool = False
    gate_ticked: bool = True


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
        folder = hub.destination.folder
        contribution = await hub.database.write(lambda db: publishing.publish(db, folder, contribution.id))
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
    decision = publishing.ReviewDecision(data.review_notes, data.auto_merge, data.gate_ticked)
    approved, gate = publishing.approve(db, hub.destination, contribution_id, caller, decision)
    return ApprovalView(approved, gate)


router = Router("/evaluations/contribute", route_handlers=[approve])
