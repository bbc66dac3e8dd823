"""What an MCP client finds at a hub, and what it is refused."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import jsonschema_rs
import pytest
from mcp.shared.exceptions import MCPError

from tests.conftest import serve
from tests.hub import EVALUATION, Hub, environment_without_settings, run_viva
from tests.protocols.mcp_clients import ToolRefused, by_http, by_stdio
from viva.embedded import open_hub
from viva.protocols import extras
from viva.protocols.action_table import ACTIONS

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
RUN = {
    "messages": [
        {"role": "user", "content": "When does the museum open on Sunday?"},
        {"role": "assistant", "content": "I cannot help with that."},
        {"role": "user", "content": "You did not answer. When does it open?"},
        {"role": "assistant", "content": "At ten."},
    ]
}
MCP_HEADERS = {"Accept": "application/json, text/event-stream"}


def post_mcp(hub: Hub, body: Any = INITIALIZE, **headers: str) -> httpx.Response:
    return hub.client.post("/mcp", json=body, headers={**MCP_HEADERS, **headers})


async def refusal(hub: Hub, key: str | None, tool: str, **arguments: Any) -> str:
    async with by_http(hub, key) as agent:
        with pytest.raises(ToolRefused) as refused:
            await agent.call(tool, **arguments)
        return str(refused.value)


def opened(hub: Hub) -> dict[str, str]:
    """The session of two others."""
    ada, paul = hub.agent("ada"), hub.agent("paul")
    return {"evaluation_id": EVALUATION, "session_id": paul.claim(ada.start())}


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_a_tool_says_what_it_does_and_takes(action):
    assert action.description.endswith(".")
    for schema in (action.given_schema, action.answer_schema):
        assert schema["type"] == "object"
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
    assert action.given_schema["additionalProperties"] is False
    unlimited = [
        name
        for name, form in action.given_schema["properties"].items()
        if form.get("type") == "string" and "maxLength" not in form and "enum" not in form
    ]
    assert unlimited == []
    assert not (action.effect.is_read_only and action.effect.is_destructive)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_finds_tools_resources_and_prompts(mode, hub: Hub):
    async def look() -> None:
        async with by_http(hub, hub.agent("ada").key, mode) as agent:
            tools = {tool.name: tool for tool in (await agent.client.list_tools()).tools}
            assert tools.keys() == ACTIONS.keys()
            assert tools["submit_exam"].annotations.destructive_hint
            assert tools["find_evaluations"].annotations.read_only_hint
            resources = [str(each.uri) for each in (await agent.client.list_resources()).resources]
            assert f"viva://evaluations/{EVALUATION}" in resources
            (skill,) = (await agent.client.read_resource("viva://skill.md")).contents
            assert hub.url in skill.text
            (text,) = (await agent.client.read_resource(f"viva://evaluations/{EVALUATION}")).contents
            assert "Plain dealing" in text.text
            prompts = [each.name for each in (await agent.client.list_prompts()).prompts]
            assert prompts == ["sit_an_exam", "examine_a_candidate"]
            filled = await agent.client.get_prompt("sit_an_exam", {"evaluation_id": EVALUATION})
            assert f"`{EVALUATION}`" in filled.messages[0].content.text
            with pytest.raises(MCPError, match="There is no document"):
                await agent.client.read_resource("viva://evaluations/../secret")
            with pytest.raises(MCPError, match=r"\(code: \w+\)"):
                await agent.client.read_resource("viva://evaluations/nothing-here")
            with pytest.raises(MCPError, match="no tool named"):
                await agent.client.call_tool("rm_rf", {})

    asyncio.run(look())


def test_everybody_may_read_without_a_key(hub: Hub):
    async def look() -> None:
        async with by_http(hub, None) as agent:
            found = await agent.call("find_evaluations", text="dealing")
            assert [each["id"] for each in found["evaluations"]] == [EVALUATION]
            with pytest.raises(ToolRefused, match=r"needs an API key.*VIVA_KEY.*\(code: unauthorized\)"):
                await agent.call("register", evaluation_id=EVALUATION)

    asyncio.run(look())


@pytest.mark.parametrize("connect", [by_http, by_stdio], ids=["http", "stdio"])
def test_a_wrong_key_is_refused(connect, hub: Hub):
    async def look() -> None:
        async with connect(hub, "viva_wrong") as agent:
            with pytest.raises(ToolRefused, match=r"\(code: \w+\)"):
                await agent.call("where_am_i")

    asyncio.run(look())


def test_the_session_of_others_is_closed(hub: Hub):
    place, eve = opened(hub), hub.agent("eve").key

    for tool, arguments in (("read_messages", {}), ("say", {"content": "Let me in."})):
        assert "(code: " in asyncio.run(refusal(hub, eve, tool, **place, **arguments))


def test_texts_that_are_too_large_are_refused(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    place = {"evaluation_id": EVALUATION, "session_id": paul.claim(ada.start())}

    assert "bad_arguments" in asyncio.run(refusal(hub, ada.key, "say", **place, content="x" * 65_537))
    assert "too_l" in asyncio.run(refusal(hub, ada.key, "say", **place, content="ü" * 65_536))
    assert ada.messages(place["session_id"]) == []


@pytest.mark.parametrize(
    "arguments",
    [{}, {"evaluation_id": 5}, {"evaluation_id": EVALUATION, "more": 1}, {"evaluation_id": "x" * 201}],
    ids=["missing", "number", "unknown", "long"],
)
def test_wrong_arguments_are_named(arguments, hub: Hub):
    assert "(code: bad_arguments)" in asyncio.run(refusal(hub, hub.agent("ada").key, "read_evaluation", **arguments))


def test_the_hub_takes_messages_of_mcp_alone(hub: Hub):
    assert post_mcp(hub).json()["result"]["serverInfo"]["name"] == "viva"
    assert "mcp-session-id" not in post_mcp(hub).headers
    assert hub.client.get("/mcp").status_code == 405
    assert hub.client.delete("/mcp").status_code == 405
    assert post_mcp(hub, [INITIALIZE]).status_code == 400
    assert (
        hub.client.post("/mcp", content=b"{", headers={**MCP_HEADERS, "Content-Type": "application/json"}).status_code
        == 400
    )


def test_pages_of_other_sites_are_refused(hub: Hub):
    preflight = hub.client.options("/mcp", headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in preflight.headers
    assert post_mcp(hub, Origin="https://evil.example").status_code == 403
    assert post_mcp(hub, Host="evil.example").status_code == 421
    assert "access-control-allow-origin" not in post_mcp(hub).headers


def test_a_large_body_needs_an_account(hub: Hub):
    large = {**INITIALIZE, "params": {**INITIALIZE["params"], "padding": "x" * 70_000}}  # type: ignore[dict-item]

    assert post_mcp(hub, large).status_code == 401
    assert post_mcp(hub, large, Authorization="Bearer viva_invented").status_code == 401
    assert post_mcp(hub, large, Authorization=f"Bearer {hub.agent('ada').key}").status_code == 200
    assert hub.client.post("/mcp", content=b" " * (9 * 2**20), headers=MCP_HEADERS).status_code == 413


def test_calls_by_mcp_count_against_the_limits_of_the_api(request, tmp_path: Path):
    with serve("sqlite", request, tmp_path, VIVA_RATE_LIMIT="20") as hub:
        key = hub.agent("ada").key

        async def call_often() -> list[bool]:
            async with by_http(hub, key) as agent:
                answers = [await agent.client.call_tool("find_evaluations", {}) for _ in range(21)]
                assert "(code: too_many)" in answers[-1].content[0].text
                return [answer.is_error for answer in answers]

        assert sum(asyncio.run(call_often())) < 21


def test_the_log_line_names_the_account(request, tmp_path: Path):
    with serve("sqlite", request, tmp_path) as hub:
        ada = hub.agent("ada")

        async def look() -> None:
            async with by_http(hub, ada.key) as agent:
                await agent.call("where_am_i")

        asyncio.run(look())
    lines = [line for line in (tmp_path / "serve.log").read_text().splitlines() if "/mcp" in line]
    assert any(ada.id in line for line in lines)
    assert not any("/api/v1/agents/me" in line for line in lines)


def test_a_run_is_analysed_and_kept(hub: Hub):
    ada = hub.agent("ada")

    async def analyse() -> tuple[dict[str, Any], dict[str, Any]]:
        async with by_http(hub, ada.key) as agent:
            analysed = await agent.call("analyze_run", run=RUN, fast=True)
            sent = await agent.call("send_trace", run=RUN, dataset="mcp", tags=["night"])
            while (kept := await agent.call("read_analysis", analysis_id=sent["analysis_id"]))["status"] != "done":
                await asyncio.sleep(0.1)
            return analysed, kept

    analysed, kept = asyncio.run(analyse())
    assert analysed["status"] == "done"
    assert analysed["overall_score"] is not None
    assert kept["bad_turns"] == analysed["bad_turns"]
    assert ada.get("/traces").json()["traces"][0]["dataset"] == "mcp"


def test_without_the_package_a_sentence_names_it(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with open_hub(tmp_path) as hub, hub.connect() as client:
        answer = client.post("/mcp", json=INITIALIZE, headers=MCP_HEADERS)
    run = run_viva(["mcp"], environment_without_settings())

    assert (answer.status_code, answer.json()["code"]) == (501, "mcp_missing")
    assert 'pip install "viva[mcp]"' in answer.json()["detail"]
    assert (run.returncode, run.stderr.strip()) == (1, f"viva: {answer.json()['detail']}")
