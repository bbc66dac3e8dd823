"""The work that nobody waits for goes on, whatever happens to it once."""

import asyncio
import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests import make
from tests.hub import environment_without_settings
from tests.traces import runs
from viva import worker
from viva.jobs import queue, workers
from viva.jobs.model import Job, Work
from viva.kit.clock import now
from viva.kit.db import Connection, Database, DatabaseDown
from viva.kit.event_chain import list_checkpoints
from viva.kit.migrating import migrate
from viva.kit.opening import open_database


def test_a_sweep_that_fails_ends_neither_the_sweeping_nor_the_others(database, monkeypatch):
    sweeps: list[str] = []

    def fail(db) -> int:
        raise OverflowError("a time that no calendar holds")

    def count(db) -> int:
        sweeps.append("sweep")
        return 0

    monkeypatch.setattr(worker, "SWEEPS", ((fail, ""), (count, "")))
    monkeypatch.setattr(worker, "SWEEP_SECONDS", 0)

    async def run_for_a_while() -> None:
        sweeping = asyncio.create_task(worker.sweep_until_cancelled(database))
        while len(sweeps) < 3 and not sweeping.done():
            await asyncio.sleep(0.01)
        sweeping.cancel()

    asyncio.run(run_for_a_while())

    assert len(sweeps) >= 3


def test_a_sweep_goes_on_as_long_as_there_is_more(database, monkeypatch):
    left = [3, 2, 1, 0]

    monkeypatch.setattr(worker, "SWEEPS", ((lambda db: left.pop(0), "Swept %d."),))

    async def run_for_a_while() -> None:
        sweeping = asyncio.create_task(worker.sweep_until_cancelled(database))
        async with asyncio.timeout(worker.SWEEP_SECONDS - 1):  # before the next time
            while left:
                await asyncio.sleep(0.01)
        sweeping.cancel()

    asyncio.run(run_for_a_while())

    assert left == []


# Jobs

COUNTED = "CREATE TABLE sheep_counted (sheep INTEGER, is_last BOOLEAN)"


def counting(think: Callable[[Any], Any] = lambda sheep: sheep, keep: Callable[..., str | None] | None = None) -> Work:
    """Work that counts sheep: reads how many there are and writes that down."""

    def write_down(db: Connection, sheep: int, thought: int, is_last: bool) -> None:
        db.execute("INSERT INTO sheep_counted VALUES (?, ?)", [thought, is_last])

    return Work(lambda db, data: data["sheep"], think, keep or write_down)


def put(database: Database, *herds: int, work: str = "count") -> list[Job]:
    def unit(db: Connection) -> list[Job]:
        db.execute(COUNTED)
        return [queue.put(db, work, {"sheep": sheep}) for sheep in herds]

    return database.write_now(unit)


def work_until(database: Database, work: Work, is_so: Callable[[], bool], lease_seconds: float = 30) -> None:
    """Run a worker until something is so, then stop it."""

    async def run() -> None:
        listening = asyncio.create_task(database.listen())
        working = asyncio.create_task(workers.work_until_cancelled(database, {"count": work}, 3, lease_seconds))
        deadline = time.monotonic() + 20
        while not is_so() and time.monotonic() < deadline and not working.done():
            await asyncio.sleep(0.01)
        for task in (working, listening):
            task.cancel()
        await asyncio.gather(working, listening, return_exceptions=True)

    asyncio.run(run())
    assert is_so()


def counted(database: Database) -> list[int]:
    return [row[0] for row in database.read_now(lambda db: db.execute("SELECT sheep FROM sheep_counted").fetchall())]


def job_now(database: Database, job: Job) -> Job:
    return database.read_now(lambda db: queue.get(db, job.id))


def is_due(database: Database, job: Job) -> None:
    database.write_now(lambda db: db.execute("UPDATE jobs SET due_at = created_at WHERE id = ?", [job.id]))


def test_jobs_are_done(database):
    jobs = put(database, *range(20))

    work_until(database, counting(), lambda: database.read_now(queue.tally)["done"] == 20)

    assert sorted(counted(database)) == list(range(20))
    assert {job_now(database, job).tries for job in jobs} == {1}


def test_a_worker_wakes_when_a_job_is_put(database, monkeypatch):
    monkeypatch.setattr(workers, "POLL_SECONDS", 1_000)
    database.write_now(lambda db: db.execute(COUNTED))
    threading.Timer(0.5, lambda: database.write_now(lambda db: queue.put(db, "count", {"sheep": 12}))).start()

    work_until(database, counting(), lambda: counted(database) == [12])


