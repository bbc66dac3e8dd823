"""Proving by a page: the hub fetches it in the background, and looks whether the proof is on it."""

from functools import partial
from typing import Any, NamedTuple

from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import attempts, deciding, store
from viva.exams.handlers.table import CONCLUDING_HANDLERS
from viva.exams.model import Mark, Registration, ToFetch
from viva.jobs.model import Work
from viva.kit.db import Connection
from viva.kit.fetch_addresses import NotFetchable
from viva.kit.fetching import Fetched, Fetcher, Unreachable

HUB_MARKER = "hub"
HTTP_OK = 200


class ProofTask(NamedTuple):
    """A page to be fetched, and the attempt that it decides."""

    evaluation: Evaluation  # as it was when the attempt started
    registration: Registration
    content: dict[str, Any]
    page: ToFetch


def work(fetcher: Fetcher) -> Work:
    """The background work "fetch_proof"."""
    return Work(read, partial(think, fetcher), keep)


def read(db: Connection, data: dict[str, Any]) -> ProofTask | None:
    """What has to be fetched; None where nothing is to be decided any more."""
    registration = store.get(db, data["registration_id"])
    attempt = attempts.find_of(db, registration.id)
    if attempt is None or registration.status != "in_progress":
        return None
    evaluation = catalogue.get(db, registration.evaluation_id, registration.evaluation_version)
    page = CONCLUDING_HANDLERS[evaluation.handler].decide(evaluation, attempt.content)
    return ProofTask(evaluation, registration, attempt.content, page) if isinstance(page, ToFetch) else None


def think(fetcher: Fetcher, errand: ProofTask | None) -> Mark | None:
    if errand is None:
        return None
    try:
        return mark_of(fetcher.fetch(errand.page.url), errand.page.proof)
    except NotFetchable as error:
        return make_mark(0, str(error))
    except Unreachable as error:
        return make_mark(None, str(error))


def mark_of(page: Fetched, proof: str) -> Mark:
    if page.status != HTTP_OK:
        followed = " Redirects are not followed." if 300 <= page.status < 400 else ""
        return make_mark(0, f"The page answered with status {page.status}.{followed}")
    if proof not in page.text:
        return make_mark(0, "The page does not hold the proof.")
    return make_mark(1, "The page holds the proof.")


def make_mark(value: float | None, reason: str) -> Mark:
    return Mark("proof", HUB_MARKER, value, 1, reason)


def end_failed(db: Connection) -> int:
    """End attempts whose page nobody could look at, for a fault of this hub's own; how many there were."""
    return store.cancel_failed(db, "fetch_proof")


def keep(db: Connection, errand: ProofTask | None, found: Mark | None, is_last: bool) -> str | None:
    """Decide the attempt; a page that could not be reached is tried again as long as there are tries."""
    if errand is None or found is None:
        return None
    if found.mark is None and not is_last:
        return found.reason
    registration = store.hold_running(db, errand.registration.id)
    if registration:
        outcome = CONCLUDING_HANDLERS[errand.evaluation.handler].conclude(
            errand.evaluation, errand.content, [], [found]
        )
        deciding.keep_result(db, errand.evaluation, registration, outcome)
    return None
