"""Traces analysed a second, on one core and on two, beside two libraries that do a part of it; memory over many."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import msgspec
import psutil

from bench.traces import made, mixed
from viva.engine.analyze import analyze
from viva.engine.bulk import AnalysisOptions, analyze_files
from viva.engine.intake.files import RawTrace, parse

SAMPLE = 1_200
SIZES = (1_000, 10_000, 100_000)
PEERS = ("agentevals==0.0.9", "deepeval==4.3.1")
MB = 1_000_000


def run() -> None:
    raws = mixed(SAMPLE)
    print(f"  {len(raws)} traces, {sum(map(len, raws)) / len(raws) / 1000:.1f} kB each on average")
    warm_up(raws)
    decoding = rate(raws, msgspec.json.decode)
    static = rate(raws, lambda raw: analysed(raw, False))
    default = rate(raws, lambda raw: analysed(raw, True))
    print(
        f"  static tier, one core      {static:>8.0f}/s   goal 400/s; plain JSON decoding is {static / decoding:.1%} of it"
    )
    print(f"  sentence model, one core   {default:>8.0f}/s   goal  60/s")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "traces.jsonl"
        file.write_bytes(b"\n".join(raws))
        one, two = (in_processes(file, jobs) for jobs in (1, 2))
        print(f"  from a file, 1 and 2 jobs  {one:>8.0f}/s {two:.0f}/s = {two / one:.2f} ×   goal 1.8 ×")
        for name, speed in peers(Path(folder), file):
            print(f"  {name:<27}{speed:>8.0f}/s   (another library, one part of the job)")
        memory(Path(folder))


def warm_up(raws: list[bytes]) -> None:
    for raw in raws[:: len(raws) // 20]:
        analysed(raw, True)
        analysed(raw, False)


def analysed(raw: bytes, sentence_model: bool) -> bytes:
    """From JSON to JSON."""
    return msgspec.json.encode(analyze(parse(RawTrace("", "trace", raw)), sentence_model=sentence_model))


def rate(raws: list[bytes], work: Callable[[bytes], object]) -> float:
    began = perf_counter()
    for raw in raws:
        work(raw)
    return len(raws) / (perf_counter() - began)


def in_processes(file: Path, jobs: int) -> float:
    began = perf_counter()
    count = sum(1 for _ in analyze_files([file], jobs, AnalysisOptions()))
    return count / (perf_counter() - began)


def peers(folder: Path, file: Path) -> list[tuple[str, float]]:
    """What the other libraries reach, each in an environment of their own."""
    uv = str(Path(sys.executable).parent / "uv")
    python = str(folder / "peers/bin/python")
    subprocess.run([uv, "venv", "-q", str(folder / "peers")], check=True)
    subprocess.run([uv, "pip", "install", "-q", "--python", python, *PEERS], check=True)
    command = [python, str(Path(__file__).with_name("peers.py")), str(file)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    pairs = [line.split() for line in told.splitlines() if line.startswith(("trajectory_match", "tool_correctness"))]
    return [(name, float(speed)) for name, speed in pairs]


def memory(folder: Path) -> None:
    """The most memory of `viva analyze` and its processes, over few traces and over many."""
    peaks = []
    for count in SIZES:
        file = folder / f"{count}.jsonl"
        with file.open("wb") as out:
            for n in range(count):
                out.write(made(n, turns=1) + b"\n")
        peaks.append(peak_memory([sys.executable, "-m", "viva", "analyze", str(file), "-o", str(folder / "out.jsonl")]))
    told = ", ".join(f"{count:,}: {peak:.0f} MB" for count, peak in zip(SIZES, peaks, strict=True))
    print(f"  memory by traces           {told}   goal: the same once the caches are full")


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
    """What a process and its children hold for themselves, in bytes."""
    total = 0.0
    for one in [process, *process.children(recursive=True)]:
        try:
            total += one.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return total