@pytest.mark.parametrize("step", ["read", "think", "keep"])
def test_a_step_that_fails_puts_the_job_off_and_leaves_nothing_behind(database, caplog, step):
    (job,) = put(database, 12)

    def fail(*_: Any) -> Any:
        raise OSError("The sheep\0 ran away.")

    def keep(db: Connection, task: int, thought: int, is_last: bool) -> None:
        db.execute("INSERT INTO sheep_counted VALUES (?, ?)", [thought, is_last])
        fail()

    works = {"read": counting()._replace(read=fail), "think": counting(fail), "keep": counting(keep=keep)}
    with caplog.at_level(logging.INFO):
        work_until(database, works[step], lambda: job_now(database, job).reason is not None)

    kept = job_now(database, job)
    assert (kept.status, kept.tries) == ("waiting", 1)
    assert kept.reason == "Broken off: OSError: The sheep\N{REPLACEMENT CHARACTER} ran away."
    assert counted(database) == []
    assert any(job.id in record.getMessage() and record.exc_info for record in caplog.records)


@pytest.mark.parametrize("error", [SystemExit(3), StopIteration(), KeyboardInterrupt()])
def test_no_exception_of_a_thought_ends_the_worker(database, error):
    first, second = put(database, 1, 2)

    def think(sheep: int) -> int:
        if sheep == 1:
            raise error
        return sheep

    work_until(
        database,
        counting(think),
        lambda: job_now(database, first).reason is not None and job_now(database, second).status == "done",
    )

    assert job_now(database, first).reason == f"Broken off: RuntimeError: {error!r}"


def test_what_was_kept_before_a_job_is_retried_later_stays(database):
    (job,) = put(database, 12)

    def keep(db: Connection, task: int, thought: int, is_last: bool) -> str | None:
        db.execute("INSERT INTO sheep_counted VALUES (?, ?)", [thought, is_last])
        return None if is_last else "Some are behind the hill."

    def has_counted(sheep: int) -> bool:
        return len(counted(database)) == sheep

    for tries in range(1, 5):
        is_due(database, job)
        work_until(database, counting(keep=keep), partial(has_counted, tries))
        assert job_now(database, job).reason == "Some are behind the hill."
    is_due(database, job)
    work_until(database, counting(keep=keep), lambda: job_now(database, job).status == "done")

    rows = database.read_now(lambda db: db.execute("SELECT is_last FROM sheep_counted").fetchall())
    assert [bool(row[0]) for row in rows] == [False, False, False, False, True]


