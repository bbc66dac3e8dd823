"""The specification of a route: what its function depends on, takes from the request, answers and raises."""

import inspect
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Generic, NamedTuple, Self, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from litestar import Request
from litestar.response import Response

from viva.agents import access
from viva.context import HubContext
from viva.kit.db import Connection
from viva.kit.errors import VivaError

Function = Callable[..., Any]
# What is tried before the function of a write: it shares a unit with other requests. None where the function must run.
Together = Callable[..., Awaitable[Any]]

# What a function is given by its parameter's name; a `viewer` need not be signed in, a `caller` must.
DEPENDENCIES: dict[str, Callable[[Connection, str | None, HubContext], Any]] = {
    "db": lambda db, key, hub: db,
    "caller": lambda db, key, hub: access.caller(db, key or ""),
    "viewer": lambda db, key, hub: access.caller(db, key) if key else None,
    "key": lambda db, key, hub: key,
    "key_hash": lambda db, key, hub: access.ApiKey(key or "").hash,
    "hub": lambda db, key, hub: hub,
}
# Parameters that come as headers.
HEADER_NAMES = {"last_event_id": "Last-Event-ID"}

Body = TypeVar("Body")


class StatusAnswer(msgspec.Struct, Generic[Body], frozen=True):
    """A body with a status of its own, for routes that have two."""

    status: int
    body: Body


class RouteCall(NamedTuple):
    """One request to a route; `run` is the route's function, with all its arguments but the connection."""

    request: Request
    hub: HubContext
    run: Callable[[Connection], Any]


class ResponseKind(NamedTuple):
    """How a route answers: with which media types, and how the value of its function becomes a response."""

    media_types: tuple[str, ...]
    respond: Callable[[RouteCall, Any], Awaitable[Response[Any]]]


class ReadAgain(NamedTuple):
    """How a large answer is read again for a repeated request: by a reference, which is all that is kept of it.

    `read` takes `reference`, and whatever the route's function takes."""

    reference: Callable[[Any], str]
    read: Function


class RouteSpec(NamedTuple):
    """What a route's function takes, answers and raises; the OpenAPI document is made from these."""

    function: Function
    method: str
    tag: str
    description: str
    dependencies: tuple[str, ...]
    parameters: type[msgspec.Struct]
    body_type: Any
    answer_type: Any
    status: int
    other_status: int | None  # another one that is no error
    raises: tuple[type[VivaError], ...]
    response: ResponseKind
    read_again: ReadAgain | None
    together: Together | None

    @classmethod
    def of(
        cls,
        function: Function,
        method: str,
        status: int,
        raises: tuple[type[VivaError], ...],
        response: ResponseKind,
        other_status: int | None = None,
        read_again: ReadAgain | None = None,
        together: Together | None = None,
    ) -> Self:
        hints = get_type_hints(function, include_extras=True)
        returned = hints["return"]
        return cls(
            function=function,
            method=method,
            tag=function.__module__.rpartition(".")[2],
            description=inspect.getdoc(function) or "",
            dependencies=tuple(name for name in inspect.signature(function).parameters if name in DEPENDENCIES),
            parameters=parameters_type(function),
            body_type=hints.get("data"),
            answer_type=get_args(returned)[0] if get_origin(returned) is StatusAnswer else returned,
            status=status,
            other_status=other_status,
            raises=raises,
            response=response,
            read_again=read_again,
            together=together,
        )

    @property
    def needs_key(self) -> bool:
        return "caller" in self.dependencies

    def run(self, db: Connection, key: str | None, hub: HubContext, arguments: dict[str, Any]) -> Any:
        """Call the function with what it depends on and what the request gave."""
        return self.function(**arguments, **resolve(self.dependencies, db, key, hub))

    def run_again(self, db: Connection, key: str | None, hub: HubContext, arguments: dict[str, Any]) -> Any:
        """Read an answer again; the arguments hold its `reference`."""
        if self.read_again is None:
            raise VivaError()
        wanted = inspect.signature(self.read_again.read).parameters
        given = {name: value for name, value in arguments.items() if name in wanted}
        dependencies = tuple(name for name in wanted if name in DEPENDENCIES)
        return self.read_again.read(**given, **resolve(dependencies, db, key, hub))


def resolve(names: tuple[str, ...], db: Connection, key: str | None, hub: HubContext) -> dict[str, Any]:
    return {name: DEPENDENCIES[name](db, key, hub) for name in names}


@cache
def parameters_type(function: Function) -> type[msgspec.Struct]:
    """A struct of the parameters that come from path, query and headers; `type_` stands for the parameter `type`."""
    hints = get_type_hints(function, include_extras=True)
    fields = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in DEPENDENCIES and name != "data":
            required = parameter.default is inspect.Parameter.empty
            fields.append((name, hints[name]) if required else (name, hints[name], parameter.default))
    return msgspec.defstruct(
        f"parameters_of_{function.__name__}",
        fields,
        module=function.__module__,
        rename=lambda name: HEADER_NAMES.get(name, name.removesuffix("_")),
    )
