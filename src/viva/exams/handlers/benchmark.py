"""A benchmark: drawn and shuffled questions with a time limit. Code checks most answers; markers mark free texts."""

import secrets
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from viva.evaluations.configs import (
    BenchmarkConfig,
    BenchmarkQuestion,
    ExactQuestion,
    FreeTextQuestion,
    JsonSchemaQuestion,
    RegexQuestion,
)
from viva.evaluations.item_filling import fields_of, hide_values, make_question
from viva.evaluations.item_pools import NO_TOPIC, count_by_topic, draw_questions, topic_sizes
from viva.evaluations.model import Evaluation
from viva.exams.criteria import Criterion, criterion, outcome_of
from viva.exams.handlers import answering, checking
from viva.exams.handlers.checking import CheckedAnswer
from viva.exams.model import Challenge, Decision, Exam, Mark, NewChallenge, Outcome, SheetRow, ToMark
from viva.kit import forms
from viva.kit.seeded import shuffle

# What a candidate sees of a question beside its id, kind, text and points. Other fields could reveal the answer.
SHOWN_FIELDS = ("options", "partial", "strict")
ANSWER_NAME = "answer"  # the name of the candidate's text on a sheet
MAX_TEXT_IN_RESULT_CHARACTERS = 500  # of a question, and of an answer
MAX_ALL_TEXTS_IN_RESULT_CHARACTERS = 50_000  # of all questions, because lists show many results with all their data

# One unit of cost is a third of a millisecond, the time to fold an answer of 1,000 characters.
PATTERN_COST = 10  # a pattern or a schema may have to be compiled first
CHARACTERS_PER_COST = 1_000
MAX_COST_AT_ONCE = 200  # 200 plain questions or 20 patterns are checked while the candidate waits

AnswersById = Annotated[dict[Annotated[str, Meta(max_length=100)], Any], Meta(max_length=1_000)]


class BenchmarkSubmission(Struct, forbid_unknown_fields=True):
    """Answers that were not saved before, or that replace saved ones."""

    answers: AnswersById = {}


def config_of(evaluation: Evaluation) -> BenchmarkConfig:
    return msgspec.convert(evaluation.config, BenchmarkConfig)


def has_new_items(evaluation: Evaluation) -> bool:
    """Whether another attempt gets other items: of each topic only some are drawn, or all of them have parameters."""
    config = config_of(evaluation)
    sizes = topic_sizes(config)
    whole = {topic for topic, count in count_by_topic(config).items() if count >= sizes[topic]}
    return all(question.parameters for question in config.questions if (question.topic or NO_TOPIC) in whole)


def has_free_texts(evaluation: Evaluation) -> bool:
    return config_of(evaluation).has_free_texts


def questions_in(evaluation: Evaluation, content: Mapping[str, Any]) -> dict[str, BenchmarkQuestion]:
    """The questions of one attempt, as its challenge stores them, in the order of the SIP."""
    drawn, filled = set(content["order"]), content.get("filled", {})
    return {
        question.id: replace(question, parameters={}, **filled[question.id]) if question.id in filled else question
        for question in config_of(evaluation).questions
        if question.id in drawn
    }


def make_challenge(exam: Exam) -> NewChallenge:
    config = config_of(exam.evaluation)
    seed = secrets.token_hex(8)
    ids = draw_questions(config, seed)
    order = shuffle(ids, seed) if config.shuffle else ids
    content = {"seed": seed, "order": order} | fill_questions(config, set(ids), seed)
    return NewChallenge(content, timedelta(minutes=config.time_limit_minutes))


def fill_questions(config: BenchmarkConfig, drawn: Container[str], seed: str) -> dict[str, Any]:
    """Texts and answers of the drawn questions with parameters. They are stored, so that they never change."""
    asked = [question for question in config.questions if question.parameters and question.id in drawn]
    filled = {question.id: dict(fields_of(make_question(question, seed))) for question in asked}
    return {"filled": filled} if filled else {}


def show_challenge(exam: Exam, challenge: Challenge) -> dict[str, Any]:
    config, questions = config_of(exam.evaluation), questions_in(exam.evaluation, challenge.content)
    seed = challenge.content["seed"] if config.shuffle else None
    visible = [show_question(questions[question_id], seed) for question_id in challenge.content["order"]]
    return {"questions": visible, "time_limit_minutes": config.time_limit_minutes}


def show_question(question: BenchmarkQuestion, seed: str | None) -> dict[str, Any]:
    kind = question.__struct_config__.tag
    visible: dict[str, Any] = {"id": question.id, "kind": kind, "text": question.text, "points": question.points}
    visible |= {name: getattr(question, name) for name in SHOWN_FIELDS if hasattr(question, name)}
    if seed and "options" in visible:
        visible["options"] = shuffle(visible["options"], f"{seed}:{question.id}")
    return visible


