"""Values in texts made comparable: amounts, dates, times, weekdays, codes and states.

"49.9" and "$49.90", "8 am" and "08:00", "May 3rd" and "2024-05-03" agree, and so do "1.000" and "1000", as Germans write.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from operator import eq
from typing import Any, NamedTuple

from viva.engine.text import amounts, dates
from viva.engine.text.numbers import SPELLED
from viva.engine.text.states import find_states
from viva.engine.text.words import split_words

MAX_CHARACTERS = 20_000  # of one text; what follows is a dump
MAX_VALUES = 400
CODE = (
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]{0,63}\w|https?://[^\s\"'<>)]{1,400}"
    r"|(?<![\w-])#?(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[a-z_])(?!\d+(?:st|nd|rd|th|am|pm|[sxyz])\b)[\w-]{3,60}(?![\w-])"
)
LIST = re.compile(r"\d+(?:,\d+){2,}|(?<=[\[({])\d+,\d+(?=[\])}])")  # 23,45,44 and [4,3]: a comma parts them
THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
PHONE = r"(?<![\w.])\+?\d{0,3}[ -]?\(?\d{3}\)?[ -]\d{3}[ -]\d{4}(?!\w)"


class Value(NamedTuple):
    """Something in a text that can be right or wrong. `readings` are all that it may mean."""

    kind: str  # amount, date, time, weekday, code or state
    readings: tuple[Any, ...]
    text: str
    start: int


def read_code(match: re.Match[str]) -> Iterator[str]:
    yield match[0].lower().strip("#.,;:!?")


def read_phone(match: re.Match[str]) -> Iterator[str]:
    yield re.sub(r"\D", "", match[0])[-10:]


class ValueForm(NamedTuple):
    """A way in which values of a kind are written, and how it is read."""

    kind: str
    pattern: str
    read: Callable[[re.Match[str]], Iterator[Any]]


FORMS = (
    ValueForm("date", dates.ISO_DATE, dates.read_iso),
    ValueForm("date", dates.SHORT_DATE, dates.read_short),
    ValueForm("date", dates.DAY_MONTH, dates.read_named),
    ValueForm("date", dates.MONTH_DAY, dates.read_named),
    ValueForm("time", dates.CLOCK, dates.read_clock),
    ValueForm("time", dates.HOUR, dates.read_clock),
    ValueForm("time", dates.NOON, dates.read_noon),
    ValueForm("weekday", dates.WEEKDAY, dates.read_weekday),
    ValueForm("code", PHONE, read_phone),
    ValueForm("amount", amounts.DIGITS, amounts.read_digits),
    ValueForm("amount", amounts.SPELLED_OUT, amounts.read_words),
    ValueForm("code", CODE, read_code),
)
PATTERNS = [re.compile(form.pattern, re.I) for form in FORMS]
WORDS = frozenset([*dates.MONTH_NUMBERS, *dates.WEEKDAY_NUMBERS, *SPELLED, *amounts.SCALES, "noon", "midnight"])


def alternatives(guard: str, forms: Iterable[ValueForm]) -> re.Pattern[str]:
    """One pattern for many forms. The guard spares most words the trial of each."""
    named = (f"({re.sub('[?]P<[a-z]+>', '?:', form.pattern)})" for form in forms)
    return re.compile(rf"(?:(?<!\w)|(?<=\dT)){guard}(?:{'|'.join(named)})", re.I)


TELLING = re.compile(r"[$€£¥\d@_]")  # without one of these and without a word of `WORDS`, a text has no values
IN_DIGITS = alternatives(r"(?=[$€£¥]|\S{0,60}[\d@_])", FORMS)
IN_WORDS = alternatives("", FORMS)


def values(text: str) -> list[Value]:
    """The values of a text, in their order. "A" and "one" are none: who says "a room" has not counted."""
    text = part_lists(text[:MAX_CHARACTERS])
    words = frozenset(split_words(text.lower()))
    pattern = IN_WORDS if not WORDS.isdisjoint(words) else IN_DIGITS if TELLING.search(text) else None
    found = [read(match) for match in islice(pattern.finditer(text), MAX_VALUES)] if pattern else []
    found += [Value("state", (state.key,), state.text, state.start) for state in find_states(text, words)]
    return sorted((value for value in found if value.readings), key=lambda value: value.start)


def part_lists(text: str) -> str:
    """A text of the same length in which the numbers of a list cannot be taken for one."""
    if "," not in text:
        return text
    return LIST.sub(lambda found: found[0] if THOUSANDS.fullmatch(found[0]) else found[0].replace(",", ";"), text)


def read(match: re.Match[str]) -> Value:
    """What a match means; without any reading where it means nothing, as a thirteenth month."""
    k = (match.lastindex or 1) - 1  # only the forms are groups, in their order
    if match[0].isdecimal():  # a plain amount: to match it again takes longer than all the rest
        return Value(
            "amount",
            tuple(amounts.amounts(float(match[0]), None, "", amounts.is_rough(match))),
            match[0],
            match.start(),
        )
    again = PATTERNS[k].match(match.string, match.start())
    readings = tuple(FORMS[k].read(again)) if again else ()
    return Value(FORMS[k].kind, readings, match[0].strip(), match.start())


def agree(one: Value, two: Value) -> bool:
    """Whether two values may be the same thing. Values of kinds that cannot be compared never are."""
    rule = RULES.get((one.kind, two.kind))
    if rule is None:
        return False
    for a in one.readings:
        for b in two.readings:
            if rule(a, b):
                return True
    return False


def missing(told: Iterable[Value], known: Iterable[Value]) -> list[Value]:
    """The values that none of the known ones bears out."""
    heard = list(known)
    return [value for value in told if not any(agree(value, other) for other in heard)]


def year_or_day(amount: amounts.Quantity, day: dates.Day) -> bool:
    return not amount.unit and amount.number in day


def full_hour(amount: amounts.Quantity, minutes: int) -> bool:
    return not amount.unit and 60 * amount.number in (minutes, minutes % 720)


def digits_of(amount: amounts.Quantity, code: str) -> bool:
    return not amount.unit and code == str(int(amount.number))


AgreementRule = Callable[[Any, Any], bool]


def turn_round(rule: AgreementRule) -> AgreementRule:
    return lambda one, two: rule(two, one)


RULES: dict[tuple[str, str], AgreementRule] = {
    ("amount", "amount"): amounts.amounts_agree,
    ("date", "date"): dates.days_agree,
    ("weekday", "date"): dates.weekday_agrees,
    ("amount", "date"): year_or_day,
    ("amount", "time"): full_hour,
    ("amount", "code"): digits_of,
    **{(kind, kind): eq for kind in ("time", "weekday", "code", "state")},
}
RULES |= {(two, one): turn_round(rule) for (one, two), rule in RULES.items() if one != two}
COMPARABLE = {kind: frozenset(two for one, two in RULES if one == kind) for kind, _ in RULES}
