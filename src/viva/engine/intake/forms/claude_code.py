"""Reads sessions of Claude Code: JSON lines that its folder of projects has, or that `--output-format stream-json` writes."""

import re
from collections.abc import Iterator
from typing import Any

from viva.engine.intake import content
from viva.engine.intake.building import make_trace
from viva.engine.intake.faults import check_count, refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.messages import ConversationBuilder, IntakeMessage, ToolResult, build_conversation
from viva.engine.intake.plain import inner_object, objects
from viva.engine.model import Trace

MAIN_AGENT = "claude-code"
SYNTHETIC_MODEL = "<synthetic>"  # of messages that no model wrote
LINE_TYPES = (
    *("user", "assistant", "system", "summary", "progress", "result", "attachment", "file-history-snapshot"),
    *("queue-operation", "last-prompt", "ai-title", "custom-title", "permission-mode", "mode", "agent-name", "tag"),
)
VERSION_KEYS = ("version", "claude_code_version")  # the second is of the stream
LINE_KEYS = ("sessionId", "session_id", "leafUuid", "messageId", "uuid", "snapshot")  # one of them is on every line
# Claude Code writes these texts in the user's role: local commands, their output, reminders and interruptions.
NOT_THE_USER = re.compile(
    r"\s*(?:<(?:command-(?:name|message|args)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)"
    r"|system-reminder|task-notification)>|caveat: the messages below were generated|\[request interrupted by user"
    r"|this session is being continued from a previous conversation)",
    re.I,
)
QUEUED_COMMAND = "queued_command"  # the type of such an attachment
COMMAND_TAG = re.compile(r"<command-(?P<tag>name|args)>(?P<text>[^<]{0,100000})</command-")
REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.S)


def recognise(document: object) -> bool:
    """Whether this is a list of such lines."""
    return isinstance(document, list) and bool(document) and is_line(document[0])


def is_line(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("type"), str) or "payload" in value:
        return False
    is_known = value["type"] in LINE_TYPES and any(isinstance(value.get(key), str | dict) for key in LINE_KEYS)
    return is_known or isinstance(value.get("sessionId"), str)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of one session."""
    if not recognise(document):
        refuse("", "missing", "has no lines of a session")
    check_count(document, limits.messages, "lines")
    lines = [line for part in objects(document) if isinstance((line := as_spoken(part)).get("message"), dict)]
    spoken = [line for line in lines if is_spoken(line)]
    is_subagent = all(line.get("isSidechain") is True for line in spoken)
    built = build_conversation(read_lines(merge_blocks(spoken), is_subagent, subagent_names(spoken)))
    return make_trace(built, about(document, built), name, limits)


def as_spoken(line: dict[str, Any]) -> dict[str, Any]:
    """The line; as a user's message if it has words that the user added while the agent worked."""
    attached = inner_object(line, "attachment")
    if attached.get("type") != QUEUED_COMMAND or attached.get("commandMode", "prompt") != "prompt":
        return line
    return line | {"type": "user", "message": {"role": "user", "content": attached.get("prompt")}}


def is_spoken(line: dict[str, Any]) -> bool:
    """Whether a user or a model said this. Claude Code writes notes about itself in both roles."""
    is_note = line.get("isMeta") is True or line["message"].get("model") == SYNTHETIC_MODEL
    return line.get("type") in ("user", "assistant") and not is_note


def subagent_names(lines: list[dict[str, Any]]) -> dict[str, str]:
    """The kind of each subagent by the id of the call that started it."""
    blocks = [block for line in lines for block in objects(line["message"].get("content"))]
    started = [
        (block.get("id"), block["input"].get("subagent_type"))
        for block in blocks
        if isinstance(block.get("input"), dict)
    ]
    return {id: kind for id, kind in started if isinstance(id, str) and isinstance(kind, str) and kind}


def merge_blocks(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One line for each message. Every block of an answer has a line of its own, and results may stand between them."""
    merged: list[dict[str, Any]] = []
    places: dict[str, int] = {}
    for line in lines:
        id = line["message"].get("id") if line["type"] == "assistant" else None
        blocks = line["message"].get("content")
        if isinstance(id, str) and id in places and isinstance(blocks, list):
            merged[places[id]]["message"]["content"] += blocks
            continue
        held = list(blocks) if isinstance(blocks, list) else blocks
        if isinstance(id, str) and isinstance(held, list):
            places[id] = len(merged)
        merged.append(line | {"message": line["message"] | {"content": held}})
    return merged


def read_lines(lines: list[dict[str, Any]], is_subagent: bool, names: dict[str, str]) -> Iterator[IntakeMessage]:
    command: str | None = None  # of the user, if the agent answers it; the program itself answers others
    for index, line in enumerate(lines):
        parts = content.read(line["message"].get("content"), f"lines[{index}].message.content")
        parent = line.get("parent_tool_use_id")
        is_inner = (line.get("isSidechain") is True and not is_subagent) or isinstance(parent, str)
        if line["type"] == "assistant":
            text = parts.text.strip() if parts.text else None
            agent = names.get(str(parent)) or agent_of(line) if is_inner else MAIN_AGENT
            if command and not is_inner:
                yield IntakeMessage("user", command)
                command = None
            if text or parts.thought or parts.calls or parts.unread:
                yield IntakeMessage("assistant", text, agent, parts.thought, parts.calls, unread=parts.unread)
        else:
            command = command_of(parts.text or "")
            yield from read_user(line, parts, is_inner)


def command_of(text: str) -> str | None:
    """A slash command with its arguments; None if this is another text."""
    found = {mark["tag"]: mark["text"].strip() for mark in COMMAND_TAG.finditer(text)}
    return " ".join(filter(None, (found["name"], found.get("args")))) if found.get("name") else None


def agent_of(line: dict[str, Any]) -> str:
    """The name of a subagent, which works for the main agent."""
    id = line.get("agentId") or line.get("slug")
    return f"subagent-{id}" if isinstance(id, str) else "subagent"


def read_user(line: dict[str, Any], parts: content.MessageParts, is_inner: bool) -> Iterator[IntakeMessage]:
    """Results of tools, and the user's words. The prompt of a subagent is the main agent's, in its call."""
    text = REMINDER.sub("", parts.text).strip() if parts.text else None
    results = tuple(with_error(result) for result in parts.results)
    if results:
        yield IntakeMessage("tool", results=results, unread=parts.unread)
    if is_inner or line.get("isCompactSummary") is True or not (text or (parts.unread and not results)):
        return
    if text and NOT_THE_USER.match(text):
        if text.lower().startswith("[request interrupted"):
            yield IntakeMessage("environment", text)
        return
    yield IntakeMessage("user", text, unread=() if results else parts.unread)


def with_error(result: ToolResult) -> ToolResult:
    """The result without the marks around an error."""
    if not result.error:
        return result
    return result._replace(error=result.error.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>"))


def about(lines: list[Any], built: ConversationBuilder) -> dict[str, Any]:
    """The id and the version of a session, and its cost where the log has it."""
    known = objects(lines)
    ids = [line.get(key) for line in known for key in ("sessionId", "session_id") if isinstance(line.get(key), str)]
    versions = [line[key] for line in known for key in VERSION_KEYS if isinstance(line.get(key), str)]
    costs = [line[key] for line in known for key in ("costUSD", "total_cost_usd") if isinstance(line.get(key), float)]
    agents = [{"id": agent, "name": agent} for agent in built.agents]
    return {
        "id": ids[0] if ids else None,
        "agents": agents,
        "total_cost": sum(costs) if costs else None,
        "form_version": versions[-1] if versions else None,
    }
