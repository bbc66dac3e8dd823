"""Finds the input and output messages of a model's span. Each convention puts them elsewhere."""

from typing import Any

from viva.engine.intake import chat, content, payloads, tools
from viva.engine.intake.faults import Faults
from viva.engine.intake.flattening import unflatten, unwrap_entries
from viva.engine.intake.messages import IntakeMessage, UnreadPart
from viva.engine.intake.plain import decode_text, first_value, text_length
from viva.engine.intake.python_texts import with_parts
from viva.engine.intake.span import Span, known_json
from viva.engine.intake.speakers import Speakers

INPUT_MESSAGE_KEYS = ("gen_ai.input.messages", "gen_ai.prompt")
OUTPUT_MESSAGE_KEYS = ("gen_ai.output.messages", "gen_ai.completion")
FLAT_INPUT_KEYS = ("llm.input_messages", "gen_ai.prompt")
FLAT_OUTPUT_KEYS = ("llm.output_messages", "gen_ai.completion")
INPUT_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
OUTPUT_EVENT = "gen_ai.choice"
MESSAGE_EVENTS = (
    "gen_ai.client.inference.operation.details",
    "gen_ai.content.prompt",
    "gen_ai.content.completion",
)  # events with the messages as attributes; the last two are of version 1.27
DOCUMENT_KEYS = ("gen_ai.retrieval.documents", "retrieval.documents")
TRUNCATED_JSON = "truncated JSON"  # telemetry may cut off long values
SYSTEM_KEY = "gen_ai.system_instructions"
TOOL_DEFINITION_KEYS = ("gen_ai.tool.definitions", "gen_ai.request.tools")


def input_messages(span: Span) -> list[IntakeMessage]:
    """The messages that the model was given, including the history."""
    found = structured_messages(span, INPUT_MESSAGE_KEYS, "user") or flattened_messages(span, FLAT_INPUT_KEYS)
    found = found or [event_message(name, fields) for name, fields in span.events if name in INPUT_EVENT_ROLES]
    return as_messages(found or payloads.find_messages(decode_text(str(span.attributes.get("input.value", "")))))


def output_messages(span: Span) -> list[IntakeMessage]:
    """The messages that the model answered with."""
    found = structured_messages(span, OUTPUT_MESSAGE_KEYS, "assistant") or flattened_messages(span, FLAT_OUTPUT_KEYS)
    found = found or [choice_message(fields) for name, fields in span.events if name == OUTPUT_EVENT]
    said = payloads.find_messages(decode_text(str(span.attributes.get("output.value", "")))) if not found else []
    found = found or [message for message in said if chat.ROLES.get(str(message.get("role"))) == "assistant"][-1:]
    read = as_messages([message | {"role": "assistant"} for message in found if isinstance(message, dict)])
    if found and not read:
        gap = UnreadPart(f"span {span.id}", "has an answer that is no message", text_length(found))
        return [IntakeMessage("assistant", unread=(gap,))]
    return read


def instructions(span: Span, history: list[IntakeMessage]) -> str | None:
    """The system instructions of the model."""
    own = content.text(known_json(first_recorded(span, (SYSTEM_KEY,))))
    return own or next((message.text for message in history if message.role == "system" and message.text), None)


def offered_tools(span: Span) -> list[dict[str, Any]]:
    """The tools that the model was offered."""
    listed = known_json(first_recorded(span, TOOL_DEFINITION_KEYS)) or [
        known_json(tool.get("json_schema"))
        for tool in unflatten(span.attributes, "llm.tools")
        if isinstance(tool, dict)
    ]
    listed = listed or [
        tool | {"parameters": known_json(tool.get("parameters"))}
        for tool in unflatten(span.attributes, "llm.request.functions")
        if isinstance(tool, dict)
    ]
    return tools.definitions(listed) or []


