"""Reads messages of LangChain and LangGraph: dumped, serialised, in a state, or in the updates of a stream."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.building import NOT_UNDERSTOOD
from viva.engine.intake.faults import refuse
from viva.engine.intake.forms.langchain_messages import as_chat, fields_of, is_message, tell
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import inner_object
from viva.engine.model import Trace

SNAPSHOT_KEYS = ("values", "channel_values", "checkpoint")  # around a state
STATE_LEVELS = 4  # an update in a list, with its namespace, its node and the field of the state


def recognise(document: object) -> bool:
    """Whether this is a list of messages, a state, or a list of states or updates."""
    if isinstance(document, list):
        known = without_empty_states(document)
        return bool(known) and (is_message(known[0]) or is_state(known[0]) or is_update(known[0]))
    return is_state(document)


def without_empty_states(listed: list[Any]) -> list[Any]:
    """The entries without snapshots that have no messages: the first one of a graph has none."""
    return [part for part in listed if not (isinstance(part, dict) and "values" in part and not is_state(part))]


def is_state(value: object) -> bool:
    """Whether this is a state, or the snapshot of one."""
    places = ((), ("values",), ("channel_values",), ("checkpoint", "channel_values"))
    return any(has_messages(inner_object(value, *path)) for path in places)


def is_update(value: object) -> bool:
    """Whether this is an update by node, alone or after the namespace of its graph."""
    if isinstance(value, list):
        return len(value) == 2 and isinstance(value[0], list) and is_update(value[1])
    if not isinstance(value, dict) or not all(isinstance(part, dict | None) for part in value.values()):
        return False
    return any(map(has_messages, value.values()))


def has_messages(state: object) -> bool:
    """Whether a field of this state has messages."""
    fields = state.values() if isinstance(state, dict) else []
    return any(isinstance(field, list) and field and is_message(field[0]) for field in fields)


def parts(document: Any) -> list[Any]:
    """The states of each conversation. Those that begin with the same message are one conversation as it grew."""
    listed = without_empty_states(document) if isinstance(document, list) else []
    if not listed or not is_state(listed[0]):
        return [document]
    grown: dict[str, list[Any]] = {}
    for index, state in enumerate(listed):
        lists = find_lists(state, None, STATE_LEVELS)
        first = fields_of(next((messages[0] for _, messages in lists), None)) or {}
        grown.setdefault(str(first.get("id") or f" {index}"), []).append(state)
    return list(grown.values())


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
            inner = agent or (key if isinstance(part, dict) and key not in SNAPSHOT_KEYS else None)
            yield from find_lists(part, inner, levels - 1)


class MessageOrder:
    """Puts messages that several lists repeat into one order. A new message goes before the known one that follows it."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, Any]] = {}
        self.before = {"": ""}  # a linked list: the id of the message before each one; the empty id is both ends
        self.after = {"": ""}

    def add(self, messages: list[dict[str, Any]]) -> None:
        """Add a list. Within it nothing is repeated, so an id that occurs twice is that of two messages."""
        following = ""
        here: set[str] = set()
        for message in reversed(messages):
            id = str(message.get("id") or "")
            if id in here and message.get("is_chunk"):
                refuse(
                    "messages", NOT_UNDERSTOOD, "it has streamed pieces of messages; send the state's whole messages"
                )
            if not id or id in here:
                id = f" {len(self.known)}"
            if id not in self.known:
                self.insert(id, message, following)
            here.add(id)
            following = id

    def insert(self, id: str, message: dict[str, Any], following: str) -> None:
        earlier = self.before[following]
        self.known[id] = message
        self.after[earlier] = self.before[following] = id
        self.before[id], self.after[id] = earlier, following

    def messages(self) -> Iterator[dict[str, Any]]:
        at = self.after[""]
        while at:
            yield self.known[at]
            at = self.after[at]
