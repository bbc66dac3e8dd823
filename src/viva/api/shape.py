"""The shape of a route: what its function is given, takes from the request, answers and raises."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, Generic, NamedTuple, Self, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from viva.agents import access
from viva.api.hub import Hub
from viva.kit.db import Connection
from viva.kit.errors import VivaError

# Parameters that do not stand in the request's words; a `viewer` need not be signed in, a `caller` must.
GIVEN: dict[str, Callable[[Connection, str | None, Hub], Any]] = {
    "db": lambda db, key, hub: db,
    "caller": lambda db, key, hub: access.caller(db, key or ""),
    "viewer": lambda db, key, hub: access.caller(db, key) if key else None,
    "key": lambda db, key, hub: key,
    "key_hash": lambda db, key, hub: access.Key(key or "").hash,
    "hub": lambda db, key, hub: hub,
}

Body = TypeVar("Body")
JSON = "application/json"


class Answer(msgspec.Struct, Generic[Body], frozen=True):
    """A body with a status of its own, for routes that have two."""

    status: int
    body: Body


class EventStream(NamedTuple):
    """Where a stream of a session's messages begins."""

    session_id: str
    sequence: int


class Shape(NamedTuple):
    """What a route's function takes, answers and raises; the OpenAPI document is made from these."""

    room: str
    description: str
    wants: tuple[str, ...]
    words: type[msgspec.Struct]
    body: "msgspec.json.Decoder[Any] | None"
    body_type: Any
    answer_type: Any
    status: int
    also: int | None  # another status that is no error
    raises: tuple[type[VivaError], ...]
    media_types: tuple[str, ...]

    @property
    def needs_key(self) -> bool:
        return "caller" in self.wants

    def given(self, db: Connection, key: str | None, hub: Hub) -> dict[str, Any]:
        """What the function wants that does not stand in the request's words."""
        return {name: GIVEN[name](db, key, hub) for name in self.wants}

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        status: int,
        raises: tuple[type[VivaError], ...],
        also: int | None = None,
        media_types: tuple[str, ...] = (JSON,),
    ) -> Self:
        hints = get_type_hints(function, include_extras=True)
        parameters = inspect.signature(function).parameters
        body_type = hints.get("data")
        return cls(
            room=function.__module__.rpartition(".")[2],
            description=inspect.getdoc(function) or "",
            wants=tuple(name for name in parameters if name in GIVEN),
            words=words_type(function),
            body=msgspec.json.Decoder(body_type) if body_type else None,
            body_type=body_type,
            answer_type=get_args(hints["return"])[0] if get_origin(hints["return"]) is Answer else hints["return"],
            status=status,
            also=also,
            raises=raises,
            media_types=media_types,
        )


@cache
def words_type(function: Callable[..., Any]) -> type[msgspec.Struct]:
    """A struct of the parameters that come from path and query; `type_` stands for the word `type`."""
    hints = get_type_hints(function, include_extras=True)
    fields = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in GIVEN and name != "data":
            required = parameter.default is inspect.Parameter.empty
            fields.append((name, hints[name]) if required else (name, hints[name], parameter.default))
    return msgspec.defstruct(
        f"words_of_{function.__name__}", fields, module=function.__module__, rename=lambda name: name.removesuffix("_")
    )
