"""Values in another form than their schema describes: ratios and percents, dates, places, order, stray marks."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from viva.engine.calls.asked import Request
from viva.engine.calls.grounding import Found
from viva.engine.calls.made import Leaf, Made, Used, round_number, telling
from viva.engine.text.words import STOP, stem

PLACE = re.compile(r"city,? (?:and )?state|city, country|\be\.g\.?,? [\w ]+, [a-z]{2}\b")  # in small letters
YEAR = "yyyy"  # no form of a date is described without it
DATES = tuple(
    (re.compile(asked), re.compile(shape))
    for asked, shape in (
        (r"yyyy-mm-dd", r"\d{4}-\d{2}-\d{2}"),
        (r"mm-dd-yyyy|dd-mm-yyyy", r"\d{2}-\d{2}-\d{4}"),
        (r"mm/dd/yyyy|dd/mm/yyyy", r"\d{2}/\d{2}/\d{4}"),
        (r"yyyy/mm/dd", r"\d{4}/\d{2}/\d{2}"),
    )
)
KINDS = ("rate_differs", "shape_differs", "stray_marks", "order_swapped", "unit_mismatch", "name_cut")
RATES = telling("rate yield interest return ratio probability discount growth tax fee margin inflation percent share")
MARKS = "'\"`"
GOES_ON = re.compile(r" ([A-Z]\w+)")
NEAR = 24  # characters between two values that belong together
OUTSET = re.compile(r"\b(?:from|between)\s(?:\w+\s){0,2}$", re.I)
ONWARDS = re.compile(r"(?:\s?[a-z]{1,8})?\s(?:to|and|until)\s(?:the\s)?", re.I)
ACROSS = re.compile(r"(?:\s?[a-z]{1,8})?(?:\sby\s|\sx\s|x)", re.I)
UNIT = re.compile(r"[$€£]?(?:[.,]*+\d++)++[\s-]?([a-zA-Z]+)")
REACH = 100  # characters of an amount and its unit; digits and commas may go on for pages


def forms(request: Request, have: Used, calls: Sequence[Made]) -> Found:
    """The values whose form does not suit, by kind."""
    found: Found = {kind: [] for kind in KINDS}
    percents = frozenset(amount.value for amount in request.amounts if amount.percent)
    for one in calls:
        for leaf in one.leaves:
            kind = misfit(leaf, one.schema(leaf.parameter), percents)
            if kind:
                found[kind].append(f"{leaf.parameter}={leaf.value!r}")
        found["order_swapped"] += swapped_parameters(request, one)
        found["unit_mismatch"] += mismatched_amounts(request, one)
        found["name_cut"] += cut_names(request, have, one)
    return found


def misfit(leaf: Leaf, schema: dict[str, Any], percents: frozenset[float]) -> str:
    described = f"{leaf.parameter} {schema.get('description') or ''}"[:600].lower()
    if isinstance(leaf.value, bool):
        return ""
    if not isinstance(leaf.value, str):
        return "rate_differs" if percents and rate_differs(leaf.value, schema, described, percents) else ""
    if leaf.value[:1] in MARKS and leaf.value[:1] == leaf.value[-1:] and len(leaf.value) > 2:
        return "stray_marks"
    return "shape_differs" if shape_differs(leaf.value, described) else ""


def rate_differs(value: float, schema: dict[str, Any], described: str, percents: frozenset[float]) -> bool:
    """5 for "5%" where a plain ratio is meant, 0.05 where percents are asked for."""
    if schema.get("type") == "array" or not telling(described) & RATES:
        return False
    ratio = "decimal" in described or "0." in described
    percent = not ratio and ("percent" in described or "%" in described or schema.get("type") == "integer")
    if value in percents and value != 0:
        return not percent
    return percent and round_number(value * 100) in percents


def shape_differs(value: str, described: str) -> bool:
    if PLACE.search(described) and "," not in value:
        return True
    if YEAR not in described:
        return False
    return any(asked.search(described) and not shape.search(value) for asked, shape in DATES)


def swapped_parameters(request: Request, one: Made) -> list[str]:
    """Neighbouring parameters whose values the request names side by side the other way round."""
    order = [name for name in (one.terms.properties if one.terms else ()) if is_simple(one.call.parameters.get(name))]
    found = []
    for name, after in pairwise(order):
        first, second = one.call.parameters[name], one.call.parameters[after]
        if (
            type(first) is type(second)
            and first != second
            and leads(request.text, second, first)
            and not leads(request.text, first, second)
        ):
            found.append(f"{name}={first!r}, {after}={second!r}")
    return found


def is_simple(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and 0 < len(str(value)) < 60


def leads(text: str, one: object, two: object) -> bool:
    """Whether the request goes from one value to the other: "from Rome to Bari", "between 2 and 5", "30 by 12"."""
    first, second = (f"{value:g}" if isinstance(value, float) else str(value) for value in (one, two))
    start = text.find(first)
    after = start + len(first)
    end = text.find(second, after) if start >= 0 else -1
    if end < 0 or end - after > NEAR:
        return False
    joint = text[after:end]
    return ACROSS.fullmatch(joint) is not None or (
        ONWARDS.fullmatch(joint) is not None and OUTSET.search(text[max(0, start - NEAR) : start]) is not None
    )


def mismatched_amounts(request: Request, one: Made) -> list[str]:
    """Amounts that changed places: minutes=70 and weight_kg=40 for "70 kg, 40 minutes"."""
    numbers = {leaf.parameter: leaf.value for leaf in one.leaves if isinstance(leaf.value, int | float)}
    if len(numbers) < 2 or len(request.amounts) < 2:
        return []
    units = units_of(request)
    return [
        f"{name}={value!r}"
        for name, value in numbers.items()
        for other in numbers
        if other != name and any(is_named(other, unit) and not is_named(name, unit) for unit in units.get(value, ()))
        if not any(is_named(other, unit) for unit in units.get(numbers[other], ()))
    ]


def is_named(parameter: str, unit: str) -> bool:
    return unit in telling(parameter)


@lru_cache(maxsize=256)  # asked for with every call of a request
def units_of(request: Request) -> dict[float, list[str]]:
    """The words that follow the amounts of a request."""
    found: dict[float, list[str]] = {}
    for amount in request.amounts:
        match = UNIT.match(request.text, amount.at, amount.at + REACH)
        if match and match[1].lower() not in STOP:
            found.setdefault(amount.value, []).append(stem(match[1].lower()))
    return found


def cut_names(request: Request, have: Used, one: Made) -> list[str]:
    """Names that the request goes on with and no argument does: "Santa Clara" of "Santa Clara County"."""
    found = []
    for leaf in one.leaves:
        if isinstance(leaf.value, str) and 2 < len(leaf.value) < 60 and leaf.value[0].isupper():
            at = request.text.find(leaf.value)
            match = GOES_ON.match(request.text, at + len(leaf.value)) if at >= 0 else None
            if match and match[1] not in have.text:
                found.append(f"{leaf.parameter}={leaf.value!r}")
    return found
