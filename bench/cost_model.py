"""The cost of requests, added up: what a mix costs, and how well that was predicted."""

from collections import Counter
from typing import NamedTuple, Self

GOAL_DIFFERENCE = 0.20
POST, LONE_POST = "post a message", "post a message while nobody else posts"


class Cost(NamedTuple):
    """Of one request, or of several together."""

    server: float  # seconds of CPU of the server processes
    database: float  # seconds of CPU of the database
    client: float  # seconds of CPU of what sends the requests
    wal_bytes: float  # of the write-ahead log
    commits: float  # transactions that wrote
    chained: float  # transactions that append to the chain of events
    bytes_in: float  # of the request
    bytes_out: float  # of the answer

    @property
    def bytes_on_wire(self) -> float:
        return self.bytes_in + self.bytes_out

    def divide(self, count: float) -> Self:
        return type(self)(*(value / count for value in self))

    def minus(self, other: "Cost", times: float = 1.0) -> Self:
        return type(self)(*(mine - times * theirs for mine, theirs in zip(self, other, strict=True)))


def add_costs(costs: dict[str, Cost], counts: Counter[str]) -> Cost:
    """The mean cost of a request of the mix."""
    total = counts.total()
    mixed = costs | {POST: cost_of_post(costs, counts)} if POST in counts else costs
    scaled = [[value * count / total for value in mixed[name]] for name, count in counts.items()]
    return Cost(*(sum(values) for values in zip(*scaled, strict=True)))


def cost_of_post(costs: dict[str, Cost], counts: Counter[str]) -> Cost:
    """Posts that wait at the same time share a transaction. If posts have a tenth of the time, a post meets a tenth of
    those that it meets when everybody posts."""
    times = {name: (costs[name].server + costs[name].database) * count for name, count in counts.items()}
    together, share = costs[POST], times[POST] / sum(times.values())
    alone = costs[LONE_POST]
    return Cost(*(one + share * (many - one) for one, many in zip(alone, together, strict=True)))


def mean_cost(costs: list[Cost]) -> Cost:
    return Cost(*(sum(values) / len(costs) for values in zip(*costs, strict=True)))


def print_prediction(name: str, predicted: Cost, measured: Cost) -> bool:
    """Print both, for a request of the mix. Returns whether every goal is reached."""
    differences = []
    print(f"    {name}:{'predicted':>{48 - len(name)}}{'measured':>10}")
    for what, first, second, unit in (
        ("server, CPU ms", predicted.server, measured.server, 1_000),
        ("database, CPU ms", predicted.database, measured.database, 1_000),
        ("both, CPU ms", predicted.server + predicted.database, measured.server + measured.database, 1_000),
        ("WAL, bytes", predicted.wal_bytes, measured.wal_bytes, 1),
        ("bytes of request and answer", predicted.bytes_on_wire, measured.bytes_on_wire, 1),
    ):
        differences.append(first / second - 1)
        missed = "  MISSED" if abs(differences[-1]) > GOAL_DIFFERENCE else ""
        print(
            f"      {what:<30}{first * unit:>18,.2f}{second * unit:>10,.2f}{differences[-1]:>+9.0%}"
            f"   goal {GOAL_DIFFERENCE:.0%}{missed}",
            flush=True,
        )
    print(f"      {'transactions that write':<30}{predicted.commits:>18.2f}{measured.commits:>10.2f}")
    return max(map(abs, differences)) <= GOAL_DIFFERENCE