def retrieved_texts(span: Span) -> list[str]:
    """The texts of the documents that a search found."""
    listed = known_json(span.first(DOCUMENT_KEYS)) or unflatten(span.attributes, "retrieval.documents")
    found = []
    for entry in listed if isinstance(listed, list) else []:
        document = entry.get("document", entry) if isinstance(entry, dict) else {}
        text = (
            first_value(document, "content", "document.content", "page_content") if isinstance(document, dict) else None
        )
        found += [text] if isinstance(text, str) else []
    return found


def as_messages(found: list[Any]) -> list[IntakeMessage]:
    """The messages that can be read. Telemetry may have truncated others."""
    read: list[IntakeMessage] = []
    has_agent_spoken = False
    for message in found:
        if known := chat.read_message(with_parts(message), "", Speakers(), Faults(), has_agent_spoken):
            has_agent_spoken = has_agent_spoken or known.role == "assistant"
            read.append(known)
    return read


def with_matching_ids(messages: list[IntakeMessage]) -> list[IntakeMessage]:
    """The messages with results named after their calls. Traceloop gives both an id, but not the same."""
    calls = [call.id for message in messages for call in message.calls]
    results = [result.id for message in messages for result in message.results]
    if not results or set(calls) & set(results) or len(results) > len(calls):
        return messages
    ids = iter(calls)
    return [
        message._replace(results=tuple(result._replace(id=next(ids)) for result in message.results))
        for message in messages
    ]


def structured_messages(span: Span, keys: tuple[str, ...], role: str) -> list[Any]:
    """The messages in an attribute: JSON, or one text. JSON that was cut off is a message of an unknown kind."""
    found = known_json(first_recorded(span, keys))
    if isinstance(found, list):
        return found
    if isinstance(found, str) and (written := payloads.find_written_messages(found)):
        return written
    if isinstance(found, str) and found.lstrip().startswith(("[", "{")):
        return [{"role": role, "content": [{"type": TRUNCATED_JSON, "content": found}]}]
    if isinstance(found, dict):
        return payloads.find_messages(found) or [found]
    return [{"role": role, "content": found}] if found else []


def first_recorded(span: Span, keys: tuple[str, ...]) -> Any:
    """The value of the first of these attributes that a span has, or one of its events with messages as attributes."""
    places = [span.attributes, *(fields for name, fields in span.events if name in MESSAGE_EVENTS)]
    return next((place[key] for place in places for key in keys if place.get(key)), None)


def flattened_messages(span: Span, prefixes: tuple[str, ...]) -> list[Any]:
    for prefix in prefixes:
        found = span.attributes.get(prefix)
        messages = unwrap_entries(found) if isinstance(found, list) else unflatten(span.attributes, prefix)
        if messages:
            return [with_contents(message) for message in messages if isinstance(message, dict)]
    return []


def with_contents(message: dict[str, Any]) -> dict[str, Any]:
    """OpenInference calls a content of several parts `contents`, and has the single call of former models in two fields."""
    if name := message.get("function_call_name"):
        called = {"name": name, "arguments": message.get("function_call_arguments_json")}
        message = message | {"function_call": called}
    return {"content": message["contents"]} | message if isinstance(message.get("contents"), list) else message


def event_message(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The message of an event. A role that is none, such as "customer", is that of the event."""
    known = event_fields(fields)
    own = known.get("role")
    role = own if isinstance(own, str) and own.lower() in chat.ROLES else INPUT_EVENT_ROLES[name]
    return known | {"role": role}


def choice_message(fields: dict[str, Any]) -> dict[str, Any]:
    known = event_fields(fields)
    message = known_json(known.get("message"))
    if isinstance(message, dict):
        return {"tool_calls": known["tool_calls"]} | message
    return known | {"content": message or known.get("content")}


def event_fields(attributes: dict[str, Any]) -> dict[str, Any]:
    """The fields of an event: its attributes, or the JSON in one of them."""
    body = known_json(attributes.get("gen_ai.event.content", attributes.get("event.body")))
    fields = body if isinstance(body, dict) else attributes
    id = fields.get("id")
    return fields | {"tool_calls": known_json(fields.get("tool_calls"))} | ({"tool_call_id": id} if id else {})
