"""Values in another form or order than the request and the schema have them: ratios, dates, start and end."""

import re
from itertools import pairwise

from viva.engine.calls.actions import name_words
from viva.engine.calls.grounding import Argument
from viva.engine.calls.history import Past
from viva.engine.calls.knowledge import round_number
from viva.engine.calls.request import Request

DATE_FORMS = tuple(
    (re.compile(asked), re.compile(shape))
    for asked, shape in (
        (r"yyyy-mm-dd", r"\d{4}-\d{2}-\d{2}"),
        (r"mm-dd-yyyy|dd-mm-yyyy", r"\d{2}-\d{2}-\d{4}"),
        (r"mm/dd/yyyy|dd/mm/yyyy", r"\d{2}/\d{2}/\d{4}"),
    )
)
RATES = frozenset(
    "rate yield interest return ratio probability discount growth tax fee margin inflation percent share".split()
)
MAX_GAP_CHARACTERS = 24  # between two values that belong together
MAX_SIMPLE_CHARACTERS = 60
FROM = re.compile(r"\b(?:from|between)\s(?:\w+\s){0,2}$", re.I)
TO = re.compile(r"(?:\s?[a-z]{1,8})?\s(?:to|and|until)\s(?:the\s)?", re.I)
BY = re.compile(r"(?:\s?[a-z]{1,8})?(?:\sby\s|\sx\s|x)", re.I)


def misfits(request: Request, arguments: list[Argument]) -> list[str]:
    """The values whose form does not suit."""
    percents = frozenset(amount.value for amount in request.amounts if amount.percent)
    return [argument.quote for argument in arguments if is_misfit(argument, percents)]


def is_misfit(argument: Argument, percents: frozenset[float]) -> bool:
    described = f"{argument.parameter} {argument.description}".lower()
    if isinstance(argument.value, bool):
        return False
    if not isinstance(argument.value, str):
        return bool(percents) and has_other_rate(argument.value, argument, described, percents)
    return any(asked.search(described) and not shape.search(argument.value) for asked, shape in DATE_FORMS)


def has_other_rate(value: float, argument: Argument, described: str, percents: frozenset[float]) -> bool:
    """5 for "5%" where a plain ratio is meant, 0.05 where percents are asked for."""
    if RATES.isdisjoint(name_words(described)):
        return False
    is_ratio = "decimal" in described or "0." in described
    is_percent = not is_ratio and (
        "percent" in described or "%" in described or argument.schema.get("type") == "integer"
    )
    if value in percents and value != 0:
        return not is_percent
    return is_percent and round_number(value * 100) in percents


def swapped_values(request: Request, one: Past) -> list[str]:
    """Neighbouring parameters whose values the request names side by side the other way round."""
    order = [name for name in one.properties if is_simple(one.call.parameters.get(name))]
    found = []
    for name, after in pairwise(order):
        first, second = one.call.parameters[name], one.call.parameters[after]
        is_alike = type(first) is type(second) and first != second
        if is_alike and leads(request.text, second, first) and not leads(request.text, first, second):
            found.append(f"{name}={first!r}, {after}={second!r}")
    return found


def is_simple(value: object) -> bool:
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return is_plain and 0 < len(str(value)) < MAX_SIMPLE_CHARACTERS


def leads(text: str, one: object, two: object) -> bool:
    """Whether the request goes from one value to the other: "from Rome to Bari", "between 2 and 5", "30 by 12"."""
    first, second = (f"{value:g}" if isinstance(value, float) else str(value) for value in (one, two))
    start = text.find(first)
    after = start + len(first)
    end = text.find(second, after) if start >= 0 else -1
    if end < 0 or end - after > MAX_GAP_CHARACTERS:
        return False
    joint = text[after:end]
    return BY.fullmatch(joint) is not None or (
        TO.fullmatch(joint) is not None and FROM.search(text[max(0, start - MAX_GAP_CHARACTERS) : start]) is not None
    )
