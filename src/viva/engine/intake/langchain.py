"""Reads messages of LangChain and LangGraph: dumped, serialised, in a state, or in the updates of a stream."""

from collections.abc import Iterable, Iterator
from typing import Any

from viva.engine.intake import chat, content, speakers
from viva.engine.intake.building import NOT_UNDERSTOOD
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import first_value
from viva.engine.model import Trace

LANGCHAIN_KINDS = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "chat": "",  # says its role itself
    "remove": "",
}
DUMP_KEYS = ("additional_kwargs", "response_metadata")  # every message has them when it is dumped
CALL_BLOCKS = ("tool_use", "tool_call", "tool_call_chunk", "function_call", "input_json_delta")  # repeat `tool_calls`
STATE_LEVELS = 4  # an update in a list, with its namespace, its node and the field of the state


def recognise(document: object) -> bool:
    """Whether this is a list of messages, a state, or a list of states or updates."""
    if isinstance(document, list):
        return bool(document) and (is_message(document[0]) or any(finds_messages(part) for part in document[:1]))
    return isinstance(document, dict) and (has_messages(document) or has_messages(document.get("values")))


def finds_messages(part: object) -> bool:
    """Whether an entry of a list is a state, an update by node, or an update with its namespace."""
    if isinstance(part, list):
        return len(part) == 2 and isinstance(part[0], list) and isinstance(part[1], dict) and finds_messages(part[1])
    states = [part, *part.values()] if isinstance(part, dict) else []
    return any(map(has_messages, states))


def has_messages(state: object) -> bool:
    """Whether a field of this state has messages."""
    fields = state.values() if isinstance(state, dict) else []
    return any(isinstance(field, list) and field and is_message(field[0]) for field in fields)


def is_message(value: object) -> bool:
    return fields_of(value) is not None


def fields_of(value: object) -> dict[str, Any] | None:
    """The fields of a message with its kind under `type`; None if this is no message of LangChain."""
    if not isinstance(value, dict):
        return None
    inner = value.get("kwargs") if value.get("lc") else value.get("data")
    path = value.get("id")
    kind = path[-1] if value.get("lc") and isinstance(path, list) and path else value.get("type")
    is_chunk = str(kind).endswith("Chunk")
    name = str(kind).removesuffix("Chunk").removesuffix("Message").lower()
    if name not in LANGCHAIN_KINDS:
        return None
    if isinstance(inner, dict):
        return inner | {"type": name, "is_chunk": is_chunk} if "content" in inner else None
    is_dump = "content" in value and (any(key in value for key in DUMP_KEYS) or name in ("human", "ai"))
    return value | {"type": name, "is_chunk": is_chunk} if is_dump and "role" not in value else None


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of all messages, each once."""
    if not recognise(document):
        refuse("", "missing", "has no messages of LangChain")
    order = MessageOrder()
    for agent, messages in find_lists(document, None, STATE_LEVELS):
        order.add([(fields_of(message) or {"other": message}) | {"agent": agent} for message in messages])
    return chat.read(
        {"messages": tell(as_chat(fields) for fields in order.messages()), "form_version": version(document)},
        name,
        limits,
    )


def version(document: Any) -> str | None:
    """The number of LangChain's serialisation."""
    _, messages = next(find_lists(document, None, STATE_LEVELS))
    number = messages[0].get("lc")
    return f"lc {number}" if isinstance(number, int) else None


def find_lists(value: Any, agent: str | None, levels: int) -> Iterator[tuple[str | None, list[Any]]]:
    """Each list of messages in a document, with the agent whose node or namespace it stands under."""
    if isinstance(value, list) and value and is_message(value[0]):
        yield agent, value
    elif isinstance(value, list) and levels:
        is_named = len(value) == 2 and isinstance(value[0], list) and isinstance(value[1], dict)
        space = str(value[0][0]).split(":")[0] if is_named and value[0] else agent
        for part in value[1:] if is_named else value:
            yield from find_lists(part, space, levels - (not is_named))
    elif isinstance(value, dict) and levels:
        for key, part in value.items():
            inner = agent or (key if isinstance(part, dict) and key != "values" else None)
            yield from find_lists(part, inner, levels - 1)


class MessageOrder:
    """Puts messages that several lists repeat into one order. A new message goes before the known one that follows it."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, Any]] = {}
        self.before: dict[str, str] = {}  # a linked list: the id of the message before each one
        self.after: dict[str, str] = {"": ""}
        self.before[""] = ""

    def add(self, messages: list[dict[str, Any]]) -> None:
        following = ""
        for message in reversed(messages):
            id = str(message.get("id") or f" {len(self.known)}")  # without an id it is never a repetition
            if id in self.known:
                check_whole(message, self.known[id])
            else:
                self.known[id] = message
                earlier = self.before[following]
                self.after[earlier] = self.before[following] = id
                self.before[id], self.after[id] = earlier, following
            following = id

    def messages(self) -> Iterator[dict[str, Any]]:
        at = self.after[""]
        while at:
            yield self.known[at]
            at = self.after[at]


def check_whole(message: dict[str, Any], known: dict[str, Any]) -> None:
    """Refuse pieces of a streamed message, which have one id and different texts."""
    if message.get("is_chunk") and message.get("content") != known.get("content"):
        refuse("messages", NOT_UNDERSTOOD, "it has streamed pieces of messages; send the whole messages of the state")


def as_chat(fields: dict[str, Any]) -> Any:
    """A message as the chat APIs have it; None for the mark that removes a message."""
    if "other" in fields:
        return fields["other"]  # the reader of chats says what is wrong
    role = LANGCHAIN_KINDS[fields["type"]] or fields.get("role")
    said = fields.get("content")
    if not role:
        return None
    if role in ("tool", "function"):
        failed = {"error": content.text(said) or "failed"} if fields.get("status") == "error" else {}
        return {
            "role": role,
            "content": said,
            "tool_call_id": fields.get("tool_call_id"),
            "name": fields.get("name"),
        } | failed
    if role != "assistant":
        return {"role": role, "content": said} | ({"speaker": fields.get("name")} if role == "user" else {})
    extra = fields.get("additional_kwargs")
    more = extra if isinstance(extra, dict) else {}
    calls = [*listed(fields.get("tool_calls")), *listed(fields.get("invalid_tool_calls"))] or more.get("tool_calls")
    return {
        "role": role,
        "name": first_value(fields, "name", "agent"),
        "content": without_calls(said) if calls else said,
        "tool_calls": calls,
        "function_call": None if calls else more.get("function_call"),
        "reasoning_content": more.get("reasoning_content"),
    }


def listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def without_calls(said: Any) -> Any:
    """The content without the blocks that repeat the calls of the message."""
    is_call = [isinstance(part, dict) and part.get("type") in CALL_BLOCKS for part in listed(said)]
    return [part for part, repeats in zip(said, is_call, strict=True) if not repeats] if any(is_call) else said


def chat_messages(messages: list[Any]) -> list[Any]:
    """The messages as the chat APIs have them. What is no message of LangChain stays unchanged."""
    return tell(as_chat(fields) if (fields := fields_of(message)) else message for message in messages)


def tell(messages: Iterable[Any]) -> list[Any]:
    """The messages that say something. Graphs pass an agent's answer on as a named message of the user."""
    told: list[Any] = []
    for message in messages:
        speaker = message.pop("speaker", None) if isinstance(message, dict) else None
        if isinstance(speaker, str) and speaker and told and not speakers.is_person(speaker):
            message |= {"role": "assistant", "name": speaker}
        if message:
            told.append(message)
    return told
