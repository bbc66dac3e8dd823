"""Values in a run: which act brought figures and codes that nobody had given, and which handed on too few of them."""

import re
from typing import NamedTuple

from viva.engine.attribution.acts import Run
from viva.engine.reading import Reading, flat

VALUE = re.compile(r"\w*\d[\w.:/-]*")
MAX_VALUE_CHARACTERS = 2_000  # of one text in which values are looked for
MIN_VALUE_CHARACTERS = 2  # a single digit is no value that one could trace


class ValueFlow(NamedTuple):
    """For each act: the share of its arguments and of its words that come from nowhere, and what it kept from the next."""

    arguments: list[float]
    claims: list[float]
    starves_next: list[float]


def value_flow(reading: Reading, run: Run) -> ValueFlow:
    """Follow the values from the user's words and the tools through the acts."""
    turns, heard = reading.trace.turns, -1
    known = values_in(run.task)
    arguments: list[float] = []
    claims: list[float] = []
    held_back: list[float] = []
    for place, act in zip(run.places, run.acts, strict=True):
        for turn in turns[heard + 1 : place.turn + 1]:
            known |= values_in(turn.user_message or "") | values_in(turn.knowledge or "")
        heard = max(heard, place.turn)
        calls = (step.tool_call for step in place.interaction.agent_steps if step.tool_call)
        given = {value for call in calls for value in values_in(flat(call.parameters))}
        seen, told = values_in(act.seen), values_in(act.said)
        arguments.append(share(given - known, given))
        claims.append(share(told - known - seen - given, told))
        held_back.append(share(known - told, known) if act.said else 0.0)
        known |= seen | given | told
    starved = zip(held_back, [*arguments[1:], 0.0], strict=True)
    return ValueFlow(arguments, claims, [less * lacked for less, lacked in starved])


def share(some: set[str], every: set[str]) -> float:
    return len(some) / len(every) if every else 0.0


def values_in(text: str) -> set[str]:
    """Figures and codes, written alike."""
    found = (match.strip(".:/-").lower() for match in VALUE.findall(text[:MAX_VALUE_CHARACTERS].replace(",", "")))
    return {value for value in found if len(value) >= MIN_VALUE_CHARACTERS}
