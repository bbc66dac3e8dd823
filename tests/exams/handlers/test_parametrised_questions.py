"""A benchmark with parameters: values are made once, stay with the attempt, and no result shows them or an answer."""

from typing import Any

import msgspec
import pytest

from tests.exams import quiz
from tests.exams.handlers.test_benchmark import exam
from viva.exams.handlers import benchmark
from viva.exams.model import Challenge, Mark, Outcome, ToMark
from viva.exams.redacting import ALL_HIDDEN, redact_data
from viva.kit.errors import Invalid

RANGE = {"min": 1000, "max": 9999}
QUESTIONS: list[dict[str, Any]] = [
    {"id": "product", "kind": "numeric", "text": "{a} times 3?", "parameters": {"a": RANGE}, "answer": "{a * 3}"},
    {
        "id": "which",
        "kind": "choice",
        "text": "The double of {a}?",
        "parameters": {"a": RANGE},
        "options": ["{a * 2}", "{a + 2}", "{a * 2 + 1}"],
        "answer": "{a * 2}",
    },
    {"id": "essay", "kind": "free_text", "text": "Why {a}?", "parameters": {"a": RANGE}, "criteria": "Names {a + 1}."},
    {"id": "fixed", "kind": "exact", "text": "One?", "answers": ["one"]},
]
EVALUATION = quiz.evaluation(QUESTIONS)


@pytest.fixture
def challenge() -> Challenge:
    made = benchmark.make_challenge(exam(questions=QUESTIONS)).content
    return msgspec.structs.replace(quiz.challenge(), content=msgspec.json.decode(msgspec.json.encode(made)))


def shown(challenge: Challenge) -> dict[str, dict[str, Any]]:
    questions = benchmark.show_challenge(exam(questions=QUESTIONS), challenge)["questions"]
    return {question["id"]: question for question in questions}


def number(challenge: Challenge, question_id: str) -> int:
    return next(
        int(word.strip("?")) for word in shown(challenge)[question_id]["text"].split() if word.strip("?").isdigit()
    )


def right_answers(challenge: Challenge) -> dict[str, Any]:
    return {
        "product": number(challenge, "product") * 3,
        "which": str(number(challenge, "which") * 2),
        "fixed": "one",
    }


def test_the_candidate_sees_values_and_no_key(challenge):
    questions = shown(challenge)

    double = number(challenge, "which")
    assert sorted(questions["which"]["options"]) == sorted([str(double * 2), str(double + 2), str(double * 2 + 1)])
    assert 1000 <= double <= 9999
    assert sorted(questions["product"]) == ["id", "kind", "points", "text"]
    assert str(number(challenge, "product") * 3) not in str(questions)
    assert "Names" not in str(questions)


def test_attempts_have_values_of_their_own_and_an_attempt_keeps_its_values(challenge):
    texts = {benchmark.make_challenge(exam(questions=QUESTIONS)).content["filled"]["product"]["text"] for _ in range(9)}

    assert len(texts) > 5
    assert shown(challenge) == shown(challenge)


def test_the_answer_computed_at_the_start_decides(challenge):
    right = benchmark.decide(EVALUATION, benchmark.make_content(EVALUATION, challenge, right_answers(challenge)))
    wrong = {
        "product": number(challenge, "product") * 3 + 1,
        "which": str(number(challenge, "which") + 2),
        "fixed": "2",
    }
    bad = benchmark.decide(EVALUATION, benchmark.make_content(EVALUATION, challenge, wrong))

    assert isinstance(right, Outcome)
    assert (right.score, right.max_score) == (3, 4)
    assert isinstance(bad, Outcome)
    assert bad.score == 0


def test_only_the_options_of_this_attempt_are_taken(challenge):
    option = str(number(challenge, "which") * 2)

    assert benchmark.merge_answers(EVALUATION, challenge, {}, {"which": option}) == {"which": option}
    with pytest.raises(Invalid, match="one of its options"):
        benchmark.merge_answers(EVALUATION, challenge, {}, {"which": "1"})


def test_a_marker_reads_the_question_and_the_criteria_with_the_values(challenge):
    decided = benchmark.decide(EVALUATION, benchmark.make_content(EVALUATION, challenge, {"essay": "Because."}))

    assert isinstance(decided, ToMark)
    (row,) = decided.rows
    assert row.texts["question"] == f"Why {number(challenge, 'essay')}?"
    assert row.ask == f"Names {number(challenge, 'essay') + 1}."


def test_a_result_shows_neither_values_nor_answers_of_questions_with_parameters(challenge):
    answers = right_answers(challenge) | {"essay": "Because of 4711."}
    content = benchmark.make_content(EVALUATION, challenge, answers)
    decided = benchmark.decide(EVALUATION, content)
    assert isinstance(decided, ToMark)

    outcome = benchmark.conclude(
        EVALUATION, content, decided.rows, [Mark("essay", "wise", 1, 1, "4711 is it.", "4711")]
    )

    assert "4711 is it." in msgspec.json.encode(outcome.data).decode()
    data = redact_data(outcome.data, "benchmark", ALL_HIDDEN, "marks") or {}
    told = msgspec.json.encode(data["criteria"]).decode()
    numbers = [number(challenge, id_) for id_ in ("product", "which", "essay")]
    assert not any(str(each) in told for each in [*numbers, numbers[0] * 3, numbers[1] * 2, 4711])
    own = redact_data(outcome.data, "benchmark", ALL_HIDDEN, "own") or {}
    assert [row["text"] for row in own["criteria"]] == ["… times 3?", "The double of …?", "Why …?", "One?"]
    assert own["criteria"][2]["evidence"] == "Because of 4711."
    assert not {"filled", "seed"} & {*data, *own}
    assert outcome.score == 4


def test_only_drawn_questions_get_values():
    made = benchmark.make_challenge(exam(questions=QUESTIONS, draw=2)).content

    assert set(made.get("filled", {})) == set(made["order"]) - {"fixed"}
