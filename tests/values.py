"""Values that a test relies on."""

import os
from typing import TypeVar

Value = TypeVar("Value")
# For a program whose loaded modules are checked: the tracer of `make coverage` would add its own.
UNTRACED = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}


def require(value: Value | None) -> Value:
    """The value, which must not be None."""
    assert value is not None
    return value
