"""JSON in one canonical form, the JSON Canonicalization Scheme of RFC 8785: equal values give equal bytes everywhere."""

import json
import math
from typing import Any

MAX_EXACT_INTEGER = 2**53  # JSON numbers are doubles, which hold larger integers only in part
FIRST_EXPONENT = 21  # from 1e21 on, JavaScript writes an exponent
SMALLEST_PLAIN_EXPONENT = -7  # 0.000001 is the smallest number without one


def canonical_json(value: Any) -> str:
    """The value as one line of JSON, with sorted keys, no spaces, and numbers as JavaScript writes them."""
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: str(member[0]).encode("utf-16-be"))
        return "{" + ",".join(f"{write_text(str(key))}:{canonical_json(item)}" for key, item in members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    if isinstance(value, str):
        return write_text(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return write_number(value)


def write_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def write_number(number: float) -> str:
    if isinstance(number, int) and abs(number) <= MAX_EXACT_INTEGER:
        return str(number)
    number = float(number)
    if not math.isfinite(number):
        raise ValueError("JSON has neither infinity nor NaN.")
    sign, number = ("-", -number) if number < 0 else ("", number)
    digits, exponent = split_number(number)
    return sign + place_point(digits, exponent) if number else "0"


def split_number(number: float) -> tuple[str, int]:
    """The shortest digits that give the number, and the place of the decimal point after the first of them."""
    mantissa, _, exponent = f"{number!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    place = int(exponent or 0) + (len(whole) if whole != "0" else len(digits) - len(fraction))
    return digits.rstrip("0") or "0", place


def place_point(digits: str, place: int) -> str:
    if 0 < place <= FIRST_EXPONENT:
        return digits.ljust(place, "0") if len(digits) <= place else f"{digits[:place]}.{digits[place:]}"
    if SMALLEST_PLAIN_EXPONENT < place - 1 < 0:
        return "0." + "0" * -place + digits
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{place - 1:+d}"
