"""What each operation costs, how well these costs predict two mixes, and what saturates first. About five minutes.

BENCH_CANDIDATES is how many candidates do each operation in each of two rounds, 160 by default.

The model is a sum: a mix costs what its requests cost one kind at a time. Only posts are measured twice, crowded and alone, because those that
wait together share a transaction. Each kind is measured before and after the mixes, with 16 callers, once every connection has prepared its statements. The hub has no worker meanwhile. A worker is measured by itself."""

import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import operations
from bench.cost_model import Cost, add_costs, mean_cost, print_prediction
from bench.hall import postgres_hub
from bench.metering import CALLERS, Call, Meter, make_steady
from bench.round_trips import CountingProxy, counting_proxy
from bench.saturation import (
    measure_capacities,
    print_crowds,
    print_saturation,
    read_busy_times,
    slowdown_by_others,
)
from bench.simulation import SimulatedHall, simulate
from bench.soak.running import sync_exams
from bench.streams import measure_delivery
from bench.working import jobs_of_worker, running_worker
from tests.flows.outages import own_server
from tests.hub import Hub

CANDIDATES = int(os.environ.get("BENCH_CANDIDATES", "160"))
SHEETS = max(16, CANDIDATES // 2)
TRACES = max(32, CANDIDATES)
TRIP_CANDIDATES = 12  # one request after the other, and the first prepare their statements
SETTINGS = {"VIVA_NO_WORKER": "1", "VIVA_PROCTORS": "anyone"}
GOAL_SIMULATION = 0.20
DELIVERY, SESSION_ANALYSIS, TRACE_ANALYSIS = "deliver to a stream", "analyse a session", "analyse a trace"


class CostTable:
    """The costs of operations, each measured once or more."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._rounds: dict[str, list[Cost]] = {}

    def measure(self, calls: Sequence[Call], callers: int = CALLERS) -> list[Any]:
        """Send calls of one operation, note what one of them costs, and return the answers."""
        cost, answers = self._meter.cost_of(calls, callers)
        self.note(calls[0].operation, cost)
        return answers

    def measure_alone(self, calls: Sequence[Call]) -> list[Any]:
        return self.measure(calls, callers=1)

    def note(self, operation: str, cost: Cost) -> None:
        self._rounds.setdefault(operation, []).append(cost)

    @property
    def costs(self) -> dict[str, Cost]:
        return {operation: mean_cost(rounds) for operation, rounds in self._rounds.items()}


def run() -> None:
    is_good = True
    trips = measure_round_trips()
    with postgres_hub(1, **SETTINGS) as hub:
        meter = prepare(hub)
        table = CostTable(meter)
        measure_requests(table, meter)
        mixes = {name: meter.cost_of_runs(mix(meter.send_all, CANDIDATES)) for name, mix in operations.MIXES.items()}
        measure_requests(table, meter)
        measure_work(table, meter)
        table.note(DELIVERY, asyncio.run(measure_delivery(meter)))
        print_costs(table.costs, trips)
        print("\n  a request of two mixes on which nothing was fitted:")
        for name, (measured, counts) in mixes.items():
            is_good &= print_prediction(name, add_costs(table.costs, counts), measured)
        capacities = measure_capacities(hub.database_url)
        is_good &= check_simulation(table.costs, meter, 1)
    with postgres_hub(2, **SETTINGS) as hub:
        is_good &= check_simulation(table.costs, prepare(hub), 2)
    print_saturation(table.costs, table.costs[SESSION_ANALYSIS], capacities)
    print_crowds(table.costs, table.costs[SESSION_ANALYSIS], capacities)
    print(f"\n  {'every goal is reached' if is_good else 'MISSED: see above'}", flush=True)


def prepare(hub: Hub) -> Meter:
    """Sync the exams, and let every code path and every connection run until it is warm."""
    make_steady(hub.database_url)
    sync_exams(hub, hub.folder / "sips")
    meter = Meter(hub)
    warm_up(meter)
    meter.db.execute("ANALYZE")  # plans are made again after it, so it comes before the second round
    warm_up(meter)
    return meter


def warm_up(meter: Meter) -> None:
    send = meter.send_all
    operations.hold_exams(send, operations.begin_exams(send, CANDIDATES // 2))
    operations.answer_quizzes(send, send, CANDIDATES // 2)
    operations.read_pages(send, CANDIDATES)


def measure_requests(table: CostTable, meter: Meter) -> None:
    operations.hold_exams(table.measure, operations.begin_exams(table.measure, CANDIDATES))
    operations.post_alone(table.measure_alone, meter.send_all, CANDIDATES)
    operations.answer_quizzes(table.measure, meter.send_all, CANDIDATES)
    operations.read_pages(table.measure, 2 * CANDIDATES)


def measure_work(table: CostTable, meter: Meter) -> None:
    """What a worker does, and requests that need its work before or after them."""
    send = meter.send_all
    table.note(SESSION_ANALYSIS, jobs_of_worker(meter, CANDIDATES // 2))
    operations.mark_texts(send, send, give_to_markers(meter, operations.hand_in_texts(send, send, SHEETS)))
    registrations = operations.hand_in_texts(table.measure, send, SHEETS)
    operations.mark_texts(table.measure, send, give_to_markers(meter, registrations))
    (owner,) = operations.make_agents(send, 1)
    send([operations.upload_trace(owner, number) for number in range(TRACES)])
    table.measure([operations.upload_trace(owner, TRACES + number) for number in range(TRACES)])
    table.note(TRACE_ANALYSIS, jobs_of_worker(meter, TRACES))


def give_to_markers(meter: Meter, registrations: list[str]) -> list[str]:
    """Let a worker find that there is no judge, so that the sheets wait for proctors."""
    with running_worker(meter.hub) as worker:
        worker.wait_until_none_is_left(meter, "mark_sheet")
    return registrations


def measure_round_trips() -> dict[str, float]:
    """How often one request waits for the database, sent alone."""
    trips: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name, own_server() as server:
        folder = Path(name)
        with counting_proxy(server.get_uri()) as (proxy, url), Hub(url, folder, 1, **SETTINGS) as hub:
            sync_exams(hub, folder / "sips")
            count_trips(Meter(hub), proxy, trips)
    return trips


def count_trips(meter: Meter, proxy: CountingProxy, trips: dict[str, float]) -> None:
    def alone(calls: Sequence[Call]) -> list[Any]:
        return meter.send_all(calls, callers=1)

    def counted(calls: Sequence[Call]) -> list[Any]:
        before = proxy.round_trips
        answers = alone(calls)
        trips[calls[0].operation] = (proxy.round_trips - before) / len(calls)
        return answers

    for send in (alone, counted):
        operations.hold_exams(send, operations.begin_exams(send, TRIP_CANDIDATES))
        operations.answer_quizzes(send, alone, TRIP_CANDIDATES)
        operations.read_pages(send, TRIP_CANDIDATES)
        handed_in = operations.hand_in_texts(send, alone, TRIP_CANDIDATES)
        operations.mark_texts(send, alone, give_to_markers(meter, handed_in))
        (owner,) = operations.make_agents(alone, 1)
        send([operations.upload_trace(owner, number) for number in range(TRIP_CANDIDATES)])


def print_costs(costs: dict[str, Cost], trips: dict[str, float]) -> None:
    print(
        "  | operation | CPU of the hub, ms | CPU of the database, ms | WAL, bytes | request, bytes | answer, bytes"
        " | round trips | transactions that write | with events |"
    )
    print("  |---|---|---|---|---|---|---|---|---|")
    for operation, cost in costs.items():
        alone = f"{trips[operation]:.1f}" if operation in trips else ""
        print(
            f"  | {operation} | {cost.server * 1000:.2f} | {cost.database * 1000:.2f} | {cost.wal_bytes:,.0f}"
            f" | {cost.bytes_in:,.0f} | {cost.bytes_out:,.0f} | {alone} | {cost.commits:.1f} | {cost.chained:.1f} |",
            flush=True,
        )
    for operation in (SESSION_ANALYSIS, TRACE_ANALYSIS):
        print(f"  {operation}: {1 / costs[operation].server:,.0f} a second by a worker that has a core for itself")


def check_simulation(costs: dict[str, Cost], meter: Meter, processes: int) -> bool:
    """The simulation beside real processes: they, the database and who sends the requests share the cores."""
    runs = operations.whole_exams(meter.send_all, CANDIDATES)
    began = read_busy_times()
    counts = meter.send_runs(runs)
    ended = read_busy_times()
    mixed, total = add_costs(costs, counts), counts.total()
    slowdown = slowdown_by_others(began, ended, total * (mixed.server + mixed.database + mixed.client))
    cost = Cost(mixed.server * slowdown, mixed.database * slowdown, mixed.client * slowdown, 0, 0, 0, 0, 0)
    cores = os.cpu_count() or 1
    simulated = simulate(cost, SimulatedHall(processes, cores, shared_cores=cores), CALLERS)
    rate = total / (ended.at - began.at)
    difference = simulated.rate / rate - 1
    is_near = abs(difference) <= GOAL_SIMULATION
    print(
        f"\n  whole exams, {CALLERS} callers, server processes: {processes}, {cores} cores for all, of which other programs left"
        f" {1 / slowdown:.0%}: {rate:,.0f} requests a second, simulated {simulated.rate:,.0f} ({difference:+.0%})"
        f"   goal {GOAL_SIMULATION:.0%}{'' if is_near else '  MISSED'}",
        flush=True,
    )
    return is_near
