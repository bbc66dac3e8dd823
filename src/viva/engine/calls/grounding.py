"""Where the arguments of a call come from: what the agent was told or found out, the schema, itself, or nowhere."""

import re
from collections.abc import Iterator
from string import ascii_lowercase
from typing import Any, NamedTuple

from viva.engine.calls.actions import name_words
from viva.engine.calls.knowledge import MONTHS, TOKEN, Knowledge, find_words, numbers_in
from viva.engine.evidence import cut

ArgumentValue = str | float | bool
MAX_ARGUMENTS = 100  # values of one call that are looked at
MAX_VALUE_CHARACTERS = 2_000
MAX_ARGUMENT_DEPTH = 8
HUGE = 10**300
ROUND = 100
YEARS = range(1900, 2101)  # "two years ago" gives one
SMALL = 10  # counts up to here are chosen, not copied
SENTENCE_WORDS = 6  # from here on a text is the agent's own writing
REGIONS = frozenset("state country province region".split())  # follow from a place that is known
SHORT_LETTERS = 3  # of a name that is cut: ATL
SHORT_CODE_LETTERS = 2  # "AMC 12" adds to a name what its owner calls it
SHORT_FORM = re.compile(r"[A-Z]{1,5}")
DATE_OR_TIME = re.compile(r"(?:\d{4}[-/.]\d\d?[-/.](\d\d?)|(\d\d?)[-/.]\d\d?[-/.]\d{2,4}|\d\d?:\d{2})\b.{0,20}")
DEFAULT = re.compile(r"default\w*(?:\s+(?:value|to|is|of|as|will|be|set|the))*[\s:=]*[\"'`]?([\w.+/-]+)", re.I)
CODE_MARKS = re.compile(r"[;{}$\\|=*^]|\(\)|\w\(|\n\s|<\w|^SELECT\b|://", re.I)
CHOSEN = frozenset(("", "true", "false", "yes", "no", "none", "null", "any", "all", "default", "auto", "other"))
# Parameters whose value the agent writes or chooses itself.
WRITTEN = frozenset(
    "body content message text subject title summary description prompt comment note notes reason".split()
)
CODED = frozenset(
    "query code sql expression command cmd script pattern regex formula filter action input keywords".split()
)
CHOICES = frozenset("type category kind genre class status mode format unit units style priority language sort".split())
SIZES = frozenset(
    "limit max min count page size num top offset timeout temperature radius width height depth level steps length"
    " duration interval per days hours minutes rounds k n".split()
)
# How often such a doubt is right, if one call in twenty has an invented value. Identifiers, names, terms and words were
# measured: true against planted values in sgd_planted_steps, taskmaster3_step and taskmaster4_step. Those runs have too
# few amounts, dates and figures to measure (3, 0 and 1 false alarms in 2,634 calls), so these values are set by judgement.
CONFIDENCES = {
    "identifier": 0.8,
    "name": 0.65,
    "date": 0.6,
    "amount": 0.5,
    "term": 0.5,  # a single capitalised word may be a category that the agent chose
    "figure": 0.4,  # inside a text that the agent wrote
    "looked up": 0.4,  # an amount in a call that changes nothing may be common knowledge, or worked out
    "round": 0.3,  # a round amount may be an estimate
    "word": 0.05,
}


class Argument(NamedTuple):
    """One value inside the arguments of a call, with its parameter and what its schema says."""

    parameter: str
    value: ArgumentValue
    schema: dict[str, Any]
    is_required: bool

    @property
    def quote(self) -> str:
        return cut(f"{self.parameter}={self.value!r}", 80)

    @property
    def description(self) -> str:
        return str(self.schema.get("description") or "")[:600]


class ArgumentDoubt(NamedTuple):
    """An argument that was found nowhere, and what it is: an identifier, an amount, a name, a date, or a mere word."""

    kind: str
    argument: Argument


def find_doubts(arguments: list[Argument], known: Knowledge) -> list[ArgumentDoubt]:
    """The arguments that come from nowhere, and optional ones that nobody asked for (`unsaid`)."""
    found = [ArgumentDoubt(doubt_kind(one, known) or unsaid_kind(one, known), one) for one in arguments]
    return [doubt for doubt in found if doubt.kind and not follows(doubt, found, known)]


def follows(doubt: ArgumentDoubt, beside: list[ArgumentDoubt], known: Knowledge) -> bool:
    """Whether a value follows from those beside it: amounts of one list that add up, the country of a place that was said."""
    name = doubt.argument.parameter
    if doubt.kind in ("amount", "round"):
        listed = [one.argument.value for one in beside if one.argument.parameter == name]
        amounts = [value for value in listed if isinstance(value, float | int) and not isinstance(value, bool)]
        return len(amounts) > 1 and known.has_number(sum(amounts))
    said = (str(one.argument.value) for one in beside if not one.kind)
    return doubt.kind in ("term", "name") and name.lower() in REGIONS and any(map(str.istitle, said))


def unsaid_kind(argument: Argument, known: Knowledge) -> str:
    """Whether an optional value is neither the default nor half said."""
    value = argument.value
    is_chosen = str(value).lower() in CHOSEN | {default_of(argument.schema).lower()}
    if argument.is_required or is_chosen or DATE_OR_TIME.fullmatch(str(value)):
        return ""
    numbers = numbers_in(value) if isinstance(value, str) else [abs(float(value))]
    words = [word.lower() for word in find_words(value) if word.isalpha()] if isinstance(value, str) else []
    if words:
        return "unsaid" if sum(map(known.has_word, words)) < len(words) / 2 else ""
    return "" if all(map(known.has_number, numbers)) else "unsaid"


