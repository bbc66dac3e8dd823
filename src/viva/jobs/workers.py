"""Workers take jobs of the queue and run them: one at a time in a thread, or a batch in a process."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import aclosing
from typing import Any, NamedTuple, TypeVar

from viva.jobs import queue
from viva.jobs.model import Job, JobPool, Work
from viva.jobs.processes import ItemOutcome, ProcessDied, ProcessPool
from viva.jobs.queue import LeaseLost
from viva.jobs.threads import in_thread
from viva.kit.actors import WORKER
from viva.kit.db import Connection, Database, DatabaseDown, UnitOfWork
from viva.kit.events import act_as
from viva.kit.notifier import wait_until_set

POLL_SECONDS = 1  # there is no notice when a pause or a lease ends, nor from other processes on SQLite
DATABASE_WAIT_SECONDS = 60  # how long a running job waits for the database to come back
STOP_SECONDS = 5  # for running jobs to end; other workers take over the rest when the leases end

T = TypeVar("T")
log = logging.getLogger(__name__)


async def work_until_cancelled(
    database: Database,
    table: Mapping[str, Work],
    concurrency: int,
    lease_seconds: float,
    pool: ProcessPool | None = None,
) -> None:
    """Run the jobs of the queue: `concurrency` at a time in threads, and a batch in each process of the pool."""
    stopping = asyncio.Event()
    pool = pool or ProcessPool(1)
    pool.attach()
    threads = Worker(database, table, lease_seconds, stopping)
    batches = threads._replace(processes=pool)
    tasks = [asyncio.create_task(threads.work()) for _ in range(concurrency)]
    tasks += [asyncio.create_task(batches.work()) for _ in range(pool.size)]
    try:
        # No task ends by itself. If one fails, its error is raised here, and the caller starts all of them again.
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            task.result()
    finally:
        stopping.set()
        for topic in queue.JOB_TOPICS.values():
            database.notifier.notify(topic)
        await asyncio.wait(tasks, timeout=STOP_SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await pool.close()


class Worker(NamedTuple):
    """Takes jobs of one pool and runs them. With `processes`, it is the pool of processes."""

    database: Database
    table: Mapping[str, Work]
    lease_seconds: float
    stopping: asyncio.Event
    processes: ProcessPool | None = None

    async def work(self) -> None:
        pool: JobPool = "processes" if self.processes else "threads"
        with self.database.notifier.subscribe(queue.JOB_TOPICS[pool]) as news:
            while not self.stopping.is_set():
                news.clear()
                jobs = await self.take_jobs()
                if jobs:
                    await self.do(jobs)
                elif not self.stopping.is_set():
                    await wait_until_set(news, POLL_SECONDS)

    async def take_jobs(self) -> list[Job]:
        try:
            return await self.database.write(self.take)
        except DatabaseDown as error:
            log.warning("Could not take a job: %s", error)
        except Exception:  # the loop must go on
            log.exception("Could not take a job")
        return []

    def take(self, db: Connection) -> list[Job]:
        if self.processes:
            return queue.take_batch(db, self.lease_seconds)
        job = queue.take(db, self.lease_seconds)
        return [job] if job else []

    async def do(self, jobs: list[Job]) -> None:
        """Do the jobs, which all have the same work, while their leases are renewed."""
        work = self.table.get(jobs[0].work)
        renewing = [asyncio.create_task(self.renew(job)) for job in jobs]
        try:
            for job in jobs:
                if work is None or job.has_no_try_left:
                    await self.settle(job, self.refuse(job, work))
            if work:
                await self.do_work([job for job in jobs if not job.has_no_try_left], work)
        finally:
            for task in renewing:
                task.cancel()

    async def settle(self, job: Job, work: Coroutine[Any, Any, Job]) -> None:
        """Wait for the work of a job. An error of the work lets the job be tried later."""
        try:
            log_job(await work)
        except LeaseLost:
            log_takeover(job)
        except Exception as error:
            await self.retry_later(job, error)

    async def refuse(self, job: Job, work: Work | None) -> Job:
        reason = queue.WORKERS_DIED if work else f"No work is called {job.work} here."
        return await self.database.write(lambda db: queue.fail(db, job, reason))

    async def do_work(self, jobs: list[Job], work: Work) -> None:
        if self.processes:
            await self.do_batch(jobs, work, self.processes)
        else:
            for job in jobs:
                await self.settle(job, self.do_in_thread(job, work))

    async def do_in_thread(self, job: Job, work: Work) -> Job:
        task = await run_when_up(self.database.read, lambda db: work.read(db, job.data))
        return await self.keep(job, work, task, await in_thread(work.think, task))

    async def do_batch(self, jobs: list[Job], work: Work, processes: ProcessPool) -> None:
        """Read all, then let a process think. Each outcome is kept when it comes, so a kill costs only the others."""
        reads = await run_when_up(self.database.read, lambda db: [try_to_read(db, work, job) for job in jobs])
        waiting = deque[tuple[Job, Any]]()
        for job, (task, error) in zip(jobs, reads, strict=True):
            if error:
                await self.retry_later(job, error)
            else:
                waiting.append((job, task))
        while waiting:
            await self.think_about(waiting, work, processes)

    async def think_about(self, waiting: "deque[tuple[Job, Any]]", work: Work, processes: ProcessPool) -> None:
        keeping = []

        def note(value: Any) -> None:
            if work.note:
                keeping.append(asyncio.create_task(self.note(work.note, value)))

        tasks = [task for _, task in waiting]
        try:
            async with aclosing(processes.run_all(work.think, tasks, on_progress=note)) as outcomes:
                async for outcome in outcomes:
                    job, task = waiting.popleft()
                    keeping.append(asyncio.create_task(self.settle(job, self.keep_outcome(job, work, task, outcome))))
        except ProcessDied as error:
            # It worked on the first that has no outcome. That one may be the cause, so the others do not wait for it.
            job, _ = waiting.popleft()
            await self.retry_later(job, error)
        await asyncio.gather(*keeping)

    async def note(self, write: Callable[[Connection, Any], None], value: Any) -> None:
        try:
            await self.database.write(lambda db: write(db, value))
        except Exception as error:  # progress is only shown; the work goes on
            log.warning("Could not note the progress of a job: %s", error)

    async def keep_outcome(self, job: Job, work: Work, task: Any, outcome: ItemOutcome) -> Job:
        if outcome.error is not None:
            raise RuntimeError(outcome.error)
        return await self.keep(job, work, task, outcome.value)

    async def keep(self, job: Job, work: Work, task: Any, thought: Any) -> Job:
        unit = act_as(WORKER, lambda db: keep_result(db, job, work, task, thought))
        return await run_when_up(self.database.write, unit)

    async def renew(self, job: Job) -> None:
        """Renew the lease while the job runs. If it is lost, the result is discarded; a thread cannot be stopped."""
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
            log_takeover(job)
        except Exception:  # the job is taken again when its lease ends
            log.exception("Could not retry job %s later", job.id)
        else:
            log.info("Job %s (%s) was interrupted", job.id, job.work, exc_info=error)
            log_job(ended)


def try_to_read(db: Connection, work: Work, job: Job) -> tuple[Any, Exception | None]:
    """What the work needs, or the error: one job of a batch must not stop the others."""
    try:
        return work.read(db, job.data), None
    except DatabaseDown:
        raise
    except Exception as error:
        return None, error


def keep_result(db: Connection, job: Job, work: Work, task: Any, thought: Any) -> Job:
    """Store the result of the work and end the job, in one transaction."""
    reason = work.keep(db, task, thought, job.is_at_last_try)
    return queue.finish(db, job) if reason is None else queue.retry_later(db, job, reason)


async def run_when_up(run: Callable[[UnitOfWork[T]], Awaitable[T]], unit: UnitOfWork[T]) -> T:
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


def log_takeover(job: Job) -> None:
    log.warning("Job %s (%s) was taken over by another worker.", job.id, job.work)


def log_job(job: Job) -> None:
    if job.status == "failed":
        log.error("Job %s (%s) failed: %s", job.id, job.work, job.reason)
    elif job.status == "waiting":
        log.warning("Job %s (%s) is tried again at %s: %s", job.id, job.work, job.due_at, job.reason)
