"""A small discrete-event simulation: callers, API processes that each do one thing at a time, and the cores of a database."""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from bench.cost_model import Cost

SIMULATED_REQUESTS = 20_000


class Station:
    """Something that does `size` things at once. Others wait in order."""

    def __init__(self, size: int) -> None:
        self.free = size
        self.waiting: deque[Iterator[tuple[Station | None, float]]] = deque()


class SimulatedLoad(NamedTuple):
    rate: float  # requests a second
    mean_seconds: float  # of a request


class Simulation:
    """Each caller is an iterator of phases: a station, or None to think, and the seconds there."""

    def __init__(self) -> None:
        self.now = 0.0
        self._number = 0
        self._events: list[tuple[float, int, Iterator[tuple[Station | None, float]], Station | None]] = []
        self._wanted: dict[int, float] = {}

    def advance(self, caller: Iterator[tuple[Station | None, float]]) -> None:
        """Let the caller begin its next phase, or wait for it."""
        station, seconds = next(caller)
        if station is None:
            self._end_later(caller, None, seconds)
        elif station.free:
            station.free -= 1
            self._end_later(caller, station, seconds)
        else:
            self._wanted[id(caller)] = seconds
            station.waiting.append(caller)

    def step(self) -> None:
        self.now, _, caller, station = heapq.heappop(self._events)
        if station is not None:
            if station.waiting:
                following = station.waiting.popleft()
                self._end_later(following, station, self._wanted.pop(id(following)))
            else:
                station.free += 1
        self.advance(caller)

    def _end_later(
        self, caller: Iterator[tuple[Station | None, float]], station: Station | None, seconds: float
    ) -> None:
        self._number += 1
        heapq.heappush(self._events, (self.now + seconds, self._number, caller, station))


def simulate(
    cost: Cost,
    processes: int,
    database_cores: int,
    callers: int,
    thinking: float = 0.0,
    client: float = 0.0,
    shared_cores: int | None = None,
) -> SimulatedLoad:
    """Callers that send one request after the other. With `shared_cores`, all CPU comes from the same cores."""
    chance = random.Random(41)
    simulation, done = Simulation(), [0, 0.0]
    machine = Station(shared_cores) if shared_cores else None
    servers = [machine or Station(1) for _ in range(processes)]
    database, sender = machine or Station(database_cores), machine

    def call(number: int) -> Iterator[tuple[Station | None, float]]:
        while True:
            yield None, chance.expovariate(1 / thinking) if thinking else 0.0
            began = simulation.now
            if client:
                yield sender, chance.expovariate(1 / client)
            yield servers[number % processes], chance.expovariate(1 / cost.server)
            yield database, chance.expovariate(1 / max(cost.database, 1e-9))
            done[0] += 1
            done[1] += simulation.now - began

    for number in range(callers):
        simulation.advance(call(number))
    while done[0] < SIMULATED_REQUESTS:
        simulation.step()
    return SimulatedLoad(done[0] / simulation.now, done[1] / done[0])
