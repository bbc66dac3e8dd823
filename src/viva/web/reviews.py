"""Pages of maintainers: the queue of submissions, and the review of one."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from typing import NamedTuple

from litestar import Request, Response, get
from litestar.response import Redirect

from viva.agents.access import require_maintainer
from viva.agents.model import Agent
from viva.context import hub_of
from viva.contributions import bounds, community, differences, reviewing, store
from viva.contributions.differences import FieldChange
from viva.contributions.model import (
    Contribution,
    ContributionComment,
    ContributionSummary,
    GateReport,
    Proposal,
    Validation,
)
from viva.contributions.trying import TrialOutcome
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Invalid
from viva.web import logins, pages
from viva.web.contribute_preview import document_of
from viva.web.contribute_words import STATUS_WORDS
from viva.web.queries import count, word
from viva.web.wording import address, path_part

QUEUE_PATH = "/evaluations/contribute/review"
SUBMISSIONS_PER_PAGE = 25
QUEUE_STATUSES = {"": "Awaiting review"} | {name: text for name, text in STATUS_WORDS.items() if name != "draft"}
MAX_PARTS_OFFERED = 100  # of a config, to comment on
NOTICES = {
    "commented": "Your comment is saved. The contributor sees it.",
    "checking": "The gate runs again for this revision.",
    "approved": "The contribution is approved.",
    "changed": "The contribution went back to its contributor, with your feedback.",
    "rejected": "The contribution is rejected. The contributor sees your reason.",
}


class QueueFilter(NamedTuple):
    status: str
    contributor: str
    since: str  # days, as a date field sends them
    until: str

    @property
    def is_empty(self) -> bool:
        return not any(self)

    def here(self, offset: int = 0) -> str:
        return address(QUEUE_PATH, **self._asdict(), offset=offset or "")


@dataclass(frozen=True)
class QueuedSubmission:
    summary: ContributionSummary
    waiting_seconds: float | None  # None once it is decided


@dataclass(frozen=True)
class QueuePage:
    filter: QueueFilter
    statuses: dict[str, str]
    submissions: list[QueuedSubmission]
    total: int
    offset: int
    notice: str

    @property
    def next_offset(self) -> int | None:
        end = self.offset + len(self.submissions)
        return end if end < self.total else None


@dataclass(frozen=True)
class ReviewPage:
    contribution: Contribution
    validation: Validation | None
    gate: GateReport | None
    changes: list[FieldChange]
    is_first_submission: bool
    document: str
    comments: list[ContributionComment]
    votes_for: int
    votes_against: int
    waiting_seconds: float
    fields: list[str]  # that a comment can be pinned to
    has_repository: bool
    notice: str = ""
    fault: str = ""
    written: dict[str, str] = field(default_factory=dict)  # what was typed into a form that was refused
    trials: list[TrialOutcome] | None = None  # what the handler decided; None if it was not tried
    max_comment_characters = bounds.MAX_COMMENT_CHARACTERS
    max_reason_characters = bounds.MAX_REASON_CHARACTERS

    @property
    def path(self) -> str:
        return review_path(self.contribution.id)

    @property
    def is_open(self) -> bool:
        return self.contribution.status in reviewing.AWAITING_REVIEW


def review_path(contribution_id: str) -> str:
    return f"{QUEUE_PATH}/{path_part(contribution_id)}"


def get_maintainer(request: Request) -> Agent | None:
    """The signed-in maintainer; None if nobody is signed in."""
    viewer = pages.frame_of(request).viewer
    if viewer:
        require_maintainer(viewer)
    return viewer


class SignInFirst(Exception):
    """Raised inside a unit to send a visitor to the sign-in page."""


class NotOpenedYet(Exception):
    """Raised inside a read: no maintainer has opened the submission before."""


@get(QUEUE_PATH)
async def list_queue(request: Request) -> Response[str] | Redirect:
    chosen = QueueFilter(*(word(request, name) for name in QueueFilter._fields))
    offset = count(request, "offset")
    notice = next((text for name, text in NOTICES.items() if word(request, name)), "")

    def read(db: Connection) -> QueuePage:
        if get_maintainer(request) is None:
            raise SignInFirst
        return queue_page(db, chosen, offset, notice)

    return await show_or_sign_in(request, "reviews/queue.html", read, QUEUE_PATH)


async def show_or_sign_in(
    request: Request, template: str, read: Callable[[Connection], object], path: str, status: int = 200
) -> Response[str] | Redirect:
    try:
        return await pages.show(request, template, read, status, is_slow=True)
    except SignInFirst:
        return Redirect(address("/login", next=path), status_code=303)


def queue_page(db: Connection, chosen: QueueFilter, offset: int, notice: str) -> QueuePage:
    status = chosen.status if chosen.status in QUEUE_STATUSES else ""
    since, until = read_day(chosen.since, time.min), read_day(chosen.until, time.max)
    found = reviewing.list_queue(
        db, status or None, chosen.contributor or None, since, until, SUBMISSIONS_PER_PAGE, offset
    )
    moment = now()
    submissions = [QueuedSubmission(summary, waiting_seconds(summary, moment)) for summary in found.contributions]
    return QueuePage(chosen._replace(status=status), QUEUE_STATUSES, submissions, found.total, offset, notice)


def waiting_seconds(summary: ContributionSummary, moment: datetime) -> float | None:
    if summary.status not in reviewing.AWAITING_REVIEW or summary.submitted_at is None:
        return None
    return (moment - summary.submitted_at).total_seconds()


def read_day(text: str, at: time) -> datetime | None:
    """The begin or end of a day. What is no date is ignored, as pages ignore wrong parameters."""
    try:
        return reviewing.in_utc("day", datetime.combine(date.fromisoformat(text), at, UTC))
    except (ValueError, Invalid):
        return None


@get(f"{QUEUE_PATH}/{{contribution_id:str}}")
async def show_review(request: Request, contribution_id: str) -> Response[str] | Redirect:
    notice = next((text for name, text in NOTICES.items() if word(request, name)), "")
    return await show_page(request, contribution_id, notice=notice)


async def show_page(
    request: Request,
    contribution_id: str,
    notice: str = "",
    fault: str = "",
    written: dict[str, str] | None = None,
    trials: list[TrialOutcome] | None = None,
    status: int = 200,
) -> Response[str] | Redirect:
    """Show the review. A submission that nobody has opened is under review from now on."""
    hub = hub_of(request)

    def read(db: Connection) -> ReviewPage:
        if get_maintainer(request) is None:
            raise SignInFirst
        page = review_page(db, contribution_id, bool(hub.destination.repository))
        if page.contribution.status == "submitted":
            raise NotOpenedYet
        return replace(page, notice=notice, fault=fault, written=written or {}, trials=trials)

    async def show() -> Response[str] | Redirect:
        return await show_or_sign_in(request, "reviews/show.html", read, review_path(contribution_id), status)

    try:
        return await show()
    except NotOpenedYet:
        await open_submission(request, contribution_id)
        return await show()


async def open_submission(request: Request, contribution_id: str) -> None:
    login_hash = logins.login_hash_of(request, hub_of(request))

    def unit(db: Connection) -> None:
        reviewer = logins.viewer(db, login_hash, request)
        if reviewer:
            reviewing.open_review(db, contribution_id, reviewer)

    await pages.write(request, unit)


def review_page(db: Connection, contribution_id: str, has_repository: bool) -> ReviewPage:
    contribution = store.get(db, contribution_id)
    review = reviewing.read_review(db, contribution)
    votes = community.count_votes(db, contribution.id)
    return ReviewPage(
        contribution=contribution,
        validation=store.find_validation(db, contribution.id),  # without the gate, which has a section of its own
        gate=review.gate,
        changes=list_changes(review.last_submission, contribution.proposal),
        is_first_submission=review.last_submission is None,
        document=document_of(db, contribution),
        comments=review.comments,
        votes_for=votes.votes_for,
        votes_against=votes.votes_against,
        waiting_seconds=(now() - (contribution.submitted_at or contribution.created_at)).total_seconds(),
        fields=list_fields(contribution.proposal),
        has_repository=has_repository,
    )


def list_changes(before: Proposal | None, after: Proposal) -> list[FieldChange]:
    return differences.list_changes(before, after) if before else []


def list_fields(proposal: Proposal) -> list[str]:
    """The columns, each key of the config, and each item of its lists."""
    parts = []
    for key, value in proposal.config.items():
        parts.append(f"config.{key}")
        parts += [f"config.{key}[{at}]" for at in range(len(value))] if isinstance(value, list) else []
    known = [part for part in parts if len(part) <= bounds.LINE_CHARACTERS]
    return [*Proposal.__struct_fields__, *known[:MAX_PARTS_OFFERED]]
