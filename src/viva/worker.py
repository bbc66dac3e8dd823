"""Background work: the jobs of the queue, and sweeps that end or delete what is overdue."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

from viva.agents import logins
from viva.contributions import following, gaming, publishing, taking_over
from viva.contributions.destination import Destination
from viva.contributions.private_links import private_link
from viva.exams import classes, expiring, grading, handler_runs, page_proofs, proctoring, sheets
from viva.jobs import queue
from viva.jobs.model import Job, Work
from viva.jobs.queue import LeaseLost
from viva.jobs.threads import in_thread
from viva.judging.panel import Panel
from viva.kit import idempotency, limits
from viva.kit.actors import WORKER
from viva.kit.db import Connection, Database, DatabaseDown
from viva.kit.db import UnitOfWork as Unit
from viva.kit.errors import Unavailable
from viva.kit.events import act_as
from viva.kit.fetching import Fetcher
from viva.notices import delivering, emails, mailing
from viva.notices import store as notices_store
from viva.notices.settings import NoticeSettings

SWEEP_SECONDS = 15
MAX_SWEEPS_IN_A_ROW = 100  # of one kind
POLL_SECONDS = 1  # there is no notice when a pause or a lease ends, nor from other processes on SQLite
DATABASE_WAIT_SECONDS = 60  # how long a running job waits for the database to come back
STOP_SECONDS = 5  # for running jobs to end; other workers take over the rest when the leases end

T = TypeVar("T")
log = logging.getLogger(__name__)


def work_table(
    panel: Panel, fetcher: Fetcher, judge_settings: Mapping[str, str], destination: Destination, notices: NoticeSettings
) -> dict[str, Work]:
    """Every kind of background work."""
    return {
        "mark_sheet": grading.work(panel),
        "fetch_proof": page_proofs.work(fetcher),
        "run_handler": handler_runs.work(),
        gaming.GATE_WORK: gaming.work(judge_settings),
        "follow_contribution": following.work(destination),
        "take_over_pull_request": taking_over.work(destination),
        "send_email": mailing.work(notices, partial(private_link, notices.secret)),
        "remove_outbox_files": mailing.removal_work(notices),
        "deliver_webhook": delivering.work(notices),
    }


Sweep = Callable[[Connection], int | None]
# Each sweep runs in its own transaction, so that one failure does not stop the others.
SWEEPS: tuple[tuple[Sweep, str], ...] = (
    (proctoring.end_silent_claims, "Ended %d silent claims."),
    (expiring.end_overdue, "Ended %d attempts whose time was over."),
    (classes.end_overdue, "Ended %d cohorts whose time was over."),
    (sheets.give_failed_to_proctors, "Gave %d sheets that no judge could mark to the proctors."),
    (page_proofs.end_failed, "Ended %d attempts whose page could not be fetched."),
    (handler_runs.end_failed, "Ended %d attempts that the sandbox could not decide."),
    (gaming.end_lost, "Ended %d gates that were interrupted."),
    (following.start_due, ""),
    (idempotency.forget_old, ""),
    (limits.forget_past, ""),
    (queue.forget_old, ""),
    (logins.forget_expired, "Deleted %d expired logins."),
    (notices_store.forget_oldest, "Deleted %d notices of accounts that had too many."),
    (emails.forget_old, "Deleted %d e-mails of a month ago."),
)


def publication_sweeps(destination: Destination) -> tuple[tuple[Sweep, str], ...]:
    publish_next = partial(publishing.publish_next, folder=destination.folder)
    return ((publish_next, "Tried %d approved contributions that were not live yet."),)


async def sweep_until_cancelled(database: Database, destination: Destination | None = None) -> None:
    sweeps = SWEEPS + (publication_sweeps(destination) if destination else ())
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
        if number:
            log.info(message, number)
        return number or 0
    return 0


async def work_until_cancelled(
    database: Database, table: Mapping[str, Work], concurrency: int, lease_seconds: float
) -> None:
    """Run the jobs of the queue, `concurrency` at a time."""
    stopping = asyncio.Event()
    worker = Worker(database, table, lease_seconds, stopping)
    tasks = [asyncio.create_task(worker.work()) for _ in range(concurrency)]
    try:
        # No task ends by itself. If one fails, its error is raised here, and the caller starts all of them again.
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            task.result()
    finally:
        stopping.set()
        database.notifier.notify(queue.JOBS_TOPIC)
        await asyncio.wait(tasks, timeout=STOP_SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Worker(NamedTuple):
    """Takes one job after the other and runs it."""

    database: Database
    table: Mapping[str, Work]
    lease_seconds: float
    stopping: asyncio.Event

    async def work(self) -> None:
        with self.database.notifier.subscribe(queue.JOBS_TOPIC) as news:
            while not self.stopping.is_set():
                news.clear()
                job = await self.take_job()
                if job:
                    await self.do(job)
                elif not self.stopping.is_set():
                    await wait_until_set(news, POLL_SECONDS)

    async def take_job(self) -> Job | None:
        try:
            return await self.database.write(lambda db: queue.take(db, self.lease_seconds))
        except DatabaseDown as error:
            log.warning("Could not take a job: %s", error)
        except Exception:  # the loop must go on
            log.exception("Could not take a job")
        return None

    async def do(self, job: Job) -> None:
        renewing = asyncio.create_task(self.renew(job))
        try:
            log_job(await self.do_work(job))
        except LeaseLost:
            log.warning("Job %s (%s) was taken over by another worker.", job.id, job.work)
        except Exception as error:
            await self.retry_later(job, error)
        finally:
            renewing.cancel()

    async def do_work(self, job: Job) -> Job:
        work = self.table.get(job.work)
        if work is None or job.has_no_try_left:
            reason = f"No work is called {job.work} here." if work is None else queue.WORKERS_DIED
            return await self.database.write(lambda db: queue.fail(db, job, reason))
        task = await run_when_up(self.database.read, lambda db: work.read(db, job.data))
        thought = await in_thread(work.think, task)
        return await run_when_up(
            self.database.write, act_as(WORKER, lambda db: keep_result(db, job, work, task, thought))
        )

    async def renew(self, job: Job) -> None:
        """Renew the lease while the job runs. If it is lost, the result is discarded; the thread cannot be stopped."""
        is_ours = True
        while is_ours:
            await asyncio.sleep(self.lease_seconds / 3)
            try:
                is_ours = await self.database.write(lambda db: queue.renew(db, job, self.lease_seconds))
            except Exception as error:  # finishing the job checks the lease again
                log.warning("Could not renew the lease of job %s: %s", job.id, error)

    async def retry_later(self, job: Job, error: Exception) -> None:
        reason = f"{queue.BROKEN_OFF}{type(error).__name__}: {error}"
        try:
            ended = await run_when_up(self.database.write, lambda db: queue.retry_later(db, job, reason))
        except LeaseLost:  # the lost lease explains the failure
            log.warning("Job %s (%s) was taken over by another worker.", job.id, job.work)
        except Exception:  # the job is taken again when its lease ends
            log.exception("Could not retry job %s later", job.id)
        else:
            log.info("Job %s (%s) was interrupted", job.id, job.work, exc_info=error)
            log_job(ended)


def keep_result(db: Connection, job: Job, work: Work, task: Any, thought: Any) -> Job:
    """Store the result of the work and end the job, in one transaction."""
    reason = work.keep(db, task, thought, job.is_at_last_try)
    return queue.finish(db, job) if reason is None else queue.retry_later(db, job, reason)


async def run_when_up(run: Callable[[Unit[T]], Awaitable[T]], unit: Unit[T]) -> T:
    """Run the unit, and again while the database is down, so that the result of the work is not lost.

    A commit whose confirmation was lost does no harm, because it has also ended the lease."""
    until = time.monotonic() + DATABASE_WAIT_SECONDS
    while True:
        try:
            return await run(unit)
        except DatabaseDown as error:
            if time.monotonic() > until:
                raise
            log.warning("A job waits for the database: %s", error)
        await asyncio.sleep(POLL_SECONDS)


async def wait_until_set(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return


def log_job(job: Job) -> None:
    if job.status == "failed":
        log.error("Job %s (%s) failed: %s", job.id, job.work, job.reason)
    elif job.status == "waiting":
        log.warning("Job %s (%s) is tried again at %s: %s", job.id, job.work, job.due_at, job.reason)
