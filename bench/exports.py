"""Results exported per second and the memory used, beside one SELECT of all rows written with the csv module.

BENCH_RESULTS is the number of results, 100,000 by default."""

import contextlib
import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from bench.filling import fill_database
from bench.jobs import new_database, postgres
from viva.exams.shown_rows import ShownRows
from viva.exporting import EXPORT_BATCH_ROWS, write
from viva.kit.clock import now
from viva.kit.db import Database
from viva.kit.opening import open_database
from viva.results.export import EXPORT_COLUMN_NAMES, SELECT_RESULTS, ResultReader
from viva.results.export_formats import EXPORT_FORMATS, FormatName

RESULTS = int(os.environ.get("BENCH_RESULTS", "100000"))
AGENTS = min(10_000, RESULTS)
EVALUATION = "plain-dealing"
ROUNDS = 3  # the variants alternate, and the best round counts
MB = 1_000_000
PLAIN = "plain SELECT and csv"


class Cost(NamedTuple):
    """The cost of one export: seconds, megabytes of memory above the idle program, and megabytes of the file."""

    seconds: float
    memory: float
    size: float


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as address:
        places = {"SQLite": f"sqlite:///{folder}/viva.db", "PostgreSQL": new_database(address, "exports")}
        for where, url in places.items():
            fill_database(url, RESULTS, AGENTS).database.close()
            variants = [PLAIN, *EXPORT_FORMATS]
            rounds = [[measure(url, variant, f"{folder}/out") for variant in variants] for _ in range(ROUNDS)]
            costs = {variant: min(found) for variant, found in zip(variants, zip(*rounds, strict=True), strict=True)}
            for variant, cost in costs.items():
                print_cost(where, variant, cost, costs[PLAIN])


def print_cost(where: str, variant: str, cost: Cost, plain: Cost) -> None:
    print(
        f"  {where:<11}{variant:<21}{RESULTS / cost.seconds:>9,.0f} results/s = {plain.seconds / cost.seconds:.2f} of plain"
        f"{cost.memory:>8.0f} MB memory = {cost.memory / plain.memory:.2f}{cost.size:>8.1f} MB file",
        flush=True,
    )


def measure(url: str, variant: str, out: str) -> Cost:
    """Export in a new process, whose memory nothing else has used."""
    command = [sys.executable, "-m", "bench.exports", url, variant, out]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Cost(*map(float, output.split()))


def export(url: str, variant: str, out: Path) -> Cost:
    with contextlib.closing(open_database(url)) as database:
        idle_memory, started = memory("VmRSS"), perf_counter()
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak of the start
        export_plain(database, out) if variant == PLAIN else export_with_viva(database, variant, out)
        return Cost(perf_counter() - started, memory("VmHWM") - idle_memory, out.stat().st_size / MB)


def export_with_viva(database: Database, format_: str, out: Path) -> None:
    formats: dict[str, FormatName] = {name: name for name in EXPORT_FORMATS}
    on_read: Callable[[int], None] = lambda rows: None  # noqa: E731
    with out.open("wb") as file:
        write(
            database,
            ResultReader(EVALUATION, None, now(), ShownRows(b"secret", None).show, EXPORT_BATCH_ROWS),
            formats[format_],
            file,
            on_read,
        )


def export_plain(database: Database, out: Path) -> None:
    """Export without escaped cells, batches or order."""
    rows = database.read_now(
        lambda db: db.execute(SELECT_RESULTS, {"evaluation_id": EVALUATION, "until": now()}).fetchall()
    )
    with out.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(EXPORT_COLUMN_NAMES)
        writer.writerows(rows)


def memory(field: str) -> float:
    """The memory of this process in MB, as Linux reports it: now (VmRSS) or at its peak (VmHWM)."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status[field].split()[0]) * 1024 / MB


if __name__ == "__main__":
    print(*export(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
