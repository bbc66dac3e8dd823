"""Checking the form of answers to benchmark questions, before they are saved or handed in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

import msgspec

from viva.evaluations.configs import (
    BenchmarkItem,
    BenchmarkQuestion,
    ChoiceQuestion,
    ExactQuestion,
    FreeTextQuestion,
    JsonSchemaQuestion,
    MultipleChoiceQuestion,
    NumericQuestion,
    RegexQuestion,
)
from viva.exams.handlers.checking import number_in
from viva.kit.errors import Fault, Invalid, TooLarge
from viva.kit.nesting import MAX_JSON_DEPTH, is_too_deep, json_size

MAX_TEXT_ANSWER_CHARACTERS = 20_000  # the limit of an option or an answer in a SIP
MAX_SHORT_ANSWER_CHARACTERS = 1_000  # for questions whose right answers are short
MAX_LENGTH_FACTOR = 10  # an answer may be this many times as long as the longest right one
MAX_JSON_ANSWER_BYTES = 64 * 1024
MAX_CHOICES = 50  # the limit of options in a question
MAX_ALL_ANSWERS_BYTES = 4 * 1024 * 1024  # of all answers, which are stored, shown and decided together
MAX_ANSWER_FAULTS = 100  # in one error
MAX_OPTION_CHARACTERS = 80  # of one option in a message
MAX_OPTIONS_CHARACTERS = 1_000  # of all options in a message

# The name of each JSON type in messages.
JSON_TYPES: dict[type, str] = {
    str: "text",
    list: "a list",
    dict: "an object",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


class AnswersTooLarge(TooLarge):
    """All answers of an attempt together may have at most 4,194,304 bytes as JSON."""


class AnswerFault(NamedTuple):
    """What is wrong with an answer: a code for programs, a sentence for people."""

    code: str
    message: str


def check_size(answers: Mapping[str, Any]) -> None:
    if len(msgspec.json.encode(answers)) > MAX_ALL_ANSWERS_BYTES:
        raise AnswersTooLarge()


def check_answers(questions: Mapping[str, BenchmarkQuestion], given: Mapping[str, Any]) -> None:
    """Raise Invalid with every fault, unless each answer belongs to a question and has the right kind."""
    faults = [fault for question_id, answer in given.items() for fault in faults_of(questions, question_id, answer)]
    if faults:
        first = f"The input is not valid: {faults[0].field}: {faults[0].message}"
        raise Invalid(first, faults=tuple(faults[:MAX_ANSWER_FAULTS]))


def faults_of(questions: Mapping[str, BenchmarkQuestion], question_id: str, answer: Any) -> Iterator[Fault]:
    field, question = f"answers.{question_id}", questions.get(question_id)
    if question is None:
        yield Fault(field, "unknown_question", "No question has this id.")
    elif fault := FAULT_FINDERS[type(question)](question, answer):
        yield Fault(field, *fault)


def text_fault(question: BenchmarkQuestion, answer: Any) -> AnswerFault | None:
    if not isinstance(answer, str):
        return wrong_kind("text", answer)
    limit = max_characters(question)
    if len(answer) > limit:
        return AnswerFault("too_long", f"The answer to this question has at most {limit:,} characters.")
    return None


def max_characters(question: BenchmarkQuestion) -> int:
    """The maximum length of an answer. It is rounded, so that it reveals little about the right answers."""
    if isinstance(question, RegexQuestion):
        return question.max_length
    if isinstance(question, ExactQuestion):
        longest = max(len(answer) for answer in question.answers)
        rounded = ceil(MAX_LENGTH_FACTOR * longest / MAX_SHORT_ANSWER_CHARACTERS) * MAX_SHORT_ANSWER_CHARACTERS
        return min(MAX_TEXT_ANSWER_CHARACTERS, rounded)
    return MAX_SHORT_ANSWER_CHARACTERS if isinstance(question, NumericQuestion) else MAX_TEXT_ANSWER_CHARACTERS


def number_fault(question: NumericQuestion, answer: Any) -> AnswerFault | None:
    if isinstance(answer, str) and (not answer.strip() or len(answer) > MAX_SHORT_ANSWER_CHARACTERS):
        return text_fault(question, answer)
    if number_in(answer) is not None:
        return None
    if isinstance(answer, str):
        message = "The answer to this question has to be a number, or text that is only a number, such as 12.5."
        return AnswerFault("wrong_kind", message)
    return wrong_kind("a number, or text that is a number", answer)


def option_fault(question: ChoiceQuestion, answer: Any) -> AnswerFault | None:
    """Blank text is valid: it withdraws an answer."""
    if not isinstance(answer, str):
        return wrong_kind("text", answer)
    if not answer.strip() or answer in question.options:
        return None
    message = f"The answer to this question has to be one of its options: {quote_options(question.options)}."
    return AnswerFault("unknown_option", message)


def options_fault(question: MultipleChoiceQuestion, answer: Any) -> AnswerFault | None:
    if not isinstance(answer, list):
        return wrong_kind("a list of options", answer)
    if len(answer) > MAX_CHOICES:
        return AnswerFault("too_many", f"An answer has at most {MAX_CHOICES} choices.")
    if all(choice in question.options for choice in answer):
        return None
    message = f"Each choice has to be one of the options of this question: {quote_options(question.options)}."
    return AnswerFault("unknown_option", message)


def quote_options(options: Sequence[str]) -> str:
    """The options for a message, sorted, because their order in the SIP could reveal the right one."""
    quoted = ", ".join(f'"{option[:MAX_OPTION_CHARACTERS]}"' for option in sorted(options))
    return quoted if len(quoted) <= MAX_OPTIONS_CHARACTERS else f"{quoted[:MAX_OPTIONS_CHARACTERS]} and so on"


def json_fault(question: JsonSchemaQuestion, answer: Any) -> AnswerFault | None:
    return json_size_fault(answer)


def json_size_fault(answer: Any) -> AnswerFault | None:
    size = json_size(answer)
    if size is not None and size > MAX_JSON_ANSWER_BYTES:
        return AnswerFault("too_large", f"An answer has at most {MAX_JSON_ANSWER_BYTES:,} bytes as JSON.")
    if size is None or is_too_deep(answer):
        return AnswerFault("too_deep", f"An answer has at most {MAX_JSON_DEPTH} nested lists and objects.")
    return None


def wrong_kind(wanted: str, answer: Any) -> AnswerFault:
    return AnswerFault("wrong_kind", f"The answer to this question has to be {wanted}, not {JSON_TYPES[type(answer)]}.")


# Each function returns what is wrong with an answer, or None.
FAULT_FINDERS: dict[type[BenchmarkItem], Callable[[Any, Any], AnswerFault | None]] = {
    ChoiceQuestion: option_fault,
    MultipleChoiceQuestion: options_fault,
    ExactQuestion: text_fault,
    NumericQuestion: number_fault,
    RegexQuestion: text_fault,
    JsonSchemaQuestion: json_fault,
    FreeTextQuestion: text_fault,
}
