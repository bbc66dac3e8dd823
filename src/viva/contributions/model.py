"""A contribution: the proposed evaluation, who proposed it, and how far its review is."""

from datetime import datetime
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from viva.agents.model import Agent
from viva.kit.errors import Conflict

ContributionStatus = Literal["draft", "submitted", "under_review", "approved", "rejected", "merged"]

# To which states a contribution can go from each state. Going back to `draft` means that changes were requested.
TRANSITIONS: dict[ContributionStatus, tuple[ContributionStatus, ...]] = {
    "draft": ("submitted",),
    "submitted": ("under_review", "approved", "rejected", "draft"),
    "under_review": ("approved", "rejected", "draft"),
    "approved": ("merged",),
    "rejected": (),
    "merged": (),
}


class WrongState(Conflict):
    """This is not possible in the present state of the contribution."""


class Exemplar(Struct, frozen=True, forbid_unknown_fields=True, rename={"pass_": "pass"}):
    """For one probe, an answer that should pass and one that should fail."""

    probe: str
    pass_: str = ""
    fail: str = ""


class ResearchLink(Struct, frozen=True, forbid_unknown_fields=True):
    """Which research a probe rests on."""

    research: str
    probe: str


class Proposal(Struct, frozen=True, kw_only=True):
    """What the contributors write and may change while it is a draft. The names are those of the columns."""

    evaluation_id: str = ""  # empty: made from the name
    title: str = ""
    name: str = ""
    description: str = ""
    module: str = ""
    department: str | None = None
    type: str = ""
    config: dict[str, Any] = {}
    executable_handler: str = ""
    executable_script_path: str | None = None
    executable_code: str | None = None
    prerequisites: list[str] = []
    research_basis: str | None = None
    research_mapping: list[Any] = []  # of ResearchLink; a draft may hold anything
    exemplars: list[Any] = []  # of Exemplar; a draft may hold anything
    points: float = 0
    version: str = "1.0.0"
    author: str = ""
    body: str = ""  # Markdown sections after the purpose, such as the procedure of a proctor


class ContributionSummary(Struct, frozen=True):
    """A contribution as lists show it, without its content."""

    id: str
    contributor_id: str | None
    contributor_name: str
    sip_number: int | None  # given at approval
    status: ContributionStatus
    evaluation_id: str
    title: str
    name: str
    description: str
    module: str
    department: str | None
    type: str
    version: str
    author: str
    created_at: datetime
    updated_at: datetime
    submitted_at: datetime | None
    reviewed_at: datetime | None
    reviewed_by: str | None
    review_notes: str | None
    rejection_reason: str | None
    merged_at: datetime | None
    merged_pr_url: str | None
    revision: int  # counts the changes; an editor names the revision that the change is based on
    submissions: int
    is_open_to_community: bool
    forked_from: str | None  # the id of an evaluation


class Contribution(ContributionSummary, frozen=True):
    """One row of evaluation_contributions."""

    contributor_email: str | None
    config: dict[str, Any]
    executable_handler: str
    executable_script_path: str | None
    executable_code: str | None
    prerequisites: list[str]
    research_basis: str | None
    research_mapping: list[Any]
    exemplars: list[Any]
    points: float
    auto_merge: bool | None  # as the approving maintainer decided; None before
    body: str
    publication_problem: str | None = None  # why an approved one is not live yet

    @property
    def proposal(self) -> Proposal:
        return Proposal(**{field: getattr(self, field) for field in Proposal.__struct_fields__})


class Contributor(NamedTuple):
    """Who proposes an evaluation. Without an account, the e-mail address identifies the contributor."""

    agent: Agent | None
    name: str
    email: str | None


class DraftRevision(Struct, frozen=True):
    """One saved revision of a draft. `submission` counts the submissions; it is None if this one was not submitted."""

    revision: int
    editor_id: str | None
    editor_name: str
    submission: int | None
    saved_at: datetime


class Collaborator(Struct, frozen=True):
    """Somebody whom the contributor invited to edit the draft."""

    id: str
    agent_id: str | None
    name: str
    invited_at: datetime
    joined_at: datetime | None


class ContributionComment(Struct, frozen=True):
    """A comment on one field, or on the whole if `field` is None."""

    id: str
    author_id: str | None
    author_name: str
    field: str | None
    text: str
    is_community: bool
    revision: int
    written_at: datetime


GateStatus = Literal["running", "passed", "failed", "not_checked"]
GateVerdict = Literal["ok", "error", "warning", "not_checked"]
# Agents that cannot pass a sound evaluation, in the order in which they sit.
NullAgentName = Literal["nothing", "constant", "random", "prompt", "orders"]
GateAgentName = NullAgentName | Literal["reference", "fail_exemplars", "all"]


class GateOutcome(Struct, frozen=True):
    """What one agent reached, or why none could sit (`all`). `detail` is for people."""

    agent: GateAgentName
    runs: int
    passes: int
    verdict: GateVerdict
    detail: str


class GateReport(Struct, frozen=True):
    """What null agents and a reference agent reached with one revision."""

    revision: int
    status: GateStatus
    outcomes: list[GateOutcome]
    checked_at: datetime


class ValidationProblem(Struct, frozen=True, omit_defaults=True):
    """One error or warning of a validation."""

    field: str
    code: str
    message: str
    suggestion: str | None = None


class Validation(Struct, frozen=True):
    is_valid: bool
    errors: list[ValidationProblem]
    warnings: list[ValidationProblem]


def check_transition(contribution: Contribution, target: ContributionStatus) -> None:
    """A friendly message. The statement that changes the state names the old one too, so that one of two callers wins."""
    if target not in TRANSITIONS[contribution.status]:
        raise WrongState(f"This contribution is {contribution.status.replace('_', ' ')}.")
