"""Checking answers to benchmark questions: what each answer earns. No reason reveals the right answer."""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from math import isfinite, ulp
from typing import Any, NamedTuple

import msgspec

from viva.evaluations.config_rules import validator_of
from viva.evaluations.configs import (
    BenchmarkItem,
    BenchmarkQuestion,
    ChoiceQuestion,
    ExactQuestion,
    JsonSchemaQuestion,
    MultipleChoiceQuestion,
    NumericQuestion,
    RegexQuestion,
)
from viva.kit.unicode_text import normalize_text

NUMBER_PATTERN = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")


class CheckedAnswer(NamedTuple):
    """What an answer earns, as a share of the question's points from 0 to 1, and why."""

    share: float
    reason: str


RIGHT_ANSWER = CheckedAnswer(1, "The answer is right.")
WRONG_ANSWER = CheckedAnswer(0, "The answer is not right.")
UNANSWERED = CheckedAnswer(0, "There is no answer.")


def check(question: BenchmarkQuestion, answers: Mapping[str, Any]) -> CheckedAnswer:
    """What the answer earns, for a question that needs no marker. The answer may be any JSON."""
    if not is_answered(question, answers):
        return UNANSWERED
    return CHECKS[type(question)](question, answers[question.id])


def is_answered(question: BenchmarkQuestion, answers: Mapping[str, Any]) -> bool:
    """Whether there is an answer. Blank text and an empty choice are none, but null and [] may be valid JSON answers."""
    answer = answers.get(question.id, "")
    if isinstance(answer, str):
        return bool(answer.strip())
    return isinstance(question, JsonSchemaQuestion) or answer not in (None, [])


def check_choice(question: ChoiceQuestion, answer: Any) -> CheckedAnswer:
    if answer not in question.options:
        return CheckedAnswer(0, "The answer is not one of the options.")
    return RIGHT_ANSWER if answer == question.answer else WRONG_ANSWER


def check_multiple_choice(question: MultipleChoiceQuestion, answer: Any) -> CheckedAnswer:
    if not isinstance(answer, list) or not all(choice in question.options for choice in answer):
        return CheckedAnswer(0, "The answer is not a list of options.")
    chosen, right, offered = set(answer), set(question.answers), set(question.options)
    if chosen == right:
        return RIGHT_ANSWER
    if not question.partial:
        return CheckedAnswer(0, "These are not all of the right options and no others.")
    wrong = len(chosen - right) / max(1, len(offered - right))
    share = max(0.0, len(chosen & right) / len(right) - wrong)
    return CheckedAnswer(share, "Part of the answer is right.") if share else WRONG_ANSWER


def check_exact(question: ExactQuestion, answer: Any) -> CheckedAnswer:
    if not isinstance(answer, str):
        return WRONG_ANSWER
    normalize = str if question.strict else fold_text
    return RIGHT_ANSWER if normalize(answer) in map(normalize, question.answers) else WRONG_ANSWER


def fold_text(text: str) -> str:
    """The text without differences of case, spacing and Unicode form. Case folding may need a second normalization."""
    return " ".join(normalize_text("NFKC", normalize_text("NFKC", text).casefold()).split())


def check_numeric(question: NumericQuestion, answer: Any) -> CheckedAnswer:
    given = number_in(answer)
    if given is None:
        return CheckedAnswer(0, "The answer is not a number.")
    right = float(question.answer) if isinstance(question.answer, str) else question.answer
    excess = abs(given - Decimal(repr(right))) - Decimal(repr(question.tolerance))
    # Numbers in a SIP are floats, exact to one float step only; 0.1 + 0.2 is one such step away from 0.3.
    return RIGHT_ANSWER if excess < Decimal(ulp(max(abs(right), question.tolerance))) else WRONG_ANSWER


def number_in(answer: Any) -> Decimal | None:
    """The number, or the number that the text consists of, as a decimal, which can hold any of them."""
    if isinstance(answer, str):
        return Decimal(answer.strip()) if NUMBER_PATTERN.fullmatch(answer.strip()) else None
    if type(answer) is int or (type(answer) is float and isfinite(answer)):  # by type, because True is an int too
        return Decimal(answer)
    return None


def check_regex(question: RegexQuestion, answer: Any) -> CheckedAnswer:
    return (
        RIGHT_ANSWER if is_valid(question, answer) else CheckedAnswer(0, "The answer does not have the required form.")
    )


def check_json_schema(question: JsonSchemaQuestion, answer: Any) -> CheckedAnswer:
    if any(is_valid(question, reading) for reading in readings(answer)):
        return RIGHT_ANSWER
    return CheckedAnswer(0, "The answer is not JSON of the required form.")


def readings(answer: Any) -> Iterator[Any]:
    """The answer as it is, and the parsed JSON if the answer is JSON text."""
    yield answer
    if isinstance(answer, str):
        try:
            yield msgspec.json.decode(answer)
        except (ValueError, RecursionError):  # not JSON, or nested too deeply
            return


def is_valid(question: RegexQuestion | JsonSchemaQuestion, answer: Any) -> bool:
    try:
        return validator_of(question).is_valid(answer)
    except ValueError:  # nested too deeply for the validator
        return False


CHECKS: dict[type[BenchmarkItem], Callable[[Any, Any], CheckedAnswer]] = {
    ChoiceQuestion: check_choice,
    MultipleChoiceQuestion: check_multiple_choice,
    ExactQuestion: check_exact,
    NumericQuestion: check_numeric,
    RegexQuestion: check_regex,
    JsonSchemaQuestion: check_json_schema,
}