def test_a_job_that_fails_at_its_last_try_is_failed_and_told_in_one_line(database, caplog):
    (job,) = put(database, 12)
    database.write_now(lambda db: db.execute("UPDATE jobs SET tries = 4"))

    with caplog.at_level(logging.ERROR):
        work_until(database, counting(lambda sheep: 1 // 0), lambda: job_now(database, job).status == "failed")

    assert [record.getMessage() for record in caplog.records] == [
        f"Job {job.id} (count) failed: Broken off: ZeroDivisionError: integer division or modulo by zero"
    ]


def test_a_job_of_unknown_work_fails(database):
    (job,) = put(database, 12, work="shear")

    work_until(database, counting(), lambda: job_now(database, job).status == "failed")

    assert job_now(database, job).reason == "No work is called shear here."


def test_a_job_whose_workers_died_each_time_fails_and_the_next_is_done(database, caplog):
    deadly, harmless = put(database, 12, 13)
    database.write_now(
        lambda db: db.execute("UPDATE jobs SET tries = 5, due_at = created_at WHERE id = ?", [deadly.id])
    )

    work_until(database, counting(), lambda: job_now(database, harmless).status == "done")

    job = job_now(database, deadly)
    assert job.status == "failed"
    assert job.reason == "It was started 5 times, and each time its worker died before the end."
    assert counted(database) == [13]


def test_a_lease_is_renewed_while_the_job_runs(database):
    (job,) = put(database, 12)
    thoughts: list[int] = []

    def think(sheep: int) -> int:
        thoughts.append(sheep)
        time.sleep(1.5)
        return sheep

    work_until(database, counting(think), lambda: job_now(database, job).status == "done", lease_seconds=0.6)

    assert thoughts == [12]
    assert job_now(database, job).tries == 1


def test_the_result_of_a_lost_lease_is_thrown_away(database, caplog):
    (job,) = put(database, 12)

    def think(sheep: int) -> int:
        database.write_now(lambda db: db.execute("UPDATE jobs SET lease = 'of another'"))
        return sheep

    with caplog.at_level(logging.WARNING):
        work_until(database, counting(think), lambda: "taken over" in caplog.text)

    assert counted(database) == []
    assert job_now(database, job).status == "running"


def test_a_thought_waits_for_the_database_to_come_back(database, monkeypatch):
    monkeypatch.setattr(workers, "POLL_SECONDS", 0.01)
    (job,) = put(database, 12)
    kept: list[int] = []

    def keep(db: Connection, task: int, thought: int, is_last: bool) -> None:
        kept.append(thought)
        if len(kept) < 3:
            raise DatabaseDown()

    work_until(database, counting(keep=keep), lambda: job_now(database, job).status == "done")

    assert (kept, job_now(database, job).tries) == ([12, 12, 12], 1)


def test_a_worker_that_is_stopped_ends_the_jobs_under_way(database):
    jobs = put(database, 1, 2, 3, 4, 5)
    begun = threading.Semaphore(0)

    def think(sheep: int) -> int:
        begun.release()
        time.sleep(0.3)
        return sheep

    work_until(database, counting(think), lambda: begun.acquire(blocking=False) or len(counted(database)) > 0)

    states = [job_now(database, job).status for job in jobs]
    assert "running" not in states
    assert "done" in states
    assert "waiting" in states


def test_a_worker_does_not_wait_for_a_thought_without_end(database, monkeypatch):
    monkeypatch.setattr(workers, "STOP_SECONDS", 0.1)
    (job,) = put(database, 12)
    begun, end = threading.Event(), threading.Event()

    def think(sheep: int) -> int:
        begun.set()
        end.wait(30)
        return sheep

    work_until(database, counting(think), begun.is_set)
    end.set()

    assert job_now(database, job).status == "running"
    assert counted(database) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_the_command_stops_when_asked(tmp_path: Path, how: signal.Signals):
    url = f"sqlite:///{tmp_path}/viva.db"
    migrate(url)
    command = [sys.executable, "-m", "viva", "worker", "--database", url, "--concurrency", "2"]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        env=environment_without_settings() | {"VIVA_DATA_DIR": str(tmp_path)},
    )
    assert process.stderr
    assert "2 jobs at once" in process.stderr.readline()
    database = open_database(url)
    job = database.write_now(lambda db: queue.put(db, "shear", {}))
    assert f"Job {job.id} (shear) failed: No work is called shear here." in process.stderr.readline()
    database.close()

    process.send_signal(how)

    assert process.wait(timeout=20) == 0
    (last_line,) = process.stderr.read().splitlines()
    process.stderr.close()
    assert last_line.endswith("INFO Viva has stopped")


def test_a_worker_of_which_a_part_breaks_off_says_so_to_whoever_runs_it(database: Database, monkeypatch):
    async def break_off(event: asyncio.Event, seconds: float) -> None:
        raise LookupError("broken off")

    monkeypatch.setattr(workers, "wait_until_set", break_off)

    with pytest.raises(LookupError):
        asyncio.run(asyncio.wait_for(workers.work_until_cancelled(database, {}, 2, 30), 60))


def test_old_traces_are_swept_if_the_hub_keeps_them_for_so_many_days(database: Database):
    def upload(db: Connection) -> None:
        old, _ = runs.upload(db, make.agent(db, "ada"), "old", "new")
        db.execute("UPDATE traces SET received_at = ? WHERE id = ?", [now() - timedelta(days=8), old.id])

    database.write_now(upload)
    ((sweep, message),) = worker.retention_sweeps(7, None)

    swept = [asyncio.run(worker.run_sweep(database, sweep, message)) for _ in range(2)]

    assert swept == [1, 0]
    names = database.read_now(lambda db: db.execute("SELECT name FROM traces").fetchall())
    assert [tuple(row) for row in names] == [("new",)]


def test_events_are_swept_only_if_the_hub_keeps_them_for_so_many_days(database: Database):
    assert worker.retention_sweeps(None, None) == ()
    for name in ("ada", "bea"):
        database.write_now(partial(make.agent, name=name))

    for sweep, message in worker.retention_sweeps(None, 7):
        assert asyncio.run(worker.run_sweep(database, sweep, message)) == int(message == "")  # the checkpoint of today

    assert len(database.read_now(list_checkpoints)) == 1
