"""Page proofs: the hub fetches an owner's page in the background and looks for the proof on it."""

from collections.abc import Collection
from functools import partial
from typing import Any, NamedTuple

from viva.agents import owners
from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import attempts, deciding, store
from viva.exams.handlers.table import CONCLUDING_HANDLERS
from viva.exams.model import Mark, Registration, ToFetch
from viva.jobs.model import Work
from viva.kit.db import Connection
from viva.kit.fetch_addresses import NotFetchable, parse_fetch_address
from viva.kit.fetching import Fetched, Fetcher, Unreachable

HUB_MARKER = "hub"
HTTP_OK = 200


class ProofTask(NamedTuple):
    """A page to fetch, and the attempt that it decides."""

    evaluation: Evaluation  # the version that the attempt started with
    registration: Registration
    content: dict[str, Any]
    page: ToFetch


def work(fetcher: Fetcher) -> Work:
    """The background work "fetch_proof"."""
    return Work(read, partial(think, fetcher), partial(keep, fetcher.hosts))


def read(db: Connection, data: dict[str, Any]) -> ProofTask | None:
    """The page to fetch; None if there is nothing left to decide."""
    registration = store.get(db, data["registration_id"])
    attempt = attempts.find_of(db, registration.id)
    if attempt is None or registration.status != "in_progress":
        return None
    evaluation = catalogue.get(db, registration.evaluation_id, registration.evaluation_version)
    page = CONCLUDING_HANDLERS[evaluation.handler].decide(evaluation, attempt.content)
    return ProofTask(evaluation, registration, attempt.content, page) if isinstance(page, ToFetch) else None


def think(fetcher: Fetcher, task: ProofTask | None) -> Mark | None:
    if task is None:
        return None
    try:
        return mark_of(fetcher.fetch(task.page.url), task.page.proof)
    except (NotFetchable, Unreachable) as error:
        return make_mark(None, str(error))


def mark_of(page: Fetched, proof: str) -> Mark:
    """Only a page that was fetched says something about its owner."""
    if page.status != HTTP_OK:
        followed = " Redirects are not followed." if 300 <= page.status < 400 else ""
        return make_mark(None, f"The page answered with status {page.status}.{followed}")
    if proof not in page.text:
        return make_mark(0, "The page does not hold the proof.")
    return make_mark(1, "The page holds the proof.")


def make_mark(value: float | None, reason: str) -> Mark:
    return Mark("proof", HUB_MARKER, value, 1, reason)


def verify_by_page(db: Connection, hosts: Collection[str], agent_id: str, url: str) -> None:
    """The host becomes the owner of the agent, if a maintainer has listed it and no owner is confirmed yet.

    Any other public host proves no owner: free ones are as many as one likes, and strangers share them. A page does not
    replace an owner either, because an agent could leave its owner's tries and its other agents in this way."""
    page = parse_fetch_address(url, hosts)
    if page.is_listed:
        owners.confirm_first_owner(db, agent_id, page.host)


def end_failed(db: Connection) -> int:
    """End attempts whose page was not fetched because of a fault of this hub. Returns how many there were."""
    return store.cancel_failed(db, "fetch_proof")


def keep(
    hosts: Collection[str], db: Connection, task: ProofTask | None, mark: Mark | None, is_last: bool
) -> str | None:
    """Decide the attempt. A page that could not be fetched is tried again, and after the last time it decides nothing:
    the attempt ends without a result, and the job says why."""
    if task is None or mark is None:
        return None
    if mark.mark is None:
        if is_last:
            store.close(db, task.registration.id, "cancelled", is_try=False)
        return mark.reason
    registration = store.hold_running(db, task.registration.id)
    if registration:
        outcome = CONCLUDING_HANDLERS[task.evaluation.handler].conclude(task.evaluation, task.content, [], [mark])
        deciding.keep_result(db, task.evaluation, registration, outcome)
        if outcome.passed:
            verify_by_page(db, hosts, registration.agent_id, task.page.url)
    return None
