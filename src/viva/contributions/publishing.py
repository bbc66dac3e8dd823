"""Publishing: a maintainer approves a contribution, which gets its number, its files and its place in the catalogue."""

import dataclasses
import logging
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from viva.agents.access import require_maintainer
from viva.agents.model import Agent
from viva.contributions import documents, publication_store, store
from viva.contributions.announcing import announce
from viva.contributions.destination import Destination
from viva.contributions.files import PublishedFiles, handler_name, keys_name, sip_name, write_files
from viva.contributions.gaming import GATE_RETRY_SECONDS, GateRunning
from viva.contributions.model import Contribution, GateReport, check_transition
from viva.contributions.publication_store import EvaluationIdTaken
from viva.evaluations import catalogue, numbers
from viva.evaluations import sip as sips
from viva.evaluations import store as evaluations
from viva.evaluations.handler_code import check_handler_code
from viva.evaluations.model import CONTRIBUTED_PREFIX
from viva.evaluations.sip import Executable
from viva.jobs import queue
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.kit.errors import Conflict, Unavailable, VivaError

PUBLISHING_RETRY = timedelta(seconds=60)  # a full disk or a wrong folder needs a person
MERGED_PER_READ = 100  # documents in memory while missing files are written
FOLLOW_WORK = "follow_contribution"

log = logging.getLogger(__name__)


class NoRepository(Conflict):
    """Without auto_merge an approval makes a branch. Set VIVA_SIPS_REPO to a git repository, or approve with auto_merge."""


class GateFailed(Conflict):
    """An agent that should fail passes this evaluation, so it cannot be approved."""


class GateNotTicked(Conflict):
    """The anti-gaming gate did not check this revision. Confirm that you have checked it yourself."""


class ReviewedAnother(Conflict):
    """This contribution has changed since you read it. Read it again, then decide."""


class ReviewDecision(NamedTuple):
    """What a maintainer decides. `gate_ticked` confirms a revision that the gate could not check.

    `revision` is the one that the maintainer has read; None accepts any."""

    notes: str | None = None
    auto_merge: bool = False
    gate_ticked: bool = False
    revision: int | None = None


class ApprovedContribution(NamedTuple):
    """The approved contribution, and what the gate said about it."""

    contribution: Contribution
    gate: str


def approve(
    db: Connection, destination: Destination, contribution_id: str, reviewer: Agent, decision: ReviewDecision
) -> ApprovedContribution:
    """Give the contribution its number. After the commit, `publish` or the job makes it live."""
    require_maintainer(reviewer)
    contribution = store.hold(db, contribution_id)
    check_transition(contribution, "approved")
    if decision.revision not in (None, contribution.revision):
        raise ReviewedAnother()
    gate = check_gate(store.find_gate(db, contribution.id, contribution.revision), decision.gate_ticked)
    if not decision.auto_merge and not destination.repository:
        raise NoRepository()
    evaluation_id = documents.evaluation_id_of(contribution.proposal)
    if evaluations.find_number(db, evaluation_id) is not None:
        raise EvaluationIdTaken()

    number = numbers.take_number(db, evaluation_id, destination.folder)
    if not numbers.reserve_id(db, evaluation_id, number):  # a sync was faster
        raise EvaluationIdTaken()
    approved = publication_store.set_approved(
        db, contribution, reviewer.id, decision.notes, decision.auto_merge, evaluation_id, number
    )
    check_files(files_of(approved))
    if not decision.auto_merge:
        queue.put(db, FOLLOW_WORK, {"contribution_id": approved.id})
    events.record(
        db,
        "contribution.approved",
        "contribution",
        approved.id,
        number=number,
        auto_merge=decision.auto_merge,
        gate=gate,
    )
    announce(db, "approved", approved)
    return ApprovedContribution(approved, gate)


def check_gate(report: GateReport | None, is_ticked: bool) -> str:
    """The gate's status for this revision, or the reason why it forbids an approval."""
    status = report.status if report else "not_checked"
    if status == "running":
        raise GateRunning(retry_after=GATE_RETRY_SECONDS)
    if report and status == "failed":
        raise GateFailed(f"The gate says no. {describe_failure(report)}")
    if status == "not_checked" and not is_ticked:
        raise GateNotTicked()
    return status


def describe_failure(report: GateReport) -> str:
    """Which agents did what they should not, in sentences."""
    return " ".join(f"Agent {each.agent}: {each.detail}" for each in report.outcomes if each.verdict == "error")


