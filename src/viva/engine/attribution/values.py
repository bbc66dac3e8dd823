"""Values in a run: which act brought figures and codes that nobody had given."""

import re
from collections.abc import Set
from functools import lru_cache
from typing import NamedTuple

from viva.engine.attribution.acts import Run
from viva.engine.call_text import came_back, flat
from viva.engine.model import Interaction
from viva.engine.outcome.tries import only_looks
from viva.engine.reading import Reading

VALUE = re.compile(r"\b\w*\d[\w.:/-]*")
DIGITS = re.compile(r"\d")
MAX_VALUE_CHARACTERS = 2_000  # of one text in which values are looked for
MIN_VALUE_CHARACTERS = 2  # a single digit is no value that one could trace


class ValueFlow(NamedTuple):
    """For each act: the share of its arguments, and of the values in its words, that come from nowhere."""

    arguments: list[float]
    claims: list[float]


def value_flow(reading: Reading, run: Run) -> ValueFlow:
    """Follow the values from the user's words and the tools through the acts."""
    turns, heard = reading.trace.turns, -1
    known = set(values_in(run.task))
    flow = ValueFlow([], [])
    for place, act in zip(run.places, run.acts, strict=True):
        for turn in turns[heard + 1 : place.turn + 1]:
            known.update(values_in(turn.user_message or ""), values_in(turn.knowledge or ""))
        heard = max(heard, place.turn)
        seen, told = values_in(act.seen), values_in(act.said)
        given, used, guessed = read_arguments(place.interaction, known)
        flow.arguments.append(share(guessed, used))
        flow.claims.append(share(told - known - seen - given, told))
        known.update(seen, told, given)
    return flow


class ArgumentValues(NamedTuple):
    """Values in the arguments of an act: all of them, those of calls that act, and those of these that were not known."""

    given: set[str]
    used: set[str]
    guessed: set[str]


def read_arguments(interaction: Interaction, known: set[str]) -> ArgumentValues:
    """The values that an act gives to tools. What its earlier calls brought is known to the later ones."""
    found, brought = ArgumentValues(set(), set(), set()), set[str]()
    for step in interaction.agent_steps:
        if step.tool_call is not None:
            values = values_in(flat(step.tool_call.parameters))
            found.given.update(values)
            if not only_looks(step.tool_call.tool_name):  # what only looks may well take a default
                found.used.update(values)
                found.guessed.update(values - known - brought)
            brought |= values_in(came_back(step.tool_call))
        brought |= values_in(step.observation or "")
    return found


def share(some: Set[str], every: Set[str]) -> float:
    return len(some) / len(every) if every else 0.0


def values_in(text: str) -> frozenset[str]:
    """Figures and codes, written alike."""
    return find_values(text[:MAX_VALUE_CHARACTERS])


@lru_cache(maxsize=256)
def find_values(text: str) -> frozenset[str]:
    if not DIGITS.search(text):
        return frozenset()
    found = (match.strip(".:/-").lower() for match in VALUE.findall(text.replace(",", "")))
    return frozenset(value for value in found if len(value) >= MIN_VALUE_CHARACTERS)
