"""A benchmark: questions in an order of its own for each attempt, within a time; code checks what it can, markers the rest."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from viva.evaluations.configs import BenchmarkConfig, FreeText, Question
from viva.evaluations.model import Evaluation
from viva.exams.criteria import Criterion, criterion, outcome_of
from viva.exams.handlers import answering, checking
from viva.exams.model import Challenge, Decision, Exam, Given, Mark, Outcome, Row, ToMark
from viva.kit import forms

# What a candidate sees of a question beside its id, kind, text and points; the rest could tell the answer.
SHOWN = ("options", "partial", "strict")
MOST_SHOWN = 500  # characters of a question, and of an answer, that a result keeps
MOST_KEPT = 50_000  # characters of all of them: lists show many results with all their data

Answers = Annotated[dict[Annotated[str, Meta(max_length=100)], Any], Meta(max_length=1_000)]


class Submission(Struct, forbid_unknown_fields=True):
    """Answers that were not saved on the way, or are to take the place of saved ones."""

    answers: Answers = {}


def config_of(evaluation: Evaluation) -> BenchmarkConfig:
    return msgspec.convert(evaluation.config, BenchmarkConfig)


def questions_of(evaluation: Evaluation) -> dict[str, Question]:
    return {question.id: question for question in config_of(evaluation).questions}


def give(exam: Exam) -> Given:
    config = config_of(exam.evaluation)
    seed = secrets.token_hex(8)
    ids = [question.id for question in config.questions]
    order = shuffled(ids, seed) if config.shuffle else ids
    return Given({"seed": seed, "order": order}, timedelta(minutes=config.time_limit_minutes))


def shuffled(items: Sequence[str], seed: str) -> list[str]:
    """The items in an order that depends on nothing but them and the seed, today and in years."""
    return sorted(items, key=lambda item: sha256(f"{seed}:{item}".encode()).digest())


def show(exam: Exam, challenge: Challenge) -> dict[str, Any]:
    config, questions = config_of(exam.evaluation), questions_of(exam.evaluation)
    seed = challenge.content["seed"] if config.shuffle else None
    asked = [shown(questions[question_id], seed) for question_id in challenge.content["order"]]
    return {"questions": asked, "time_limit_minutes": config.time_limit_minutes}


def shown(question: Question, seed: str | None) -> dict[str, Any]:
    kind = question.__struct_config__.tag
    asked: dict[str, Any] = {"id": question.id, "kind": kind, "text": question.text, "points": question.points}
    asked |= {name: getattr(question, name) for name in SHOWN if hasattr(question, name)}
    if seed and "options" in asked:
        asked["options"] = shuffled(asked["options"], f"{seed}:{question.id}")
    return asked


def check_answers(evaluation: Evaluation, given: Mapping[str, Any]) -> None:
    answering.check_answers(questions_of(evaluation), given)


def accept(exam: Exam, challenge: Challenge, body: dict[str, Any], answers: Mapping[str, Any]) -> dict[str, Any]:
    given = forms.read(body, Submission).answers
    check_answers(exam.evaluation, given)
    together = {**answers, **given}
    answering.check_size(together)
    return content(exam.evaluation, challenge, together)


def content(evaluation: Evaluation, challenge: Challenge, answers: Mapping[str, Any]) -> dict[str, Any]:
    """What is handed in: by the candidate, or for it from what it has saved when its time is over."""
    known = {question_id: answers[question_id] for question_id in challenge.content["order"] if question_id in answers}
    return {**challenge.content, "answers": known}


def decide(evaluation: Evaluation, content: dict[str, Any]) -> Decision:
    answers = content["answers"]
    rows = [row_of(each, answers) for each in config_of(evaluation).questions if needs_marker(each, answers)]
    return ToMark(rows) if rows else conclude(evaluation, content, [])


def needs_marker(question: Question, answers: Mapping[str, Any]) -> bool:
    return isinstance(question, FreeText) and checking.is_answered(question, answers)


def row_of(question: Question, answers: Mapping[str, Any]) -> Row:
    """What a marker is given of a free text."""
    criteria = question.criteria if isinstance(question, FreeText) else ""
    texts = {"question": question.text, "answer": written(answers[question.id])}
    return Row(question.id, criteria, question.points, texts, prompt_id=question.id)


def written(answer: Any) -> str:
    return answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()


def conclude(evaluation: Evaluation, content: dict[str, Any], marks: Sequence[Mark]) -> Outcome:
    config, answers = config_of(evaluation), content["answers"]
    length = min(MOST_SHOWN, MOST_KEPT // len(config.questions))
    criteria = [criterion_of(each, answers, marks, config.passing_score) for each in config.questions]
    criteria = [replace(each, text=each.text[:length], evidence=each.evidence[:length]) for each in criteria]
    answered = sum(checking.is_answered(each, answers) for each in config.questions)
    more = {"questions": len(config.questions), "answered": answered, "seed": content["seed"]}
    return outcome_of(criteria, config.passing_score, more)


def criterion_of(question: Question, answers: Mapping[str, Any], marks: Sequence[Mark], passing: float) -> Criterion:
    """The question as results keep it: what it asks, not what a marker was asked, since results are public."""
    evidence = written(answers.get(question.id, ""))
    if needs_marker(question, answers):
        given = [mark for mark in marks if mark.row_id == question.id]
        found = criterion(row_of(question, answers), question.points, given, passing)
        return replace(found, text=question.text, evidence=evidence)
    share, reason = checking.check(question, answers)
    return Criterion(
        id=question.id,
        text=question.text,
        met=share == 1,
        mark=question.points * share,
        max=question.points,
        points=question.points,
        reason=reason,
        evidence=evidence,
        prompt_id=question.id,
        marks=[],
    )
