"""What others notice of an attack: the time of `GET /healthz` meanwhile, and the memory that the server takes."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.attacks import ON_POSTGRESQL, ON_SQLITE, Attack, Deed, Statuses, Target
from bench.filling import filled
from bench.jobs import new_database, postgres
from bench.probe import Report
from tests.hub import Hub

IDLE_SECONDS = 3
RESULTS, AGENTS = 5_000, 500
REQUEST_SECONDS = "5"  # shorter than the default, so that an attack of some seconds sees its end
WORST_MS, GROWTH_MIB = 250, 50  # the goals


def run() -> None:
    print(f"  {'':<40}{'kept connection':>18}{'new connection':>18}", flush=True)
    print(f"  {'':<40}{'median':>9}{'worst':>9}{'median':>9}{'worst':>9}{'growth':>10}  statuses", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = f"sqlite:///{folder}/viva.db"
        database, made = filled(url, RESULTS, AGENTS)
        database.close()
        with Hub(url, folder, VIVA_REQUEST_SECONDS=REQUEST_SECONDS) as hub:
            measure_all("SQLite", Target(hub, folder, made), ON_SQLITE)
        with postgres(folder) as server:
            (folder / "hub").mkdir()
            hub = Hub(new_database(server, "attack"), folder / "hub", VIVA_REQUEST_SECONDS=REQUEST_SECONDS)
            with hub:
                measure_all("PostgreSQL", Target(hub, folder), ON_POSTGRESQL)


def measure_all(where: str, target: Target, attacks: tuple[Attack, ...]) -> None:
    rest = Attack(f"{where}, nobody attacks", lambda target: idle, frozenset())
    for attack in (rest, *attacks):
        deed = attack.prepare(target)
        report, seen = measure(target.hub, attack.path, deed)
        tell(attack, report, seen)


def idle() -> Statuses:
    time.sleep(IDLE_SECONDS)
    return Statuses()


def measure(hub: Hub, path: str, deed: Deed) -> tuple[Report, Statuses]:
    """Let another process poll the hub while the deed is done."""
    command = [sys.executable, "-m", "bench.probe", str(hub.port), str(hub.process.pid), path]
    probe = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        time.sleep(1)  # so that it polls when the attack begins
        seen = deed()
    finally:
        heard, _ = probe.communicate(timeout=60)
    return Report(**json.loads(heard)), seen


def tell(attack: Attack, report: Report, seen: Statuses) -> None:
    growth = report.peak - report.before
    goals: list[tuple[str, bool]] = [
        (f"worst under {WORST_MS} ms", max(*report.kept, *report.new) < WORST_MS),
        (f"growth under {GROWTH_MIB} MiB", growth < GROWTH_MIB),
        ("statuses", not attack.allowed or (bool(seen) and seen.keys() <= attack.allowed)),
        ("everybody else is served", report.failed == 0),
    ]
    missed = [goal for goal, is_met in goals if not is_met]
    figures = "".join(f"{median(found):>9.1f}{max(found):>9.1f}" for found in (report.kept, report.new))
    statuses = ", ".join(f"{status} × {count}" for status, count in sorted(seen.items())) or "-"
    print(
        f"  {attack.name:<40}{figures}{growth:>6.0f} MiB  {statuses}{'  MISSED: ' + ', '.join(missed) if missed else ''}",
        flush=True,
    )
