"""The client against a hub that is served: send runs, wait for their analyses, read and delete them."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.engine.refund import refund
from tests.hub import Hub
from viva import Client, analyze
from viva.client.retrying import HubError, HubUnreachable
from viva.client.structs import WholeAnalysis, WholeTrace

MESSAGES = [
    {"role": "user", "content": "When does the pool open?"},
    {"role": "assistant", "content": "It opens at 8."},
]


@pytest.fixture
def client(hub: Hub, request: pytest.FixtureRequest) -> Iterator[Client]:
    name = f"builder-{abs(hash(request.node.nodeid))}"
    key = hub.client.post("/api/v1/agents/register", json={"name": name}).json()["api_key"]
    with Client(hub.url, key) as client:
        yield client


def test_a_run_is_sent_and_its_analysis_is_that_of_the_engine(client):
    sent = client.send(refund(), dataset="refunds", tags=["nightly"])
    found = client.wait_for(sent)

    here = analyze(refund())  # its texts are not masked, so quotations differ
    assert [(turn.is_bad, turn.detection_type) for turn in found.turn_results] == [
        (turn.is_bad, turn.detection_type) for turn in here.turn_results
    ]
    assert [(issue.type, issue.agent_id) for issue in found.issues] == [
        (issue.type, issue.agent_id) for issue in here.issues
    ]
    (stored,) = client.traces.list_traces.each(dataset="refunds")
    assert (stored.id, stored.tags, stored.overall_score) == (sent.id, ["nightly"], here.overall_score)
    assert client.traces.show_trace(sent.id).turns[0]["user_message"] == refund().turns[0].user_message


def test_many_runs_of_any_form_are_sent_at_once_and_those_that_cannot_be_read_are_named(client, tmp_path):
    path = tmp_path / "run.json"
    path.write_text('{"turns": [\n{"user_message": "Hi", "agent_response": "Hello."}]}')

    sent = client.send_all([refund(), MESSAGES, path, {"odd": True}])

    assert [trace.line for trace in sent.traces] == [1, 2, 3]
    assert {error.line for error in sent.errors} == {4}
    assert sent.refused == 1
    assert {trace.id for trace in client.traces.list_traces.each()} == {trace.id for trace in sent.traces}


def test_a_run_is_analysed_at_once_and_nothing_is_stored(client):
    assert client.analyze(MESSAGES, fast=True).intake.form == "chat"
    assert list(client.traces.list_traces.each()) == []


def test_a_trace_is_analysed_again_and_deleted(client):
    sent = client.send(MESSAGES)
    again = client.analyses.request_analysis(sent.id, fast=True).analysis
    client.wait_for(again.id)

    assert client.analyses.show_analysis(again.id).status == "done"
    client.traces.delete_trace(sent.id)
    with pytest.raises(HubError) as refused:
        client.traces.show_trace(sent.id)
    assert (refused.value.status, refused.value.code) == (404, "no_such_trace")


def test_a_refused_run_names_every_fault(client):
    with pytest.raises(HubError) as refused:
        client.send({"turns": [{"user_message": 7}]})

    assert refused.value.status == 422
    assert [error["field"] for error in refused.value.errors] == ["turns[0].user_message"]


def test_without_a_key_nothing_is_taken(hub):
    with Client(hub.url) as client, pytest.raises(HubError) as refused:
        client.send(MESSAGES)

    assert refused.value.status == 401


def test_address_and_key_come_from_the_environment(hub, monkeypatch):
    key = hub.client.post("/api/v1/agents/register", json={"name": f"env-{hub.port}"}).json()["api_key"]
    monkeypatch.setenv("VIVA_HUB", hub.url)
    monkeypatch.setenv("VIVA_KEY", key)

    with Client() as client:
        assert list(client.traces.list_traces.each()) == []


def test_a_hub_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr("viva.client.retrying.RETRY_SECONDS", 0)

    with Client("http://127.0.0.1:9", "viva_x") as client, pytest.raises(HubUnreachable, match=r"127\.0\.0\.1:9"):
        client.send(MESSAGES)


def test_a_file_is_sent_as_it_is(client, tmp_path):
    path: Path = tmp_path / "run.json"
    path.write_bytes(msgspec.json.encode(MESSAGES))

    assert client.wait_for(client.send(path)).intake.turns == 1


def test_answers_that_are_stored_as_json_have_no_other_fields_than_the_types_say(client):
    sent = client.send(refund())
    client.wait_for(sent)
    trace = client.runner.http.get(f"/api/v1/traces/{sent.id}").json()
    analysis = client.runner.http.get(f"/api/v1/analyses/{sent.analysis_id}").json()

    assert set(trace) <= set(WholeTrace.__struct_fields__)
    assert set(analysis) == set(WholeAnalysis.__struct_fields__)