def check_files(files: PublishedFiles) -> None:
    """Refuse what no sync would take, before it has a number that nobody can use."""
    sips.parse(sips.render(files.sip))
    if files.code is not None:
        check_handler_code(files.code)


def files_of(contribution: Contribution) -> PublishedFiles:
    """What is published of an approved contribution."""
    number = contribution.sip_number or 0
    sip = documents.sip_of(contribution.proposal, number, "active")
    if not sip.executable.handler.startswith(CONTRIBUTED_PREFIX):
        return PublishedFiles(sip, None)
    executable = Executable(sip.executable.handler, handler_name(number))
    return PublishedFiles(dataclasses.replace(sip, executable=executable), contribution.executable_code)


async def publish_now(database: Database, destination: Destination, contribution_id: str) -> Contribution | None:
    """Publish before the request is answered. None if the database fails now: the approval stands, and a sweep goes on."""
    try:
        return await database.write(lambda db: publish(db, destination, contribution_id))
    except Unavailable as error:
        log.warning("The approved contribution %s is not live yet: %s", contribution_id, error)
        return None


def publish(db: Connection, destination: Destination, contribution_id: str) -> Contribution:
    """Make an approved contribution live. It can be called again at any time, also after a kill in the middle."""
    contribution = store.hold(db, contribution_id)
    if contribution.status != "approved" or not contribution.auto_merge:
        return contribution
    return publish_files(db, destination, contribution, files_of(contribution))


def publish_files(
    db: Connection, destination: Destination, contribution: Contribution, files: PublishedFiles
) -> Contribution:
    """Write the files, sync them, and set the state."""
    try:
        if evaluations.find_number(db, files.sip.id) not in (None, files.sip.sip):
            raise EvaluationIdTaken()
        write_files(files, folder_of(destination, contribution), destination.private_folder)
        catalogue.put(db, files.sip, files.code)
    except Unavailable:
        raise  # nothing is wrong with the contribution
    except (OSError, VivaError) as error:  # the catalogue checks before it writes
        return publication_store.set_problem(db, contribution.id, explain(error))
    events.record(db, "contribution.merged", "contribution", contribution.id, number=files.sip.sip)
    merged = publication_store.set_merged(db, contribution)
    announce(db, "merged", merged)
    return merged


def folder_of(destination: Destination, contribution: Contribution) -> Path | None:
    """Where the SIP is written. None: what git merges, git also brings into a folder of its working tree."""
    return destination.folder if contribution.auto_merge else destination.folder_outside_repository


def explain(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"The file cannot be written: {error.strerror}. The hub tries again."
    return str(error)


def publish_next(db: Connection, destination: Destination, tried_before: datetime | None = None) -> int:
    """Publish one approved contribution that a stop or a problem has left behind. Returns how many were tried."""
    unpublished = publication_store.take_unpublished(db, tried_before or now() - PUBLISHING_RETRY)
    if unpublished is None:
        return 0
    publish(db, destination, unpublished.id)
    return 1


def write_missing_files(db: Connection, destination: Destination) -> int:
    """Write the files of merged contributions that this machine does not have. Returns how many there were."""
    written, after = 0, 0
    while merged := publication_store.list_merged(db, after, MERGED_PER_READ):
        after = merged[-1].sip_number or 0
        for contribution in merged:
            written += write_missing_of(db, destination, contribution)
    return written


def write_missing_of(db: Connection, destination: Destination, contribution: Contribution) -> bool:
    """Write what is missing, and nothing over what is there. Returns whether something was."""
    number = contribution.sip_number or 0
    folder, private = folder_of(destination, contribution), destination.private_folder
    has_sip = folder is None or (folder / sip_name(number)).exists()
    has_keys = private is None or (has_sip if private == folder else (private / keys_name(number)).exists())
    if has_sip and has_keys:
        return False
    files = read_files(db, contribution)
    write_files(files, None if has_sip else folder, None if has_keys else private)
    return not has_sip or bool(files.private_contents)


def read_files(db: Connection, contribution: Contribution) -> PublishedFiles:
    """The files as the catalogue has them: the document may have changed since the approval."""
    version = evaluations.find_version(db, contribution.evaluation_id) or contribution.version
    document = evaluations.get_document(db, contribution.evaluation_id, version)
    return PublishedFiles(sips.parse(document), files_of(contribution).code)
