"""What the answer to each kind of a benchmark's questions has to be, before it is kept."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from viva.evaluations.configs import (
    Asked,
    Choice,
    Exact,
    FreeText,
    JsonSchema,
    MultipleChoice,
    Numeric,
    Question,
    Regex,
)
from viva.kit.errors import Fault, Invalid, TooLarge
from viva.kit.nesting import DEEPEST, is_deep, size_of

MOST_CHARACTERS = 20_000  # as many as an option or an answer in a SIP may have
MOST_BYTES = 64 * 1024  # of JSON
MOST_CHOICES = 50  # as many as a question may offer
MOST_IN_ALL = 4 * 1024 * 1024  # bytes of all answers: they are kept, shown and decided together
MOST_FAULTS = 100  # that are told at one time

TOO_LONG = f"An answer has at most {MOST_CHARACTERS:,} characters."
NO_TEXT = "The answer to this question is text."
NO_TEXTS = "The answer to this question is a list of texts."
NO_NUMBER = "The answer to this question is a number, or text that is a number."
TOO_MANY = f"An answer has at most {MOST_CHOICES} choices."
TOO_LARGE = f"An answer has at most {MOST_BYTES:,} bytes as JSON."
TOO_DEEP = f"An answer has at most {DEEPEST} lists and objects within each other."


class AnswersTooLarge(TooLarge):
    """All answers of an attempt together have at most 4,194,304 bytes as JSON."""


def check_size(answers: Mapping[str, Any]) -> None:
    if len(msgspec.json.encode(answers)) > MOST_IN_ALL:
        raise AnswersTooLarge()


def check_answers(questions: Mapping[str, Question], given: Mapping[str, Any]) -> None:
    """Invalid, with every fault, unless each answer belongs to a question and is of the type that its kind takes."""
    faults = [fault for question_id, answer in given.items() for fault in faults_of(questions, question_id, answer)]
    if faults:
        first = f"The input is not valid: {faults[0].field}: {faults[0].message}"
        raise Invalid(first, faults=tuple(faults[:MOST_FAULTS]))


def faults_of(questions: Mapping[str, Question], question_id: str, answer: Any) -> Iterator[Fault]:
    field, question = f"answers.{question_id}", questions.get(question_id)
    if question is None:
        yield Fault(field, "unknown_question", "No question has this id.")
    elif told := FORMS[type(question)](answer):
        yield Fault(field, "bad_answer", told)


def text(answer: Any) -> str | None:
    if not isinstance(answer, str):
        return NO_TEXT
    return TOO_LONG if len(answer) > MOST_CHARACTERS else None


def texts(answer: Any) -> str | None:
    if not isinstance(answer, list) or not all(isinstance(each, str) for each in answer):
        return NO_TEXTS
    if len(answer) > MOST_CHOICES:
        return TOO_MANY
    return next(filter(None, map(text, answer)), None)


def number(answer: Any) -> str | None:
    if isinstance(answer, str):
        return text(answer)
    return None if type(answer) in (int, float) else NO_NUMBER  # by type, since True is an int too


def json(answer: Any) -> str | None:
    size = size_of(answer)
    if size is not None and size > MOST_BYTES:
        return TOO_LARGE
    return TOO_DEEP if size is None or is_deep(answer) else None


# Gives what is wrong with an answer, or None.
FORMS: dict[type[Asked], Callable[[Any], str | None]] = {
    Choice: text,
    MultipleChoice: texts,
    Exact: text,
    Numeric: number,
    Regex: text,
    JsonSchema: json,
    FreeText: text,
}
