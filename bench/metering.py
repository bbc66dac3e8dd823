"""What a hub has used up to a moment: CPU time of each side, the write-ahead log, transactions, and bytes on the wire."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil
import psycopg

from bench.cost_model import Cost
from tests.hub import Hub

CALLERS = 16
SETTLE_SECONDS = 0.3  # until what follows an answer, such as a notice to readers, is done
NANOSECONDS = 1e-9
# Transactions that added to the chain of events, up to now. They commit one after the other.
CHAINED = "SELECT count(DISTINCT xmin::text) FROM event_chain"
WAL_BYTES = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
COMMITS = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"  # only transactions that write have a number
# Settings under which costs repeat. Whole pages and vacuuming depend on when a checkpoint or a vacuum happens to come.
STEADY = ("full_page_writes = off", "autovacuum = off", "max_wal_size = '8GB'", "checkpoint_timeout = '1h'")


class Call(NamedTuple):
    """One request. `operation` is what it is called in the table of costs."""

    operation: str
    method: str
    path: str
    key: str = ""
    body: Any = None


Run = Callable[[Callable[[Call], Any]], None]  # sends calls by the function that it gets
CpuTimes = Mapping[tuple[int, str], int]  # nanoseconds of each thread


class Usage(NamedTuple):
    server: CpuTimes
    database: CpuTimes
    client: float
    wal_bytes: int
    commits: int
    chained: int
    bytes_in: int
    bytes_out: int


class Meter:
    """Measures one hub. CPU time hardly depends on what else the machine does."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.db = psycopg.connect(hub.database_url, autocommit=True)
        (pid,) = self.db.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        self._postmaster = psutil.Process(pid).ppid()
        self._local = threading.local()
        self._lock = threading.Lock()
        self._bytes_in = self._bytes_out = 0

    def read(self, program: int | None = None) -> Usage:
        """What is used by now. `program` is the process, with all below it, that counts as the server."""
        time.sleep(SETTLE_SECONDS)
        return Usage(
            cpu_times_below(program or self.hub.process.pid),
            cpu_times_below(self._postmaster),
            time.process_time(),
            self._number(WAL_BYTES),
            self._number(COMMITS),
            self._number(CHAINED),
            self._bytes_in,
            self._bytes_out,
        )

    def _number(self, query: str) -> int:
        (number,) = self.db.execute(query.encode()).fetchone() or (0,)
        return int(number)

    def send(self, call: Call) -> Any:
        """Send it, count its bytes, and return what a JSON answer says."""
        if not hasattr(self._local, "http"):
            self._local.http = httpx.Client(base_url=self.hub.url, timeout=60, verify=False)
        headers = {"Authorization": f"Bearer {call.key}"} if call.key else {}
        answer = self._local.http.request(call.method, call.path, json=call.body, headers=headers)
        if not answer.is_success:
            raise RuntimeError(f"{call.operation}: {answer.status_code} {answer.text[:300]}")
        with self._lock:
            self._bytes_in += len(answer.request.content) + bytes_of_head(call.path, answer.request.headers)
            self._bytes_out += answer.num_bytes_downloaded + bytes_of_head("", answer.headers)
        return answer.json() if answer.headers["Content-Type"].startswith("application/json") else None

    def send_all(self, calls: Sequence[Call], callers: int = CALLERS) -> list[Any]:
        with ThreadPoolExecutor(callers) as threads:
            return list(threads.map(self.send, calls))

    def cost_of(self, calls: Sequence[Call], callers: int = CALLERS) -> tuple[Cost, list[Any]]:
        """The cost of one of these calls, and their answers."""
        before = self.read()
        answers = self.send_all(calls, callers)
        return cost_between(before, self.read()).divide(len(calls)), answers

    def cost_of_runs(self, runs: Sequence[Run]) -> tuple[Cost, Counter[str]]:
        """The mean cost of a call of these runs, and how often each operation came."""
        before = self.read()
        counts = self.send_runs(runs)
        return cost_between(before, self.read()).divide(counts.total()), counts

    def send_runs(self, runs: Sequence[Run]) -> Counter[str]:
        """Send the calls of all runs, each run one call after the other. How often each operation came."""
        counts: Counter[str] = Counter()

        def send(call: Call) -> Any:
            with self._lock:
                counts[call.operation] += 1
            return self.send(call)

        with ThreadPoolExecutor(CALLERS) as threads:
            list(threads.map(lambda run: run(send), runs))
        return counts


def cost_between(before: Usage, after: Usage) -> Cost:
    return Cost(
        cpu_between(before.server, after.server),
        cpu_between(before.database, after.database),
        *(last - first for first, last in zip(before[2:], after[2:], strict=True)),
    )


def cpu_between(before: CpuTimes, after: CpuTimes) -> float:
    """Seconds of CPU. A thread that has ended since counts as nothing, since nobody can read it any more."""
    return sum(time_ - before.get(thread, 0) for thread, time_ in after.items()) * NANOSECONDS


def cpu_times_below(pid: int) -> CpuTimes:
    """The CPU time of each thread of the process and of all below it. psutil counts in steps of 10 ms, which is too coarse."""
    times: dict[tuple[int, str], int] = {}
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for each in [process, *process.children(recursive=True)]:
            for thread in Path(f"/proc/{each.pid}/task").glob("*/schedstat"):
                with suppress(OSError):  # it has just ended
                    times[each.pid, thread.parent.name] = int(thread.read_text().split()[0])
    return times


def bytes_of_head(path: str, headers: httpx.Headers) -> int:
    """The first line and the headers, as HTTP/1.1 sends them."""
    return len(path) + 17 + sum(len(name) + len(value) + 4 for name, value in headers.raw)


def make_steady(url: str) -> None:
    """Let the database server measure the same each time."""
    with psycopg.connect(url, autocommit=True) as db:
        for setting in STEADY:
            db.execute(f"ALTER SYSTEM SET {setting}".encode())
        db.execute("SELECT pg_reload_conf()")
        db.execute("CHECKPOINT")
