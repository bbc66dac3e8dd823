"""A worker beside a hub: what each of its jobs costs."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator

from bench.cost_model import Cost
from bench.metering import Meter, cost_between
from tests.hub import Hub, until

WARM_JOBS = 10  # the first ones load the engine
LEFT = "SELECT count(*) FROM jobs WHERE status IN ('waiting', 'running') AND (work = %s OR %s = '')"
DONE_ANALYSES = "SELECT count(*) FROM analyses WHERE status = 'done'"
FORGET_WAITING = "DELETE FROM jobs WHERE status = 'waiting'"
PAUSE_SECONDS = 0.1


class RunningWorker:
    """`viva worker` with one job at a time."""

    def __init__(self, hub: Hub) -> None:
        command = [sys.executable, "-m", "viva", "worker", "--concurrency", "1"]
        self.process = subprocess.Popen(command, env=hub.environment, stderr=subprocess.DEVNULL)

    def wait_until_none_is_left(self, meter: Meter, work: str) -> None:
        until(lambda: not count(meter, LEFT, work, work))

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)


@contextlib.contextmanager
def running_worker(hub: Hub) -> Iterator[RunningWorker]:
    worker = RunningWorker(hub)
    try:
        yield worker
    finally:
        worker.stop()


def jobs_of_worker(meter: Meter, jobs: int) -> Cost:
    """What one of the analyses that wait costs a worker and the database. Those that are left over are forgotten."""
    with running_worker(meter.hub) as worker:
        first = count(meter, DONE_ANALYSES) + WARM_JOBS
        until(lambda: count(meter, DONE_ANALYSES) >= first)
        before, start = meter.read(worker.process.pid), count(meter, DONE_ANALYSES)
        while count(meter, DONE_ANALYSES) < start + jobs and count(meter, LEFT, "", ""):
            time.sleep(PAUSE_SECONDS)
        after, end = meter.read(worker.process.pid), count(meter, DONE_ANALYSES)
    meter.db.execute(FORGET_WAITING)
    return cost_between(before, after).divide(end - start)


def count(meter: Meter, query: str, *values: str) -> int:
    (number,) = meter.db.execute(query.encode(), values).fetchone() or (0,)
    return int(number)
