"""Numbers in a text, as values: "1,200", "1200.0" and "1.2k" are one thing to a reader, and so are "12" and "twelve"."""

import re
from math import isfinite

NUMBER = re.compile(
    r"(?<![\w.])[-+]?\$?€?£?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s?(k|m|bn|million|billion|thousand|%))?(?![\w])",
    re.I,
)
DIGIT, MARKS = re.compile(r"\d"), re.compile(r"[., ]")
LETTERS = re.compile(r"[a-zäöüß]+")
SPELLED = {
    name: value
    for value, name in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
        " eighteen nineteen".split()
    )
} | {name: 10 * ten for ten, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
GERMAN_NUMBERS = "zwei drei vier fünf sechs sieben acht neun zehn".split()  # the next would be an elf in English
SPELLED |= {word: value for value, word in enumerate(GERMAN_NUMBERS, 2)} | {"zwölf": 12}
SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9, "%": 1.0}


def numbers(text: str) -> set[float]:
    """The values of the numbers written in digits or, up to ninety, in words."""
    written = NUMBER.finditer(text) if DIGIT.search(text) else ()
    found = {float(match[1].replace(",", "")) * SCALES.get((match[2] or "").lower(), 1.0) for match in written}
    found = set(filter(isfinite, found))  # a run of hundreds of digits is a key, not an amount
    return found.union(float(SPELLED[word]) for word in SPELLED.keys() & LETTERS.findall(text.lower()))


def parse_number(written: str) -> float:
    """A number as people write it: "1,200", "1 200" and "1.200.000" are grouped, "44,49" and "1,200.500" have decimals."""
    *whole, last = MARKS.split(written)
    grouped = len(last) == 3 and (written[-4:-3] != "." or written.count(".") > 1)
    return float("".join(whole) + ("." if whole and not grouped else "") + last)
