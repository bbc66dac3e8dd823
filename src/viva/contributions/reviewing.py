"""Reviewing: a maintainer opens a submission, comments on it, asks for changes or rejects it."""

from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import Any, Literal, NamedTuple

from viva.agents.access import require_maintainer
from viva.agents.model import Agent
from viva.contributions import bounds, comments, gaming, limiting, moderation, revisions, store
from viva.contributions.announcing import ContributionEvent, announce
from viva.contributions.gate_model import add_problems
from viva.contributions.model import (
    Contribution,
    ContributionComment,
    ContributionStatus,
    GateReport,
    Proposal,
    Validation,
    WrongState,
)
from viva.contributions.ownership import Editor
from viva.contributions.store import ContributionsPage
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Fault
from viva.kit.forms import invalid_input

AWAITING_REVIEW = ("submitted", "under_review")
DecidedStatus = Literal["draft", "rejected"]
# How the log and the notices call what a maintainer decided.
DECISION_NAMES: dict[DecidedStatus, tuple[events.Action, ContributionEvent]] = {
    "draft": ("contribution.changes_requested", "changes_requested"),
    "rejected": ("contribution.rejected", "rejected"),
}
FINAL_STATUSES: tuple[ContributionStatus, ...] = ("rejected", "merged")


class Review(NamedTuple):
    """A submission with what its reviewer needs. `last_submission` is what was submitted before, None the first time."""

    contribution: Contribution
    validation: Validation | None
    comments: list[ContributionComment]
    last_submission: Proposal | None
    gate: GateReport | None


def list_queue(
    db: Connection,
    status: str | None = None,
    contributor: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 50,
    offset: int = 0,
) -> ContributionsPage:
    """Submissions, the oldest first. Without a status, those that await a review. Drafts are never among them."""
    conditions, values = ["status <> 'draft'"], dict[str, Any]()
    if status:
        conditions.append("status = :status")
        values["status"] = status
    else:
        conditions.append("status IN ('submitted', 'under_review')")
    if contributor:
        conditions.append(f"(contributor_id = :id OR {db.place_in}(lower(contributor_name), :contributor) > 0)")
        values |= {"id": contributor, "contributor": contributor.lower()}
    if since:
        conditions.append("submitted_at >= :since")
        values["since"] = in_utc("since", since)
    if until:
        conditions.append("submitted_at <= :until")
        values["until"] = in_utc("until", until)
    return store.list_where(db, conditions, values, "submitted_at, id", limit, offset)


def count_waiting(db: Connection) -> int:
    """How many submissions await a review."""
    sql = "SELECT count(*) FROM evaluation_contributions WHERE status IN ('submitted', 'under_review')"
    (count,) = db.execute(sql).fetchone()
    return int(count)


def in_utc(field: str, moment: datetime) -> datetime:
    """The time in UTC, which is also the zone of a time without one. UTC cannot express the first and the last day."""
    if not MINYEAR < moment.year < MAXYEAR:
        raise invalid_input([Fault(field, "out_of_range", "Give a year from 2 to 9998.")])
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def open_review(db: Connection, contribution_id: str, reviewer: Agent) -> Review:
    """Show a contribution to a maintainer. A submission is under review from now on."""
    require_maintainer(reviewer)
    contribution = store.get(db, contribution_id)
    if contribution.status == "submitted":
        contribution = begin_review(db, contribution_id, reviewer)
    return read_review(db, contribution)


def begin_review(db: Connection, contribution_id: str, reviewer: Agent) -> Contribution:
    held = store.hold(db, contribution_id)
    if held.status != "submitted":  # another maintainer was faster
        return held
    opened = store.move_to(db, held, "under_review", reviewed_by=reviewer.id)
    gaming.put_gate(db, opened)
    events.record(db, "contribution.opened", "contribution", opened.id)
    return opened


def read_review(db: Connection, contribution: Contribution) -> Review:
    validation = store.find_validation(db, contribution.id)
    gate = store.find_gate(db, contribution.id, contribution.revision)
    return Review(
        contribution,
        validation and add_problems(validation, gate),
        comments.list_comments(db, contribution.id),
        revisions.find_submitted(db, contribution.id, contribution.submissions - 1),
        gate,
    )


def check_gate_again(db: Connection, contribution_id: str, reviewer: Agent) -> GateReport | None:
    """Run the gate once more for the present revision, in the background."""
    require_maintainer(reviewer)
    held = store.hold(db, contribution_id)
    if held.status not in AWAITING_REVIEW:
        raise WrongState(f"This contribution is {held.status}, so its gate does not run.")

    gaming.put_gate_again(db, held)
    events.record(db, "contribution.gate_restarted", "contribution", held.id, revision=held.revision)
    return store.find_gate(db, held.id, held.revision)


def request_changes(db: Connection, contribution_id: str, reviewer: Agent, feedback: str) -> Contribution:
    """Give the submission back to its contributor, with the reasons."""
    require_maintainer(reviewer)
    feedback = bounds.check_text("feedback", feedback, bounds.MAX_REASON_CHARACTERS)
    return decide(db, contribution_id, reviewer, "draft", review_notes=feedback)


def reject(db: Connection, contribution_id: str, reviewer: Agent, reason: str) -> Contribution:
    """Reject the submission for good."""
    require_maintainer(reviewer)
    reason = bounds.check_text("reason", reason, bounds.MAX_REASON_CHARACTERS)
    return decide(db, contribution_id, reviewer, "rejected", rejection_reason=reason)


def decide(db: Connection, contribution_id: str, reviewer: Agent, target: DecidedStatus, **texts: str) -> Contribution:
    held = store.hold(db, contribution_id)
    decided = store.move_to(db, held, target, reviewed_at=now(), reviewed_by=reviewer.id, **texts)
    action, event = DECISION_NAMES[target]
    events.record(db, action, "contribution", decided.id)
    announce(db, event, decided)
    return decided


def comment(
    db: Connection, contribution_id: str, author: Editor, text: str, field: str | None = None
) -> ContributionComment:
    """Comment on a field or on the whole. The contributors and the maintainers see it."""
    text = bounds.check_text("text", text, bounds.MAX_COMMENT_CHARACTERS)
    check_field(field)
    moderation.check_comment("text", text)
    held = store.hold(db, contribution_id)
    if held.status in FINAL_STATUSES:
        raise WrongState(f"This contribution is {held.status}, so its review is over.")
    # Holders of links choose their names, so they share the limit of the contribution.
    limiting.count_comment(db, author.agent_id or contribution_id)

    written = comments.add(db, held, author.agent_id, author.name, text, field, is_community=False)
    announce(db, "commented", held, comment_id=written.id)
    return written


def check_field(field: str | None) -> None:
    """A comment is pinned to a column, or to a part of one, such as `config.prompts[0]`."""
    column = (field or "name").partition(".")[0].partition("[")[0]
    if column not in Proposal.__struct_fields__ or len(field or "") > bounds.LINE_CHARACTERS:
        raise invalid_input([Fault("field", "unknown", "There is no such field of a contribution.")])
