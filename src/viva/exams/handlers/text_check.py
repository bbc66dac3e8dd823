"""Text check: the candidate answers a challenge text, and code checks the answer. It passes if all checks hold."""

from collections.abc import Mapping
from typing import Any

from viva.evaluations.configs import TextCheck
from viva.evaluations.model import Evaluation
from viva.exams.handlers import answering, checking, simple
from viva.exams.model import Challenge, Exam, NewChallenge, Outcome
from viva.kit import forms


class TextSubmission(simple.SimpleSubmission, forbid_unknown_fields=True):
    answer: Any


def make_challenge(exam: Exam) -> NewChallenge:
    return NewChallenge({}, simple.time_limit_of(exam.evaluation))


def show_challenge(exam: Exam, challenge: Challenge) -> dict[str, Any]:
    return {"challenge": simple.config_of(exam.evaluation).challenge}


def read_submission(
    exam: Exam, challenge: Challenge, body: dict[str, Any], answers: Mapping[str, Any]
) -> dict[str, Any]:
    answer = simple.read_body(body, TextSubmission, challenge).answer
    if fault := answering.json_size_fault(answer):
        raise forms.fault("answer", fault.message)
    return {"answer": answer}


def decide(evaluation: Evaluation, content: dict[str, Any]) -> Outcome:
    """The data has no answer: it becomes public, and a right answer is right for every candidate."""
    checks = simple.config_of(evaluation).checks or []
    criteria = [criterion_of(check, content["answer"]) for check in checks]
    passed = bool(criteria) and all(criterion["met"] for criterion in criteria)
    return Outcome(passed, data={"criteria": criteria})


def criterion_of(check: TextCheck, answer: Any) -> dict[str, Any]:
    question = check.as_question()
    found = checking.check(question, {question.id: answer})
    return {"id": check.id, "text": check.text, "met": found.share == 1, "reason": found.reason}
