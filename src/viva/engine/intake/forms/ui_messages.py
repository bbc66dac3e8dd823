"""Reads messages of the Vercel AI SDK's user interface (`UIMessage`), as applications store them, of versions 4 and 5."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import as_list, inner_object, objects
from viva.engine.model import Trace

ROLES = ("user", "assistant", "system", "data")
OLD_CALL, NEW_CALL_PREFIX, DYNAMIC_CALL = "tool-invocation", "tool-", "dynamic-tool"
SIGNS = ("step-start", OLD_CALL, DYNAMIC_CALL)  # types of parts that only these messages have
SILENT_TYPES = ("step-start", "source", "source-url", "source-document")
DATA_PREFIX = "data-"  # of what an application sends along for its page


def recognise(document: object) -> bool:
    """Whether this is a list of such messages, or has one."""
    found = find_messages(document)
    return all(isinstance(part, dict) and part.get("role") in ROLES for part in found) and any(map(is_sure, found))


def find_messages(document: object) -> list[Any]:
    return as_list(document.get("messages") if isinstance(document, dict) else document)


def is_sure(message: dict[str, Any]) -> bool:
    """Whether only this SDK writes such a message."""
    parts = objects(message.get("parts"))
    return isinstance(message.get("toolInvocations"), list) or any(
        part.get("type") in SIGNS or is_call(part) for part in parts
    )


def is_call(part: dict[str, Any]) -> bool:
    return str(part.get("type")).startswith((NEW_CALL_PREFIX, DYNAMIC_CALL)) and "toolCallId" in part


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of the messages."""
    if not recognise(document):
        refuse("messages", "missing", "has no messages of the AI SDK")
    whole = document if isinstance(document, dict) else {}
    return chat.read(
        whole | {"messages": [made for part in find_messages(document) for made in split(part)]}, name, limits
    )


def split(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A message for each step of an agent: what it says after its calls is a message of its own."""
    parts = objects(message.get("parts")) or [
        *({"type": OLD_CALL, "toolInvocation": call} for call in objects(message.get("toolInvocations"))),
        *([{"type": "text", "text": message["content"]}] if message.get("content") else []),
    ]
    step: list[dict[str, Any]] = []
    for made in (known for part in parts for known in as_parts(part)):
        if step and step[-1].get("type") == "tool_result" and made.get("type") not in ("tool_call", "tool_result"):
            yield {"role": message["role"], "content": step}
            step = []
        step.append(made)
    yield {"role": message["role"], "content": step}


def as_parts(part: dict[str, Any]) -> list[dict[str, Any]]:
    """A part as messages have it. A call and its result stand in one part."""
    kind = str(part.get("type"))
    if kind in SILENT_TYPES or kind.startswith(DATA_PREFIX):
        return []
    if kind != OLD_CALL and not is_call(part):
        return [part]
    made = inner_object(part, "toolInvocation") or part
    id, state = made.get("toolCallId"), str(made.get("state"))
    name = made.get("toolName") or kind.removeprefix(NEW_CALL_PREFIX)
    call = {"type": "tool_call", "id": id, "name": name, "arguments": made.get("args", made.get("input"))}
    result = {"type": "tool_result", "id": id, "content": made.get("result", made.get("output"))}
    failed = {"error": made.get("errorText")} if state == "output-error" else {}
    return [call, result | failed] if failed or "result" in made or "output" in made else [call]
