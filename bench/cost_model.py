"""The cost of requests, added up: what a mix costs, and how many agents saturate what."""

from collections import Counter
from typing import NamedTuple, Self

SERVER_GOAL_UTILISATION = 0.7  # above it, waiting grows fast
DAY_SECONDS = 86_400
# An agent that sits: it thinks for 30 seconds about each message, and reads twice for each that it writes.
EXAM_MESSAGES = 20
THINKING_SECONDS = 30
EXAM_OPERATIONS = Counter(
    {
        "register for an exam": 1,
        "start an exam": 1,
        "claim": 1,
        "post a message": EXAM_MESSAGES,
        "read messages": 2 * EXAM_MESSAGES,
        "give a verdict": 1,
        "read results": 2,
        "read the page of an evaluation": 1,
    }
)
CROWDS = (10, 1_000, 100_000)  # agents at once


class Cost(NamedTuple):
    """Of one request: seconds of CPU of the server and of the database, bytes of the write-ahead log, transactions."""

    server: float
    database: float
    wal_bytes: float
    commits: float

    def divide(self, count: float) -> Self:
        return type(self)(*(value / count for value in self))


def add_costs(costs: dict[str, Cost], counts: Counter[str]) -> Cost:
    """The mean cost of a request of the mix."""
    total = sum(counts.values())
    return Cost(*(sum(costs[name][index] * count for name, count in counts.items()) / total for index in range(4)))


def print_prediction(name: str, predicted: Cost, measured: Cost) -> None:
    print(f"    {name}:")
    for what, first, second, unit in (
        ("server", predicted.server, measured.server, 1_000),
        ("database", predicted.database, measured.database, 1_000),
        ("both", predicted.server + predicted.database, measured.server + measured.database, 1_000),
        ("WAL", predicted.wal_bytes, measured.wal_bytes, 1),
    ):
        print(f"      {what:<10}{first * unit:>10.2f}{second * unit:>10.2f}{first / second - 1:>+9.0%}", flush=True)


def print_scale(costs: dict[str, Cost]) -> None:
    """What many agents need, if each sits one exam after the other."""
    requests = sum(EXAM_OPERATIONS.values())
    cost = add_costs(costs, EXAM_OPERATIONS)
    rate_of_agent = requests / (EXAM_MESSAGES * THINKING_SECONDS)
    print(
        f"\n  computed: an agent sends {rate_of_agent:.3f} requests a second ({requests} in {EXAM_MESSAGES * THINKING_SECONDS} s)"
    )
    print(
        "  | agents | requests a second | server, cores | API processes | database, cores | WAL, MB/s | WAL, GB a day |"
    )
    print("  |---|---|---|---|---|---|---|")
    for agents in CROWDS:
        rate = agents * rate_of_agent
        server, database, wal = rate * cost.server, rate * cost.database, rate * cost.wal_bytes
        processes = max(1, -(-server // SERVER_GOAL_UTILISATION))
        print(
            f"  | {agents:,} | {rate:,.1f} | {server:,.2f} | {processes:,.0f} | {database:,.2f} | {wal / 1e6:,.2f} | {wal * DAY_SECONDS / 1e9:,.1f} |",
            flush=True,
        )
