"""Where the arguments of a call come from: the request, what the agent was told or found out, or nowhere."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from operator import contains
from typing import Any

from viva.engine.calls.asked import WORD, Request
from viva.engine.calls.lexicon import BLANK, MONTHS
from viva.engine.calls.made import KEY, ArgumentValue, Leaf, Made, round_number, telling
from viva.engine.calls.offers import is_default, is_offered, said_of
from viva.engine.evidence import cut
from viva.engine.text.words import stem

BOTH = re.compile(r"^[A-Z][\w ]+ (?:and|&|or) [A-Z]\w+")
MAX_NAME_PAIR_CHARACTERS = 60  # characters of two names; more is a sentence
HALF = 0.5  # of a value's words, from which on it is taken from the request
CODE = re.compile(r"[a-z]+-?\d[\w-]*|[^@\n]*+@.*|/.*", re.I)  # an identifier is copied whole or not at all
CODES_JOINED = re.compile(r"^[\w.-]*\d[\w.-]*(?:, | and )[\w.-]*\d[\w.-]*$")
NEUTRAL = (0, 1)  # what one writes for "from rest", "the latest", "none"
COMPOSED = 8  # words from which on a value is a sentence
WRITTEN = telling(
    "query body content message text code subject title summary description expression prompt comment note sql"
)
KINDS = (
    "required_ungrounded",
    "optional_ungrounded",
    "flag_unasked",
    "blank",
    "both_at_once",
    "option_chosen",
    "other_value_said",
)
Found = dict[str, list[str]]


def grounds(request: Request, calls: Sequence[Made], said: Callable[[], Request] | None = None) -> Found:
    """The values that come from nowhere, by kind; not in this request, nor in all that was `said` so far."""
    found: Found = {kind: [] for kind in KINDS}
    for one in calls:
        doubted = list(doubts(request, one))
        if doubted and said is not None:
            doubted = list(doubts(said(), one))
        for kind, words in doubted:
            found[kind].append(words)
    if len(calls) > 1:  # another call may have taken the other value
        found["other_value_said"].clear()
    return found


def doubts(request: Request, one: Made) -> Iterator[tuple[str, str]]:
    """What is doubtful about the values of one call: the kind, and the argument."""
    for leaf in one.leaves:
        kind = doubt(one, leaf, request)
        if kind:
            yield kind, argument(leaf)
    for name, value in one.call.parameters.items():
        if value is None:
            yield "blank", cut(f"{name}=null", 80)


def argument(leaf: Leaf) -> str:
    """A value as messages name it, with its parameter."""
    return cut(f"{leaf.parameter}={leaf.value!r}", 80)


def doubt(one: Made, leaf: Leaf, request: Request) -> str:
    """What is doubtful about where a value comes from, if anything."""
    schema = one.schema(leaf.parameter)
    if leaf.parameter == KEY:
        return ""
    if contradicts(leaf.value, schema, request):
        return "other_value_said"
    if is_default(leaf.value, schema):
        return ""
    if isinstance(leaf.value, bool):
        asked_for = telling(f"{leaf.parameter} {schema.get('description') or ''}") & request.stems
        return "flag_unasked" if leaf.value and not asked_for else ""
    if isinstance(leaf.value, str) and leaf.value.strip().lower() in BLANK:
        return "blank"
    if isinstance(leaf.value, str) and both_at_once(leaf.value, request):
        return "both_at_once"
    if is_composed(leaf) or is_grounded(leaf.value, schema, request, one.known):
        return ""
    if one.terms is not None and leaf.parameter not in one.terms.required:
        return "option_chosen" if is_offered(leaf.value, schema) else "optional_ungrounded"
    return "" if is_offered(leaf.value, schema) else "required_ungrounded"


def is_grounded(value: ArgumentValue, schema: dict[str, Any], request: Request, known: Sequence[str]) -> bool:
    """Whether a value is found in the request or in what is known, or completes it as its description asks."""
    if value in NEUTRAL or in_request(value, request) >= HALF:
        return True
    text = str(value).lower()
    return any(map(contains, known, repeat(text))) or completes(text, schema, request)


def completes(text: str, schema: dict[str, Any], request: Request) -> bool:
    """A city with its country or state, where the description asks for both."""
    return "," in text and "," in str(schema.get("description") or "") and text.split(",")[0] in request.lowered


def contradicts(value: ArgumentValue, schema: dict[str, Any], request: Request) -> bool:
    """Whether the request speaks of another of the values a parameter may take, and not of this one."""
    if not isinstance(value, str) or not is_offered(value, schema) or in_request(value, request) >= HALF:
        return False
    return any(other != value.lower() for other in said_of(schema, request))


def is_composed(leaf: Leaf) -> bool:
    """Whether a value is the agent's own writing, such as the body of a mail: it is made, not copied."""
    return isinstance(leaf.value, str) and (
        leaf.value.count(" ") >= COMPOSED or bool(telling(leaf.parameter) & WRITTEN)
    )


def in_request(value: ArgumentValue, request: Request) -> float:
    """How much of a value is found in the request, 0 to 1."""
    if isinstance(value, int | float):
        return float(same_amount(abs(float(value)), request))
    words = WORD.findall(value)
    if not words or value.lower() in request.lowered:
        return 1.0
    if CODE.fullmatch(value):
        return 0.0
    there = sum(is_spoken(word.lower(), request) for word in words)
    if "/" in value and there:  # "Europe/London": a path to what was said
        return 1.0
    return max(there / len(words), float(short_form(value, request)))


def same_amount(value: float, request: Request) -> bool:
    """Whether an amount is there, perhaps in another unit, as a ratio, or as an hour after noon."""
    if any(round_number(value * factor) in request.numbers for factor in request.factors):
        return True
    return "pm" in request.words and round_number(value - 12) in request.numbers


def is_spoken(word: str, request: Request) -> bool:
    if word.isdecimal():
        return not word.strip("0") or same_amount(float(word[:15]), request) or is_year(word, request)
    stemmed = stem(word)
    return stemmed in request.stems or (len(word) > 3 and any(other.startswith(word[:4]) for other in request.stems))


def is_year(word: str, request: Request) -> bool:
    """Whether a date only adds the year to a month that was said."""
    return (
        len(word) == 4 and not request.words.isdisjoint(MONTHS) and not any(1000 <= n <= 9999 for n in request.numbers)
    )


def short_form(value: str, request: Request) -> bool:
    """Whether a value abbreviates words of the request: "NYC" for New York City, "CA" for California."""
    code = value.lower()
    if not 1 <= len(code) <= 5 or not code.isalpha():
        return False
    return code in request.codes or code in request.initials or any(abbreviates(code, word) for word in request.words)


def abbreviates(code: str, word: str) -> bool:
    """Whether a code of few letters may stand for a word: both begin alike and the word has all its letters."""
    return 1 < len(code) <= 5 and len(word) >= len(code) and word[0] == code[0] and set(code) <= set(word)


def both_at_once(value: str, request: Request) -> bool:
    """Two names in one argument: "Egypt and Turkey" where a list or two calls were due. A quoted title is one name."""
    if len(value) >= MAX_NAME_PAIR_CHARACTERS:
        return False
    return bool(BOTH.search(value) or CODES_JOINED.match(value)) and value not in request.quotes
