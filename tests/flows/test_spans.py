"""Spans over HTTP: as an exporter of OpenTelemetry sends them."""

import gzip
import json
import os
import subprocess
import time
import zlib
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.engine.intake.test_spans import genai_run
from tests.hub import AgentClient, Hub
from tests.otlp import hotel
from viva.kit.opening import open_database
from viva.sending import otlp_exporter

ROOT = Path(__file__).parent.parent.parent
JSON = {"Content-Type": "application/json"}


def send(hub: Hub, caller: AgentClient | None, body: bytes, **headers: str) -> httpx.Response:
    key = {"Authorization": f"Bearer {caller.key}"} if caller else {}
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return hub.client.post("/v1/traces", content=body, headers=JSON | key | names)


def traces_of(caller: AgentClient) -> list[dict[str, Any]]:
    deadline = time.monotonic() + 60
    while not (found := caller.get("/traces").json()["traces"]) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def test_spans_of_two_requests_become_one_trace(hub: Hub):
    ada = hub.agent("ada")
    (resource,) = genai_run()["resourceSpans"]
    halves = [resource["scopeSpans"][0]["spans"][:2], resource["scopeSpans"][0]["spans"][2:]]
    bodies = [json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": half}]}]}).encode() for half in halves]

    plain = send(hub, ada, bodies[0], X_Viva_Dataset="otel")
    packed = send(hub, ada, gzip.compress(bodies[1]), Content_Encoding="gzip", X_Viva_Dataset="otel")

    assert (plain.status_code, plain.json(), packed.status_code) == (200, {}, 200)
    (trace,) = traces_of(ada)
    assert (trace["dataset"], trace["intake"]["form"], trace["intake"]["calls"]) == ("otel", "spans", 1)


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{", {}, 422),
        (b"[]", {}, 422),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "1"}]}]}]}', {}, 422),
        (b'{"resourceSpans": 7}', {}, 422),
        (b'{"resourceSpans": ' + b'{"a":' * 250 + b"1" + b"}" * 251, {}, 422),
        (b"no gzip", {"Content_Encoding": "gzip"}, 422),
        (gzip.compress(b" " * 20_000_000), {"Content_Encoding": "gzip"}, 413),
        (b"a,b", {"Content_Type": "text/csv"}, 415),
    ],
)
def test_what_is_no_export_is_refused(hub: Hub, body, headers, status):
    answer = send(hub, hub.agent("ada"), body, **headers)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_spans_need_a_key(hub: Hub):
    assert send(hub, None, b"{}").status_code == 401


def test_the_sdk_of_opentelemetry_sends_to_a_hub(hub: Hub):
    """In protobuf, in several requests. Agents, calls and the handover are read as the program made them."""
    ada = hub.agent("ada")

    hotel.send(otlp_exporter(hub.url, str(ada.key)))

    check_hotel(ada)


@pytest.mark.slow
def test_the_javascript_sdk_of_opentelemetry_sends_to_a_hub(hub: Hub):
    """In JSON, in several requests, with the key in the variable that every SDK reads."""
    ada = hub.agent("ada")
    subprocess.run([ROOT / "scripts" / "node_packages"], check=True)
    settings = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": hub.url,
        "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{ada.key},X-Viva-Dataset=hotels",
        "VIVA_NODE_PACKAGES": str(ROOT / "var" / "node"),
    }

    subprocess.run(["node", ROOT / "tests" / "otlp" / "hotel.mjs"], check=True, env=os.environ | settings)

    assert check_hotel(ada)["dataset"] == "hotels"


def check_hotel(ada: AgentClient) -> dict[str, Any]:
    """The agents, their calls and the handover are stored as the program made them."""
    (trace,) = traces_of(ada)
    read = ada.get(f"/traces/{trace['id']}").json()
    (turn,) = read["turns"]
    assert turn["user_message"] == "Please book a room in Ulm for two nights."
    assert [
        (act["agent_id"], [step["tool_call"]["tool_name"] for step in act["agent_steps"]])
        for act in turn["agent_interactions"]
    ] == [("desk", ["find_rooms", "transfer_to_booker"]), ("booker", ["book_room"])]
    assert trace["intake"]["form"] == "spans"
    return trace


def test_spans_are_masked_before_they_are_stored(hub: Hub):
    """Spans wait for the rest of their trace, so a secret in them must not wait with them."""
    ada = hub.agent("ada")
    document = json.dumps(genai_run()).replace("Ulm", "ada.lovelace@example.org")
    assert "ada.lovelace" in document

    assert send(hub, ada, document.encode()).status_code == 200

    database = open_database(hub.database_url)
    contents = database.read_now(lambda db: db.execute("SELECT content FROM trace_spans").fetchall())
    database.close()
    assert not [row for row in contents if b"ada.lovelace" in zlib.decompress(bytes(row[0]))]
    (trace,) = traces_of(ada)
    assert [masked["kind"] for masked in trace["masked"]] == ["email"]
