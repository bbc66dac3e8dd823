"""Community review: the contributor opens a submission, then any account may comment and vote on it.

They see its name, its description and the titles of its criteria; never prompts, rubric or exemplars."""

from datetime import datetime
from typing import Any

from msgspec import Struct, structs

from viva.agents.model import Agent
from viva.contributions import bounds, comments, limiting, moderation, store
from viva.contributions.announcing import announce
from viva.contributions.collaborators import find_collaborator
from viva.contributions.model import Contribution, ContributionComment, WrongState
from viva.contributions.ownership import Editor
from viva.contributions.reviewing import AWAITING_REVIEW
from viva.contributions.store import NoSuchContribution
from viva.kit.db import Connection
from viva.kit.errors import Forbidden
from viva.kit.paging import take_fitting
from viva.kit.rows import many, one

MAX_TITLES = 200
TITLE_CHARACTERS = 100


class OwnContribution(Forbidden):
    """Nobody votes on their own contribution."""


class CommunitySummary(Struct, frozen=True):
    """What everybody sees of an open contribution in a list."""

    id: str
    name: str
    title: str
    description: str
    module: str
    department: str | None
    type: str
    contributor_id: str | None
    contributor_name: str
    submitted_at: datetime | None
    votes_for: int
    votes_against: int


class CommunityView(CommunitySummary, frozen=True, kw_only=True):
    """What everybody sees of an open contribution on its page."""

    criteria: list[str]
    comments: list[ContributionComment]


class CommunityPage(Struct, frozen=True):
    contributions: list[CommunitySummary]
    total: int


OPEN = "is_open_to_community AND status IN ('submitted', 'under_review')"
COMMUNITY_COLUMNS = f"""
    {", ".join(CommunitySummary.__struct_fields__[:-2])},
    (SELECT count(*) FROM evaluation_contribution_votes v WHERE v.contribution_id = c.id AND vote = 1) AS votes_for,
    (SELECT count(*) FROM evaluation_contribution_votes v WHERE v.contribution_id = c.id AND vote = -1) AS votes_against
"""


def open_to_community(db: Connection, editor: Editor, contribution_id: str, is_open: bool = True) -> Contribution:
    """Let everybody comment and vote, or stop it. It shows once the contribution is submitted."""
    editor.check_is_contributor()
    held = store.hold(db, contribution_id)
    if held.status not in ("draft", *AWAITING_REVIEW):
        raise WrongState(f"This contribution is {held.status}, so its review is over.")
    return store.change(db, contribution_id, is_open_to_community=is_open)


def list_open(db: Connection, limit: int = 50, offset: int = 0) -> CommunityPage:
    """What is open to the community, the newest submission first."""
    (total,) = db.execute(f"SELECT count(*) FROM evaluation_contributions WHERE {OPEN}").fetchone()
    rows = db.execute(
        f"""
        SELECT {COMMUNITY_COLUMNS} FROM evaluation_contributions c WHERE id IN (
            SELECT id FROM evaluation_contributions WHERE {OPEN} ORDER BY submitted_at DESC, id DESC LIMIT ? OFFSET ?)
        ORDER BY submitted_at DESC, id DESC
        """,
        [limit, offset],
    )
    return CommunityPage(take_fitting(many(CommunitySummary, rows)), total)


def get_open(db: Connection, contribution_id: str) -> Contribution:
    contribution = store.find_by_id(db, contribution_id)
    if contribution is None or not is_shown(contribution):
        raise NoSuchContribution()
    return contribution


def is_shown(contribution: Contribution) -> bool:
    return contribution.is_open_to_community and contribution.status in AWAITING_REVIEW


def view(db: Connection, contribution: Contribution) -> CommunityView:
    return CommunityView(
        **structs.asdict(count_votes(db, contribution.id)),
        criteria=criterion_titles(contribution.config),
        comments=comments.list_comments(db, contribution.id, only_community=True),
    )


def criterion_titles(config: dict[str, Any]) -> list[str]:
    """The short names of what is marked. A text that says what a good answer is would give it away."""
    rows = [row for key in ("criteria", "rubric") if isinstance(config.get(key), list) for row in config[key]]
    named = [title_of(row) for row in rows[:MAX_TITLES] if isinstance(row, dict)]
    return [title[:TITLE_CHARACTERS] for title in dict.fromkeys(named) if title]


def title_of(row: dict[str, Any]) -> str:
    found = (row.get(key) for key in ("title", "name", "id", "promptId"))
    return next((value for value in found if isinstance(value, str)), "")


def count_votes(db: Connection, contribution_id: str) -> CommunitySummary:
    """The contribution with its votes."""
    rows = db.execute(f"SELECT {COMMUNITY_COLUMNS} FROM evaluation_contributions c WHERE id = ?", [contribution_id])
    return one(CommunitySummary, rows, NoSuchContribution)


def vote(db: Connection, contribution_id: str, voter: Agent, value: int) -> CommunityView:
    """Vote for (1) or against (-1) an open contribution; 0 takes the vote back."""
    contribution = get_open(db, contribution_id)
    if contribution.contributor_id == voter.id or find_collaborator(db, contribution_id, voter.id, None):
        raise OwnContribution()

    if value:
        comments.put_vote(db, contribution_id, voter.id, value)
    else:
        comments.drop_vote(db, contribution_id, voter.id)
    return view(db, contribution)


def comment(db: Connection, contribution_id: str, author: Agent, text: str) -> ContributionComment:
    """Comment on an open contribution, for everybody to read."""
    contribution = get_open(db, contribution_id)
    text = bounds.check_text("text", text, bounds.MAX_COMMENT_CHARACTERS)
    moderation.check_comment("text", text)
    limiting.count_comment(db, author.id)

    written = comments.add(db, contribution, author.id, author.name, text, None, is_community=True)
    announce(db, "commented", contribution, comment_id=written.id)
    return written
