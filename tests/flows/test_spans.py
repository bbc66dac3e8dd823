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
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs

from tests.engine.intake.test_spans import export, genai_run, span
from tests.hub import AgentClient, Hub, until
from tests.otlp import hotel
from viva.kit.opening import open_database
from viva.sending import otlp_event_exporter, otlp_exporter

ROOT = Path(__file__).parent.parent.parent
JSON = {"Content-Type": "application/json"}


def send(hub: Hub, caller: AgentClient | None, body: bytes, path: str = "/v1/traces", **headers: str) -> httpx.Response:
    key = {"Authorization": f"Bearer {caller.key}"} if caller else {}
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return hub.client.post(path, content=body, headers=JSON | key | names)


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
    fate = ada.get("/traces/opentelemetry/run1").json()
    assert (fate["trace_id"], fate["is_waiting"], fate["reason"]) == (trace["id"], False, None)


def test_spans_without_words_say_why_they_became_no_trace(hub: Hub):
    ada, bob = hub.agent("ada"), hub.agent("bob")
    silent = span("m1", 0, 1, gen_ai__operation__name="chat")

    assert send(hub, ada, json.dumps(export(silent)).encode()).status_code == 200

    assert ada.get("/traces/opentelemetry/run1").json()["is_waiting"]
    until(lambda: not ada.get("/traces/opentelemetry/run1").json()["is_waiting"])
    fate = ada.get("/traces/opentelemetry/run1").json()
    assert fate["trace_id"] is None
    assert "let the instrumentation record the content of messages" in fate["reason"]
    assert bob.get("/traces/opentelemetry/run1").status_code == 404


def log_records(*records: dict[str, Any]) -> bytes:
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}).encode()


def message_event(name: str, **fields: Any) -> dict[str, Any]:
    return {"traceId": "run1", "spanId": "m1", "timeUnixNano": "5", "eventName": name} | fields


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs"])
@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{", {}, 422),
        (b"[]", {}, 422),
        (
            b'{"resourceSpans": [{"scopeSpans": [{"spans": 7}]}], "resourceLogs": [{"scopeLogs": [{"logRecords": 7}]}]}',
            {},
            422,
        ),
        (b'{"resourceSpans": 7, "resourceLogs": 7}', {}, 422),
        (b'{"resourceSpans": ' + b'{"a":' * 250 + b"1" + b"}" * 251, {}, 422),
        (b"no gzip", {"Content_Encoding": "gzip"}, 422),
        (gzip.compress(b" " * 20_000_000), {"Content_Encoding": "gzip"}, 413),
        (b"a,b", {"Content_Type": "text/csv"}, 415),
    ],
)
def test_what_is_no_export_is_refused(hub: Hub, path, body, headers, status):
    answer = send(hub, hub.agent("ada"), body, path, **headers)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_span_without_a_trace_is_refused(hub: Hub):
    body = b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "1"}]}]}]}'

    assert send(hub, hub.agent("ada"), body).status_code == 422


def test_spans_and_log_records_need_a_key(hub: Hub):
    assert send(hub, None, b"{}").status_code == 401
    assert send(hub, None, b"{}", "/v1/logs").status_code == 401


def test_other_log_records_are_not_stored_and_events_without_a_span_are_counted(hub: Hub):
    ada = hub.agent("ada")
    asked = message_event("gen_ai.user.message", body={"stringValue": "only-in-events"})
    logged = {"body": {"stringValue": "only-in-logs"}, "traceId": "run1", "spanId": "m1"}
    alone = message_event("gen_ai.choice", spanId="")

    taken = send(hub, ada, gzip.compress(log_records(asked, logged)), "/v1/logs", Content_Encoding="gzip")
    partly = send(hub, ada, log_records(asked, alone), "/v1/logs")

    assert (taken.status_code, taken.json(), partly.status_code) == (200, {}, 200)
    assert partly.json()["partialSuccess"]["rejectedLogRecords"] == "1"
    contents = b"".join(stored_contents(hub))
    assert (b"only-in-events" in contents, b"only-in-logs" in contents) == (True, False)


def stored_contents(hub: Hub) -> list[bytes]:
    database = open_database(hub.database_url)
    contents = database.read_now(lambda db: db.execute("SELECT content FROM trace_spans").fetchall())
    database.close()
    return [zlib.decompress(bytes(row[0])) for row in contents]


def test_a_rejected_event_in_protobuf_gets_an_answer_in_protobuf(hub: Hub):
    ada = hub.agent("ada")
    record = LogRecord(event_name="gen_ai.choice", trace_id=bytes(16))
    body = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[record])])])

    answer = send(hub, ada, body.SerializeToString(), "/v1/logs", Content_Type="application/x-protobuf")

    assert answer.headers["content-type"] == "application/x-protobuf"
    assert ExportLogsServiceResponse.FromString(answer.content).partial_success.rejected_log_records == 1


@pytest.mark.parametrize("emit", [hotel.emit_details, hotel.emit_each_message])
def test_the_sdk_of_opentelemetry_sends_spans_and_events_to_a_hub(hub: Hub, emit):
    """The messages come in log records, beside spans that have none. They are one trace."""
    ada = hub.agent("ada")
    key = str(ada.key)

    hotel.send_with_events(otlp_exporter(hub.url, key), otlp_event_exporter(hub.url, key), emit)

    check_hotel(ada)


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

    assert not [content for content in stored_contents(hub) if b"ada.lovelace" in content]
    (trace,) = traces_of(ada)
    assert [masked["kind"] for masked in trace["masked"]] == ["email"]
