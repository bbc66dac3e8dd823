"""Plain expressions have the value that the sandbox gives them; all others are left to it."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.evaluations.plain_expressions import NotPlain, PlainFailure, evaluate_plain
from viva.sandbox.expressions import ExpressionFailed, evaluate_expression

ROW = {"a": 7, "b": -3, "zero": 0, "f": 2.5, "t": "km", "day": "Monday"}
NUMBERS = st.sampled_from(["a", "b", "zero", "f", "1", "2", "10", "0.1", "True"])
TEXTS = st.sampled_from(["t", "day", "'x'", "''", "'%02d' % a", "'%.2f|%s' % (f, t)"])


def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, st.sampled_from("+ - * / // % ** == != < <= > >= in and or".split()), inner).map(
            lambda parts: f"({' '.join(parts)})"
        ),
        st.tuples(inner, inner, inner).map(lambda parts: "({} if {} else {})".format(*parts)),
        st.tuples(
            st.sampled_from("abs int float str round len max min sorted".split()),
            st.lists(inner, min_size=1, max_size=2),
        ).map(lambda call: f"{call[0]}({', '.join(call[1])})"),
        two.map(lambda parts: f"[{parts[0]}, {parts[1]}][{parts[0]}]"),
        two.map(lambda parts: f"({parts[0]})[{parts[1]}:]"),
        inner.map(lambda part: f"str({part}).zfill(5)"),
        inner.map(lambda part: f"'-'.join([str(each) for each in {part}])"),
        inner.map(lambda part: f"(not {part})"),
        inner.map(lambda part: f"(-{part})"),
    )


def by_sandbox(expression: str) -> list[object]:
    """The value in a list; an empty list if there is none."""
    try:
        return [evaluate_expression(f"(\n{expression}\n)", ROW)]
    except ExpressionFailed:
        return []


def listed(value: object) -> object:
    """As JSON has it."""
    return [listed(each) for each in value] if isinstance(value, list | tuple) else value


@settings(max_examples=250, deadline=None)
@given(st.recursive(NUMBERS | TEXTS, grow, max_leaves=6))
def test_a_plain_expression_has_the_value_that_the_sandbox_gives_it(expression):
    try:
        found = [listed(evaluate_plain([expression], [ROW])[0][0])]
    except PlainFailure:
        found = []
    except NotPlain:
        return

    expected = by_sandbox(expression)
    assert [repr(value) for value in found] == [repr(value) for value in expected]


def test_each_operation_has_the_value_that_the_sandbox_gives_it():
    operators = [f"a {sign} b" for sign in "+ - * / // % == != < <= > >= and or".split()]
    others = [
        "b // a",
        "b % a",
        "a ** 3",
        "f ** b",
        "-a",
        "+a",
        "not zero",
        "t in 'km/h'",
        "t not in day",
        "day[-1]",
        "day[1:5:2]",
        "day[:3]",
    ]
    calls = [
        "abs(b)",
        "round(f)",
        "round(0.125, 2)",
        "max(a, b)",
        "min([a, b])",
        "sorted([a, b, f], reverse=True)",
        "int('12')",
        "float(a)",
    ]
    texts = [
        "t.upper()",
        "day.lower()",
        "'ab cd'.title()",
        "'ab'.capitalize()",
        "str(a).zfill(3)",
        "'%02d:%s %.1f%%' % (a, t, f)",
    ]
    texts.append("';'.join([str(each) for each in [a, b]])")

    for expressions in (operators, others, calls, texts):
        assert listed(evaluate_plain(expressions, [ROW])[0]) == by_sandbox(f"[{', '.join(expressions)}]")[0]


@pytest.mark.parametrize("expression", ["'%099999999d' % a", "'1'.zfill(10 ** 9)", "'a' * 10 ** 9", "2 ** 10 ** 8"])
def test_nothing_large_is_made_before_it_is_refused(expression):
    tracemalloc.start()
    try:
        with pytest.raises(NotPlain):
            evaluate_plain([expression], [ROW])
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "expression",
    [
        "9 ** 9 ** 9",
        "'a' * 10 ** 9",
        "[a] * 10 ** 9",
        "'%0999999999d' % a",
        "'%*d' % (10 ** 9, a)",
        "round(a, -10 ** 9)",
        "'1'.zfill(10 ** 9)",
        "[[x for x in str(a)] for y in day]",
        "-" * 2_000 + "a",
        "a.__class__",
        "t.__class__.__mro__",
        "'{0.__class__}'.format(a)",
        "f'{a.__class__}'",
        "str.__subclasses__()",
        "open('/etc/passwd')",
        "__import__('os')",
        "eval('1')",
        "(lambda: 1)()",
        "[x for x in day if x]",
        "{a: b}",
        "(x := a)",
        "math.sqrt(a)",
        "max(*t)",
        "sorted(t, key=len)",
        "unknown",
        "b'1'",
        "1j",
        "1e400",
    ],
)
def test_what_is_not_plain_is_left_to_the_sandbox(expression):
    with pytest.raises(NotPlain):
        evaluate_plain([expression], [ROW])


@pytest.mark.parametrize(
    ("expression", "message"),
    [("a / zero", "ZeroDivisionError: division by zero"), ("day[9]", "IndexError: string index out of range")],
)
def test_a_plain_expression_without_a_value_says_why(expression, message):
    with pytest.raises(PlainFailure, match=message):
        evaluate_plain([expression], [ROW])
