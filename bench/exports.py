"""Results exported a second and the memory it takes, beside one SELECT of all rows written with the csv module.

BENCH_RESULTS says how many there are, 100,000 where it is not given."""

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

from bench.filling import filled
from bench.jobs import new_database, postgres
from viva.exporting import EXPORT_BATCH_ROWS, write
from viva.kit.clock import now
from viva.kit.db import Database
from viva.kit.opening import open_database
from viva.results.export import EXPORT_COLUMN_NAMES, SELECT_RESULTS, ResultReader
from viva.results.export_formats import EXPORT_FORMATS, FormatName

COUNT = int(os.environ.get("BENCH_RESULTS", "100000"))
AGENTS = min(10_000, COUNT)
EVALUATION = "plain-dealing"
ROUNDS = 3  # by turns, of which the best counts
MB = 1_000_000
PLAIN = "plain SELECT_RESULTS and csv"


class Cost(NamedTuple):
    """What one export cost: seconds, megabytes of memory beyond those of the program at rest, and of the file."""

    seconds: float
    memory: float
    size: float


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as address:
        places = {"SQLite": f"sqlite:///{folder}/viva.db", "PostgreSQL": new_database(address, "exports")}
        for where, url in places.items():
            filled(url, COUNT, AGENTS).database.close()
            whats = [PLAIN, *EXPORT_FORMATS]
            turns = [[measured(url, what, f"{folder}/out") for what in whats] for _ in range(ROUNDS)]
            costs = {what: min(found) for what, found in zip(whats, zip(*turns, strict=True), strict=True)}
            for what, cost in costs.items():
                tell(where, what, cost, costs[PLAIN])


def tell(where: str, what: str, cost: Cost, plain: Cost) -> None:
    print(
        f"  {where:<11}{what:<21}{COUNT / cost.seconds:>9,.0f} results/s = {plain.seconds / cost.seconds:.2f} of plain"
        f"{cost.memory:>8.0f} MB memory = {cost.memory / plain.memory:.2f}{cost.size:>8.1f} MB file",
        flush=True,
    )


def measured(url: str, what: str, out: str) -> Cost:
    """In a process of its own, whose memory nothing else has used."""
    command = [sys.executable, "-m", "bench.exports", url, what, out]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Cost(*map(float, told.split()))


def export(url: str, what: str, out: Path) -> Cost:
    with contextlib.closing(open_database(url)) as database:
        at_rest, began = memory("VmRSS"), perf_counter()
        Path("/proc/self/clear_refs").write_text("5")  # forgets the peak of starting
        plainly(database, out) if what == PLAIN else ours(database, what, out)
        return Cost(perf_counter() - began, memory("VmHWM") - at_rest, out.stat().st_size / MB)


def ours(database: Database, format_: str, out: Path) -> None:
    known: dict[str, FormatName] = {name: name for name in EXPORT_FORMATS}
    nothing: Callable[[int], None] = lambda rows: None  # noqa: E731
    with out.open("wb") as file:
        write(database, ResultReader(EVALUATION, None, now(), EXPORT_BATCH_ROWS), known[format_], file, nothing)


def plainly(database: Database, out: Path) -> None:
    """No guarding of cells, no batches, no order."""
    rows = database.read_now(
        lambda db: db.execute(SELECT_RESULTS, {"evaluation_id": EVALUATION, "until": now()}).fetchall()
    )
    with out.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(EXPORT_COLUMN_NAMES)
        writer.writerows(rows)


def memory(what: str) -> float:
    """What this process has now (VmRSS) or had at most (VmHWM), as Linux tells it."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status[what].split()[0]) * 1024 / MB


if __name__ == "__main__":
    print(*export(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
