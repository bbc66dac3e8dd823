"""Sitting a benchmark that draws its questions: they stay the same, and results, matrix and findings have them alone."""

import pytest

from tests import make
from tests.exams import pool, quiz
from tests.exams.test_benchmark import end_time, exam_of, result_of, start, submit
from viva.agents.model import Agent
from viva.exams import attempts, expiring, starting, submitting
from viva.kit.errors import Invalid
from viva.results import findings, matrix


@pytest.fixture
def ada(db) -> Agent:
    make.evaluation(db, **quiz.fields(questions=pool.QUICK, draw=2))
    return make.agent(db, "ada")


def test_the_drawn_questions_stay_and_only_they_can_be_answered(db, ada):
    shown = start(db, ada).details["questions"]
    drawn = {question["id"] for question in shown}
    other = next(id_ for id_ in pool.ANSWERS if id_ not in drawn)

    again = starting.start(db, make.HALL, quiz.ID, ada, "").details["questions"]
    with pytest.raises(Invalid), make.unit(db):
        submitting.save_answers(db, exam_of(db, ada), {other: "x"})

    assert again == shown
    assert len(drawn) == 2


def test_results_matrix_and_findings_have_the_drawn_questions_alone(db, ada):
    drawn = {question["id"] for question in start(db, ada).details["questions"]}

    result = submit(db, ada, **{id_: pool.ANSWERS[id_] for id_ in drawn}).result

    assert result is not None
    assert (result.score, result.max_score, result.passed) == (2, 2, True)
    assert {row["id"] for row in (result.result_data or {})["criteria"]} == drawn
    assert {prompt.id for prompt in matrix.read_matrix(db, quiz.ID, None).matrix.prompts} == drawn
    assert {rate.criterion_id for rate in findings.read_findings(db, quiz.ID, None).criteria} == drawn


def test_saved_answers_to_drawn_questions_are_graded_when_the_time_is_over(db, ada):
    started = start(db, ada)
    first = started.details["questions"][0]["id"]
    submitting.save_answers(db, exam_of(db, ada), {first: pool.ANSWERS[first]})
    end_time(db, started.registration.id)

    expiring.end_overdue(db)

    result = result_of(db, started.registration.id)
    assert (result.score, result.max_score) == (1, 2)
    attempt = attempts.find_of(db, started.registration.id)
    assert attempt is not None
    assert list(attempt.content["answers"]) == [first]


def test_a_question_with_parameters_is_the_same_at_every_start_and_decided_by_its_own_answer(db):
    product = {"id": "sum", "kind": "numeric", "text": "{a} plus 1?", "answer": "{a + 1}"}
    make.evaluation(db, **quiz.fields(questions=[product | {"parameters": {"a": {"min": 1000, "max": 9999}}}]))
    ada = make.agent(db, "ada")
    (shown,) = start(db, ada).details["questions"]

    (again,) = starting.start(db, make.HALL, quiz.ID, ada, "").details["questions"]
    result = submit(db, ada, sum=int(shown["text"].split()[0]) + 1).result

    assert again == shown
    assert result is not None
    assert result.passed
    assert [rate.text for rate in findings.read_findings(db, quiz.ID, None).criteria] == ["… plus 1?"]
