"""Reads spans of Google's ADK, which has requests, responses and the calls of tools in attributes of its own."""

import re
from typing import Any

from viva.engine.intake.payloads import find_messages
from viva.engine.intake.plain import decode_value

SIGN = "gcp.vertex.agent."
REQUEST_KEY, RESPONSE_KEY = f"{SIGN}llm_request", f"{SIGN}llm_response"
ARGUMENTS_KEY, RESULT_KEY = f"{SIGN}tool_call_args", f"{SIGN}tool_response"
TOOL_NAME = re.compile(r"execute_tool (?P<name>.+)$")
AGENT_NAME = re.compile(r"agent_run \[(?P<name>[^\]]+)\]$")  # of former versions


def translate(attributes: dict[str, Any], name: str) -> dict[str, Any]:
    """The attributes by the names of the conventions. Values that were not recorded are empty objects."""
    given, answered = (decode_value(attributes.get(key)) or None for key in (REQUEST_KEY, RESPONSE_KEY))
    if given:
        answers = [message | {"role": "assistant"} for message in find_messages(answered)]
        messages = {"gen_ai.input.messages": find_messages(given), "gen_ai.output.messages": answers}
        return {"gen_ai.operation.name": "chat"} | messages
    if tool := TOOL_NAME.match(name):
        return {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool["name"],
            "gen_ai.tool.call.arguments": decode_value(attributes.get(ARGUMENTS_KEY)),
            "gen_ai.tool.call.result": decode_value(attributes.get(RESULT_KEY)),
        }
    if agent := AGENT_NAME.match(name):
        return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent["name"]}
    return {}
