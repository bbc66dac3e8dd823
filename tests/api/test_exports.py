"""Exports over HTTP: whole files under a name of their own, for anybody, so many at once, and never a part as a whole."""

import asyncio
import contextlib
import csv
import io
import json
import re
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import polars
import pyarrow.parquet as pq
import pytest

from tests import make
from tests.api.problem import problem
from tests.hub import AgentClient, Hub, until
from tests.results.taken import NAMES as AGENTS
from tests.results.taken import keep, plain
from viva.api.exports import Download
from viva.exams.shown_rows import ShownRows
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.kit.opening import open_database
from viva.results.export import EXPORT_COLUMN_NAMES, READ_BATCH_ROWS, ResultReader
from viva.results.export_files import MAX_EXPORTS_PER_ADDRESS, Export, Exports

COUNT = 2 * READ_BATCH_ROWS + 7
PATH = "/evaluations/good-manners/results/export"
LARGE = {"note": "x" * 60_000}  # more than a connection holds by itself, once there are hundreds of it


def fill(hub: Hub, count: int, data: Any = None) -> None:
    with contextlib.closing(open_database(hub.database_url)) as database:
        database.secret = hub.secret
        database.write_now(lambda db: fill_in(db, count, data))


def fill_in(db: Connection, count: int, data: Any = None) -> None:
    """Results of two versions, many of which ended in the same minute."""
    make.evaluation(db, sip=700, version="1.0.0")
    make.evaluation(db, sip=700, version="2.0.0")
    people = [make.agent(db, name) for name in AGENTS]
    for number in range(count):
        version = "1.0.0" if number % 3 else "2.0.0"
        keep(db, people[number % 4], plain(version=version, minute=number // 100, data=data))


@pytest.fixture(scope="module")
def anybody(hub: Hub) -> AgentClient:
    fill(hub, COUNT, {"note": "ça va"})
    return hub.anybody()


@pytest.fixture(scope="module")
def large_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub with limits and with an export that takes a while."""
    folder = tmp_path_factory.mktemp("large")
    with Hub(f"sqlite:///{folder}/viva.db", folder, VIVA_RATE_LIMIT="6000") as hub:
        fill(hub, 3 * READ_BATCH_ROWS, LARGE)
        yield hub


def rows_of(format_: str, answer: httpx.Response) -> list[dict[str, Any]]:
    if format_ == "csv":
        return list(csv.DictReader(io.StringIO(answer.text, newline="")))
    if format_ == "jsonl":
        return [json.loads(line) for line in answer.content.splitlines()]
    return pq.read_table(io.BytesIO(answer.content)).to_pylist()


@pytest.mark.parametrize(
    ("format_", "media_type"),
    [
        ("csv", "text/csv; charset=utf-8; header=present"),
        ("jsonl", "application/x-ndjson"),
        ("parquet", "application/vnd.apache.parquet"),
    ],
)
def test_every_result_is_in_the_file_the_oldest_first(anybody: AgentClient, format_: str, media_type: str):
    answer = anybody.get(PATH, params={"format": format_})

    rows = rows_of(format_, answer)
    assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)
    assert len({row["id"] for row in rows}) == len(rows) == COUNT
    assert rows == sorted(rows, key=lambda row: (row["completed_at"], row["id"]))
    assert tuple(rows[0]) == EXPORT_COLUMN_NAMES


def test_a_file_is_named_after_what_is_in_it(anybody: AgentClient):
    whole = anybody.get(PATH, params={"format": "parquet"}).headers["content-disposition"]
    version = anybody.get(PATH, params={"version": "2.0.0"}).headers["content-disposition"]

    assert re.fullmatch(r'attachment; filename="good-manners-\d{4}-\d\d-\d\d\.parquet"', whole)
    assert re.fullmatch(r'attachment; filename="good-manners-2\.0\.0-\d{4}-\d\d-\d\d\.csv"', version)


def test_a_version_is_exported_alone_and_evaluations_have_numbers_too(anybody: AgentClient):
    answer = anybody.get("/evaluations/SIP-700/results/export", params={"format": "jsonl", "version": "2.0.0"})

    rows = rows_of("jsonl", answer)
    assert len(rows) == (COUNT + 2) // 3
    assert {row["evaluation_version"] for row in rows} == {"2.0.0"}


def test_the_results_are_those_that_are_listed(anybody: AgentClient):
    listed = anybody.get("/evaluations/good-manners/results", params={"limit": 5, "sort": "completed_at"}).json()

    exported = rows_of("jsonl", anybody.get(PATH, params={"format": "jsonl"}))[:5]

    shared = [name for name in EXPORT_COLUMN_NAMES if name not in ("message_count", "completed_at")]
    assert [[row[name] for name in shared] for row in exported] == [
        [row[name] for name in shared] for row in listed["results"]
    ]


def test_two_readers_agree_on_the_parquet_file(anybody: AgentClient):
    file = anybody.get(PATH, params={"format": "parquet"}).content

    assert polars.read_parquet(io.BytesIO(file)).to_dicts() == pq.read_table(io.BytesIO(file)).to_pylist()


def test_a_head_has_the_same_headers_and_no_file(anybody: AgentClient):
    head = anybody.http.head(PATH, params={"format": "jsonl"})
    whole = anybody.get(PATH, params={"format": "jsonl"})

    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-type", "content-disposition", "cache-control"):
        assert head.headers[name] == whole.headers[name]


@pytest.mark.parametrize("method", ["get", "head"])
@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/evaluations/no-such/results/export", 404, "no_such_evaluation"),
        (f"{PATH}?version=9.9.9", 404, "no_such_version"),
        (f"{PATH}?format=xml", 422, "invalid"),
        (f"{PATH}?format=CSV", 422, "invalid"),
        (f"{PATH}?version={'1' * 300}", 422, "invalid"),
    ],
)
def test_what_cannot_be_exported_is_told_before_any_file(
    anybody: AgentClient, method: str, path: str, status: int, code: str
):
    answer = getattr(anybody.http, method)(path)

    assert answer.status_code == status
    assert "content-disposition" not in answer.headers
    if method == "get":
        problem(answer, status, code)


def test_the_reference_names_the_formats_and_what_can_go_wrong(anybody: AgentClient):
    document = anybody.get("/openapi.json").json()
    operation = document["paths"]["/api/v1/evaluations/{evaluation_id}/results/export"]["get"]

    assert list(operation["responses"]["200"]["content"]) == [
        *("text/csv", "application/x-ndjson", "application/vnd.apache.parquet")
    ]
    format_ = next(one for one in operation["parameters"] if one["name"] == "format")
    assert (format_["schema"]["enum"], format_["schema"]["default"]) == (["csv", "jsonl", "parquet"], "csv")
    assert {"404", "422", "429", "503"} <= operation["responses"].keys()
    named = operation["responses"]["429"]["$ref"].rpartition("/")[2]
    assert "too_many_exports" in document["components"]["responses"][named]["description"]


# Many at once, and what goes wrong midway


def test_one_address_has_so_many_exports_at_once_and_others_are_answered_meanwhile(large_hub: Hub):
    with ExitStack() as stack:
        begin = beginner(large_hub, stack)

        begun = [begin() for _ in range(MAX_EXPORTS_PER_ADDRESS)]

        assert [head for _, head in begun] == ["HTTP/1.1 200 OK"] * MAX_EXPORTS_PER_ADDRESS
        refused = large_hub.anybody().get(PATH)
        problem(refused, 429, "too_many_exports")
        assert int(refused.headers["retry-after"]) > 0
        assert large_hub.anybody().http.head(PATH).status_code == 200
        assert large_hub.anybody().get("/evaluations").status_code == 200
        begun[0][0].close()
        assert until(lambda: begin()[1] == "HTTP/1.1 200 OK")
    assert until(lambda: large_hub.anybody().get(PATH).status_code == 200)


def beginner(hub: Hub, stack: ExitStack) -> Callable[[], tuple[socket.socket, str]]:
    """A function that begins one more export, and reads no more of it than the first line."""

    def begin() -> tuple[socket.socket, str]:
        connection = stack.enter_context(socket.create_connection(("127.0.0.1", hub.port), timeout=10))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(f"GET /api/v1{PATH} HTTP/1.1\r\nHost: hub\r\n\r\n".encode())
        return connection, connection.recv(1024).partition(b"\r\n")[0].decode()

    return begin


@pytest.mark.parametrize("format_", ["csv", "jsonl", "parquet"])
def test_a_file_that_could_not_be_finished_does_not_look_finished(large_hub: Hub, format_: str):
    with last_data(large_hub, "{"):
        with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
            large_hub.anybody().get(PATH, params={"format": format_})

        assert large_hub.anybody().get("/evaluations").status_code == 200


@contextlib.contextmanager
def last_data(hub: Hub, data: str) -> Iterator[None]:
    """Let a result of the last batch have these data, which nobody can read, and later those that it had."""
    last = "SELECT id FROM evaluation_results ORDER BY completed_at DESC, id DESC LIMIT 1"
    with contextlib.closing(sqlite3.connect(hub.database_url.removeprefix("sqlite:///"), isolation_level=None)) as db:
        ((before,),) = db.execute(f"SELECT result_data FROM evaluation_results WHERE id = ({last})")
        change = f"UPDATE evaluation_results SET result_data = ? WHERE id = ({last})"
        db.execute(change, [data])
        yield
        db.execute(change, [before])


def test_who_leaves_midway_makes_no_more_work(database: Database):
    database.write_now(lambda db: fill_in(db, 9))
    reading, sent = ResultReader("good-manners", None, now(), ShownRows(b"secret", None).show, 2), []

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope: Any = {}
    asyncio.run(
        Download(Exports(), database, Export(reading, "csv"), "an address", is_limited=True)(scope, receive, send)
    )

    assert not reading.is_done
    assert sent[-1]["more_body"]
