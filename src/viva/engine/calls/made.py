"""A call that was made, with its tool's contract and the values inside its arguments."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from viva.engine.calls.asked import WORD
from viva.engine.calls.contracts import Contract, contract
from viva.engine.model import Tool, ToolCall
from viva.engine.text.words import STOP, stem

LEAVES = 200  # values of one call that are looked at
CHARACTERS = 2_000  # of one value
LOOKED_AT = 50_000  # characters of all values together
LONG_NUMBER = 25  # digits; a longer one is a key, not an amount
HUGE = 10**300
DEEPEST = 8
CODE = re.compile(r"\b[A-Z]{2,5}\b")
DIGITS = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
KEY = ""  # the parameter of a leaf that is itself the name of a field inside an argument
ArgumentValue = str | float | bool


class Leaf(NamedTuple):
    """One value inside the arguments: the parameter it belongs to, and the value."""

    parameter: str
    value: ArgumentValue


class Made(NamedTuple):
    """A call, what its tool declares (None where nothing is), its values, and what the agent had seen by then."""

    call: ToolCall
    tool: Tool | None
    terms: Contract | None
    leaves: tuple[Leaf, ...]
    known: Sequence[str] = ()

    def schema(self, parameter: str) -> dict[str, Any]:
        found = self.terms.properties.get(parameter) if self.terms else None
        return found if isinstance(found, dict) else {}

    def left_out(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The declared parameters that the call does not set."""
        for name in self.terms.properties if self.terms else ():
            if name not in self.call.parameters:
                yield name, self.schema(name)


class Used(NamedTuple):
    """What the arguments of all calls contain, to look things up in."""

    stems: frozenset[str]
    numbers: frozenset[float]
    codes: frozenset[str]
    text: str


def read_call(call: ToolCall, tool: Tool | None, known: Sequence[str] = ()) -> Made:
    """`known` holds texts in lower case that the agent had read before it called."""
    terms = contract(tool.parameters_schema) if tool and tool.parameters_schema else None
    return Made(call, tool, terms, tuple(leaves(call.parameters)), known)


def leaves(parameters: dict[str, Any]) -> list[Leaf]:
    """The values of a call, nested ones too, each with its parameter."""
    found: list[Leaf] = []
    for name, value in parameters.items():
        found += inside(name, value)
        if len(found) >= LEAVES:
            break
    return found[:LEAVES]


def inside(name: str, value: Any, depth: int = 0) -> Iterator[Leaf]:
    if isinstance(value, str):
        yield Leaf(name, value[:CHARACTERS])
    elif isinstance(value, float | bool | int):
        yield Leaf(name, value if abs(value) < HUGE else 0)
    elif depth < DEEPEST and isinstance(value, list | tuple):
        for part in value[:LEAVES]:
            yield from inside(name, part, depth + 1)
    elif depth < DEEPEST and isinstance(value, dict):
        for key, part in list(value.items())[:LEAVES]:
            yield Leaf(KEY, str(key))
            yield from inside(name, part, depth + 1)


def used_values(calls: Sequence[Made]) -> Used:
    """What a set of calls uses: stems of words, numbers also inside texts, codes, the texts themselves."""
    values = [leaf.value for one in calls for leaf in one.leaves]
    text = "\n".join(value for value in values if isinstance(value, str))[:LOOKED_AT]
    numbers = {abs(float(value)) for value in values if isinstance(value, int | float)}
    numbers |= digits_in(text)
    return Used(stems(text), frozenset(map(round_number, numbers)), frozenset(map(str.lower, CODE.findall(text))), text)


def digits_in(text: str) -> set[float]:
    """The numbers written in digits anywhere in a text."""
    return {float(digits) for digits in DIGITS.findall(text) if len(digits) < LONG_NUMBER}


def round_number(value: float) -> float:
    return float(f"{value:.9g}")


def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text; names_with_marks and camelCase count as several words."""
    return frozenset(stem(word.lower()) for word in WORD.findall(text))


@lru_cache(maxsize=4_096)
def stems_of(text: str) -> frozenset[str]:
    """The stems of a short text that will be asked for again, such as a tool's name."""
    return stems(text)


@lru_cache(maxsize=4_096)
def telling(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(stem(word) for word in map(str.lower, WORD.findall(text)) if word not in STOP)
