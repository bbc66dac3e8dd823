"""What each operation costs the server, the database and the disk, and how well these costs predict two mixes."""

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import httpx
import psutil
import psycopg

from bench.cost_model import Cost, add_costs, print_prediction, print_scale
from bench.hall import postgres_hub
from bench.simulation import simulate
from tests.hub import EVALUATION, Hub

CANDIDATES = 240
MESSAGES_EACH = 5
CALLERS = 16
STATISTICS_SECONDS = 1.2  # until PostgreSQL counts the transactions of idle connections
CANDIDATES_OF_PROCTOR = 3
PATH = f"/api/v1/evaluations/{EVALUATION}"
Call = tuple[str, str, str, str, Any]  # operation, method, path, key and body


class Usage(NamedTuple):
    """What was used up to a moment: seconds of CPU, bytes of the write-ahead log, transactions."""

    server: float
    database: float
    wal_bytes: int
    commits: int


class Meter:
    """Measures one hub. CPU time hardly depends on what else the machine does."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._db = psycopg.connect(hub.database_url, autocommit=True)
        (pid,) = self._db.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        self._postmaster = psutil.Process(psutil.Process(pid).ppid())
        self._local = threading.local()

    def read(self) -> Usage:
        time.sleep(STATISTICS_SECONDS)
        (wal,) = self._db.execute("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint").fetchone() or (0,)
        (commits,) = self._db.execute(
            "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone() or (0,)
        return Usage(cpu_of(psutil.Process(self.hub.process.pid)), cpu_of(self._postmaster), wal, commits)

    def send(self, call: Call) -> Any:
        _, method, path, key, body = call
        if not hasattr(self._local, "http"):
            self._local.http = httpx.Client(base_url=self.hub.url, timeout=60, verify=False)
        answer = self._local.http.request(
            method, path, json=body, headers={"Authorization": f"Bearer {key}"} if key else {}
        )
        answer.raise_for_status()
        return answer.json() if answer.headers["Content-Type"].startswith("application/json") else None

    def send_all(self, calls: Sequence[Call]) -> list[Any]:
        with ThreadPoolExecutor(CALLERS) as threads:
            return list(threads.map(self.send, calls))

    def cost_of(self, calls: Sequence[Call]) -> tuple[Cost, list[Any]]:
        """The cost of one of these calls, and their answers."""
        before = self.read()
        answers = self.send_all(calls)
        after = self.read()
        used = Cost(*(last - first for first, last in zip(before, after, strict=True)))
        return used.divide(len(calls)), answers


def cpu_of(process: psutil.Process) -> float:
    """Seconds of CPU of the process and all below it."""
    total = 0.0
    for each in [process, *process.children(recursive=True)]:
        try:
            times = each.cpu_times()
        except psutil.NoSuchProcess:
            continue  # it has just ended
        total += times.user + times.system
    return total


class Exams(NamedTuple):
    """Keys of candidates and proctors, and what they share."""

    candidates: list[str]
    proctors: list[str]
    registrations: list[str]
    sessions: list[str]


def run() -> None:
    with postgres_hub(processes=1) as hub:
        meter = Meter(hub)
        hold_exams(meter, 20)  # so that every code path has run once
        costs = measure_costs(meter)
        print_costs(costs)
        print("\n  predicted and measured, for mixes on which nothing was fitted (CPU ms, WAL bytes of a request):")
        for name, mix in (("a whole exam with its reads", exam_mix), ("readers, and one post in ten", reading_mix)):
            calls = list(mix(meter))
            measured, _ = meter.cost_of(calls)
            print_prediction(name, add_costs(costs, Counter(call[0] for call in calls)), measured)
    print_scale(costs)
    check_simulation(costs)


def measure_costs(meter: Meter) -> dict[str, Cost]:
    costs: dict[str, Cost] = {}

    def measured(calls: Sequence[Call]) -> list[Any]:
        costs[calls[0][0]], answers = meter.cost_of(calls)
        return answers

    exams = hold_steps(measured, CANDIDATES)
    measured([message_call(exams, number) for number in range(CANDIDATES)] * MESSAGES_EACH)
    measured([read_call(exams, number) for number in range(CANDIDATES)] * MESSAGES_EACH)
    measured([verdict_call(exams, number) for number in range(CANDIDATES)])
    for operation, path in READS.items():
        measured([(operation, "GET", path, "", None)] * (CANDIDATES * 2))
    return costs


READS = {
    "read results": f"{PATH}/results?limit=50",
    "read a leaderboard": f"{PATH}/leaderboard",
    "read the page of an evaluation": f"/evaluations/{EVALUATION}",
}


def hold_steps(send: Callable[[Sequence[Call]], list[Any]], count: int) -> Exams:
    """Exams up to the first message, each step for all candidates at once."""
    made = send([register_call() for _ in range(count)])
    candidates = [each["api_key"] for each in made]
    proctors = [each["api_key"] for each in send([register_call() for _ in range(-(-count // CANDIDATES_OF_PROCTOR))])]
    send([("register for an exam", "POST", f"{PATH}/register", key, None) for key in candidates])
    started = send([("start an exam", "POST", f"{PATH}/start", key, None) for key in candidates])
    registrations = [each["registration"]["id"] for each in started]
    claims = [
        ("claim", "POST", f"{PATH}/proctor/claim", proctors[number // CANDIDATES_OF_PROCTOR], {"registration_id": id_})
        for number, id_ in enumerate(registrations)
    ]
    return Exams(candidates, proctors, registrations, [each["session_id"] for each in send(claims)])


def register_call() -> Call:
    return "register an agent", "POST", "/api/v1/agents/register", "", {"name": f"cost-{uuid.uuid4().hex[:12]}"}


def message_call(exams: Exams, number: int) -> Call:
    path = f"{PATH}/sessions/{exams.sessions[number]}/messages"
    return (
        "post a message",
        "POST",
        path,
        exams.candidates[number],
        {"content": "I would first read what is asked. " * 3},
    )


def read_call(exams: Exams, number: int) -> Call:
    path = f"{PATH}/sessions/{exams.sessions[number]}/messages?since=0"
    return "read messages", "GET", path, exams.candidates[number], None


def verdict_call(exams: Exams, number: int) -> Call:
    body = {"registration_id": exams.registrations[number], "passed": True, "score": 40}
    return "give a verdict", "POST", f"{PATH}/proctor/submit", exams.proctors[number // CANDIDATES_OF_PROCTOR], body


def hold_exams(meter: Meter, count: int) -> None:
    exams = hold_steps(meter.send_all, count)
    for make in (message_call, read_call, verdict_call):
        meter.send_all([make(exams, number) for number in range(count)])


def exam_mix(meter: Meter) -> Iterator[Call]:
    """Messages, reads, verdicts and new agents by turns, as exams that are under way at once have them."""
    exams = hold_steps(meter.send_all, CANDIDATES)
    for _ in range(MESSAGES_EACH):
        for number in range(CANDIDATES):
            yield message_call(exams, number)
            yield read_call(exams, number)
            if number % MESSAGES_EACH == 0:
                yield register_call()
    for number in range(CANDIDATES):
        yield verdict_call(exams, number)
        yield "read results", "GET", READS["read results"], "", None


def reading_mix(meter: Meter) -> Iterator[Call]:
    exams = hold_steps(meter.send_all, CANDIDATES)
    for number in range(CANDIDATES * 10):
        operation = list(READS)[number % len(READS)]
        is_post = number % 10 == 0
        yield message_call(exams, number % CANDIDATES) if is_post else (operation, "GET", READS[operation], "", None)


def check_simulation(costs: dict[str, Cost]) -> None:
    """The simulation beside two real processes: they and the database share the cores with who sends the requests."""
    with postgres_hub(processes=2) as hub:
        meter = Meter(hub)
        hold_exams(meter, 20)
        calls = list(reading_mix(meter))
        client, started = cpu_of_self(), time.perf_counter()
        meter.send_all(calls)
        seconds, client = time.perf_counter() - started, (cpu_of_self() - client) / len(calls)
    cost = add_costs(costs, Counter(call[0] for call in calls))
    cores = psutil.cpu_count() or 1
    simulated = simulate(cost, processes=2, database_cores=cores, callers=CALLERS, client=client, shared_cores=cores)
    print(
        f"\n  two processes, {CALLERS} callers, {cores} cores for all: {len(calls) / seconds:,.0f} requests a second measured, {simulated.rate:,.0f} simulated"
    )


def cpu_of_self() -> float:
    times = psutil.Process().cpu_times()
    return float(times.user + times.system)


def print_costs(costs: dict[str, Cost]) -> None:
    print("  | operation | CPU of the server, ms | CPU of the database, ms | WAL, bytes | transactions |")
    print("  |---|---|---|---|---|")
    for operation, cost in costs.items():
        print(
            f"  | {operation} | {cost.server * 1000:.2f} | {cost.database * 1000:.2f} | {cost.wal_bytes:,.0f} | {cost.commits:.2f} |",
            flush=True,
        )
