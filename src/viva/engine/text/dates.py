"""Dates, times of day and weekdays in a text."""

import datetime
import re
from collections.abc import Iterator

from viva.engine.text.amounts import either

Day = tuple[int | None, int, int | None]  # year, month, day
MONTHS = "january february march april may june july august september october november december".split()
GERMAN_MONTHS = "januar februar märz april mai juni juli august september oktober november dezember".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
GERMAN_WEEKDAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()
MONTH_NUMBERS = {name: k for listed in (MONTHS, GERMAN_MONTHS) for k, name in enumerate(listed, 1)}
MONTH_NUMBERS |= {name[:3]: k for name, k in MONTH_NUMBERS.items()} | {"sept": 9}
WEEKDAY_NUMBERS = {name: k for listed in (WEEKDAYS, GERMAN_WEEKDAYS) for k, name in enumerate(listed)}

MONTH = rf"\b(?P<month>{either(MONTH_NUMBERS)})\b\.?"
ISO_DATE = r"(?<![\w.])(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?!\d)(?:T(?=\d))?"
SHORT_DATE = r"(?<![\w.])(?P<first>\d{1,2})(?P<mark>[./])(?P<second>\d{1,2})(?:[./](?P<year>\d{4}|\d{2})(?!\w)|\.(?=\s(?-i:[a-z])))"
MONTH_DAY = rf"{MONTH}(?: (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d))?(?:,? (?P<year>\d{{4}})\b)?"
DAY_MONTH = rf"(?<![\w.])(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? {MONTH}(?:,? (?P<year>\d{{4}})\b)?"
HALF = r"(?P<half>a\.?m\b\.?|p\.?m\b\.?|o['’]clock|uhr|in the (?:morning|afternoon|evening|night)|at night)"
CLOCK = rf"(?:(?<![\w.:])|(?<=\dT))(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})(?::\d{{2}}(?:\.\d{{1,9}})?)?Z?(?:\s?{HALF})?(?![\w:])"
HOUR = rf"(?<![\w.:])(?P<hour>\d{{1,2}})\s?{HALF}(?!\w)"
NOON = r"\b(?:noon|midnight)\b"
WEEKDAY = rf"\b(?P<weekday>{either(WEEKDAY_NUMBERS)})s?\b"


def read_iso(match: re.Match[str]) -> Iterator[Day]:
    return days(int(match["year"]), int(match["month"]), int(match["day"]))


def read_short(match: re.Match[str]) -> Iterator[Day]:
    """3.5. and 03/05/24: with points the day comes first, with slashes either may."""
    year = int(match["year"]) if match["year"] else None
    year = year + 2000 if year is not None and year < 100 else year
    first, second = int(match["first"]), int(match["second"])
    yield from days(year, second, first)
    if match["mark"] == "/":
        yield from days(year, first, second)


def read_named(match: re.Match[str]) -> Iterator[Day]:
    month, day, year = match["month"], match["day"], match["year"]
    if day or year or (month[0].isupper() and len(month) > 3):  # "may" and "march" are words, too
        yield from days(int(year) if year else None, MONTH_NUMBERS[month.lower()], int(day) if day else None)


def days(year: int | None, month: int, day: int | None) -> Iterator[Day]:
    if 1 <= month <= 12 and (day is None or 1 <= day <= 31):
        yield (year, month, day)


def read_clock(match: re.Match[str]) -> Iterator[int]:
    """Minutes since midnight. Without "am" or "pm", 8:00 may be in the evening; 08:00 may not."""
    part = match.groupdict()
    hour, minute, half = int(part["hour"]), int(part.get("minute") or 0), (part.get("half") or "").lower()
    if hour > 24 or minute > 59:
        return
    if half.startswith("a") or "morning" in half:
        yield hour % 12 * 60 + minute
    elif half.startswith(("p", "in")):
        yield hour % 12 * 60 + 720 + minute
    else:
        yield hour % 24 * 60 + minute
        if 1 <= hour <= 12 and not part["hour"].startswith("0"):
            yield (hour + 12) % 24 * 60 + minute


def read_noon(match: re.Match[str]) -> Iterator[int]:
    yield 720 if match[0].lower() == "noon" else 0


def read_weekday(match: re.Match[str]) -> Iterator[int]:
    yield WEEKDAY_NUMBERS[match["weekday"].lower()]


def days_agree(one: Day, two: Day) -> bool:
    """Whether no part that both give differs."""
    return all(a is None or b is None or a == b for a, b in zip(one, two, strict=True))


def weekday_agrees(weekday: int, day: Day) -> bool:
    """Whether a date may be that weekday: any may whose year is not given."""
    year, month, number = day
    if year is None or number is None:
        return True
    try:
        return datetime.date(year, month, number).weekday() == weekday
    except ValueError:
        return False