def merge_answers(
    evaluation: Evaluation, challenge: Challenge, saved: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    answering.check_answers(questions_in(evaluation, challenge.content), given)
    merged = {**saved, **given}
    answering.check_size(merged)
    return merged


def read_submission(
    exam: Exam, challenge: Challenge, body: dict[str, Any], answers: Mapping[str, Any]
) -> dict[str, Any]:
    """Saved answers are checked again, because an earlier release may have accepted what this one refuses."""
    known = make_content(exam.evaluation, challenge, answers)["answers"]
    given = {**known, **forms.read(body, BenchmarkSubmission).answers}
    return make_content(exam.evaluation, challenge, merge_answers(exam.evaluation, challenge, {}, given))


def make_content(evaluation: Evaluation, challenge: Challenge, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The content of an attempt, handed in by the candidate or by the hub when the time is over."""
    known = {question_id: answers[question_id] for question_id in challenge.content["order"] if question_id in answers}
    return {**challenge.content, "answers": known}


def decide(evaluation: Evaluation, content: dict[str, Any]) -> Decision:
    """The outcome, or the rows of free texts. A long benchmark gets a sheet even without rows: a job checks it."""
    questions, answers = questions_in(evaluation, content).values(), content["answers"]
    free_texts = [each for each in questions if isinstance(each, FreeTextQuestion)]
    rows = [row_of(each, answers) for each in free_texts if checking.is_answered(each, answers)]
    return ToMark(rows) if rows or is_long(questions) else conclude(evaluation, content, [], [])


def is_long(questions: Iterable[BenchmarkQuestion]) -> bool:
    """Whether checking all answers could take so long that other requests would have to wait."""
    return sum(map(check_cost, questions)) > MAX_COST_AT_ONCE


def check_cost(question: BenchmarkQuestion) -> int:
    if isinstance(question, RegexQuestion | JsonSchemaQuestion):
        return PATTERN_COST
    folded = sum(map(len, question.answers)) if isinstance(question, ExactQuestion) else 0
    return 1 + folded // CHARACTERS_PER_COST


def row_of(question: FreeTextQuestion, answers: Mapping[str, Any]) -> SheetRow:
    """The sheet row of a free text."""
    texts = {"question": question.text, ANSWER_NAME: answer_text(answers[question.id])}
    return SheetRow(
        question.id, question.criteria, question.points, texts, prompt_id=question.id, points=question.points
    )


def answer_text(answer: Any) -> str:
    return answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()


def add_checks(evaluation: Evaluation, content: dict[str, Any]) -> dict[str, Any]:
    """The content with the check of each answer. It may take seconds, so long benchmarks are checked in a thread."""
    if "checks" in content:
        return content
    answers, questions = content["answers"], questions_in(evaluation, content).values()
    checked = [question for question in questions if not isinstance(question, FreeTextQuestion)]
    return {**content, "checks": {question.id: checking.check(question, answers) for question in checked}}


def conclude(
    evaluation: Evaluation, content: dict[str, Any], rows: Sequence[SheetRow], marks: Sequence[Mark]
) -> Outcome:
    """The outcome. Who sees the answers is decided when somebody looks (`exams/revealing.py`)."""
    config, questions, answers = config_of(evaluation), questions_in(evaluation, content).values(), content["answers"]
    checks, stored = add_checks(evaluation, content)["checks"], {row.id: row for row in rows}
    criteria = [
        marked_criterion(stored.pop(each.id), marks, config.passing_score)
        if each.id in stored
        else checked_criterion(each, answers, CheckedAnswer(*checks.get(each.id, checking.UNANSWERED)))
        for each in questions
    ]
    criteria += [marked_criterion(row, marks, config.passing_score) for row in stored.values()]
    filled, texts = content.get("filled", {}), {question.id: question.text for question in config.questions}
    criteria = [replace(each, text=hide_values(texts[each.id])) if each.id in filled else each for each in criteria]
    length = min(MAX_TEXT_IN_RESULT_CHARACTERS, MAX_ALL_TEXTS_IN_RESULT_CHARACTERS // len(criteria))
    criteria = [replace(each, text=each.text[:length], evidence=each.evidence[:length]) for each in criteria]
    answered = sum(checking.is_answered(each, answers) for each in questions)
    more = {"questions": len(questions), "answered": answered, "seed": content["seed"]}
    return outcome_of(criteria, config.passing_score, more)


def marked_criterion(row: SheetRow, marks: Sequence[Mark], passing: float) -> Criterion:
    """The criterion of a free text. It shows the question but not the marking criteria, which candidates never read."""
    marked = criterion(row, [mark for mark in marks if mark.row_id == row.id], passing)
    return replace(marked, text=row.texts["question"], evidence=row.texts[ANSWER_NAME])


def checked_criterion(question: BenchmarkQuestion, answers: Mapping[str, Any], found: CheckedAnswer) -> Criterion:
    return Criterion(
        id=question.id,
        text=question.text,
        met=found.share == 1,
        mark=question.points * found.share,
        max=question.points,
        points=question.points,
        reason=found.reason,
        evidence=answer_text(answers.get(question.id, "")),
        prompt_id=question.id,
        marks=[],
    )
