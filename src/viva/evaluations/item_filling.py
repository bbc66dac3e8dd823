"""Filling a question with values: each expression in braces is computed and written in its place."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any, TypeVar

from msgspec.structs import replace

from viva.evaluations.configs import ChoiceQuestion, MultipleChoiceQuestion, NumericQuestion
from viva.evaluations.item_parameters import ParameterValues, ParametrisedItem, draw_values
from viva.evaluations.plain_expressions import NotPlain, PlainFailure, evaluate_plain
from viva.kit.errors import Unavailable
from viva.sandbox.expressions import MAX_EXPRESSION_CHARACTERS, ExpressionFailed, evaluate_expression

FILLED_FIELDS = ("text", "texts", "options", "answer", "answers", "criteria")
PLACE_PATTERN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")  # a doubled brace is a brace
MAX_VALUE_DRAWS = 20  # for one question, if its expressions fail for the drawn values
MAX_FILLED_CHARACTERS = 20_000  # of one text, as in a SIP
MAX_QUOTED_CHARACTERS = 100  # of an expression in a message
MAX_ROWS_AT_ONCE = 25  # one call of the sandbox returns at most 20 kB
ROWS_NAME = "_rows"  # no parameter can have this name


Parametrised = TypeVar("Parametrised", bound=ParametrisedItem)


class UnusableValues(ValueError):
    """The question cannot be made with these values."""


class QuestionNotMade(Unavailable):
    """A question of this evaluation cannot be made now. Try again later, or tell a maintainer."""


def make_question(question: Parametrised, seed: str) -> Parametrised:
    """The question with the values of the seed. If an expression fails for them, the seed draws other values."""
    for draw in range(MAX_VALUE_DRAWS):
        try:
            return fill(question, [draw_values(question, f"{seed}:{draw}")])[0]
        except UnusableValues:
            continue
    raise QuestionNotMade()


def fill(question: Parametrised, rows: Sequence[ParameterValues]) -> list[Parametrised]:
    """The question as it is with each row of values; or UnusableValues if one of them does not fit."""
    expressions = expressions_in(question)
    batches = (rows[start : start + MAX_ROWS_AT_ONCE] for start in range(0, len(rows), MAX_ROWS_AT_ONCE))
    return [fill_question(question, values) for batch in batches for values in evaluate(expressions, batch)]


def fill_question(question: Parametrised, values: Mapping[str, Any]) -> Parametrised:
    """The question with the values of its expressions."""
    changes = {name: fill_field(field, values) for name, field in fields_of(question)}
    if isinstance(question, NumericQuestion) and isinstance(question.answer, str):
        changes["answer"] = number_at(question.answer, values)
    filled = replace(question, parameters={}, **changes)
    check_filled(filled)
    return filled


def fields_of(question: ParametrisedItem) -> Iterator[tuple[str, Any]]:
    return ((name, getattr(question, name)) for name in FILLED_FIELDS if hasattr(question, name))


def fill_field(field: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(field, list):
        return [fill_field(item, values) for item in field]
    return fill_text(field, values) if isinstance(field, str) else field


def fill_text(text: str, values: Mapping[str, Any]) -> str:
    return PLACE_PATTERN.sub(lambda place: place[0][0] if place[1] is None else write(values[place[1]]), text)


def hide_values(text: str) -> str:
    """The text with an ellipsis for each expression, as results show it."""
    return PLACE_PATTERN.sub(lambda place: place[0][0] if place[1] is None else "…", text)


def write(value: Any) -> str:
    """The value as a question shows it. Floats have ten digits, so that 0.1 + 0.2 is 0.3."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnusableValues("An expression in braces must give a number or text.")
    is_whole = isinstance(value, int) or (value.is_integer() and abs(value) < 1e15)
    return str(int(value)) if is_whole else f"{value:.10g}"


def number_at(text: str, values: Mapping[str, Any]) -> int | float:
    """The number that the one expression of a numeric answer gives."""
    place = PLACE_PATTERN.fullmatch(text)
    value: Any = values.get(place[1]) if place else None
    if type(value) not in (int, float) or not is_finite(value):  # by type, because True is an int too
        raise UnusableValues("The answer must be one expression in braces that gives a finite number.")
    return value  # type: ignore[no-any-return]


def is_finite(value: int | float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # a whole number above the largest float
        return False


def check_filled(question: ParametrisedItem) -> None:
    if not all(text.strip() and len(text) <= MAX_FILLED_CHARACTERS for text in texts_of(question)):
        raise UnusableValues(f"A text is empty or has more than {MAX_FILLED_CHARACTERS:,} characters.")
    if not isinstance(question, ChoiceQuestion | MultipleChoiceQuestion):
        return
    right = [question.answer] if isinstance(question, ChoiceQuestion) else question.answers
    if len(set(question.options)) < len(question.options):
        raise UnusableValues("Two of the options are the same.")
    if not set(right) <= set(question.options):
        raise UnusableValues("The answer is not among the options.")


def texts_of(question: ParametrisedItem) -> Iterator[str]:
    for _, field in fields_of(question):
        yield from (item for item in (field if isinstance(field, list) else [field]) if isinstance(item, str))


def expressions_in(question: ParametrisedItem) -> list[str]:
    """The different expressions in the braces of the question."""
    found: dict[str, None] = {}
    for text in texts_of(question):
        found |= {place[1]: None for place in PLACE_PATTERN.finditer(text) if place[1] is not None}
        if set("{}") & set(PLACE_PATTERN.sub("", text)):
            raise UnusableValues("A brace has no partner. Write {{ and }} for braces in the text.")
    return list(found)


def evaluate(expressions: Sequence[str], rows: Sequence[ParameterValues]) -> list[dict[str, Any]]:
    """The values of the expressions for each row. A name is looked up, and all others are computed at once."""
    names = list(rows[0])
    computed = [expression for expression in expressions if expression.strip() not in names]
    looked_up = [expression for expression in expressions if expression.strip() in names]
    results = compute(computed, names, rows) if computed else [[] for _ in rows]
    return [
        {expression: row[expression.strip()] for expression in looked_up} | dict(zip(computed, result, strict=True))
        for row, result in zip(rows, results, strict=True)
    ]


def compute(expressions: Sequence[str], names: Sequence[str], rows: Sequence[ParameterValues]) -> list[list[Any]]:
    for expression in expressions:
        check_syntax(expression)
    cells = ", ".join(f"(\n{expression}\n)" for expression in expressions)  # on its own line, a comment ends there
    code = f"[[{cells},] for ({', '.join(names)},) in {ROWS_NAME}]"
    with suppress(NotPlain):
        return compute_plain(code, expressions, rows)
    try:
        results: list[list[Any]] = evaluate_expression(code, {ROWS_NAME: [list(row.values()) for row in rows]})
    except ExpressionFailed as error:
        raise UnusableValues(error.failure.message) from error
    return results


def compute_plain(code: str, expressions: Sequence[str], rows: Sequence[ParameterValues]) -> list[list[Any]]:
    """The same without the sandbox, if all expressions are plain, and no longer than the sandbox admits."""
    if len(code) > MAX_EXPRESSION_CHARACTERS:
        raise NotPlain
    try:
        return evaluate_plain(expressions, rows)
    except PlainFailure as error:
        raise UnusableValues(str(error)) from error


def check_syntax(expression: str) -> None:
    """An expression that is complete by itself cannot change the meaning of those beside it."""
    try:
        ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnusableValues(f"{{{expression[:MAX_QUOTED_CHARACTERS]}}} is not an expression.") from None
