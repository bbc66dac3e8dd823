"""An agent that is a Python function: it takes the list of messages and returns a text."""

import asyncio
import importlib
import inspect
import sys
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Any

import msgspec

from viva.adapters.model import (
    AgentFault,
    AskedConversation,
    BadAgentName,
    ReplyLimits,
    check_text,
    join_turns,
    shorten,
)


class PythonAgent:
    def __init__(self, place: str, limits: ReplyLimits) -> None:
        self.name = place.rpartition(":")[2]
        self._function = load_function(place)
        self._limits = limits

    def reply(self, conversation: AskedConversation) -> str:
        """A function that takes too long is left alone: Python cannot end its thread."""
        answer: Future[Any] = Future()
        messages = msgspec.to_builtins(join_turns(conversation.messages))
        Thread(target=self._run, args=[messages, answer], name="viva-agent", daemon=True).start()
        try:
            text = answer.result(self._limits.seconds)
        except TimeoutError:
            seconds = self._limits.seconds
            raise AgentFault(f"The function {self.name} gave no answer within {seconds:g} seconds.") from None
        if not isinstance(text, str):
            raise AgentFault(f"The function {self.name} has to return a text, not {type(text).__name__}.")
        return check_text(text, self._limits)

    def _run(self, messages: list[dict[str, str]], answer: "Future[Any]") -> None:
        try:
            returned = self._function(messages)
            answer.set_result(asyncio.run(returned) if inspect.iscoroutine(returned) else returned)
        except BaseException as error:  # also SystemExit, which would end only this thread
            fault = AgentFault(f"The function {self.name} failed: {type(error).__name__}: {shorten(str(error))}")
            answer.set_exception(fault)

    def close(self) -> None:
        """There is nothing to end."""


def load_function(place: str) -> Callable[[list[dict[str, str]]], Any]:
    """The function of MODULE:FUNCTION. The module is found as Python finds it, and in the current folder."""
    module_name, _, function_name = place.rpartition(":")
    if not module_name or not function_name:
        raise BadAgentName(f"python:{place} needs a module and a function, as in python:my_agent:answer.")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        function: Callable[[list[dict[str, str]]], Any] | None = getattr(
            importlib.import_module(module_name), function_name, None
        )
    except (Exception, SystemExit) as error:  # importing runs the user's code, which may end the program
        if isinstance(error, ModuleNotFoundError) and error.name == module_name:
            raise BadAgentName(
                f"There is no module {module_name} in this folder, nor among what is installed."
            ) from None
        reason = f"{type(error).__name__}: {shorten(str(error))}"
        raise BadAgentName(f"The module {module_name} cannot be imported: {reason}") from None
    if not callable(function):
        raise BadAgentName(f"The module {module_name} has no function {function_name}.")
    return function
