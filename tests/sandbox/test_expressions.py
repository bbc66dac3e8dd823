"""Expressions with values, as parametrised questions use them."""

import pytest

from viva.sandbox.expressions import ExpressionFailed, evaluate_expression


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("a * b + 1", 7),
        (" round(a / b, 2) ", 0.67),
        ("math.comb(b, a)", 3),
        ("'even' if a % 2 == 0 else 'odd'", "even"),
        ("sorted([b, a], reverse=True)", [3, 2]),
        ("a > b", False),
    ],
)
def test_an_expression_has_the_value_that_python_gives_it(expression, value):
    assert evaluate_expression(expression, {"a": 2, "b": 3}) == value


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("a / 0", "exception"),
        ("unknown", "exception"),
        ("a = 2", "syntax"),
        ("import os", "syntax"),
        ("(", "syntax"),
        ("1 + " * 400 + "1", "syntax"),
        ("open('/etc/passwd').read()", "forbidden"),
        ("9 ** 9 ** 9", "memory"),
        ("sum(range(10 ** 13))", "timeout"),
        ("'a' * 100_000", "output"),
        ("1e400", "value"),
        ("print", "value"),
    ],
)
def test_an_expression_without_a_value_says_why(expression, kind):
    with pytest.raises(ExpressionFailed, match="The expression cannot be evaluated: ") as raised:
        evaluate_expression(expression, {"a": 2})

    assert raised.value.failure.kind == kind
