"""Finds the input and output messages of a model's span. Each convention puts them elsewhere."""

from typing import Any

from viva.engine.intake import chat, content, tools
from viva.engine.intake.faults import Faults
from viva.engine.intake.messages import IntakeMessage
from viva.engine.intake.span import Span, known_json
from viva.engine.intake.speakers import Speakers

INPUT_MESSAGE_KEYS = ("gen_ai.input.messages",)
OUTPUT_MESSAGE_KEYS = ("gen_ai.output.messages",)
FLAT_INPUT_KEYS = ("llm.input_messages", "gen_ai.prompt")
FLAT_OUTPUT_KEYS = ("llm.output_messages", "gen_ai.completion")
INPUT_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
OUTPUT_EVENT = "gen_ai.choice"
DETAILS_EVENT = "gen_ai.client.inference.operation.details"  # this event has the messages as attributes
SYSTEM_KEY = "gen_ai.system_instructions"
TOOL_DEFINITION_KEYS = ("gen_ai.tool.definitions", "gen_ai.request.tools")
WRAPPER_KEYS = ("message", "tool_call", "message_content", "tool")
MAX_KEY_PARTS = 12  # names in a dotted key: OpenInference has at most 9
MAX_LIST_ENTRIES = 10_000  # entries of a flattened list that are looked at


def input_messages(span: Span) -> list[IntakeMessage]:
    """The messages that the model was given, including the history."""
    found = structured_messages(span, INPUT_MESSAGE_KEYS) or flattened_messages(span, FLAT_INPUT_KEYS)
    return as_messages(
        found or [event_message(name, fields) for name, fields in span.events if name in INPUT_EVENT_ROLES]
    )


def output_messages(span: Span) -> list[IntakeMessage]:
    """The messages that the model answered with."""
    found = structured_messages(span, OUTPUT_MESSAGE_KEYS) or flattened_messages(span, FLAT_OUTPUT_KEYS)
    found = found or [choice_message(fields) for name, fields in span.events if name == OUTPUT_EVENT]
    return as_messages([message | {"role": "assistant"} for message in found if isinstance(message, dict)])


def instructions(span: Span, history: list[IntakeMessage]) -> str | None:
    """The system instructions of the model."""
    own = content.text(known_json(span.attributes.get(SYSTEM_KEY)))
    return own or next((message.text for message in history if message.role == "system" and message.text), None)


def offered_tools(span: Span) -> list[dict[str, Any]]:
    """The tools that the model was offered."""
    listed = known_json(span.first(TOOL_DEFINITION_KEYS)) or [
        known_json(tool.get("json_schema"))
        for tool in unflatten(span.attributes, "llm.tools")
        if isinstance(tool, dict)
    ]
    return tools.definitions(listed) or []


def as_messages(found: list[Any]) -> list[IntakeMessage]:
    """The messages that can be read. Telemetry may have truncated others."""
    read: list[IntakeMessage] = []
    for message in found:
        has_agent_spoken = any(earlier.role == "assistant" for earlier in read)
        if known := chat.read_message(message, "", Speakers(), Faults(), has_agent_spoken):
            read.append(known)
    return read


def structured_messages(span: Span, keys: tuple[str, ...]) -> list[Any]:
    places = [span.attributes, *(fields for name, fields in span.events if name == DETAILS_EVENT)]
    found = next((known_json(place[key]) for place in places for key in keys if place.get(key)), None)
    return found if isinstance(found, list) else []


def flattened_messages(span: Span, prefixes: tuple[str, ...]) -> list[Any]:
    for prefix in prefixes:
        found = span.attributes.get(prefix)
        messages = unwrap_entries(found) if isinstance(found, list) else unflatten(span.attributes, prefix)
        if messages:
            return [with_contents(message) for message in messages if isinstance(message, dict)]
    return []


def with_contents(message: dict[str, Any]) -> dict[str, Any]:
    """OpenInference calls a content of several parts `contents`."""
    return {"content": message["contents"]} | message if isinstance(message.get("contents"), list) else message


def unflatten(attributes: dict[str, Any], prefix: str) -> list[Any]:
    """The list whose entries are spread over attributes such as `prefix.0.message.role`."""
    found = unwrap_entries(
        restore_lists(nest_keys({key: attributes[key] for key in attributes if key.startswith(f"{prefix}.")}))
    )
    for name in prefix.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, list) else []


def nest_keys(value: dict[str, Any]) -> dict[str, Any]:
    """The nested object of dotted keys."""
    tree: dict[str, Any] = {}
    for key, part in value.items():
        *path, last = key.split(".", MAX_KEY_PARTS)
        at = tree
        for name in path:
            below = at.setdefault(name, {})
            at = below if isinstance(below, dict) else {}
        at[last] = part
    return tree


def restore_lists(value: Any) -> Any:
    """Turn objects whose keys are all numbers back into lists."""
    if not isinstance(value, dict):
        return value
    parts = {key: restore_lists(part) for key, part in value.items()}
    if parts and all(key.isdecimal() and len(key) < 6 for key in parts):
        return [parts[key] for key in sorted(parts, key=int)[:MAX_LIST_ENTRIES]]
    return parts


def unwrap_entries(value: Any) -> Any:
    """Remove the wrapper that OpenInference puts around each list entry."""
    if isinstance(value, list):
        return [unwrap_entries(part) for part in value]
    if not isinstance(value, dict):
        return value
    if any(key.split(".")[0] in WRAPPER_KEYS for key in value if "." in key):
        value = restore_lists(nest_keys(value))
    if len(value) == 1 and (key := next(iter(value))) in WRAPPER_KEYS:
        return unwrap_entries(value[key])
    return {key: unwrap_entries(part) if isinstance(part, list | dict) else part for key, part in value.items()}


def event_message(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"role": INPUT_EVENT_ROLES[name]} | event_fields(fields)


def choice_message(fields: dict[str, Any]) -> dict[str, Any]:
    message = known_json(event_fields(fields).get("message"))
    return message if isinstance(message, dict) else event_fields(fields)


def event_fields(attributes: dict[str, Any]) -> dict[str, Any]:
    """The fields of an event: its attributes, or the JSON in one of them."""
    body = known_json(attributes.get("gen_ai.event.content", attributes.get("event.body")))
    fields = body if isinstance(body, dict) else attributes
    id = fields.get("id")
    return fields | {"tool_calls": known_json(fields.get("tool_calls"))} | ({"tool_call_id": id} if id else {})
