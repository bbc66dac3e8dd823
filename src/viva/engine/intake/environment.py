"""Tells what an environment shows from what a user writes, where both stand in the user's role.

Agents that act by text (SWE-agent, smolagents, ReAct, AutoGen) get the output of their actions as a user's message. Only
the marks that these tools write count: a message is never taken for output because it is long or looks technical.
"""

import re
from typing import Any

from viva.engine.intake.messages import MessageRole

HEAD_CHARACTERS, TAIL_CHARACTERS = 120, 600  # where the marks stand
OUTPUT_BEGINS = re.compile(
    r"\s*(?:\[[a-z_]{1,60}(?: for [^\]\n]{0,100})?\] result:|observations?(?: \d{1,4})?:|exitcode: -?\d"
    r"|execution result of \[|<(?:observation|tool_response|tool_result|function_results?|execution_result|returncode)>"
    r"|(?:command|terminal|execution|shell|tool|code) (?:output|results?):)",
    re.I,
)
OUTPUT_ENDS = re.compile(
    r"\(open file: [^\n]{0,300}\)\s{0,3}\(current directory: [^\n]{0,300}\)\s{0,3}(?:bash-\$)?\s*$"
    r"|\[the command completed with exit code -?\d+\.?\]\s*$|\nbash-\$\s*$",
    re.I,
)
MESSAGE_TYPES: dict[str, MessageRole] = {
    "observation": "environment",
    "demonstration": "system",
}  # as SWE-agent has them


def role_of(message: dict[str, Any], role: MessageRole, text: object, has_agent_spoken: bool) -> MessageRole:
    """The role of a message in the user's role: an output follows something that the agent did."""
    if role != "user":
        return role
    if message.get("is_demo") is True:
        return "system"
    named = MESSAGE_TYPES.get(str(message.get("message_type")), role)
    if named != role or not has_agent_spoken or not isinstance(text, str):
        return named if named == "system" or has_agent_spoken else role
    return "environment" if is_output(text) else role


def is_output(text: str) -> bool:
    return bool(OUTPUT_BEGINS.match(text[:HEAD_CHARACTERS]) or OUTPUT_ENDS.search(text[-TAIL_CHARACTERS:]))
