"""Traces analysed per second on one and two cores, beside two libraries that do part of the work; memory for many traces."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import msgspec
import psutil

from bench.sample_traces import load_traces, make_trace
from viva.engine.analyze import analyze
from viva.engine.bulk import AnalysisOptions, analyze_files
from viva.engine.intake.files import RawTrace, parse

SAMPLE_TRACES = 1_200
MEMORY_TRACES = (1_000, 10_000, 100_000)
PEERS = ("agentevals==0.0.9", "deepeval==4.3.1")
MB = 1_000_000


def run() -> None:
    raws = load_traces(SAMPLE_TRACES)
    print(f"  {len(raws)} traces, {sum(map(len, raws)) / len(raws) / 1000:.1f} kB each on average")
    warm_up(raws)
    decoding = rate(raws, msgspec.json.decode)
    static = rate(raws, lambda raw: analyse_raw(raw, False))
    default = rate(raws, lambda raw: analyse_raw(raw, True))
    print(
        f"  static tier, one core      {static:>8.0f}/s   goal 400/s; JSON decoding takes {static / decoding:.1%} of the time"
    )
    print(f"  sentence model, one core   {default:>8.0f}/s   goal  60/s")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "traces.jsonl"
        file.write_bytes(b"\n".join(raws))
        one, two = (rate_with_jobs(file, jobs) for jobs in (1, 2))
        print(f"  from a file, 1 and 2 jobs  {one:>8.0f}/s {two:.0f}/s = {two / one:.2f} ×   goal 1.8 ×")
        for name, speed in peer_rates(Path(folder), file):
            print(f"  {name:<27}{speed:>8.0f}/s   (another library, part of the work)")
        print_memory(Path(folder))


def warm_up(raws: list[bytes]) -> None:
    for raw in raws[:: len(raws) // 20]:
        analyse_raw(raw, True)
        analyse_raw(raw, False)


def analyse_raw(raw: bytes, sentence_model: bool) -> bytes:
    """From JSON to JSON."""
    return msgspec.json.encode(analyze(parse(RawTrace("", "trace", raw)), sentence_model=sentence_model))


def rate(raws: list[bytes], work: Callable[[bytes], object]) -> float:
    started = perf_counter()
    for raw in raws:
        work(raw)
    return len(raws) / (perf_counter() - started)


def rate_with_jobs(file: Path, jobs: int) -> float:
    started = perf_counter()
    count = sum(1 for _ in analyze_files([file], jobs, AnalysisOptions()))
    return count / (perf_counter() - started)


def peer_rates(folder: Path, file: Path) -> list[tuple[str, float]]:
    """The rates of the other libraries, in an environment of their own."""
    uv = str(Path(sys.executable).parent / "uv")
    python = str(folder / "peers/bin/python")
    subprocess.run([uv, "venv", "-q", str(folder / "peers")], check=True)
    subprocess.run([uv, "pip", "install", "-q", "--python", python, *PEERS], check=True)
    command = [python, str(Path(__file__).with_name("peers.py")), str(file)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    pairs = [line.split() for line in output.splitlines() if line.startswith(("trajectory_match", "tool_correctness"))]
    return [(name, float(speed)) for name, speed in pairs]


def print_memory(folder: Path) -> None:
    """Print the peak memory of `viva analyze` and its processes, for few and for many traces."""
    peaks = []
    for count in MEMORY_TRACES:
        file = folder / f"{count}.jsonl"
        with file.open("wb") as out:
            for n in range(count):
                out.write(make_trace(n, turns=1) + b"\n")
        peaks.append(peak_memory([sys.executable, "-m", "viva", "analyze", str(file), "-o", str(folder / "out.jsonl")]))
    figures = ", ".join(f"{count:,}: {peak:.0f} MB" for count, peak in zip(MEMORY_TRACES, peaks, strict=True))
    print(f"  memory by traces           {figures}   goal: constant once the caches are full")


def peak_memory(command: list[str]) -> float:
    process = psutil.Popen(command, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    peak = 0.0
    while True:
        try:
            process.wait(timeout=0.2)
            return peak / MB
        except psutil.TimeoutExpired:
            peak = max(peak, memory_of(process))


def memory_of(process: psutil.Process) -> float:
    """The proportional set size of a process and its children, in bytes."""
    total = 0.0
    for member in [process, *process.children(recursive=True)]:
        try:
            total += member.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return total