def default_of(schema: dict[str, Any]) -> str:
    """What a parameter is when it is left out: as the schema says, or as its description tells."""
    if schema.get("default") not in (None, ""):
        return str(schema["default"])[:200]
    match = DEFAULT.search(str(schema.get("description") or "")[:500])
    return match[1].rstrip(".,") if match else ""


def doubt_kind(argument: Argument, known: Knowledge) -> str:
    value = argument.value
    if isinstance(value, bool):  # a switch is right if somebody spoke of what it does
        words = [*name_words(argument.parameter), *name_words(argument.description)]
        return "flag" if value and not any(len(word) > 3 and known.has_word(word) for word in words) else ""
    if str(value).lower() in CHOSEN or is_offered(argument):
        return ""
    if isinstance(value, str):
        return text_kind(argument, value, known)
    return amount_kind(argument, abs(float(value)), known)


def is_offered(argument: Argument) -> bool:
    """Whether the schema itself names the value: in its enum, as its default, or in its description."""
    text = str(argument.value).lower()
    enum = argument.schema.get("enum")
    if (isinstance(enum, list) and argument.value in enum) or argument.schema.get("default") == argument.value:
        return True
    described = argument.description.lower()
    return text in TOKEN.findall(described) or (len(text) > 2 and text in described)


def amount_kind(argument: Argument, value: float, known: Knowledge) -> str:
    if value <= SMALL or not SIZES.isdisjoint(name_words(argument.parameter)):
        return ""
    if known.has_number(value) or known.can_compute(value) or (known.has_relative_time and value in YEARS):
        return ""
    return "amount" if value % ROUND else "round"


def text_kind(argument: Argument, text: str, known: Knowledge) -> str:
    names = name_words(argument.parameter)
    if not CODED.isdisjoint(names) or CODE_MARKS.search(text):
        return ""
    if match := DATE_OR_TIME.fullmatch(text):
        day = match[1] or match[2]
        near = not day or any(float(day) + days in known.numbers for days in (0, -1, 1))  # one night later
        return "" if known.has_relative_time or near else "date"
    if not WRITTEN.isdisjoint(names) or text.count(" ") >= SENTENCE_WORDS:
        return "figure" if has_new_figure(text, known) else ""
    if text.replace(".", "").replace(",", "").isdecimal() and len(text) <= SMALL:
        return "" if text in known.codes else amount_kind(argument, numbers_in(text)[0], known)
    return word_kind(text, known) if CHOICES.isdisjoint(names) or "id" in names else ""


def has_new_figure(text: str, known: Knowledge) -> bool:
    """Whether a text that the agent wrote has a number or code that nobody gave it."""
    tokens = {token for token in TOKEN.findall(text.lower()) if not token.isalpha()}
    numbers = [number for number in numbers_in(text) if number > SMALL]
    return any(token not in known.codes and not token.isdecimal() for token in tokens) or any(
        not known.has_number(number) and not known.can_compute(number) for number in numbers
    )


def word_kind(text: str, known: Knowledge) -> str:
    """A name or an identifier: its codes must be known, and half of its words."""
    words = [word.lower() for word in find_words(text) if word.isalpha()]
    there = sum(known.has_word(word) or word in MONTHS for word in words)
    is_half_known = bool(words) and there >= len(words) / 2
    codes = [token for token in TOKEN.findall(text.lower()) if not token.isalpha()]
    new = [code for code in codes if code not in known.codes and not is_known_part(code, known)]
    if any(len(code) > SHORT_CODE_LETTERS or not is_half_known for code in new):
        is_name = any(len(word) > SHORT_CODE_LETTERS for word in words)  # perhaps made of a name that was taken out
        return "" if is_name and known.has_masked_names else "identifier"
    if codes or not words or is_half_known or SHORT_FORM.fullmatch(text) or has_short_form(words, known):
        return ""
    return "identifier" if "@" in text else "word" if not text[0].isupper() else "name" if len(words) > 1 else "term"


def has_short_form(words: list[str], known: Knowledge) -> bool:
    """Whether a name was said in short: "SD" for San Diego, "ATL" for Atlanta."""
    initials = "".join(word[0] for word in words)
    if words[0][:SHORT_LETTERS] in known.stems:
        return True
    return len(initials) > 1 and any(initials + letter in known.stems for letter in ("", *ascii_lowercase))


def is_known_part(code: str, known: Knowledge) -> bool:
    """Whether a code is made of known parts: "12" of "order12", or "12th"."""
    return code.isdecimal() and (float(code[:24]) in known.numbers or not code.strip("0"))


def list_arguments(parameters: dict[str, Any], properties: dict[str, Any], required: frozenset[str]) -> list[Argument]:
    """The values of a call, nested ones too, each with its parameter."""
    found: list[Argument] = []
    for name, value in parameters.items():
        schema = properties.get(name)
        about = schema if isinstance(schema, dict) else {}
        found += [Argument(name, part, about, not properties or name in required) for part in inside(value)]
        if len(found) >= MAX_ARGUMENTS:
            break
    return found[:MAX_ARGUMENTS]


def inside(value: Any, depth: int = 0) -> Iterator[ArgumentValue]:
    if isinstance(value, str):
        yield value[:MAX_VALUE_CHARACTERS].strip()
    elif isinstance(value, float | bool | int):
        yield value if abs(value) < HUGE else 0
    elif depth < MAX_ARGUMENT_DEPTH and isinstance(value, list | tuple | dict):
        for part in list(value.values() if isinstance(value, dict) else value)[:MAX_ARGUMENTS]:
            yield from inside(part, depth + 1)
