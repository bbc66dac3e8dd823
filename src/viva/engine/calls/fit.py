"""Whether calls fit the one request they serve: features with a meaning each, before any weight."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from viva.engine.call_text import flat
from viva.engine.calls.actions import name_words
from viva.engine.calls.grounding import Argument, default_of
from viva.engine.calls.history import Past
from viva.engine.calls.knowledge import CODES, CONVERSIONS, Knowledge, find_words, round_number
from viva.engine.calls.request import Amount, Request
from viva.engine.logistic import Feature
from viva.engine.model import Tool
from viva.engine.text.words import STOP, stem

FIT_FEATURES = (
    Feature("amounts_left", "amounts of the request that no call uses", 1),
    Feature("names_left", "names of the request that no call uses", 1),
    Feature("quotes_left", "quoted words or codes of the request that no call uses", 1),
    Feature("options_left", "parameters that are not set as the request says", 1),
    Feature("fewer_calls", "the request names several wishes, one call was made", 1),
    Feature("more_calls", "more calls than the one thing asked for", 1),
    Feature("required_unknown", "values that are not in the request", 1),
    Feature("option_unasked", "optional values that nobody asked for", 1),
    Feature("two_in_one", "two things in one argument", 1),
    Feature("form_differs", "a value in another form than the schema describes", 1),
    Feature("swapped", "values the other way round than in the request", 1),
    Feature("no_call", "no tool was called", 1),
    Feature("named_uncalled", "tools that the request names and nobody called", 1),
    Feature("other_tool", "another tool is closer to the request", 1),
)
MAX_TOOLS_COMPARED = 64  # nobody chooses among more by reading them all
MAX_DESCRIPTION_CHARACTERS = 1_000
MAX_RESULT_CHARACTERS = 5_000  # of a result in which a thing asked for may turn up
MAX_NAME_PAIR_CHARACTERS = 60  # of two names; more is a sentence
FAINT_LIKENESS = 0.15  # that any two texts about the same business have
TWO_NAMES = re.compile(r"^[A-Z][\w ]+ (?:and|&|or) [A-Z]\w+|^[\w.-]*\d[\w.-]*(?:, | and )[\w.-]*\d[\w.-]*$")
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
Found = dict[str, list[str]]


class CallFit(NamedTuple):
    """The features of the calls for one request, and the words each rests on."""

    features: dict[str, float]
    found: Found


class Served(NamedTuple):
    """What the calls use: the values of their arguments, all that their tools are about, and what came back."""

    used: Knowledge
    about: Knowledge
    codes: frozenset[str]
    back: str


def fit(request: Request, calls: Sequence[Past], tools: Sequence[Tool]) -> CallFit:
    """How the calls made for one request fit it; every feature is 0 where nothing speaks against them."""
    have = read_calls(calls)
    percents = frozenset(amount.value for amount in request.amounts if amount.percent)
    best, closer, named = other_tools(request, tools, {one.call.tool_name for one in calls})
    found: Found = {
        **leftovers(request, have, calls),
        **surplus(request, calls),
        "form_differs": [part.quote for one in calls for part in one.arguments if is_misfit(part, percents)],
        "swapped": [words for one in calls for words in swapped_values(request, one)],
        "named_uncalled": named,
        "other_tool": [best] if closer else [],
        "no_call": [best] if not calls and (closer or named) else [],
    }
    features = {feature.name: min(len(found[feature.name]), 3) / 3 for feature in FIT_FEATURES}
    wholes = {"amounts_left": len(request.amounts), "names_left": len(request.names)}
    for name, whole in wholes.items():
        features[name] = (features[name] + min(1.0, len(found[name]) / max(whole, 1))) / 2
    return CallFit(features | {"other_tool": closer, "no_call": float(bool(found["no_call"]))}, found)


def read_calls(calls: Sequence[Past]) -> Served:
    used, about = Knowledge(), Knowledge()
    values = " | ".join(str(argument.value) for one in calls for argument in one.arguments)
    used.hear(values)
    for one in calls:
        about.hear(flat(one.call.parameters))
        about.hear(tool_text(one.tool) if one.tool else one.call.tool_name)
    back = "\n".join(flat(one.call.result)[:MAX_RESULT_CHARACTERS] for one in calls[:100]).lower()
    codes = frozenset(token.lower() for token in find_words(values) if token.isupper() and 1 < len(token) <= 5)
    return Served(used, about, codes, back)


def tool_text(tool: Tool) -> str:
    schema = tool.parameters_schema or {}
    properties = schema.get("properties")
    names = " ".join(map(str, properties if isinstance(properties, dict) else schema))
    return f"{tool.name} {(tool.description or '')[:MAX_DESCRIPTION_CHARACTERS]} {names}"


def leftovers(request: Request, have: Served, calls: Sequence[Past]) -> Found:
    """What the request speaks of and neither the calls nor their results contain."""
    amounts = [one for one in amounts_left(request, have.used) if f"{one.value:g}" not in have.back]
    initials = "".join(name[0] for name in request.names)
    return {
        "amounts_left": [f"{amount.value:g}" for amount in amounts],
        "names_left": list(dict.fromkeys(name for name in request.names if not is_served(name, have, initials))),
        "quotes_left": [quote for quote in request.quotes if not is_quoted(quote, have)],
        "options_left": [name for one in calls for name in options_left(one, request)],
    }


def amounts_left(request: Request, used: Knowledge) -> list[Amount]:
    """Amounts that no argument uses. Another unit counts only for arguments that are no amount of the request as such."""
    spare = used.numbers.keys() - request.known.numbers.keys()
    have = used.numbers.keys() | {round_number(number * factor) for number in spare for factor in CONVERSIONS}
    have |= {number - 12 for number in spare if 12 < number <= 24}  # 18:00 for "6 pm"
    return [
        one
        for one in request.amounts
        if one.value and one.value not in have and not (one.percent and round_number(one.value / 100) in have)
    ]


def is_served(name: str, have: Served, initials: str) -> bool:
    """Whether a name is used, perhaps as a code: "AAPL" for Apple, "US" for United States."""
    if have.about.has_word(name) or name in have.back or CODES.get(name, "") in have.codes:
        return True
    return any(
        (code[0] == name[0] and set(code) <= set(name)) or (name[0] in code and code in initials) for code in have.codes
    )


def is_quoted(quote: str, have: Served) -> bool:
    words = [word for word in map(str.lower, find_words(quote)) if word not in STOP]
    return quote.lower() in have.back or all(stem(word) in have.about.stems for word in words)


def options_left(one: Past, request: Request) -> list[str]:
    """Parameters of which the request speaks and the call does not, by one of their values or by the name of a switch."""
    schemas = {name: schema for name, schema in one.properties.items() if isinstance(schema, dict)}
    return [
        name for name, schema in schemas.items() if is_left_out(name, schema, one.call.parameters.get(name), request)
    ]


def is_left_out(name: str, schema: dict[str, object], given: object, request: Request) -> bool:
    known = request.known.stems
    if schema.get("type") == "boolean":
        words = [word for word in name_words(name) if word not in STOP]
        return given is None and bool(words) and all(stem(word) in known for word in words)
    enum = schema.get("enum")
    taken = default_of(schema).lower() if given is None else str(given).lower()
    values = [value.lower() for value in enum if isinstance(value, str)] if isinstance(enum, list) else []
    said = [value for value in values if stem(value) in known]
    return bool(said) and not any(value in taken for value in said)


def surplus(request: Request, calls: Sequence[Past]) -> Found:
    same = Counter((one.call.tool_name, flat(one.call.parameters)) for one in calls)
    is_one_go = all(one.call.result is None and one.call.error is None for one in calls[:-1])
    doubts = [doubt for one in calls for doubt in one.doubts]
    extra = [one.call.tool_name for one in calls[1:]] if request.is_single and is_one_go else []
    return {
        "fewer_calls": [""] * (count_wishes(request, calls[0]) - 1) if len(calls) == 1 else [],
        "more_calls": extra or [name for (name, _), times in same.items() if times > 1],
        "required_unknown": [doubt.argument.quote for doubt in doubts if doubt.argument.is_required],
        "option_unasked": [doubt.argument.quote for doubt in doubts if not doubt.argument.is_required],
        "two_in_one": [
            argument.quote for one in calls for argument in one.arguments if has_two_names(argument.value, request)
        ],
    }


def count_wishes(request: Request, one: Past) -> int:
    """How many calls the words and counts of a request speak of, for a single one that was made."""
    used = {argument.value for argument in one.arguments if not isinstance(argument.value, str)}
    # A call takes several things at once in a list, or in parameters that share a word (city_1, city_2).
    shared = Counter(word for name in one.call.parameters for word in set(name_words(name)))
    lists = [len(value) for value in one.call.parameters.values() if isinstance(value, list)]
    at_once = max([*shared.values(), *lists], default=0)
    return max([1 + request.links, *(count for count in request.counts if count not in used and count > at_once)])


def has_two_names(value: object, request: Request) -> bool:
    """Two names in one argument: "Egypt and Turkey" where a list or two calls were due. A quoted title is one name."""
    is_short = isinstance(value, str) and len(value) < MAX_NAME_PAIR_CHARACTERS and value not in request.quotes
    return is_short and TWO_NAMES.search(str(value)) is not None


def other_tools(request: Request, tools: Sequence[Tool], called: set[str]) -> tuple[str, float, list[str]]:
    """The tool not called that is most like the request, how much more than one that was, and those it names."""
    mine = [tool for tool in tools if tool.name in called]
    shared = frozenset().union(*(telling(tool_text(tool)) for tool in mine))
    others = {
        tool.name: likeness(request, tool, shared) for tool in tools[:MAX_TOOLS_COMPARED] if tool.name not in called
    }
    best = max(others, key=lambda name: others[name], default="")
    least = min((likeness(request, tool) for tool in mine), default=FAINT_LIKENESS)
    named = [name for name in others if len(name) > 5 and name.lower() in request.lowered]
    return best, max(0.0, others.get(best, 0.0) - least), named


def likeness(request: Request, tool: Tool, shared: frozenset[str] = frozenset()) -> float:
    """How much of a tool's name and description the request speaks of, 0 to 1; `shared` words tell nothing."""
    texts = (tool.name, (tool.description or "")[:MAX_DESCRIPTION_CHARACTERS])
    parts = [telling(text) - shared for text in texts]
    return sum(len(part & request.known.stems) / len(part) for part in parts if part) / 2


def telling(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(stem(word) for word in map(str.lower, find_words(text)) if word not in STOP)


def is_misfit(argument: Argument, percents: frozenset[float]) -> bool:
    """5 for "5%" where a plain ratio is meant, 0.05 where percents are asked for, a date in another form than described."""
    value, described = argument.value, f"{argument.parameter} {argument.description}".lower()
    if isinstance(value, str):
        return any(asked.search(described) and not shape.search(value) for asked, shape in DATE_FORMS)
    if isinstance(value, bool) or not percents or RATES.isdisjoint(name_words(described)):
        return False
    is_ratio = "decimal" in described or "0." in described
    says_percent = "percent" in described or "%" in described or argument.schema.get("type") == "integer"
    is_percent = says_percent and not is_ratio
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
