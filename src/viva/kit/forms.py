"""Converts input to the type it should have, or reports every fault."""

import re
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from viva.kit.errors import Fault, Invalid
from viva.kit.faults import find_faults

# msgspec's messages, reworded for people who do not know Python's types.
SENTENCES = {
    r"Object missing required field `(.*)`": r"The field \1 is missing",
    r"Object contains unknown field `(.*)`": r"There is no field \1",
    r"Invalid enum value (.*)": r"This is not one of its values",
}
TYPE_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
}

T = TypeVar("T")


def read(given: Any, form: type[T]) -> T:
    """The input as the type `form`."""
    try:
        return msgspec.convert(given, form)
    except msgspec.ValidationError as error:
        raise invalid(error, given, form, "body") from error


def invalid(error: msgspec.ValidationError, given: Any, form: Any, whole: str) -> Invalid:
    """The error with every fault of the input. `whole` is the field for a fault of the whole input."""
    faults = find_faults(given, form) or [fault_of(error)]
    return invalid_input([fault if fault.field else fault._replace(field=whole) for fault in faults])


def fault_of(error: msgspec.ValidationError) -> Fault:
    """msgspec's message as a fault with its field and a sentence."""
    message, _, place = str(error).partition(" - at `")
    named = re.search(r"field `(.*)`", message)
    field = place.removeprefix("$").removesuffix("`").lstrip(".") or (named[1] if named else "")
    return Fault(field, "invalid", simplify_message(message))


def fault(field: str, message: str) -> Invalid:
    """The error for one fault of the input."""
    return invalid_input([Fault(field, "invalid", message)])


def invalid_input(faults: Sequence[Fault]) -> Invalid:
    first, others = faults[0], len(faults) - 1
    more = f" {others} more {'is' if others == 1 else 'are'} in errors." if others else ""
    return Invalid(f"The input is not valid: {first.field}: {first.message}{more}", faults=tuple(faults))


def simplify_message(message: str) -> str:
    for pattern, sentence in SENTENCES.items():
        message = re.sub(pattern, sentence, message)
    return (
        re.sub(r"`([a-z |]+)`", lambda kinds: " or ".join(TYPE_WORDS.get(k, k) for k in kinds[1].split(" | ")), message)
        + "."
    )
