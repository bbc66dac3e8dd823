"""How an attack affects others: the response time of `GET /healthz` during it, and the memory of the server."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.attacks import ON_POSTGRESQL, ON_SQLITE, Attack, AttackRun, Statuses, Target
from bench.filling import fill_database
from bench.jobs import new_database, postgres
from bench.probe import Report
from tests.hub import Hub

IDLE_SECONDS = 3
RESULTS, AGENTS = 5_000, 500
REQUEST_SECONDS = "5"  # shorter than the default, so that requests time out during an attack
GOAL_WORST_MS, GOAL_GROWTH_MIB = 250, 50


def run() -> None:
    print(f"  {'':<40}{'open connection':>18}{'new connection':>18}", flush=True)
    print(f"  {'':<40}{'median':>9}{'worst':>9}{'median':>9}{'worst':>9}{'growth':>10}  statuses", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = f"sqlite:///{folder}/viva.db"
        database, ids = fill_database(url, RESULTS, AGENTS)
        database.close()
        with Hub(url, folder, VIVA_REQUEST_SECONDS=REQUEST_SECONDS) as hub:
            measure_all("SQLite", Target(hub, folder, ids), ON_SQLITE)
        with postgres(folder) as server:
            (folder / "hub").mkdir()
            hub = Hub(new_database(server, "attack"), folder / "hub", VIVA_REQUEST_SECONDS=REQUEST_SECONDS)
            with hub:
                measure_all("PostgreSQL", Target(hub, folder), ON_POSTGRESQL)


def measure_all(where: str, target: Target, attacks: tuple[Attack, ...]) -> None:
    baseline = Attack(f"{where}, no attack", lambda target: idle, frozenset())
    for attack in (baseline, *attacks):
        run_attack = attack.prepare(target)
        report, statuses = measure(target.hub, attack.path, run_attack)
        print_report(attack, report, statuses)


def idle() -> Statuses:
    time.sleep(IDLE_SECONDS)
    return Statuses()


def measure(hub: Hub, path: str, run_attack: AttackRun) -> tuple[Report, Statuses]:
    """Let another process poll the hub during the attack."""
    command = [sys.executable, "-m", "bench.probe", str(hub.port), str(hub.process.pid), path]
    probe = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        time.sleep(1)  # so that it polls when the attack begins
        statuses = run_attack()
    finally:
        output, _ = probe.communicate(timeout=60)
    return Report(**json.loads(output)), statuses


def print_report(attack: Attack, report: Report, seen: Statuses) -> None:
    growth = report.peak - report.before
    goals: list[tuple[str, bool]] = [
        (f"worst under {GOAL_WORST_MS} ms", max(*report.open, *report.new) < GOAL_WORST_MS),
        (f"growth under {GOAL_GROWTH_MIB} MiB", growth < GOAL_GROWTH_MIB),
        ("statuses", not attack.allowed or (bool(seen) and seen.keys() <= attack.allowed)),
        ("all other requests succeed", report.failed == 0),
    ]
    missed = [goal for goal, is_met in goals if not is_met]
    figures = "".join(f"{median(times):>9.1f}{max(times):>9.1f}" for times in (report.open, report.new))
    statuses = ", ".join(f"{status} × {count}" for status, count in sorted(seen.items())) or "-"
    print(
        f"  {attack.name:<40}{figures}{growth:>6.0f} MiB  {statuses}{'  MISSED: ' + ', '.join(missed) if missed else ''}",
        flush=True,
    )
