"""Operations as attributes: each is described once, and called with or without `await`, as its client is."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, get_args, overload

from viva.client.calls import Call, ItemType, PagedCall, PageType, StreamCall
from viva.client.listing import list_all
from viva.client.retrying import fetch
from viva.client.runners import AsyncRunner, Runner
from viva.client.steps import Items, Steps
from viva.client.streams import stream_all

P = ParamSpec("P")
T = TypeVar("T")
DescriptionType = TypeVar("DescriptionType")
RunnerType = TypeVar("RunnerType", bound=Runner | AsyncRunner)


class OperationGroup(Generic[RunnerType]):
    """Operations of one part of the API, carried out by a runner."""

    def __init__(self, runner: RunnerType) -> None:
        self.runner = runner


class OperationDescription(Generic[P, T]):
    """A function that describes what is done. It is called on its class with `describe`, and on a client by its name."""

    def __init__(self, function: Callable[Concatenate[Any, P], T]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def describe(self, *arguments: P.args, **named: P.kwargs) -> T:
        """The description itself, for steps that use it. Operations of the API do not use their group."""
        return self.function(None, *arguments, **named)

    def name_like_function(self, call: Any) -> Any:
        """Give the call the name, text and parameters of the function, for `help` and for editors."""
        signature = inspect.signature(self.function)
        parameters, (answer, *_) = list(signature.parameters.values())[1:], get_args(signature.return_annotation)
        call.__name__, call.__doc__ = self.function.__name__, self.function.__doc__
        call.__signature__ = signature.replace(parameters=parameters, return_annotation=answer)
        return call


class AnsweringOperation(OperationDescription[P, DescriptionType], Generic[P, DescriptionType, T]):
    """A description whose call gives one answer. A subclass says by which steps."""

    def steps_of(self, description: DescriptionType) -> Steps[T]:
        raise NotImplementedError

    @overload
    def __get__(self, group: None, owner: Any) -> Self: ...
    @overload
    def __get__(self, group: OperationGroup[Runner], owner: Any) -> Callable[P, T]: ...
    @overload
    def __get__(self, group: OperationGroup[AsyncRunner], owner: Any) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, group: Any, owner: Any) -> Any:
        if group is None:
            return self
        return self.name_like_function(
            lambda *given, **named: group.runner.run(self.steps_of(self.function(group, *given, **named)))
        )


class operation(AnsweringOperation[P, Call[T], T]):  # noqa: N801 - a decorator
    """One request of the API."""

    def steps_of(self, description: Call[T]) -> Steps[T]:
        return fetch(description)


class steps(AnsweringOperation[P, Steps[T], T]):  # noqa: N801 - a decorator
    """Work of several requests."""

    def steps_of(self, description: Steps[T]) -> Steps[T]:
        return description


class IteratingOperation(OperationDescription[P, DescriptionType], Generic[P, DescriptionType, ItemType]):
    """A description whose call gives items one after another. A subclass says how they are fetched."""

    def items_of(self, description: DescriptionType) -> Items[ItemType]:
        raise NotImplementedError

    @overload
    def __get__(self, group: None, owner: Any) -> Self: ...
    @overload
    def __get__(self, group: OperationGroup[Runner], owner: Any) -> Callable[P, Iterator[ItemType]]: ...
    @overload
    def __get__(self, group: OperationGroup[AsyncRunner], owner: Any) -> Callable[P, AsyncIterator[ItemType]]: ...
    def __get__(self, group: Any, owner: Any) -> Any:
        if group is None:
            return self
        return self.name_like_function(
            lambda *given, **named: group.runner.iterate(self.items_of(self.function(group, *given, **named)))
        )


class items(IteratingOperation[P, Items[ItemType], ItemType]):  # noqa: N801 - a decorator
    """Work that gives items one after another."""

    def items_of(self, description: Items[ItemType]) -> Items[ItemType]:
        return description


class stream_operation(IteratingOperation[P, StreamCall[ItemType], ItemType]):  # noqa: N801 - a decorator
    """A stream of the API, as an iterator that goes on where it broke off."""

    def items_of(self, description: StreamCall[ItemType]) -> Items[ItemType]:
        return stream_all(description)


class list_operation(OperationDescription[P, PagedCall[PageType, ItemType]]):  # noqa: N801 - a decorator
    """A list of the API. Called, it gives one page; its `each` goes through all pages."""

    @overload
    def __get__(self, group: None, owner: Any) -> Self: ...
    @overload
    def __get__(self, group: OperationGroup[Runner], owner: Any) -> "BoundList[P, PageType, Iterator[ItemType]]": ...
    @overload
    def __get__(
        self, group: OperationGroup[AsyncRunner], owner: Any
    ) -> "BoundList[P, Awaitable[PageType], AsyncIterator[ItemType]]": ...
    def __get__(self, group: Any, owner: Any) -> Any:
        return self if group is None else self.name_like_function(BoundList(group.runner, self.function))


AnswerType = TypeVar("AnswerType", covariant=True)
IteratorType = TypeVar("IteratorType", covariant=True)


class BoundList(Generic[P, AnswerType, IteratorType]):
    """A list of one client."""

    def __init__(self, runner: Any, function: Callable[..., PagedCall[Any, Any]]) -> None:
        self._runner = runner
        self._function = function

    def __call__(self, *given: P.args, **named: P.kwargs) -> AnswerType:
        """One page."""
        answer: AnswerType = self._runner.run(fetch(self._function(None, *given, **named).call))
        return answer

    def each(self, *given: P.args, **named: P.kwargs) -> IteratorType:
        """Every item, over all pages. A further page is fetched when its items are needed."""
        iterator: IteratorType = self._runner.iterate(list_all(self._function(None, *given, **named)))
        return iterator
