"""Evaluates one expression with given values, such as `round(a * b / 2, 1)`."""

from typing import Any

from viva.kit.errors import Invalid
from viva.sandbox.model import SandboxFailure, SandboxLimits
from viva.sandbox.running import run_script

EXPRESSION_SCRIPT = """
import math
from json import dumps
dumps(eval(expression.strip(), {"math": math, **values}), allow_nan=False)
"""
MAX_EXPRESSION_CHARACTERS = 1_000
# An expression takes less than a millisecond, and its value is a number or a short text. The time is longer, because
# a busy machine may not run the worker at once.
EXPRESSION_LIMITS = SandboxLimits(
    cpu_seconds=0.25, wall_seconds=1, memory_bytes=8 * 2**20, printed_characters=1_000, value_bytes=20_000
)


class ExpressionFailed(Invalid):
    """The expression cannot be evaluated."""

    def __init__(self, failure: SandboxFailure) -> None:
        super().__init__(f"The expression cannot be evaluated: {failure.message}")
        self.failure = failure


def evaluate_expression(expression: str, values: dict[str, Any]) -> Any:
    """The value of the expression, as plain data. It may use the values, the module math and built-in functions."""
    if len(expression) > MAX_EXPRESSION_CHARACTERS:
        raise ExpressionFailed(SandboxFailure("syntax", f"It is longer than {MAX_EXPRESSION_CHARACTERS} characters."))
    result = run_script(EXPRESSION_SCRIPT, {"expression": expression, "values": values}, EXPRESSION_LIMITS)
    if result.failure:
        raise ExpressionFailed(result.failure)
    return result.value
