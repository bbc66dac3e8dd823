"""MLflow and Arize Phoenix on the same runs: each in its own environment, with SQLite, fed by OTLP as both are meant to be."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, sleep, time_ns
from typing import Any, NamedTuple

import psutil
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from bench.load_client import LoadClient
from tests.hub import free_port

PACKAGES = ("mlflow", "arize-phoenix")
PEER_RUNS = 20  # they are slow, and the rate does not depend on the number
OPENED = 10
START_SECONDS = 180
POLL_SECONDS = 0.002
MB = 1_000_000


class TraceFigures(NamedTuple):
    """What one tool took for the runs. CPU times are of its server."""

    runs_per_second: float
    cpu_ms_per_run: float
    open_cpu_ms: float
    memory_mb: float


class Peer(NamedTuple):
    """How to start a tool, send it a run, and read the run again."""

    command: Callable[[Path, int], list[str]]
    headers: dict[str, str]
    read: Callable[[LoadClient, str], bool]  # whether the run of this trace id can be read


def is_in_mlflow(http: LoadClient, trace_id: str) -> bool:
    return http.get(f"/api/3.0/mlflow/traces/get?trace_id=tr-{trace_id}").status == 200


def is_in_phoenix(http: LoadClient, trace_id: str) -> bool:
    return trace_id.encode() in http.get(f"/v1/projects/default/spans?trace_id={trace_id}&limit=100").body


PEERS = {
    "MLflow": Peer(
        lambda folder, port: [
            *(str(folder / "bin/mlflow"), "server", "--workers", "1", "--port", str(port)),
            *("--backend-store-uri", "sqlite:///mlflow.db"),
        ],
        {"x-mlflow-experiment-id": "0"},
        is_in_mlflow,
    ),
    "Phoenix": Peer(lambda folder, port: [str(folder / "bin/phoenix"), "serve"], {}, is_in_phoenix),
}


def install_peers() -> Path | None:
    """An environment with both tools, None without a network. It is a gigabyte, so it stays in the folder for temporary files."""
    folder = Path(tempfile.gettempdir()) / "viva-trace-peers"
    uv, python = str(Path(sys.executable).parent / "uv"), str(folder / "bin/python")
    subprocess.run([uv, "venv", "-q", "--allow-existing", str(folder)], check=True)
    installed = subprocess.run([uv, "pip", "install", "-q", "--python", python, *PACKAGES])
    return None if installed.returncode else folder


def measure_peer(peer: Peer, environment: Path, runs: list[bytes]) -> TraceFigures:
    bodies = [make_export(json.loads(run)) for run in runs[:PEER_RUNS]]
    with tempfile.TemporaryDirectory() as folder, serve_peer(peer, environment, folder) as (http, server):
        first = make_export(json.loads(runs[0]))
        send_and_read(peer, http, *first)  # what is loaded only once does not count
        started, cpu = perf_counter(), cpu_of_tree(server)
        for trace_id, body in bodies:
            send_and_read(peer, http, trace_id, body)
        seconds, used = perf_counter() - started, cpu_of_tree(server) - cpu
        cpu = cpu_of_tree(server)
        for _ in range(OPENED):
            assert peer.read(http, bodies[-1][0])
        opening = (cpu_of_tree(server) - cpu) / OPENED
        memory = sum(process.memory_info().rss for process in [server, *server.children(recursive=True)]) / MB
    return TraceFigures(len(bodies) / seconds, used / len(bodies) * 1000, opening * 1000, memory)


@contextlib.contextmanager
def serve_peer(peer: Peer, environment: Path, folder: str) -> Iterator[tuple[LoadClient, psutil.Process]]:
    port = free_port()
    settings = {"PHOENIX_WORKING_DIR": folder, "PHOENIX_PORT": str(port), "PHOENIX_GRPC_PORT": str(free_port())}
    server = psutil.Popen(
        peer.command(environment, port),
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_up(port)
        with LoadClient(port, peer.headers) as http:
            yield http, server
    finally:
        for process in [*server.children(recursive=True), server]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        server.wait()


def wait_until_up(port: int) -> None:
    until = perf_counter() + START_SECONDS
    while perf_counter() < until:
        with contextlib.suppress(OSError), LoadClient(port) as http:
            http.get("/health")
            return
        sleep(0.2)
    raise TimeoutError(f"The server on port {port} did not start.")


def send_and_read(peer: Peer, http: LoadClient, trace_id: str, body: bytes) -> None:
    assert http.post("/v1/traces", body, "application/x-protobuf").status == 200
    while not peer.read(http, trace_id):
        sleep(POLL_SECONDS)


def make_export(run: dict[str, Any]) -> tuple[str, bytes]:
    """The run as spans: one for the run, one for each interaction and call, with their texts. Its trace id comes first."""
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    trace_id, start = os.urandom(16), time_ns()

    def add(name: str, parent: bytes, **attributes: object) -> bytes:
        span = spans.add(trace_id=trace_id, span_id=os.urandom(8), parent_span_id=parent, name=name, kind=1)
        span.start_time_unix_nano, span.end_time_unix_nano = start, start + 1_000_000
        for key, value in attributes.items():
            span.attributes.add(key=key.replace("__", ".")).value.string_value = json.dumps(value)
        return bytes(span.span_id)

    root = add("run", b"")
    for turn in run["turns"]:
        for act in turn["agent_interactions"]:
            asked, said = turn["user_message"], act.get("agent_response")
            parent = add(f"invoke_agent {act['agent_id']}", root, input__value=asked, output__value=said)
            for step in act.get("agent_steps", []):
                if call := step.get("tool_call"):
                    add(call["tool_name"], parent, input__value=call["parameters"], output__value=call.get("result"))
    return trace_id.hex(), request.SerializeToString()


def cpu_of_tree(server: psutil.Process) -> float:
    """The CPU time of a server and of the processes it has started, in seconds."""
    times = [process.cpu_times() for process in [server, *server.children(recursive=True)]]
    return float(sum(time.user + time.system for time in times))
