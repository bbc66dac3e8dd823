"""Spans over HTTP: as an exporter of OpenTelemetry sends them."""

import gzip
import json
import time
from typing import Any

import httpx
import pytest

from tests.engine.intake.test_spans import genai_run
from tests.hub import AgentClient, Hub

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
