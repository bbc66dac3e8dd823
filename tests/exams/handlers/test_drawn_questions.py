"""A benchmark with a pool: whatever is shown, taken, checked and told is about the drawn questions alone."""

from typing import Any

import msgspec
import pytest

from tests.exams import pool, quiz
from tests.exams.handlers.test_benchmark import exam
from viva.exams.handlers import benchmark
from viva.exams.model import Mark, Outcome, ToMark
from viva.exams.redacting import ALL_HIDDEN, redact_data
from viva.kit.errors import Invalid

EVALUATION = quiz.evaluation(pool.QUESTIONS, draw=pool.DRAW)
DRAWN = ["quick-1", "quick-3", "essay-0"]
CHALLENGE = quiz.challenge([question for question in pool.QUESTIONS if question["id"] in DRAWN])


def content(**answers: Any) -> dict[str, Any]:
    return benchmark.make_content(EVALUATION, CHALLENGE, {**pool.ANSWERS, **answers})


def test_a_challenge_holds_the_drawn_questions_and_attempts_differ():
    made = [benchmark.make_challenge(exam(questions=pool.QUESTIONS, draw=pool.DRAW)).content for _ in range(40)]

    assert all(sorted(id_[:5] for id_ in each["order"]) == ["essay", "quick", "quick"] for each in made)
    assert len({tuple(sorted(each["order"])) for each in made}) > 6  # of the 12 possible


def test_an_unshuffled_draw_is_in_the_order_of_the_sip():
    order = benchmark.make_challenge(exam(questions=pool.QUESTIONS, draw=4, shuffle=False)).content["order"]

    assert order == sorted(order, key=[question["id"] for question in pool.QUESTIONS].index)


def test_only_the_drawn_questions_are_shown():
    shown = benchmark.show_challenge(exam(questions=pool.QUESTIONS, draw=pool.DRAW), CHALLENGE)

    assert [question["id"] for question in shown["questions"]] == DRAWN


def test_an_answer_to_a_question_that_was_not_drawn_is_refused_as_unknown():
    with pytest.raises(Invalid) as refused:
        benchmark.merge_answers(EVALUATION, CHALLENGE, {}, {"quick-0": "secret-0"})

    assert [(fault.field, fault.code) for fault in refused.value.faults] == [("answers.quick-0", "unknown_question")]


def test_only_drawn_questions_are_handed_in_marked_and_checked():
    decided = benchmark.decide(EVALUATION, content())

    assert sorted(content()["answers"]) == sorted(DRAWN)
    assert isinstance(decided, ToMark)
    assert [row.id for row in decided.rows] == ["essay-0"]
    assert sorted(benchmark.add_checks(EVALUATION, content())["checks"]) == ["quick-1", "quick-3"]


def test_score_maximum_criteria_and_counts_are_of_the_drawn_questions():
    outcome = benchmark.decide(EVALUATION, content(**{"essay-0": "", "quick-3": "wrong"}))

    assert isinstance(outcome, Outcome)
    assert (outcome.score, outcome.max_score) == (1, 4)
    data = outcome.data or {}
    assert [criterion["id"] for criterion in data["criteria"]] == DRAWN
    assert (data["questions"], data["answered"]) == (3, 2)


def test_only_drawn_questions_make_a_benchmark_long():
    patterns = [{"id": f"p{n}", "kind": "regex", "text": "?", "pattern": "x"} for n in range(30)]
    whole = benchmark.decide(quiz.evaluation(patterns), quiz.content({}, patterns))
    drawn = benchmark.decide(quiz.evaluation(patterns, draw=20), quiz.content({}, patterns[:20]))

    assert isinstance(whole, ToMark)
    assert isinstance(drawn, Outcome)


def test_a_result_keeps_every_answer_and_shows_none_of_them_while_the_questions_are_in_use():
    rows = benchmark.decide(EVALUATION, content())
    assert isinstance(rows, ToMark)
    mark = Mark("essay-0", "wise", 1, 2, "It has the hidden thought.", "hidden thought 0", {"clamped": True})

    outcome = benchmark.conclude(EVALUATION, content(), rows.rows, [mark])

    told = msgspec.json.encode(redact_data(outcome.data, "benchmark", ALL_HIDDEN, "marks")).decode()
    own = msgspec.json.encode(redact_data(outcome.data, "benchmark", ALL_HIDDEN, "own")).decode()
    assert "secret" in own
    assert "It has the hidden thought." not in own
    assert "It has the hidden thought." in msgspec.json.encode(outcome.data).decode()
    assert (outcome.score, outcome.max_score) == (3, 4)
    assert not any(word in told for word in ("secret", "hidden"))
    assert "The answer is right." not in told
    assert "The answer is right." in own
    assert '"mark":1' in told


def test_a_fixed_set_of_questions_keeps_the_answers_too():
    outcome = benchmark.decide(quiz.evaluation(pool.QUICK), quiz.content(pool.ANSWERS, pool.QUICK))

    assert isinstance(outcome, Outcome)
    assert (outcome.data or {})["criteria"][0]["evidence"] == "secret-0"
