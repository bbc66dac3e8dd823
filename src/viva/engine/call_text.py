"""A tool call and its values as text."""

import msgspec

from viva.engine.model import ToolCall

WRITTEN = 1_000  # characters of each side of a call as it is written down; no quotation has more


def flat(value: object) -> str:
    """A JSON value as text that words can be found in."""
    return value if isinstance(value, str) else "" if value is None else msgspec.json.encode(value).decode()


def call_text(call: ToolCall) -> str:
    """A call as it is written down wherever one is quoted: name(parameters) -> what came back."""
    back = came_back(call)[:WRITTEN]
    return f"{call.tool_name}({flat(call.parameters)[:WRITTEN]})" + (f" -> {back}" if back else "")


def came_back(call: ToolCall) -> str:
    """What a call brought: its error, else its result as text."""
    return call.error or flat(call.result)
