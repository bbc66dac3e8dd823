"""Limits for contributors, counted in the database: open drafts, and submissions and comments of a day."""

from viva.contributions import store
from viva.contributions.model import Contribution, Contributor
from viva.exams.model import HubFacts
from viva.kit import limits
from viva.kit.db import Connection
from viva.kit.errors import TooMany
from viva.kit.limits import DAY_SECONDS, MINUTE_SECONDS

MAX_OPEN_DRAFTS = 20  # for each contributor, and for each address
MAX_SUBMISSIONS_PER_DAY = 5  # for each contributor, and for each address
MAX_VALIDATIONS_PER_MINUTE = 10  # for each contributor, and for each address; the longest takes seconds of a writer
MAX_COMMENTS_PER_DAY = 50  # for each author
# No time frees a draft: somebody has to submit or delete one. The answer needs a time, so that clients do not hurry.
DRAFTS_RETRY_SECONDS = 3600


class TooManyDrafts(TooMany):
    """You have 20 open drafts, or your address has; submit or delete one first."""


class TooManySubmissions(TooMany):
    """You have made 5 submissions today, or your address has; your draft is kept, so submit it tomorrow."""


class TooManyValidations(TooMany):
    """You have validated or submitted 10 times in this minute, or your address has; try again in a minute."""


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
    for subject in subjects_of(db, hub, contribution):
        grant_in(db, f"submissions of {subject}", DAY_SECONDS, MAX_SUBMISSIONS_PER_DAY, TooManySubmissions)


def count_validation(db: Connection, hub: HubFacts, contribution: Contribution) -> None:
    """Count a validation, or a try to submit, before it is made."""
    for subject in subjects_of(db, hub, contribution):
        grant_in(db, f"validations of {subject}", MINUTE_SECONDS, MAX_VALIDATIONS_PER_MINUTE, TooManyValidations)


def subjects_of(db: Connection, hub: HubFacts, contribution: Contribution) -> list[str]:
    """The contributor and the address of the request; nobody where the hub has no limits."""
    if not hub.limits_contributors:
        return []
    subjects = [f"contributor:{contribution.contributor_id or contribution.contributor_email}"]
    return [*subjects, f"address:{db.actor.address_hash}"] if db.actor.address_hash else subjects


def count_comment(db: Connection, author: str) -> None:
    grant_in(db, f"comments of {author}", DAY_SECONDS, MAX_COMMENTS_PER_DAY, TooManyComments)


def grant_in(db: Connection, subject: str, seconds: int, most: int, refusal: type[TooMany]) -> None:
    """Count one in the present period of so many seconds."""
    end = limits.end_of_period(seconds)
    if not limits.grant(db, subject, end, 1, most):
        raise refusal(retry_after=limits.seconds_until(end))
