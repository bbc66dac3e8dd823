"""The form of a benchmark: one field for each question."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from viva.evaluations.configs import BenchmarkQuestion
from viva.exams.handlers import answering, benchmark
from viva.exams.model import Challenge, Exam
from viva.web.sit_fields import SitField, SitFieldKind, SitForm, SitItem, SitPart


class AnswerForm(NamedTuple):
    """The kind of field for a kind of question, and what its answer has to look like."""

    kind: SitFieldKind
    hint: Callable[[Mapping[str, Any]], str]


ANSWER_FORMS: dict[str, AnswerForm] = {
    "choice": AnswerForm("choice", lambda question: "Choose one."),
    "multiple_choice": AnswerForm(
        "choices",
        lambda question: (
            "Choose all that are right. "
            + ("A wrong choice costs its share." if question["partial"] else "It counts only if all of them are right.")
        ),
    ),
    "exact": AnswerForm(
        "line", lambda question: "A short text. " + ("Case and spaces count." if question["strict"] else "")
    ),
    "numeric": AnswerForm("number", lambda question: "A number, such as 12.5."),
    "regex": AnswerForm("line", lambda question: "A text in the form that the question asks for."),
    "json_schema": AnswerForm("code", lambda question: 'JSON, such as {"name": "value"}.'),
    "free_text": AnswerForm("text", lambda question: "In your own words. A judge or a proctor marks it."),
}
LONG_ANSWER_CHARACTERS = 1_000  # a longer answer gets a field of several lines


def make_form(exam: Exam, challenge: Challenge) -> SitForm:
    questions = benchmark.questions_in(exam.evaluation, challenge.content)
    shown = benchmark.show_challenge(exam, challenge)["questions"]
    return SitForm(
        tuple(make_item(number, len(shown), each, questions[each["id"]]) for number, each in enumerate(shown, 1)),
        note="Your answers are checked as soon as you hand them in. You cannot change them afterwards.",
    )


def make_item(number: int, count: int, shown: Mapping[str, Any], question: BenchmarkQuestion) -> SitItem:
    kind, hint = ANSWER_FORMS[shown["kind"]]
    longest = answering.max_characters(question)
    is_long = kind == "line" and longest > LONG_ANSWER_CHARACTERS
    field = SitField(
        id=shown["id"],
        kind="text" if is_long else kind,
        label="Your answer",
        hint=hint(shown).strip(),
        options=tuple(shown.get("options", ())),
        max_length=longest,
    )
    return SitItem(f"Question {number} of {count}", (SitPart(shown["text"]), SitPart(field=field)), shown["points"])


def make_body(exam: Exam, challenge: Challenge, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Everything is saved already."""
    return {}
