"""Reads chat messages of OpenAI, Anthropic and AutoGen: role, content, tool calls and results."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import content, environment, speakers, tools, written_parts
from viva.engine.intake.building import make_trace
from viva.engine.intake.checking import type_name
from viva.engine.intake.faults import Faults, check_count
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.messages import (
    ConversationBuilder,
    IntakeCall,
    IntakeMessage,
    MessageRole,
    ToolResult,
    UnreadPart,
    build_conversation,
)
from viva.engine.intake.part_types import ARGUMENT_KEYS, CALL_ID_KEYS, TOOL_NAME_KEYS, is_part
from viva.engine.intake.plain import first_value, inner_object, text_length
from viva.engine.model import Trace

ROLES: dict[str, MessageRole] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "bot": "assistant",
    "gpt": "assistant",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
    "observation": "tool",
    "environment": "environment",
    "tool-response": "environment",
    "tool-call": "assistant",
    "tool_call": "assistant",
    "function_call": "assistant",
}
CHAT_ID_KEYS = (
    "id",
    "conversation_id",
    "session_id",
    "thread_id",
)  # the first of these keys is the id
NATIVE_KEYS = (
    "agents",
    "initial_task",
    "success",
    "total_cost",
    "total_latency_ms",
    "session_metadata",
    "form_version",
)  # copied to our own format
MESSAGE_LIST_KEYS = ("messages", "conversations", "history", "trajectory")
CONTENT_KEYS = ("content", "parts", "value", "blocks", "items", "text", "refusal")
CALL_KEYS = ("tool_calls", "function_call", "tool_responses")  # of messages that need no content
ABOUT_KEYS = ("role", "from", "name", "id", "type", "metadata", "meta", "status")  # of messages, beside what they say
MESSAGE_THOUGHT_KEYS = ("reasoning_content", "reasoning", "thinking", "tool_plan")


def recognise(document: object) -> bool:
    """Whether this is a list of messages, or contains one."""
    messages = find_messages(document)
    return isinstance(messages, list) and (is_message(messages[0]) if messages else isinstance(document, dict))


def find_messages(document: object) -> object:
    """The messages of a chat: the list itself, under `messages`, `conversations` (ShareGPT) or `history` (SWE-agent)."""
    if not isinstance(document, dict):
        return document
    return next((document[key] for key in MESSAGE_LIST_KEYS if key in document), None)


def is_message(value: object) -> bool:
    return isinstance(value, dict) and ("role" in value or ("from" in value and "value" in value))


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of a chat, or BadTrace with every fault."""
    faults = Faults()
    found = find_messages(document)
    if isinstance(found, list):
        check_count(found, limits.messages, "entries", "messages")
    messages = [message for message in read_messages(found, faults) if message]
    faults.raise_any()
    built = build_conversation(messages)
    return make_trace(built, about(document if isinstance(document, dict) else {}, built), name, limits)


def about(chat: dict[str, Any], built: ConversationBuilder) -> dict[str, Any]:
    """The facts of a chat beside its messages, in our own format."""
    agent: dict[str, Any] = {}
    system = "\n\n".join(built.system) or content.text(chat.get("system"))
    if system:
        agent["description"] = system
    defined = tools.definitions(chat.get("tools") or chat.get("functions"))
    if defined is not None:
        agent["tools_available"] = defined
    agents = [agent | {"id": name, "name": name} for name in built.agents]
    copied = {key: chat[key] for key in NATIVE_KEYS if chat.get(key) is not None}
    return {"id": identity(chat), "agents": agents} | copied


def identity(chat: dict[str, Any]) -> str | None:
    return next((str(chat[key]) for key in CHAT_ID_KEYS if isinstance(chat.get(key), str | int)), None)


def read_messages(messages: object, faults: Faults) -> Iterator[IntakeMessage | None]:
    """Each message, or None if it has a fault."""
    if not isinstance(messages, list):
        faults.add("messages", "wrong_type", f"expected a list, got {type_name(messages)}")
        return
    yield from read_each(messages, "messages", speakers.find(messages), faults)


def read_each(
    messages: list[Any], path: str, people: speakers.Speakers, faults: Faults
) -> Iterator[IntakeMessage | None]:
    has_agent_spoken = False
    for index, message in enumerate(messages):
        read = read_message(message, f"{path}[{index}]", people, faults, has_agent_spoken)
        has_agent_spoken = has_agent_spoken or (read is not None and read.role == "assistant")
        yield read


