"""A discrete-event simulation: callers, server processes that do one thing at a time, cores, and commits that wait for each other.

Arithmetic says at which rate something is saturated. The simulation says how long requests wait before that."""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bench.cost_model import Cost

SIMULATED_REQUESTS = 20_000
WARM_SHARE = 0.25  # of the requests, which come before the queues have their usual length


class Station:
    """Something that `size` requests can have at once. Others wait in order."""

    def __init__(self, size: int) -> None:
        self.free = size
        self.waiting: deque[Iterator[Step]] = deque()


class Step(NamedTuple):
    """What a request does next: take a station, give it back, or let time pass."""

    station: Station | None = None
    is_taken: bool = True
    seconds: float = 0.0


class SimulatedHall(NamedTuple):
    """Where requests wait. With `shared_cores`, servers, database and one sender have these cores together."""

    processes: int
    database_cores: int
    shared_cores: int | None = None
    commit_seconds: float = 0.0  # of a transaction that appends to the chain


class SimulatedLoad(NamedTuple):
    rate: float  # requests a second
    mean_seconds: float  # of a request
    slow_seconds: float  # which 99 % do not exceed


class Simulation:
    """Runs the steps of all callers in the order of their times."""

    def __init__(self) -> None:
        self.now = 0.0
        self._number = 0
        self._events: list[tuple[float, int, Iterator[Step]]] = []

    def go_on(self, caller: Iterator[Step]) -> None:
        """Take the caller's next steps until one of them takes time or has to wait."""
        for station, is_taken, seconds in caller:
            if station is None:
                self._number += 1
                heapq.heappush(self._events, (self.now + seconds, self._number, caller))
                return
            if is_taken and not station.free:
                station.waiting.append(caller)
                return
            if is_taken:
                station.free -= 1
            elif station.waiting:
                self._number += 1
                heapq.heappush(self._events, (self.now, self._number, station.waiting.popleft()))
            else:
                station.free += 1

    def advance(self) -> None:
        self.now, _, caller = heapq.heappop(self._events)
        self.go_on(caller)


def simulate(
    cost: Cost, hall: SimulatedHall, callers: int, thinking: float = 0.0, requests: int = SIMULATED_REQUESTS
) -> SimulatedLoad:
    """Callers that send one request after the other, and think in between."""
    chance = random.Random(41)
    simulation = Simulation()
    ended: list[tuple[float, float]] = []  # when a request ended, and its seconds
    cores = Station(hall.shared_cores) if hall.shared_cores else None
    database = cores or Station(hall.database_cores)
    sender = Station(1)
    servers = [Station(1) for _ in range(hall.processes)]
    chain = Station(1)

    def use(stations: Sequence[Station], mean: float) -> Iterator[Step]:
        """Have all these stations for a random time."""
        for station in stations:
            yield Step(station)
        yield Step(seconds=chance.expovariate(1 / mean) if mean > 0 else 0.0)
        for station in stations:
            yield Step(station, is_taken=False)

    def call(number: int) -> Iterator[Step]:
        while True:
            yield Step(seconds=chance.expovariate(1 / thinking) if thinking else 0.0)
            began = simulation.now
            if cores:
                yield from use([sender, cores], cost.client)
            yield from use([servers[number % len(servers)], *([cores] if cores else [])], cost.server)
            yield from use([database], cost.database)
            if chance.random() < cost.chained:
                yield from use([chain], hall.commit_seconds)
            ended.append((simulation.now, simulation.now - began))

    for number in range(callers):
        simulation.go_on(call(number))
    count = max(requests, 2 * callers)
    while len(ended) < count:
        simulation.advance()
    (since, _), *counted = ended[int(count * WARM_SHARE) :]
    seconds = sorted(seconds for _, seconds in counted)
    return SimulatedLoad(
        len(counted) / (simulation.now - since),
        sum(seconds) / len(seconds),
        seconds[int(len(seconds) * 0.99)],
    )
