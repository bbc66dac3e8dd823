"""Reads sessions of Codex: the rollout files of its sessions folder, old and new, and what `codex exec --json` writes."""

import re
from collections.abc import Iterator
from typing import Any

from viva.engine.intake import content
from viva.engine.intake.building import make_trace
from viva.engine.intake.faults import check_count, refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.messages import IntakeMessage, ToolResult, build_conversation
from viva.engine.intake.plain import decode_value, first_value, inner_object, objects
from viva.engine.model import Trace

CODEX_AGENT = "codex"
LINE_TYPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
EVENT_TYPES = ("thread.started", "turn.started", "item.started", "item.completed", "turn.completed")
OUTPUT_TYPES = ("function_call_output", "custom_tool_call_output", "mcp_tool_call_output", "tool_search_output")
# Codex writes these texts in the user's role: where it runs, instructions of files, and that a turn was stopped.
NOT_THE_USER = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions instructions|instructions|turn_aborted|skill"
    r"|user_shell_command|collaboration_mode|subagent_notification|user_action)\b|# AGENTS\.md instructions)",
    re.I,
)

EXIT_CODE = re.compile(r"^(?:Process exited with code |Exit code: )(?P<code>-?\d{1,9})$", re.M)
HEAD_CHARACTERS = 200


def recognise(document: object) -> bool:
    """Whether this is a list of the lines of a session."""
    return isinstance(document, list) and bool(document) and is_line(document[0])


