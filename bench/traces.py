"""Recorded runs in a hub: opening a large one, analyses, and beside two other tools one run per POST until it can be read.

BENCH_TRACES is the number of runs, 300 by default."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any

import httpx
import msgspec
import psutil

from bench.load_client import LoadClient
from bench.metering import NANOSECONDS, cpu_times_below
from bench.sample_traces import EXECUTOR, make_trace
from bench.trace_peers import PEERS, TraceFigures, install_peers, measure_peer
from tests.hub import AgentClient, Hub, until

RUNS = int(os.environ.get("BENCH_TRACES", "300"))
OPENED = 20
LARGE_TURNS, LARGE_AGENTS = 2_000, 50
GOAL_OPEN_MS = 300
MB = 1_000_000
GOAL_RATIOS = {"MLflow": 10, "Phoenix": 100}


def run() -> None:
    measure_large_run()
    measure_analyses()
    measure_beside_peers()


def measure_beside_peers() -> None:
    print(f"  {'':<10}{'runs/s until readable':>24}{'CPU of a run':>16}{'opening a run':>16}{'memory':>12}")
    runs = [make_trace(number) for number in range(RUNS)]
    ours = measure_viva(runs)
    print_figures("Viva", ours)
    environment = install_peers()
    if environment is None:
        print(f"  {' and '.join(PEERS)} cannot be installed here, so nothing is compared.")
        return
    for name, peer in PEERS.items():
        figures = measure_peer(peer, environment, runs)
        ratio = ours.runs_per_second / figures.runs_per_second
        missed = "  MISSED" if ratio < GOAL_RATIOS[name] else ""
        print_figures(name, figures, f"   Viva takes in {ratio:.0f} x   goal {GOAL_RATIOS[name]} x{missed}")


def print_figures(name: str, figures: TraceFigures, ratio: str = "") -> None:
    print(
        f"  {name:<10}{figures.runs_per_second:>22,.1f}/s{figures.cpu_ms_per_run:>13.2f} ms"
        f"{figures.open_cpu_ms:>13.2f} ms{figures.memory_mb:>9.0f} MB{ratio}",
        flush=True,
    )


def measure_viva(runs: list[bytes]) -> TraceFigures:
    with tempfile.TemporaryDirectory() as folder, hub_in(folder, "1") as hub:
        caller = hub.agent("ada")
        server = psutil.Process(hub.process.pid)
        with LoadClient(hub.port, {"Authorization": f"Bearer {caller.key}"}) as http:
            send_and_open(http, runs[0])  # what is loaded only once does not count
            started, cpu = perf_counter(), cpu_seconds(server)
            for each in runs:
                trace = send_and_open(http, each)
            seconds, used = perf_counter() - started, cpu_seconds(server) - cpu
            cpu = cpu_seconds(server)
            for _ in range(OPENED):
                http.get(trace)
        opening = (cpu_seconds(server) - cpu) / OPENED
        memory = server.memory_info().rss / MB
    return TraceFigures(len(runs) / seconds, used / len(runs) * 1000, opening * 1000, memory)


def send_and_open(http: LoadClient, run: bytes) -> str:
    """Upload a run and read it again. Returns its address."""
    answer = http.post("/api/v1/traces", run, "application/json")
    assert answer.status == 202, answer.body
    trace = f"/api/v1/traces/{msgspec.json.decode(answer.body)['traces'][0]['id']}"
    assert http.get(trace).status == 200
    return trace


def measure_large_run() -> None:
    """A run that is larger than any that people record, opened after its analysis: as a page and by the API."""
    with tempfile.TemporaryDirectory() as folder, hub_in(folder) as hub:
        caller = hub.agent("ada")
        small, taken = post(caller, make_trace(0)), upload(caller, make_large_run())
        trace, analysis = f"/traces/{taken['id']}", f"/analyses/{taken['analysis_id']}"
        started = perf_counter()
        until(lambda: caller.get(analysis).json()["status"] == "done")
        print(
            f"  {LARGE_TURNS:,} turns of {LARGE_AGENTS} agents are analysed in{perf_counter() - started:>8.1f} s",
            flush=True,
        )
        with httpx.Client(base_url=hub.url, timeout=60, verify=False) as browser:
            browser.post("/login", data={"key": str(caller.key)})
            browser.get(f"/traces/{small}")  # what every first page of a process needs is not this trace's
            print_opening("the page of the trace", hub, lambda: browser.get(trace))
        print_opening("the trace by the API", hub, lambda: caller.get(trace))
        print_opening("its analysis by the API", hub, lambda: caller.get(analysis))


def make_large_run() -> bytes:
    agents = [{**EXECUTOR, "id": f"agent-{number}"} for number in range(LARGE_AGENTS)]
    run = json.loads(make_trace(0, LARGE_TURNS))
    for number, turn in enumerate(run["turns"]):
        for place, act in enumerate(turn["agent_interactions"]):
            act["agent_id"] = agents[(number + place) % LARGE_AGENTS]["id"]
    return json.dumps(run | {"agents": agents}).encode()


def print_opening(what: str, hub: Hub, open_it: Callable[[], httpx.Response]) -> None:
    """CPU time of the server and time until the whole answer: at first, and the median of the next."""
    server, times = psutil.Process(hub.process.pid), []
    for _ in range(1 + OPENED):
        started, cpu = perf_counter(), cpu_seconds(server)
        answer = open_it()
        times.append(((cpu_seconds(server) - cpu) * 1000, (perf_counter() - started) * 1000))
        assert answer.status_code == 200, answer.status_code
    cpu_warm, wall_warm = (median(column) for column in zip(*times[1:], strict=True))
    missed = "  MISSED" if max(times[0][0], cpu_warm) > GOAL_OPEN_MS else ""
    print(
        f"  {what:<26}{len(answer.content) / 1000:>7,.0f} kB   at first{times[0][0]:>7.0f} ms of CPU in{times[0][1]:>7.0f} ms"
        f"   then{cpu_warm:>7.0f} ms in{wall_warm:>7.0f} ms   goal {GOAL_OPEN_MS} ms of CPU{missed}",
        flush=True,
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
    return str(upload(caller, run)["id"])


def upload(caller: AgentClient, run: bytes) -> dict[str, Any]:
    answer = caller.http.post("/traces", content=run, headers={"Content-Type": "application/json"})
    assert answer.status_code == 202, answer.text
    taken: dict[str, Any] = answer.json()["traces"][0]
    return taken


def hub_in(folder: str, no_worker: str = "") -> Hub:
    return Hub(f"sqlite:///{folder}/viva.db", Path(folder), VIVA_NO_WORKER=no_worker)


def cpu_seconds(process: psutil.Process) -> float:
    """Of the server's own process; the engine runs in one below it."""
    return sum(time for (pid, _), time in cpu_times_below(process.pid).items() if pid == process.pid) * NANOSECONDS
