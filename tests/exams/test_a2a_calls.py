"""Calls to A2A agents go to public https addresses or listed hosts, and take only JSON-RPC of a fair size."""

import json
from typing import Any

import pytest

from tests.adapters.serving import serve_agent
from tests.exams.a2a_working import serve_strange
from tests.hub import free_port
from viva.adapters.model import MAX_ENVELOPE_BYTES, AgentFault
from viva.exams.a2a_calls import A2aCaller, A2aMessage
from viva.kit.fetch_addresses import NotFetchable
from viva.kit.fetching import Unreachable

HELLO = A2aMessage("m1", "s1", "Hello")
PUBLIC_ONLY = "The host has to have a public address."
HTTPS_ONLY = "It has to be an https address of a public host, without name and password."


def answer(text: str) -> bytes:
    return json.dumps({"result": {"kind": "message", "parts": [{"kind": "text", "text": text}]}}).encode()


def test_an_agent_without_a_card_is_asked_at_its_address():
    with serve_strange(answer=answer("Hi.")) as host:
        assert A2aCaller((host,)).ask(f"http://{host}/anywhere", HELLO) == "Hi."


def test_an_agent_may_work_on_a_task():
    with serve_agent(lambda messages: "slowly done") as server:
        host = server.url.removeprefix("http://")
        assert A2aCaller((host,)).ask(server.url, HELLO) == "slowly done"


def test_an_agent_of_the_newer_version_gets_its_form():
    card = {"supportedInterfaces": [{"url": "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}
    reply = json.dumps({"result": {"message": {"role": "ROLE_AGENT", "parts": [{"text": "New."}]}}}).encode()
    with serve_strange(card=card, answer=reply) as host:
        assert A2aCaller((host,)).ask(f"http://{host}", HELLO) == "New."


def test_a_task_that_does_not_end_is_given_up(monkeypatch):
    monkeypatch.setattr("viva.exams.a2a_calls.TASK_POLL_SECONDS", 0.2)
    working = b'{"result": {"kind": "task", "id": "t", "status": {"state": "working"}}}'
    with serve_strange(answer=working) as host, pytest.raises((AgentFault, Unreachable)) as fault:
        A2aCaller((host,), seconds=1.0).ask(f"http://{host}", HELLO)

    assert "within" in str(fault.value)


@pytest.mark.parametrize(
    ("ways", "reason"),
    [
        ({"status": 302, "location": "http://127.0.0.1/"}, "The agent answered with HTTP status 302."),
        ({"answer": b"<html>"}, "The agent's answer is no JSON-RPC of at most 1,048,576 bytes."),
        ({"answer": b"[" * 50_000}, "The agent's answer is no JSON-RPC of at most 1,048,576 bytes."),
        ({"answer": answer("x" * MAX_ENVELOPE_BYTES)}, "The agent's answer is no JSON-RPC of at most 1,048,576 bytes."),
        ({"answer": b'{"error": {"code": 1}}'}, "The agent answered with an error."),
        ({"answer": b'{"result": {"status": {"state": "rejected"}}}'}, "The agent's task ended as rejected."),
    ],
)
def test_what_is_no_reply_is_a_fault(ways: dict[str, Any], reason: str):
    with serve_strange(**ways) as host, pytest.raises(AgentFault) as fault:
        A2aCaller((host,)).ask(f"http://{host}", HELLO)

    assert str(fault.value) == reason


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://agent.example", HTTPS_ONLY),
        ("https://10.0.0.1/a2a", PUBLIC_ONLY),
        ("https://[::1]/a2a", PUBLIC_ONLY),
        ("https://localhost/a2a", PUBLIC_ONLY),
        ("http://169.254.169.254/latest/meta-data", PUBLIC_ONLY),
        ("https://ada:secret@agent.example", "The address must not hold a name or a password."),
    ],
)
@pytest.mark.parametrize("is_in_card", [False, True])
def test_no_private_address_is_called_also_if_a_card_names_it(url: str, reason: str, is_in_card: bool):
    with serve_strange(card={"url": url}) as host, pytest.raises(NotFetchable) as fault:
        A2aCaller((host,)).ask(f"http://{host}" if is_in_card else url, HELLO)

    assert str(fault.value) == reason


def test_an_agent_that_is_not_there_may_be_there_later():
    host = f"127.0.0.1:{free_port()}"
    with pytest.raises(Unreachable):
        A2aCaller((host,)).ask(f"http://{host}", HELLO)
