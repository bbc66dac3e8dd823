"""Background work: what is done for each kind of job, and sweeps that end or delete what is overdue."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial

from viva.agents import logins
from viva.analyses import deleting, joining_spans, running
from viva.config import MESSAGE_BYTES, Config, configured_judges
from viva.contributions import following, gaming, publishing, taking_over
from viva.contributions.destination import Destination
from viva.contributions.private_links import private_link
from viva.exams import (
    a2a_answering,
    class_analysis,
    classes,
    expiring,
    grading,
    handler_runs,
    page_proofs,
    proctoring,
    rereading,
    session_analysis,
    sheets,
)
from viva.exams.a2a_calls import A2aCaller
from viva.jobs import queue, workers
from viva.jobs.model import Work
from viva.jobs.processes import ProcessPool
from viva.judging.panel import Panel
from viva.kit import event_retention, idempotency, limits
from viva.kit.actors import WORKER
from viva.kit.background import BackgroundTask
from viva.kit.db import Connection, Database
from viva.kit.errors import Unavailable
from viva.kit.events import act_as
from viva.kit.fetching import Fetcher
from viva.maintaining import cleaning, profiles
from viva.notices import delivering, emails, mailing
from viva.notices import store as notices_store
from viva.notices.settings import NoticeSettings
from viva.sessions import asking
from viva.traces import spans
from viva.traces.quota import TraceQuota

SWEEP_SECONDS = 15
MAX_SWEEPS_IN_A_ROW = 100  # of one kind

log = logging.getLogger(__name__)


def background_tasks(
    config: Config, database: Database, concurrency: int, pool: ProcessPool
) -> dict[str, BackgroundTask]:
    """The sweeps and the jobs of a hub, `concurrency` at a time."""
    retention = retention_sweeps(config.trace_days, config.event_days)
    table = work_table(
        Panel(configured_judges(config.judge_settings)),
        Fetcher(config.proof_hosts),
        config.judge_settings,
        config.destination,
        config.notices,
        pool,
        config.masking_key,
        config.message_bytes,
    )
    return {
        "sweep": lambda: sweep_until_cancelled(database, config.destination, retention),
        "work": lambda: workers.work_until_cancelled(database, table, concurrency, config.lease_seconds, pool),
    }


def work_table(
    panel: Panel,
    fetcher: Fetcher,
    judge_settings: Mapping[str, str],
    destination: Destination,
    notices: NoticeSettings,
    pool: ProcessPool | None = None,
    masking_key: bytes | None = None,
    max_message_bytes: int = MESSAGE_BYTES,
) -> dict[str, Work]:
    """Every kind of background work. Class work is analysed in a process of the pool."""
    return {
        "mark_sheet": grading.work(panel, pool),
        joining_spans.JOIN_WORK: joining_spans.work(masking_key, TraceQuota()),
        running.ANALYSIS_WORK: running.work(
            next(iter(panel.judges.values()), None),
            {
                **running.TRACE_READERS,
                "session": session_analysis.read_content,
                "cohort": class_analysis.read_content,
            },
        ),
        "fetch_proof": page_proofs.work(fetcher),
        "run_handler": handler_runs.work(),
        cleaning.CLEAN_WORK: cleaning.work(),
        profiles.HIDE_WORK: profiles.work(),
        gaming.GATE_WORK: gaming.work(judge_settings),
        "follow_contribution": following.work(destination),
        "take_over_pull_request": taking_over.work(destination),
        "send_email": mailing.work(notices, partial(private_link, notices.secret)),
        "remove_outbox_files": mailing.removal_work(notices),
        "deliver_webhook": delivering.work(notices),
        asking.ASK_WORK: a2a_answering.work(A2aCaller(notices.webhook_hosts), max_message_bytes),
    }


Sweep = Callable[[Connection], int | None]
# Each sweep runs in its own transaction, so that one failure does not stop the others. Without a message, it is not logged.
SWEEPS: tuple[tuple[Sweep, str], ...] = (
    (proctoring.end_silent_claims, "Ended %d silent claims."),
    (expiring.end_overdue, "Ended %d attempts whose time was over."),
    (rereading.end_void_readings, "Ended %d second readings of void results."),
    (classes.end_overdue, "Ended %d cohorts whose time was over."),
    (sheets.give_failed_to_proctors, "Gave %d sheets that no judge could mark to the proctors."),
    (page_proofs.end_failed, "Ended %d attempts whose page could not be fetched."),
    (handler_runs.leave_failed_to_proctors, "Gave %d attempts that the sandbox could not decide to the proctors."),
    (a2a_answering.settle_failed, "Gave up %d questions to A2A agents."),
    (gaming.end_lost, "Ended %d gates that were interrupted."),
    (following.start_due, ""),
    (idempotency.forget_old, ""),
    (limits.forget_past, ""),
    (queue.forget_done, ""),
    (queue.forget_failed, "Deleted %d jobs that failed a year ago."),
    (logins.forget_expired, "Deleted %d expired logins."),
    (notices_store.forget_oldest, "Deleted %d notices of accounts that had too many."),
    (emails.forget_old, "Deleted %d e-mails of a month ago."),
    (spans.forget_unread, "Deleted the spans of %d runs without agents."),
    (deleting.delete_left_behind, "Deleted %d traces of deleted accounts."),
)


def publication_sweeps(destination: Destination) -> tuple[tuple[Sweep, str], ...]:
    publish_next = partial(publishing.publish_next, destination=destination)
    return ((publish_next, "Tried %d approved contributions that were not live yet."),)


def retention_sweeps(trace_days: int | None, event_days: int | None) -> tuple[tuple[Sweep, str], ...]:
    """What is not kept for ever."""
    sweeps: tuple[tuple[Sweep, str], ...] = ()
    if trace_days:
        sweeps += ((partial(deleting.delete_old, days=trace_days), "Deleted %d traces that were too old."),)
    if event_days:
        old_events = partial(event_retention.delete_old, days=event_days)
        sweeps += ((event_retention.sign_daily, ""), (old_events, "Deleted %d events that were too old."))
    return sweeps


async def sweep_until_cancelled(
    database: Database, destination: Destination | None = None, retention: tuple[tuple[Sweep, str], ...] = ()
) -> None:
    """Sweep again and again."""
    sweeps = SWEEPS + (publication_sweeps(destination) if destination else ()) + retention
    while True:
        for sweep, message in sweeps:
            for _ in range(MAX_SWEEPS_IN_A_ROW):  # repeated while there is more, each in a short transaction
                if not await run_sweep(database, sweep, message):
                    break
        await asyncio.sleep(SWEEP_SECONDS)


async def run_sweep(database: Database, sweep: Sweep, message: str) -> int:
    """Run one sweep and log its message. Returns how many things it ended."""
    try:
        number = await database.write(act_as(WORKER, sweep))
    except Unavailable as error:
        log.warning("Could not sweep: %s", error)
    except Exception:  # the loop must go on, because no other task sweeps
        log.exception("Could not sweep")
    else:
        if number and message:
            log.info(message, number)
        return number or 0
    return 0
