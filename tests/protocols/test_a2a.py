"""The hub as an agent of A2A: the official client reaches it, and what is malformed harms nobody."""

import asyncio
import uuid
from typing import Any

import httpx
import pytest
from a2a.client import ClientConfig, create_client
from a2a.types import Message, Part, Role, SendMessageRequest
from google.protobuf import json_format

from tests.hub import EVALUATION, Hub


def part_of(content: str | dict[str, Any]) -> Part:
    return json_format.ParseDict({"text": content} if isinstance(content, str) else {"data": content}, Part())


async def ask(hub: Hub, key: str | None, *contents: str | dict[str, Any]) -> list[Any]:
    """What the hub answers to each message of the official client: the data, or else the text."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    answers = []
    async with httpx.AsyncClient(headers=headers, timeout=60, verify=False) as http:
        client = await create_client(hub.url, ClientConfig(httpx_client=http, streaming=False))
        for content in contents:
            message = Message(message_id=uuid.uuid4().hex, role=Role.ROLE_USER, parts=[part_of(content)])
            async for event in client.send_message(SendMessageRequest(message=message)):
                shown = json_format.MessageToDict(event)["message"]
                answers.append([part.get("data") or part["text"] for part in shown["parts"]][-1])
    return answers


def old_message(text: str) -> dict[str, Any]:
    message = {"kind": "message", "role": "user", "messageId": "m1", "parts": [{"kind": "text", "text": text}]}
    return {"jsonrpc": "2.0", "id": 7, "method": "message/send", "params": {"message": message}}


def test_the_official_client_sits_an_exam(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")

    (started,) = asyncio.run(ask(hub, ada.key, f"sit {EVALUATION}"))
    session = paul.claim(started["given"]["registration"]["id"])
    paul.say(session, "Who are you?")
    place = {"evaluation_id": EVALUATION, "session_id": session}
    read, said, found = asyncio.run(
        ask(
            hub,
            ada.key,
            {"skill": "read_messages", **place},
            {"skill": "say", **place, "content": "Ada."},
            "list evaluations",
        )
    )

    assert [each["content"] for each in read["messages"]] == ["Who are you?"]
    assert said["sequence"] == 2
    assert EVALUATION in [each["id"] for each in found["evaluations"]]
    assert [each["content"] for each in paul.messages(session)] == ["Who are you?", "Ada."]


def test_the_hub_takes_the_address_of_an_agent_to_examine(hub: Hub):
    address = {"skill": "register_and_start", "evaluation_id": EVALUATION, "a2a_url": "http://127.0.0.1:1"}

    (refused,) = asyncio.run(ask(hub, hub.agent("ada").key, address))

    assert refused["error"]["code"] == "bad_a2a_url"  # the guard of the hub has looked at it


def test_who_may_not_is_told_why(hub: Hub):
    stranger, wrong = asyncio.run(ask(hub, None, "where am I", {"skill": "read_evaluation"}))

    assert stranger["error"]["code"] == "unauthorized"
    assert wrong["error"]["code"] == "bad_arguments"


def test_a_message_of_the_older_version_is_answered_in_its_form(hub: Hub):
    answer = hub.client.post("/a2a", json=old_message("What is this?")).json()

    assert answer["id"] == 7
    assert (answer["result"]["kind"], answer["result"]["role"]) == ("message", "agent")
    assert "Skills: find_evaluations" in answer["result"]["parts"][0]["text"]


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"{", -32700),
        (b"[]", -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "rm"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "message/send"}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": {"parts": []}}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"id": "t"}}', -32001),
        (b"[" * 50_000, -32700),
    ],
)
def test_what_is_malformed_gets_an_error_of_json_rpc(sent, code, hub: Hub):
    answer = hub.client.post("/a2a", content=sent, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (200, code)


def test_the_hub_reads_only_json_of_a_fair_size(hub: Hub):
    assert hub.client.post("/a2a", content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
    assert hub.client.post("/a2a", json=old_message("x" * 70_000)).status_code == 401
    assert hub.client.get("/a2a").status_code == 405
