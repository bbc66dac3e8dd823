"""Values that a test relies on."""

from typing import TypeVar

Value = TypeVar("Value")


def require(value: Value | None) -> Value:
    """The value, which must not be None."""
    assert value is not None
    return value
