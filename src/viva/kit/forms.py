"""What came from outside as the type it should have, or a sentence about what is wrong with it."""

import re
from typing import Any, TypeVar

import msgspec

from viva.kit.errors import Fault, Invalid

# What msgspec says, in words for people who do not know Python's types.
SENTENCES = {
    r"Object missing required field `(.*)`": r"The field \1 is missing",
    r"Object contains unknown field `(.*)`": r"There is no field \1",
    r"Invalid enum value (.*)": r"This is not one of its values",
}
WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
}

Form = TypeVar("Form")


def read(given: Any, form: type[Form]) -> Form:
    """What was given, as the form says."""
    try:
        return msgspec.convert(given, form)
    except msgspec.ValidationError as error:
        raise invalid(error, "body") from error


def invalid(error: msgspec.ValidationError, whole: str) -> Invalid:
    """msgspec's message as a fault: the place it names, and a sentence."""
    message, _, place = str(error).partition(" - at `")
    named = re.search(r"field `(.*)`", message)
    field = place.removeprefix("$").removesuffix("`").lstrip(".") or (named[1] if named else whole)
    return fault(field, plainly(message))


def fault(field: str, message: str) -> Invalid:
    """The error that one thing is wrong with the input."""
    return Invalid(f"The input is not valid: {field}: {message}", faults=(Fault(field, "invalid", message),))


def plainly(message: str) -> str:
    for pattern, words in SENTENCES.items():
        message = re.sub(pattern, words, message)
    return (
        re.sub(r"`([a-z |]+)`", lambda kinds: " or ".join(WORDS.get(k, k) for k in kinds[1].split(" | ")), message)
        + "."
    )
