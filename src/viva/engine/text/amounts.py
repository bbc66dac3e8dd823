"""Amounts in a text: numbers in digits or words, with their currency or unit."""

import re
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import NamedTuple

from viva.engine.text.numbers import SPELLED


class Quantity(NamedTuple):
    """A number, its unit ("" where none is given), and whether it is said to be a rough one."""

    number: float
    unit: str = ""
    about: bool = False


SCALES = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
SHORT_SCALES = {"k": 1e3, "m": 1e6, "bn": 1e9}
SIGNS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy"}
UNIT_LINES = """
usd 1 usd dollar buck
eur 1 eur euro €
gbp 1 gbp £
% 1 % percent prozent
metre 1 m meter metre
metre 1000 km kilometer kilometre
metre 0.01 cm centimeter centimetre
metre 1609.34 mile mi
metre 0.3048 ft feet foot
gram 1 g gram
gram 1000 kg kilo kilogram
gram 453.592 lb pound
second 1 sec second
second 60 min minute
second 3600 h hr hour stunde
second 86400 day tag
second 604800 week woche
byte 1e3 kb
byte 1e6 mb
byte 1e9 gb
celsius 1 °c celsius
fahrenheit 1 °f fahrenheit
"""  # a unit, how many of it, and how that is written
UNITS = {
    written: (unit, float(factor))
    for unit, factor, *forms in map(str.split, UNIT_LINES.strip().splitlines())
    for written in forms
}
FACTORS = {unit: {factor for name, factor in UNITS.values() if name == unit} - {1.0} for unit, _ in UNITS.values()}
FACTORS["%"] = {100.0}
TINY = 1e-9  # what reckoning in binary loses
CONVERTED = ("metre", "gram")  # of which people tell rounded ones: ten miles are 16 kilometres


def either(words: Iterable[str]) -> str:
    """A pattern for one of some words, the longer first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


ABOUT = re.compile(r"\b(?:about|around|approximately|approx\.|roughly|nearly|almost|over|circa|ca\.|etwa|rund) $", re.I)
UNIT = rf"(?:[ -]?(?:degrees? )?(?P<unit>{either(UNITS)})(?:s|n|es)?(?!\w))?"
SCALE = rf"(?: ?(?P<scale>{either([*SHORT_SCALES, *SCALES])})(?!\w))?"
DIGITS = (
    r"(?<![\w./])(?P<minus>(?<!\S)-)?(?:(?P<sign>[$€£¥]) ?)?"
    r"(?P<digits>\d{1,3}(?:[,.]\d{3}|[ \u00a0\u202f]\d{3}(?!\d))+(?:[.,]\d{1,2})?(?!\d)|\d{1,18}(?:[.,]\d{1,18})?)"
    rf"(?![\d_]|[.,/]\d){SCALE}{UNIT}(?!\w| ?['’]s\b)"
)
WORD = either([*SPELLED, *SCALES])
SPELLED_OUT = rf"(?P<spelled>(?:a )?(?:{WORD})(?:(?:[ -]| and )(?:{WORD})\b){{0,8}})\b{UNIT}"


def read_digits(match: re.Match[str]) -> Iterator[Quantity]:
    """What a number in digits may mean. "5 m" is metres, "$5m" millions."""
    scale, unit = (match["scale"] or "").lower(), (match["unit"] or "").lower()
    if scale == "m" and not match["sign"]:
        scale, unit = "", "m"
    factor = SHORT_SCALES.get(scale) or SCALES.get(scale, 1)
    for number in numbers_of(match["digits"]):
        number = -number if match["minus"] else number
        yield from amounts(number * factor, SIGNS.get(match["sign"] or ""), unit, is_rough(match))


def numbers_of(digits: str) -> set[float]:
    """1,000 and 1.000 and 1 000 and 1.000,50 and 49,90: a sign before three digits may part thousands."""
    if digits.isdecimal():
        return {float(digits)}
    digits = "".join(digits.split())
    last = max(digits.rfind(","), digits.rfind("."))
    if last < 0:
        return {float(digits)}
    whole, rest = digits[:last].replace(",", "").replace(".", ""), digits[last + 1 :]
    broken, grouped = float(f"{whole}.{rest}"), float(whole + rest)
    if len(rest) != 3 or whole == "0":
        return {broken}
    return {grouped} if digits[last] == "," or len(whole) > 3 else {broken, grouped}


def read_words(match: re.Match[str]) -> Iterator[Quantity]:
    """Twenty-five, two hundred and five, a dozen. "One" alone is more often no number."""
    words = [word for word in re.split(r"[ -]+", match["spelled"].lower()) if word not in ("a", "and")]
    total = group = 0
    for word in words:
        if SCALES.get(word, 0) > 100:
            total, group = total + max(1, group) * SCALES[word], 0
        elif word in SCALES:
            group = max(1, group) * SCALES[word]
        else:
            group += SPELLED[word]
    if words != ["one"]:
        yield from amounts(float(total + group), None, (match["unit"] or "").lower(), is_rough(match))


def is_rough(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - 16) : match.start()]
    return before[-1:].isspace() and bool(ABOUT.search(before))


def amounts(number: float, currency: str | None, unit: str, about: bool) -> Iterator[Quantity]:
    name, factor = UNITS.get(unit, ("", 1.0))
    if isfinite(number * factor):
        yield Quantity(number * factor, currency or name, about)


def amounts_agree(one: Quantity, two: Quantity) -> bool:
    """Whether two amounts may be the same: of fitting units, and equal, or one the other rounded."""
    if one.unit == two.unit or not one.unit or not two.unit:
        return near(one, two) or (one.unit != two.unit and is_converted(one, two))
    if {one.unit, two.unit} == {"celsius", "fahrenheit"}:
        warm, cold = (one, two) if one.unit == "fahrenheit" else (two, one)
        return abs(warm.number - (cold.number * 1.8 + 32)) <= 1
    return False


def is_converted(one: Quantity, two: Quantity) -> bool:
    """Whether a number without a unit is counted in a multiple of the other's: minutes, kilometres, hundredths."""
    measured, plain = (one, two) if one.unit else (two, one)
    return any(near(measured, Quantity(plain.number * factor)) for factor in FACTORS.get(measured.unit, ()))


def near(one: Quantity, two: Quantity) -> bool:
    """Whether two numbers are equal, one is the other rounded, or they are near where one is rough or was converted."""
    apart = abs(one.number - two.number)
    if apart >= 1 and not (one.about or two.about or one.unit in CONVERTED or two.unit in CONVERTED):
        return False
    slack = 0.1 if one.about or two.about else 0.02 if one.unit in CONVERTED or two.unit in CONVERTED else 0.0
    larger = max(abs(one.number), abs(two.number))
    return rounds_to(one.number, two.number) or rounds_to(two.number, one.number) or apart <= slack * larger


def rounds_to(exact: float, told: float) -> bool:
    """Whether a number is told with as many decimals or fewer."""
    decimals = 0 if told.is_integer() else len(repr(told).partition(".")[2])
    return abs(round(exact, decimals) - told) < TINY
