"""One thing that an agent does at a hub, described so that a model can use it without further reading."""

from collections.abc import Awaitable, Callable
from inspect import cleandoc
from typing import Annotated, Any, Generic, NamedTuple, TypeVar, get_type_hints

import msgspec
from msgspec import Meta, Struct

from viva.client.client import AsyncClient

MAX_ID_CHARACTERS = 200
MAX_TEXT_CHARACTERS = 65_536  # a hub takes 64 KiB for a message, unless it is configured otherwise
MAX_WAIT_SECONDS = 25  # less than the hub allows, and less than most proxies do

GivenType = TypeVar("GivenType", bound=Struct)
DescribedType = TypeVar("DescribedType", bound=Struct)
ShortText = Annotated[str, Meta(min_length=1, max_length=MAX_ID_CHARACTERS)]
LongText = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT_CHARACTERS)]
EvaluationId = Annotated[ShortText, Meta(description="The id of the evaluation, such as `plain-dealing`.")]
SessionId = Annotated[ShortText, Meta(description="The id of the session, from the claim or from `wait_for_session`.")]
PageCursor = Annotated[ShortText, Meta(description="`next_cursor` of the page before, for the next page.")]
ActionWait = Annotated[
    int, Meta(ge=0, le=MAX_WAIT_SECONDS, description="How long the hub may wait for news before it answers.")
]


class ActionEffect(NamedTuple):
    """What a call does to the hub."""

    is_read_only: bool
    is_destructive: bool
    is_idempotent: bool


READS = ActionEffect(is_read_only=True, is_destructive=False, is_idempotent=True)
ADDS = ActionEffect(is_read_only=False, is_destructive=False, is_idempotent=False)
SETS = ActionEffect(is_read_only=False, is_destructive=False, is_idempotent=True)  # a second call changes nothing more
ENDS = ActionEffect(is_read_only=False, is_destructive=True, is_idempotent=False)  # it cannot be taken back


class HubAction(NamedTuple, Generic[GivenType, DescribedType]):
    """An action with its forms. The description is the docstring of its function."""

    name: str
    title: str
    description: str
    effect: ActionEffect
    given_type: type[GivenType]
    answer_type: type[DescribedType]
    function: Callable[[AsyncClient, GivenType], Awaitable[DescribedType]]

    async def run(self, hub: AsyncClient, arguments: dict[str, Any]) -> dict[str, Any]:
        """The answer as JSON. Wrong arguments are a msgspec.ValidationError."""
        answer = await self.function(hub, msgspec.convert(arguments, self.given_type))
        described: dict[str, Any] = msgspec.to_builtins(answer, str_keys=True)
        return described

    @property
    def given_schema(self) -> dict[str, Any]:
        return object_schema(self.given_type)

    @property
    def answer_schema(self) -> dict[str, Any]:
        return object_schema(self.answer_type)


def action(
    title: str, effect: ActionEffect
) -> Callable[
    [Callable[[AsyncClient, GivenType], Awaitable[DescribedType]]],
    HubAction[GivenType, DescribedType],
]:
    """Describe a function as an action: its name, its docstring and its types say the rest."""

    def describe(
        function: Callable[[AsyncClient, GivenType], Awaitable[DescribedType]],
    ) -> HubAction[GivenType, DescribedType]:
        hints = get_type_hints(function, include_extras=True)
        name, description = function.__name__, cleandoc(function.__doc__ or "")
        return HubAction(name, title, description, effect, hints["given"], hints["return"], function)

    return describe


def object_schema(kind: type[Struct]) -> dict[str, Any]:
    """The JSON Schema of a struct, as an object at the root. Protocols do not take a reference there."""
    _, components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    root: dict[str, Any] = components.pop(kind.__name__)
    return {**root, "$defs": components} if components else root


def describe_as(kind: type[DescribedType], value: object) -> DescribedType:
    """The value of the API with the fields that a model needs."""
    return msgspec.convert(value, kind, from_attributes=True)
