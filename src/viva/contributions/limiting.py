"""Limits for contributors, counted in the database: open drafts, and submissions and comments of a day."""

import time

from viva.contributions import store
from viva.contributions.model import Contribution, Contributor
from viva.exams.model import HubFacts
from viva.kit import limits
from viva.kit.db import Connection
from viva.kit.errors import TooMany

MAX_OPEN_DRAFTS = 20  # for each contributor, and for each address
MAX_SUBMISSIONS_PER_DAY = 5  # for each contributor, and for each address
MAX_COMMENTS_PER_DAY = 50  # for each author
DAY_SECONDS = 24 * 3600
# No time frees a draft: somebody has to submit or delete one. The answer needs a time, so that clients do not hurry.
DRAFTS_RETRY_SECONDS = 3600


class TooManyDrafts(TooMany):
    """You have 20 open drafts, or your address has; submit or delete one first."""


class TooManySubmissions(TooMany):
    """You have made 5 submissions today, or your address has; your draft is kept, so submit it tomorrow."""


class TooManyComments(TooMany):
    """You have written 50 comments today; go on tomorrow."""


def check_open_drafts(db: Connection, hub: HubFacts, contributor: Contributor) -> None:
    """Refuse one draft too many. Parallel requests of one contributor or address wait for each other here."""
    if not hub.limits_contributors:
        return
    owner = ("contributor_id", contributor.agent.id) if contributor.agent else ("contributor_email", contributor.email)
    for column, value in (owner, ("address_hash", db.actor.address_hash)):
        if value is not None:
            limits.hold(db, f"drafts of {column}:{value}")
            if store.count_drafts(db, column, value) >= MAX_OPEN_DRAFTS:
                raise TooManyDrafts(retry_after=DRAFTS_RETRY_SECONDS)


def count_submission(db: Connection, hub: HubFacts, contribution: Contribution) -> None:
    """Count a submission for its contributor and for the address of the request."""
    if not hub.limits_contributors:
        return
    subjects = [f"contributor:{contribution.contributor_id or contribution.contributor_email}"]
    if db.actor.address_hash:
        subjects.append(f"address:{db.actor.address_hash}")
    for subject in subjects:
        grant_of_day(db, f"submissions of {subject}", MAX_SUBMISSIONS_PER_DAY, TooManySubmissions)


def count_comment(db: Connection, author: str) -> None:
    grant_of_day(db, f"comments of {author}", MAX_COMMENTS_PER_DAY, TooManyComments)


def grant_of_day(db: Connection, subject: str, most: int, refusal: type[TooMany]) -> None:
    moment = int(time.time())
    day_end = (moment // DAY_SECONDS + 1) * DAY_SECONDS
    if not limits.grant(db, subject, day_end, 1, most):
        raise refusal(retry_after=max(1, day_end - moment))
