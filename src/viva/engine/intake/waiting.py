"""Tool calls that wait for their results, found by id, by tool name, or by order."""

import json
from collections import deque
from itertools import count
from typing import Any, NamedTuple

CallKey = tuple[str | None, bool]  # the tool's name, the arguments, or None for any; whether the call has an id


class OpenCall(NamedTuple):
    """A call, its interaction, and its position in the order of calls."""

    order: int
    id: str | None
    call: dict[str, Any]
    interaction: dict[str, Any]


class OpenCalls:
    """The calls without a result. Every look-up takes constant time."""

    def __init__(self) -> None:
        self.order = count()
        self.open: set[int] = set()
        self.by_id: dict[str, OpenCall] = {}
        self.queues: dict[CallKey, deque[OpenCall]] = {}

    def add(self, id: str | None, call: dict[str, Any], interaction: dict[str, Any]) -> None:
        asked = OpenCall(next(self.order), id, call, interaction)
        self.open.add(asked.order)
        if id is not None:
            self.by_id[id] = asked
        for name in (call["tool_name"], write_arguments(call["parameters"]), None):
            self.queues.setdefault((name, id is not None), deque()).append(asked)

    def take(self, id: str | None, name: str | None, parameters: object = None) -> OpenCall | None:
        """Remove and return the call that a result answers. An unknown id may answer a call without an id.

        A result without an id may name its tool in another way. Then the arguments show its call."""
        found = self.by_id.pop(id, None) if id is not None else None
        if found is None or found.order not in self.open:
            keys: list[CallKey] = [(name, False)] if id is not None else [(name, False), (name, True)]
            found = min(
                (asked for key in keys if (asked := self.first(key))), default=None, key=lambda asked: asked.order
            )
        if found is None and id is None and (written := write_arguments(parameters)):
            found = self.first((written, True)) or self.first((written, False))
        if found:
            self.open.discard(found.order)
        return found

    def waits(self, id: str | None) -> bool:
        """Whether the call with this id has no result yet."""
        return id in self.by_id and self.by_id[id].order in self.open

    def first(self, key: CallKey) -> OpenCall | None:
        queue = self.queues.get(key, deque())
        while queue and queue[0].order not in self.open:
            queue.popleft()
        return queue[0] if queue else None


def write_arguments(parameters: object) -> str:
    """Arguments as a text that no tool has for a name; empty without arguments."""
    return json.dumps(parameters, sort_keys=True, default=str) if parameters and isinstance(parameters, dict) else ""
