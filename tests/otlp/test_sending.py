"""OpenTelemetry's own SDKs send a program's spans. Agents, tools and the handover are read from them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.otlp import hotel, receiver
from viva.engine.intake import spans
from viva.engine.intake.formats import read
from viva.engine.model import Interaction, Step, ToolCall, Trace
from viva.sending import otlp_exporter

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def read_received(received):
    """The one run that was sent, from all requests."""
    (part,) = spans.parts(spans.merge_batches(received.documents))
    return read(part)


def without_times(trace: Trace) -> list[list[Interaction]]:
    return [
        [
            Interaction(
                act.agent_id,
                act.agent_response,
                tuple(
                    Step(tool_call=ToolCall(call.tool_name, call.parameters, call.result, call.error))
                    for step in act.agent_steps
                    if (call := step.tool_call)
                ),
            )
            for act in turn.agent_interactions
        ]
        for turn in trace.turns
    ]


def check_hotel(trace):
    found = ToolCall("find_rooms", {"city": "Ulm"}, {"hotels": ["Blautor", "Rosengarten"]})
    handed_over = ToolCall("transfer_to_booker", {}, "booker")
    failed = ToolCall("book_room", {"hotel": "Blautor"}, None, "Blautor is full")
    assert [turn.user_message for turn in trace.turns] == ["Please book a room in Ulm for two nights."]
    assert without_times(trace) == [
        [
            Interaction("desk", None, (Step(tool_call=found), Step(tool_call=handed_over))),
            Interaction("booker", "I am sorry, the Blautor is full.", (Step(tool_call=failed),)),
        ]
    ]
    assert [agent.description for agent in trace.agents] == ["Finds rooms and hands over to the booker.", None]
    assert trace.session_metadata == {"extra": {"input_tokens": 180, "output_tokens": 30}}
    assert trace.form_version == "OpenTelemetry GenAI 1.0"


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_the_python_sdk_sends_protobuf(compression, monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
    with receiver.serve() as received:
        hotel.send(otlp_exporter(received.url + "/", "viva_secret"))

    assert len(received.documents) > 1
    assert {about["content-type"] for about in received.headers} == {"application/x-protobuf"}
    assert {(about["path"], about["authorization"]) for about in received.headers} == {
        ("/v1/traces", "Bearer viva_secret")
    }
    check_hotel(read_received(received))


@pytest.mark.slow
def test_the_javascript_sdk_sends_json():
    subprocess.run([ROOT / "scripts" / "node_packages"], check=True)
    with receiver.serve() as received:
        to = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{received.url}/v1/traces"}
        packages = {"VIVA_NODE_PACKAGES": str(ROOT / "var" / "node")}
        subprocess.run(["node", HERE / "hotel.mjs"], check=True, env=os.environ | to | packages)

    assert len(received.documents) > 1
    assert {about["content-type"] for about in received.headers} == {"application/json"}
    check_hotel(read_received(received))


def test_the_exporter_says_which_package_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)

    with pytest.raises(ModuleNotFoundError, match=r"pip install 'viva\[otlp\]'"):
        otlp_exporter("http://127.0.0.1:8000", "viva_secret")
