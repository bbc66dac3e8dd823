"""What stands in the log of a hub, in both forms, and what never does."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.hub import EVALUATION, Hub
from tests.test_server_limits import connection, hear, wait_until
from viva import __version__

pytestmark = pytest.mark.slow

TEXT_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(,\d{3})? (INFO|WARNING|ERROR) .+")
REQUEST = re.compile(r"INFO ([A-Z]+) '(\S*)' (\d{3}) (\d+\.\d) ms (\S+) (\S+) (\S+)$")
REQUEST_FIELDS = ["method", "path", "status", "milliseconds", "account", "client", "request_id"]
FORWARDED = {"X-Forwarded-For": "203.0.113.7"}


@pytest.fixture(scope="module", params=["text", "json"])
def hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    folder = tmp_path_factory.mktemp("hub")
    with Hub(f"sqlite:///{folder}/viva.db", folder, VIVA_LOG=request.param) as hub:
        yield hub


def log_of(hub: Hub) -> str:
    return (hub.folder / "serve.log").read_text()


def lines_of(hub: Hub) -> list[str]:
    return log_of(hub).split("\n")[:-1]  # only this character ends a line


def request_lines(hub: Hub) -> list[dict[str, Any]]:
    lines = lines_of(hub)
    if hub.environment["VIVA_LOG"] == "json":
        return [line for line in map(json.loads, lines) if line["logger"] == "viva.requests"]
    return [dict(zip(REQUEST_FIELDS, found.groups(), strict=True)) for line in lines if (found := REQUEST.search(line))]


def line_with(hub: Hub, request_id: str) -> dict[str, Any]:
    """The line of one request, once it has been written."""
    wait_until(lambda: request_id in log_of(hub))
    return next(line for line in request_lines(hub) if line["request_id"] == request_id)


def test_a_request_line_says_what_was_asked_by_whom_and_how_it_went(hub: Hub):
    ada = hub.agent("ada")

    request_id = ada.get("/agents/me").headers["x-request-id"]

    line = line_with(hub, request_id)
    assert (line["method"], line["path"], int(line["status"])) == ("GET", "/api/v1/agents/me", 200)
    assert (line["account"], line["client"]) == (ada.id, "127.0.0.1")
    assert float(line["milliseconds"]) > 0


def test_a_visitor_who_is_signed_in_is_named_and_others_are_not(hub: Hub):
    ada = hub.agent("ada")
    with httpx.Client(base_url=hub.url, verify=False) as browser:
        before = browser.get("/").headers["x-request-id"]
        browser.post("/login", data={"key": ada.key}, headers={"Origin": hub.url})
        after = browser.get("/").headers["x-request-id"]

    assert line_with(hub, before)["account"] == "-"
    assert line_with(hub, after)["account"] == ada.id


def test_a_writer_and_a_follower_are_named(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    session_id = paul.claim(ada.start())
    written = ada.say(session_id, "Hello.").headers["x-request-id"]
    path = f"/evaluations/{EVALUATION}/sessions/{session_id}/messages/stream"
    with ada.http.stream("GET", path) as stream:
        followed = stream.headers["x-request-id"]

    assert line_with(hub, written)["account"] == ada.id
    assert line_with(hub, followed)["account"] == ada.id


def test_a_proxy_is_believed_and_nobody_else(hub: Hub):
    through_proxy = hub.client.get("/healthz", headers=FORWARDED).headers["x-request-id"]
    with connection(hub, "127.0.0.2") as opened:
        opened.sendall(b"GET /healthz HTTP/1.1\r\nConnection: close\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n")
        direct = re.search(rb"x-request-id: (\S+)", hear(opened))

    assert line_with(hub, through_proxy)["client"] == "203.0.113.7"
    assert direct
    assert line_with(hub, direct[1].decode())["client"] == "127.0.0.2"


def test_no_secret_and_no_query_stands_in_a_line(hub: Hub):
    ada = hub.agent("ada")
    token = "eyJhbGciOiJIUzUxMiJ9.a-claim-token"
    paths = [f"/claim/{token}", f"/agents/{ada.key}", f"/healthz?key={ada.key}&word=needle"]

    lines = [line_with(hub, hub.client.get(path).headers["x-request-id"]) for path in paths]

    assert [line["path"] for line in lines] == ["/claim/***", "/agents/***", "/healthz"]
    assert str(ada.key) not in log_of(hub)
    assert token not in log_of(hub)
    assert "needle" not in log_of(hub)


def test_a_request_that_the_server_refused_is_logged_with_the_status_it_got(tmp_path: Path):
    with Hub(f"sqlite:///{tmp_path}/viva.db", tmp_path, VIVA_LOG="json", VIVA_REQUEST_SECONDS="0.2") as hub:
        with connection(hub) as opened:
            opened.sendall(
                b"POST /api/v1/agents/register HTTP/1.1\r\nX-Request-ID: half\r\n"
                b"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n"
            )
            assert hear(opened).startswith(b"HTTP/1.1 408")

        assert line_with(hub, "half")["status"] == 408


def test_a_line_cannot_be_broken_by_an_address(hub: Hub):
    request_id = hub.client.get("/a%0Ab%22%E2%80%A8").headers["x-request-id"]

    assert line_with(hub, request_id)["path"] in ('/a\nb"\u2028', '/a\\nb"\\u2028')


@pytest.mark.parametrize("form", ["text", "json"])
def test_every_line_has_the_form_from_start_to_stop(tmp_path: Path, form: str):
    (tmp_path / "sips").mkdir()
    (tmp_path / "sips" / "SIP-1.md").write_text("no SIP")  # a warning at the start
    with Hub(f"sqlite:///{tmp_path}/viva.db", tmp_path, VIVA_LOG=form) as hub:
        hub.agent("ada")

    lines = lines_of(hub)
    if form == "json":
        records = list(map(json.loads, lines))
        assert all(record.keys() >= {"time", "level", "logger", "message"} for record in records)
        messages = [record["message"] for record in records]
    else:
        assert all(TEXT_LINE.fullmatch(line) for line in lines)
        messages = [re.split(" (?:INFO|WARNING) ", line, maxsplit=1)[1] for line in lines]
    assert any("is not in the catalogue" in message for message in messages)
    started = f"Viva {__version__} serves {hub.url} on 127.0.0.1 port {hub.port}, from {hub.database_url}, processes: 1"
    assert messages.count(started) == 1
    assert messages[-1] == "Viva has stopped"
    assert hub.process.returncode == 0


def test_a_higher_level_leaves_the_requests_out(tmp_path: Path):
    with Hub(f"sqlite:///{tmp_path}/viva.db", tmp_path, VIVA_LOG_LEVEL="warning") as hub:
        hub.agent("ada")

    assert log_of(hub) == ""


def test_server_processes_log_in_the_same_form_and_have_the_same_limits(postgres: str, tmp_path: Path):
    from tests.conftest import new_postgres_database

    url = new_postgres_database(postgres)
    with Hub(url, tmp_path, processes=2, VIVA_LOG="json", VIVA_LOG_LEVEL="debug", VIVA_HEADER_BYTES="2048") as hub:
        for _ in range(4):
            with socket.create_connection(("127.0.0.1", hub.port), timeout=20) as opened:
                opened.sendall(b"GET / HTTP/1.1\r\nX: " + b"a" * 3000)
                assert hear(opened).startswith(b"HTTP/1.1 431")

    messages = [json.loads(line)["message"] for line in lines_of(hub)]
    assert messages[-1] == "Viva has stopped"
    assert sum("Started server process" in message for message in messages) == 2
    assert any(message.endswith("processes: 2") for message in messages)