def read_message(
    message: Any, path: str, people: speakers.Speakers, faults: Faults, has_agent_spoken: bool = False
) -> IntakeMessage | None:
    if not isinstance(message, dict):
        faults.add(path, "wrong_type", f"expected an object, got {type_name(message)}")
        return None
    if more := inner_object(message, "additional_kwargs"):
        message = more | {key: part for key, part in message.items() if part is not None}
    role = message.get("role", message.get("from"))
    if not isinstance(role, str):
        faults.add(f"{path}.role", *(("missing", "missing") if role is None else wrong_type("text", role)))
        return None
    if role.lower() not in ROLES:
        faults.add(f"{path}.role", "unknown", f"expected one of {', '.join(ROLES)}, got {role[:40]!r}")
        return None
    said = body(message)
    if not isinstance(said, str | list | dict | None):
        faults.add(f"{path}.content", *wrong_type("text or a list of parts", said))
        return None
    spoken = people.role(ROLES[role.lower()], message)
    if spoken == "tool" and isinstance(said, dict) and not is_part(said):
        return IntakeMessage("tool", results=tuple(tool_results(message, said)))
    parts = content.read(said, f"{path}.content" if path else "content")
    if said is None and (gap := find_gap(message, path)):
        parts = parts._replace(unread=(gap,))
    return as_message(message, environment.role_of(message, spoken, parts.text, has_agent_spoken), people, parts)


def wrong_type(expected: str, value: object) -> tuple[str, str]:
    return "wrong_type", f"expected {expected}, got {type_name(value)}"


def find_gap(message: dict[str, Any], path: str) -> UnreadPart | None:
    """What a message may say in fields that are not known, where it has neither content nor calls."""
    if any(key in message for key in CALL_KEYS):
        return None
    length = text_length(
        [part for key, part in message.items() if key not in ABOUT_KEYS and isinstance(part, list | dict)]
    )
    return UnreadPart(path, "has no content that is known", length) if length else None


def body(message: dict[str, Any]) -> Any:
    """The content of a message, under any of its keys."""
    return first_value(message, *CONTENT_KEYS)


def as_message(
    message: dict[str, Any], role: MessageRole, people: speakers.Speakers, parts: content.MessageParts
) -> IntakeMessage:
    if role == "environment":
        return IntakeMessage(role, parts.text, results=parts.results, unread=parts.unread)
    if role == "tool":
        results = parts.results or tuple(tool_results(message, parts.text))
        return IntakeMessage("tool", results=results, unread=parts.unread)
    calls = merge_calls(tool_calls(message), parts.calls) if role == "assistant" else ()
    if role == "assistant":
        parts = written_parts.separate_thought(parts)
    if role == "assistant" and not calls and parts.text:
        parts = written_parts.separate_calls(parts, str(message.get("role", message.get("from"))).lower())
        calls = parts.calls
    thoughts = [parts.thought, *(message.get(key) for key in MESSAGE_THOUGHT_KEYS)]
    thought = "\n\n".join(part for part in thoughts if isinstance(part, str) and part)
    agent = people.agent(message) if role == "assistant" else None
    knowledge = message.get("knowledge")
    return IntakeMessage(
        role,
        parts.text,
        agent,
        thought or None,
        calls,
        parts.results,
        knowledge if isinstance(knowledge, str) else None,
        unread=parts.unread,
    )


def merge_calls(listed: Iterator[IntakeCall], in_parts: tuple[IntakeCall, ...]) -> tuple[IntakeCall, ...]:
    """The calls of a message. LlamaIndex writes each twice, in a list and as a part."""
    found = tuple(listed)
    known = {call.id for call in found if call.id is not None}
    return (*found, *(call for call in in_parts if call.id not in known))


def tool_calls(message: dict[str, Any]) -> Iterator[IntakeCall]:
    """The calls of a message: the current list, or the former single function."""
    listed = message.get("tool_calls")
    for call in listed if isinstance(listed, list) else []:
        if isinstance(call, dict):
            function = call.get("function")
            details = function if isinstance(function, dict) else call
            name = first_value(details, *TOOL_NAME_KEYS) or (function if isinstance(function, str) else None)
            id, arguments = first_value(call, *CALL_ID_KEYS), first_value(details, *ARGUMENT_KEYS)
            made, wrong = content.call(id, name, arguments), call.get("parse_error")
            yield made._replace(error=wrong) if isinstance(wrong, str) and wrong else made
    old = message.get("function_call")
    if isinstance(old, dict):
        yield content.call(None, old.get("name"), old.get("arguments"))


def tool_results(message: dict[str, Any], value: Any) -> Iterator[ToolResult]:
    """The result in a tool message. AutoGen puts several into one."""
    several = message.get("tool_responses")
    if isinstance(several, list) and several:
        for part in several:
            if isinstance(part, dict):
                yield from tool_results(
                    {key: part[key] for key in part if key != "tool_responses"}, content.text(body(part))
                )
        return
    id, name = message.get("tool_call_id"), message.get("function", message.get("name"))
    known = name if isinstance(name, str) and id is None else None
    yield ToolResult(id if isinstance(id, str) else None, known, value, content.error(message.get("error")))
