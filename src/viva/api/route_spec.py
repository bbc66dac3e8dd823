"""The specification of a route: the dependencies, parameters, answer and errors of its function."""

import inspect
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Generic, NamedTuple, Self, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from litestar import Request
from litestar.response import Response

from viva.agents import access
from viva.context import HubContext
from viva.contributions import ownership
from viva.kit.db import Connection
from viva.kit.errors import VivaError

Function = Callable[..., Any]
# Handles a write in one unit with other requests. It returns None if the route's own function must run instead.
Together = Callable[..., Awaitable[Any]]

# Prepares a write before its transaction. It takes the hub, the key and the arguments, and must not raise a VivaError.
Prepare = Callable[[HubContext, str | None, dict[str, Any]], Awaitable[None]]
# Completes a write after its commit and before its answer. It takes the hub and the answer, and returns the answer.
Complete = Callable[[HubContext, Any], Awaitable[Any]]

# What a function gets by the name of its parameter. A `caller` needs a key, a `viewer` does not. A `visitor` may send a
# key, the token of a contribution, or neither.
DEPENDENCIES: dict[str, Callable[[Connection, str | None, HubContext], Any]] = {
    "db": lambda db, key, hub: db,
    "caller": lambda db, key, hub: access.caller(db, key or ""),
    "viewer": lambda db, key, hub: access.caller(db, key) if key else None,
    "visitor": lambda db, key, hub: ownership.find_visitor(db, key),
    "key": lambda db, key, hub: key,
    "key_hash": lambda db, key, hub: access.ApiKey(key or "").hash,
    "hub": lambda db, key, hub: hub,
}
# Parameters that are sent as headers.
HEADER_NAMES = {"last_event_id": "Last-Event-ID", "if_match": "If-Match"}

Body = TypeVar("Body")


class StatusAnswer(msgspec.Struct, Generic[Body], frozen=True):
    """A body with its status, for routes with two success statuses."""

    status: int
    body: Body


class EncodedAnswer(msgspec.Struct, Generic[Body], frozen=True):
    """A body that is encoded already, for routes that cache it. It is JSON unless it says otherwise."""

    body: bytes
    media_type: bytes = b"application/json"


class PolledAnswer(msgspec.Struct, Generic[Body], frozen=True):
    """A body that can be waited for. The `topics` announce changes, and `has_news` says whether to answer at once."""

    body: Any
    has_news: bool
    wait: int  # seconds
    topics: tuple[str, ...]


# A form of a body or an answer, which may itself be any of some.
OneForm = tuple[type[msgspec.Struct], ...]


class RouteCall(NamedTuple):
    """One request to a route. `run` is the route's function with all arguments except the connection."""

    request: Request
    hub: HubContext
    run: Callable[[Connection], Any]


# Answers that say how their body is sent.
WRAPPED_ANSWERS = (StatusAnswer, EncodedAnswer, PolledAnswer)


class ResponseKind(NamedTuple):
    """The media types of a route, and how the value of its function becomes a response."""

    media_types: tuple[str, ...]
    respond: Callable[[RouteCall, Any], Awaitable[Response[Any]]]


class ReadAgain(NamedTuple):
    """How a large answer is read again for a repeated request. Only its reference is stored.

    `read` takes `reference`, and any parameter of the route's function."""

    reference: Callable[[Any], str]
    read: Function


class RouteSpec(NamedTuple):
    """What a route's function takes, returns and raises. The OpenAPI document is made from it."""

    function: Function
    method: str
    tag: str
    description: str
    dependencies: tuple[str, ...]
    parameters: type[msgspec.Struct]
    headers: tuple[str, ...]  # the parameters that come as headers
    body_type: Any
    answer_type: Any
    status: int
    raises: tuple[type[VivaError], ...]
    response: ResponseKind
    other_status: int | None = None  # a second success status
    read_again: ReadAgain | None = None
    together: Together | None = None
    writes: bool = True  # whether it changes something, which a GET rarely does
    complete: Complete | None = None
    prepare: Prepare | None = None
    is_slow: bool = False  # whether a read takes so long that it needs a thread
    may_be_slow: bool = False  # whether it can take so long; its function then calls `db.leave_loop()`
    body_media_types: tuple[str, ...] = ()  # of a route that reads its body itself
    admits_suspended: bool = False  # whether a suspended account may call a route that writes
    body_forms: tuple[OneForm, ...] = ()  # of a body that has one form of several
    answer_forms: tuple[OneForm, ...] = ()  # of an answer that has one form of several
    body_examples: dict[str, Any] | None = None  # for the reference, as OpenAPI has them
    answer_examples: dict[str, Any] | None = None
    default_items: int | None = None  # of a list, if the caller sets no limit

    @classmethod
    def of(
        cls,
        function: Function,
        method: str,
        status: int,
        raises: tuple[type[VivaError], ...],
        response: ResponseKind,
        **options: Any,
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
            headers=tuple(
                HEADER_NAMES[name] for name in inspect.signature(function).parameters if name in HEADER_NAMES
            ),
            body_type=hints.get("data"),
            answer_type=get_args(returned)[0] if get_origin(returned) in WRAPPED_ANSWERS else returned,
            status=status,
            raises=raises,
            response=response,
            default_items=default_of(function, "limit"),
            **options,
        )

    @property
    def needs_key(self) -> bool:
        return "caller" in self.dependencies

    def is_long(self, arguments: dict[str, Any]) -> bool:
        """Whether the caller wants a longer list than the default."""
        return self.default_items is not None and arguments["limit"] > self.default_items

    def check_key(self, db: Connection, key: str) -> None:
        """Refuse an unknown key or token."""
        if self.needs_key:
            access.caller(db, key)
        else:
            ownership.find_visitor(db, key)

    def run(self, db: Connection, key: str | None, hub: HubContext, arguments: dict[str, Any]) -> Any:
        """Call the function with its dependencies and the arguments of the request."""
        return self.function(**arguments, **resolve(self.dependencies, db, key, hub))

    def run_again(self, db: Connection, key: str | None, hub: HubContext, arguments: dict[str, Any]) -> Any:
        """Read an answer again. The arguments include its `reference`."""
        if self.read_again is None:
            raise VivaError()
        parameters = inspect.signature(self.read_again.read).parameters
        values = {name: value for name, value in arguments.items() if name in parameters}
        dependencies = tuple(name for name in parameters if name in DEPENDENCIES)
        return self.read_again.read(**values, **resolve(dependencies, db, key, hub))


def resolve(names: tuple[str, ...], db: Connection, key: str | None, hub: HubContext) -> dict[str, Any]:
    return {name: DEPENDENCIES[name](db, key, hub) for name in names}


def default_of(function: Function, parameter: str) -> Any:
    declared = inspect.signature(function).parameters.get(parameter)
    return declared and declared.default


@cache
def parameters_type(function: Function) -> type[msgspec.Struct]:
    """A struct of the parameters from path, query and headers. `type_` stands for the parameter `type`."""
    hints = get_type_hints(function, include_extras=True)
    fields = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in DEPENDENCIES and name not in ("data", "incoming"):
            required = parameter.default is inspect.Parameter.empty
            fields.append((name, hints[name]) if required else (name, hints[name], parameter.default))
    return msgspec.defstruct(
        f"parameters_of_{function.__name__}",
        fields,
        module=function.__module__,
        rename=lambda name: HEADER_NAMES.get(name, name.removesuffix("_")),
    )
