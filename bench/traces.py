"""Recorded runs in a hub: one run per POST until it can be read, opening a run, analyses, and memory."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, sleep
from typing import NamedTuple

import psutil

from bench.sample_traces import EXECUTOR, make_trace
from tests.hub import AgentClient, Hub

RUNS = 300
OPENED = 20
LARGE_TURNS, LARGE_AGENTS = 2_000, 50
MB = 1_000_000


class TraceFigures(NamedTuple):
    """What one tool took for the same runs. CPU times are of its server."""

    runs_per_second: float
    cpu_ms_per_run: float
    open_cpu_ms: float
    memory_mb: float


def run() -> None:
    print(f"  {'':<10}{'runs/s until readable':>24}{'CPU of a run':>16}{'opening a run':>16}{'memory':>12}")
    ours: TraceFigures | None = None
    for name, measure in TOOLS.items():
        figures = measure([make_trace(number) for number in range(RUNS)])
        ours = ours or figures
        ratio = f"   Viva takes in {ours.runs_per_second / figures.runs_per_second:.0f} x" if figures != ours else ""
        print(
            f"  {name:<10}{figures.runs_per_second:>22,.0f}/s{figures.cpu_ms_per_run:>13.2f} ms"
            f"{figures.open_cpu_ms:>13.2f} ms{figures.memory_mb:>9.0f} MB{ratio}"
        )
    measure_large_run()
    measure_analyses()


def measure_viva(runs: list[bytes]) -> TraceFigures:
    with tempfile.TemporaryDirectory() as folder, hub_in(folder, "1") as hub:
        caller = hub.agent("ada")
        server = psutil.Process(hub.process.pid)
        started, cpu = perf_counter(), cpu_seconds(server)
        for each in runs:
            trace_id = post(caller, each)
            assert caller.get(f"/traces/{trace_id}").status_code == 200
        seconds, used = perf_counter() - started, cpu_seconds(server) - cpu
        cpu = cpu_seconds(server)
        for _ in range(OPENED):
            caller.get(f"/traces/{trace_id}")
        opening = (cpu_seconds(server) - cpu) / OPENED
        memory = server.memory_info().rss / MB
    return TraceFigures(len(runs) / seconds, used / len(runs) * 1000, opening * 1000, memory)


# Each takes the same runs as JSON in our own format. Other tools are added here.
TOOLS: dict[str, Callable[[list[bytes]], TraceFigures]] = {"Viva": measure_viva}


def measure_large_run() -> None:
    """A run that is larger than any that people record: 2,000 turns of 50 agents."""
    agents = [{**EXECUTOR, "id": f"agent-{number}"} for number in range(LARGE_AGENTS)]
    run = json.loads(make_trace(0, LARGE_TURNS))
    for number, turn in enumerate(run["turns"]):
        for place, act in enumerate(turn["agent_interactions"]):
            act["agent_id"] = agents[(number + place) % LARGE_AGENTS]["id"]
    with tempfile.TemporaryDirectory() as folder, hub_in(folder, "1") as hub:
        caller = hub.agent("ada")
        trace_id = post(caller, json.dumps(run | {"agents": agents}).encode())
        server = psutil.Process(hub.process.pid)
        cpu = cpu_seconds(server)
        for _ in range(OPENED):
            caller.get(f"/traces/{trace_id}")
        print(
            f"  a run of {LARGE_TURNS:,} turns opens in{(cpu_seconds(server) - cpu) / OPENED * 1000:>10.0f} ms of CPU"
        )


def measure_analyses() -> None:
    """JSON lines until every run is analysed, beside requests."""
    with tempfile.TemporaryDirectory() as folder, hub_in(folder) as hub:
        caller = hub.agent("ada")
        lines = b"\n".join(make_trace(number) for number in range(RUNS))
        started = perf_counter()
        answer = caller.http.post("/traces", content=lines, headers={"Content-Type": "application/x-ndjson"})
        assert answer.status_code == 202, answer.text
        stored, worst = perf_counter() - started, 0.0
        while any(trace["overall_score"] is None for trace in scores_of(caller)):
            asked = perf_counter()
            hub.client.get("/healthz")
            worst = max(worst, perf_counter() - asked)
            sleep(0.05)
        seconds = perf_counter() - started
        processes = psutil.Process(hub.process.pid).children(recursive=True)
        memory = sum(process.memory_info().rss for process in processes) / MB
    print(f"  {RUNS} runs as JSON lines stored in{stored:>8.2f} s, analysed at{RUNS / seconds:>8.0f}/s by one process")
    print(f"  /healthz meanwhile, worst{worst * 1000:>20.0f} ms  goal 250 ms; memory of the engine{memory:>8.0f} MB")


def scores_of(caller: AgentClient) -> list[dict[str, float | None]]:
    """The runs with the lowest scores; those without any come first."""
    found: list[dict[str, float | None]] = caller.get("/traces", params={"sort": "overall_score", "limit": 1}).json()[
        "traces"
    ]
    return found


def post(caller: AgentClient, run: bytes) -> str:
    answer = caller.http.post("/traces", content=run, headers={"Content-Type": "application/json"})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["traces"][0]["id"])


def hub_in(folder: str, no_worker: str = "") -> Hub:
    return Hub(f"sqlite:///{folder}/viva.db", Path(folder), VIVA_NO_WORKER=no_worker)


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