def is_line(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    is_new = value.get("type") in LINE_TYPES and isinstance(value.get("payload"), dict)
    is_old = "type" not in value and {"id", "timestamp", "instructions"} <= value.keys()
    return is_new or is_old or value.get("type") in EVENT_TYPES


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of one session."""
    if not recognise(document):
        refuse("", "missing", "has no lines of a session")
    check_count(document, limits.messages, "lines")
    lines = objects(document)
    head = session_head(lines)
    built = build_conversation(read_items([item for line in lines if (item := item_of(line))]))
    told = first_value(head, "instructions", "base_instructions")
    description = told.get("text") if isinstance(told, dict) else told
    version = head.get("cli_version")
    about = {
        "id": first_text(head, "id", "session_id", "thread_id"),
        "agents": [{"id": one, "name": one, "description": description or None} for one in built.agents],
        "form_version": version if isinstance(version, str) else None,
    }
    return make_trace(built, about, name, limits)


def session_head(lines: list[dict[str, Any]]) -> dict[str, Any]:
    first = lines[0]
    payload = first.get("payload")
    return payload if first.get("type") == "session_meta" and isinstance(payload, dict) else first


def first_text(value: dict[str, Any], *keys: str) -> str | None:
    return next((value[key] for key in keys if isinstance(value.get(key), str)), None)


def item_of(line: dict[str, Any]) -> dict[str, Any] | None:
    """The item of a line. Events repeat what items say."""
    if line.get("type") == "response_item":
        payload = line.get("payload")
        return payload if isinstance(payload, dict) else None
    if line.get("type") == "item.completed":
        item = line.get("item")
        return item if isinstance(item, dict) else None
    return line if "payload" not in line and line.get("type") not in EVENT_TYPES and "type" in line else None


def read_items(items: list[dict[str, Any]]) -> Iterator[IntakeMessage]:
    """Each message. What the agent thinks, says and calls before the next result is one message."""
    open_message: IntakeMessage | None = None
    for index, item in enumerate(items):
        for message in read_item(item, f"items[{index}]"):
            goes_on = not (open_message and open_message.calls and message.text)  # else it speaks after its calls
            if message.role == "assistant" and open_message and goes_on and not message.results:
                open_message = join(open_message, message)
                continue
            if open_message:
                yield open_message
            open_message = message if message.role == "assistant" else None
            if open_message is None:
                yield message
    if open_message:
        yield open_message


def join(one: IntakeMessage, other: IntakeMessage) -> IntakeMessage:
    return one._replace(
        text="\n\n".join(filter(None, (one.text, other.text))) or None,
        thought="\n\n".join(filter(None, (one.thought, other.thought))) or None,
        calls=one.calls + other.calls,
        unread=one.unread + other.unread,
    )


def read_item(item: dict[str, Any], path: str) -> Iterator[IntakeMessage]:
    kind = str(item.get("type"))
    if kind in OUTPUT_TYPES:
        yield read_output(item, path)
    elif kind in ITEM_READERS:
        yield from ITEM_READERS[kind](item, path)
    elif kind.endswith("_call") and "name" not in item:
        call = content.call(first_text(item, "call_id", "id"), kind.removesuffix("_call"), item.get("action"))
        yield IntakeMessage("assistant", None, CODEX_AGENT, None, (call,))
    elif kind.endswith("_call") or kind == "reasoning":
        parts = content.read([item | {"type": "reasoning" if kind == "reasoning" else "function_call"}], path)
        yield IntakeMessage("assistant", None, CODEX_AGENT, parts.thought, parts.calls, unread=parts.unread)


def read_message(item: dict[str, Any], path: str) -> Iterator[IntakeMessage]:
    parts = content.read(item.get("content"), f"{path}.content")
    role = item.get("role")
    if role == "assistant":
        is_comment = item.get("phase") == "commentary"
        said, thought = (None, parts.text) if is_comment else (parts.text, None)
        yield IntakeMessage("assistant", said, CODEX_AGENT, thought, unread=parts.unread)
    elif role == "user" and not (parts.text and NOT_THE_USER.match(parts.text)):
        yield IntakeMessage("user", parts.text, unread=parts.unread)


def read_shell(item: dict[str, Any], path: str) -> Iterator[IntakeMessage]:
    """A command of the shell. The events of `exec` have its output too."""
    action = item.get("action")
    command = first_value(action if isinstance(action, dict) else item, "command")
    call = content.call(first_text(item, "call_id", "id"), "shell", {"command": command})
    yield IntakeMessage("assistant", None, CODEX_AGENT, None, (call,))
    if "aggregated_output" in item:
        shown, code = item["aggregated_output"], item.get("exit_code")
        failed = str(shown or f"exit code {code}") if isinstance(code, int) and code else None
        yield IntakeMessage("tool", results=(ToolResult(call.id, "shell", shown, failed),))


def read_custom_call(item: dict[str, Any], path: str) -> Iterator[IntakeMessage]:
    """A tool whose input is a text of its own form, as a patch."""
    call = content.call(first_text(item, "call_id", "id"), item.get("name"), {"input": item.get("input")})
    yield IntakeMessage("assistant", None, CODEX_AGENT, None, (call,))


def read_event_call(item: dict[str, Any], path: str) -> Iterator[IntakeMessage]:
    """A tool of `codex exec --json`: its arguments and its result are in one item."""
    known = {key: item[key] for key in ("arguments", "query", "changes") if item.get(key) is not None}
    arguments = known.get("arguments", known)
    call = content.call(first_text(item, "id"), item.get("tool") or item.get("type"), arguments)
    yield IntakeMessage("assistant", None, CODEX_AGENT, None, (call,))
    found = ToolResult(call.id, call.tool_name, item.get("result"), content.error(item.get("error")))
    yield IntakeMessage("tool", results=(found,))


def read_agent_text(item: dict[str, Any], path: str) -> Iterator[IntakeMessage]:
    yield IntakeMessage("assistant", first_text(item, "text", "message"), CODEX_AGENT)


def exit_code(text: str) -> int:
    """The exit code in the head that Codex writes over the output of a command; 0 if there is none."""
    found = EXIT_CODE.search(text[:HEAD_CHARACTERS])
    return int(found["code"]) if found else 0


def read_output(item: dict[str, Any], path: str) -> IntakeMessage:
    """The result of a call. The output of a command is wrapped with its exit code."""
    value = decode_value(item.get("output"))
    held = first_value(value, "output", "content") if isinstance(value, dict) else None
    code = inner_object(value, "metadata").get("exit_code") or (
        isinstance(held or value, str) and exit_code(held or value)
    )
    value = value if held is None else held
    parts = content.read(value, f"{path}.output") if isinstance(value, list) else None
    known = parts.text if parts and (parts.text or parts.unread) else value
    failed = (known if isinstance(known, str) and known else f"exit code {code}") if code else None
    result = ToolResult(first_text(item, "call_id"), None, known, failed)
    return IntakeMessage("tool", results=(result,), unread=parts.unread if parts else ())


ITEM_READERS = {
    "message": read_message,
    "agent_message": read_agent_text,
    "local_shell_call": read_shell,
    "command_execution": read_shell,
    "custom_tool_call": read_custom_call,
    "mcp_tool_call": read_event_call,
    "web_search": read_event_call,
    "file_change": read_event_call,
}
