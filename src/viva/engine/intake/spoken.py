"""What a span of a model was told and what it said, from the many places where conventions have put it."""

from typing import Any

from viva.engine.intake import chat, content, tools
from viva.engine.intake.faults import Faults
from viva.engine.intake.messages import Message
from viva.engine.intake.span import Span, known_json
from viva.engine.intake.speakers import Speakers

HEARD = ("gen_ai.input.messages",)
SAID = ("gen_ai.output.messages",)
HEARD_FLAT = ("llm.input_messages", "gen_ai.prompt")
SAID_FLAT = ("llm.output_messages", "gen_ai.completion")
HEARD_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
SAID_EVENT = "gen_ai.choice"
DETAILS = "gen_ai.client.inference.operation.details"  # an event that holds the messages as attributes
SYSTEM = "gen_ai.system_instructions"
TOOLS = ("gen_ai.tool.definitions", "gen_ai.request.tools")
WRAPPINGS = ("message", "tool_call", "message_content", "tool")
STEPS = 12  # names in a dotted key: OpenInference has at most 9
LISTED = 10_000  # entries of a flattened list that are looked at


def heard(span: Span) -> list[Message]:
    """The messages that the model was given, the whole history among them."""
    found = structured(span, HEARD) or flattened(span, HEARD_FLAT)
    return as_messages(found or [told(name, held) for name, held in span.events if name in HEARD_EVENTS])


def said(span: Span) -> list[Message]:
    """The messages that the model answered with."""
    found = structured(span, SAID) or flattened(span, SAID_FLAT)
    found = found or [chosen(held) for name, held in span.events if name == SAID_EVENT]
    return as_messages([message | {"role": "assistant"} for message in found if isinstance(message, dict)])


def instructions(span: Span, history: list[Message]) -> str | None:
    """What the model was told about its part."""
    own = content.text(known_json(span.attributes.get(SYSTEM)))
    return own or next((message.text for message in history if message.role == "system" and message.text), None)


def offered(span: Span) -> list[dict[str, Any]]:
    """The tools that the model was offered."""
    listed = known_json(span.first(TOOLS)) or [
        known_json(tool.get("json_schema"))
        for tool in unflatten(span.attributes, "llm.tools")
        if isinstance(tool, dict)
    ]
    return tools.definitions(listed) or []


def as_messages(found: list[Any]) -> list[Message]:
    """Messages that can be read; telemetry may cut others short."""
    read = (chat.read_message(message, "", Speakers(), Faults()) for message in found)
    return [message for message in read if message]


def structured(span: Span, keys: tuple[str, ...]) -> list[Any]:
    places = [span.attributes, *(held for name, held in span.events if name == DETAILS)]
    found = next((known_json(place[key]) for place in places for key in keys if place.get(key)), None)
    return found if isinstance(found, list) else []


def flattened(span: Span, prefixes: tuple[str, ...]) -> list[Any]:
    for prefix in prefixes:
        found = span.attributes.get(prefix)
        messages = unwrapped(found) if isinstance(found, list) else unflatten(span.attributes, prefix)
        if messages:
            return [with_contents(message) for message in messages if isinstance(message, dict)]
    return []


def with_contents(message: dict[str, Any]) -> dict[str, Any]:
    """OpenInference has `contents` for a content of several parts."""
    return {"content": message["contents"]} | message if isinstance(message.get("contents"), list) else message


def unflatten(attributes: dict[str, Any], prefix: str) -> list[Any]:
    """The list whose entries are spread over attributes: `prefix.0.message.role` and the like."""
    found = unwrapped(relisted(nested({key: attributes[key] for key in attributes if key.startswith(f"{prefix}.")})))
    for name in prefix.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, list) else []


def nested(value: dict[str, Any]) -> dict[str, Any]:
    """The object that dotted keys spell out."""
    tree: dict[str, Any] = {}
    for key, part in value.items():
        *path, last = key.split(".", STEPS)
        at = tree
        for name in path:
            below = at.setdefault(name, {})
            at = below if isinstance(below, dict) else {}
        at[last] = part
    return tree


def relisted(value: Any) -> Any:
    """Objects whose keys are all numbers as the lists they were."""
    if not isinstance(value, dict):
        return value
    parts = {key: relisted(part) for key, part in value.items()}
    if parts and all(key.isdecimal() and len(key) < 6 for key in parts):
        return [parts[key] for key in sorted(parts, key=int)[:LISTED]]
    return parts


def unwrapped(value: Any) -> Any:
    """Without the name of its kind that OpenInference puts around each entry of a list."""
    if isinstance(value, list):
        return [unwrapped(part) for part in value]
    if not isinstance(value, dict):
        return value
    if any(key.split(".")[0] in WRAPPINGS for key in value if "." in key):
        value = relisted(nested(value))
    if len(value) == 1 and (key := next(iter(value))) in WRAPPINGS:
        return unwrapped(value[key])
    return {key: unwrapped(part) if isinstance(part, list | dict) else part for key, part in value.items()}


def told(name: str, held: dict[str, Any]) -> dict[str, Any]:
    return {"role": HEARD_EVENTS[name]} | opened(held)


def chosen(held: dict[str, Any]) -> dict[str, Any]:
    message = known_json(opened(held).get("message"))
    return message if isinstance(message, dict) else opened(held)


def opened(held: dict[str, Any]) -> dict[str, Any]:
    """The fields of an event: its attributes, or the JSON in one of them."""
    body = known_json(held.get("gen_ai.event.content", held.get("event.body")))
    fields = body if isinstance(body, dict) else held
    id = fields.get("id")
    return fields | {"tool_calls": known_json(fields.get("tool_calls"))} | ({"tool_call_id": id} if id else {})
