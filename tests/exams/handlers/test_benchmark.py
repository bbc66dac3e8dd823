"""How a benchmark is given, what of it is shown, which answers are taken, and what each earns."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import make
from tests.exams import quiz
from tests.values import require
from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.exams.handlers import answering, benchmark, checking
from viva.exams.model import Exam, Mark, Outcome, Registration, ToMark
from viva.kit import seeded
from viva.kit.clock import now
from viva.kit.errors import Invalid

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
patiently = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
NOT_TEXT = "The answer to this question has to be text, not {}."
NOT_NUMBER = "The answer to this question has to be a number, or text that is a number, not {}."
NOT_ONLY_NUMBER = "The answer to this question has to be a number, or text that is only a number, such as 12.5."
NO_OPTION = 'The answer to this question has to be one of its options: "blue", "green", "red".'
NO_CHOICE = 'Each choice has to be one of the options of this question: "2", "3", "4", "6".'
TOO_LONG = "The answer to this question has at most {} characters."
PARTIAL = [{**quiz.QUESTIONS[1], "partial": True}]


def exam(**more: Any) -> Exam:
    ada = Agent("agent_ada", "ada", "", False, now())
    registration = Registration("eval_reg_1", ada.id, quiz.ID, "in_progress", "1.0.0", None, now(), now(), None)
    return Exam(quiz.evaluation(**more), registration, ada, "", make.HALL)


def check_answers(evaluation: Evaluation, given: dict[str, Any]) -> None:
    benchmark.merge_answers(evaluation, quiz.challenge(evaluation.config["questions"]), {}, given)


def outcome(answers: dict[str, Any], questions: list[dict[str, Any]] = quiz.QUESTIONS) -> Outcome:
    decided = benchmark.decide(quiz.evaluation(questions), quiz.content(answers, questions))
    assert isinstance(decided, Outcome)
    return decided


def criterion(question: dict[str, Any], answer: Any) -> dict[str, Any]:
    """What a result tells of the answer to this one question."""
    asked = {"id": "only", "text": "?", **question}
    decided = outcome({"only": answer}, [asked])
    assert decided.data is not None
    return decided.data["criteria"][0]


def conclude(content: dict[str, Any], marks: list[Mark], questions: list[dict[str, Any]] = quiz.QUESTIONS) -> Outcome:
    """The outcome once the rows are marked that the content comes to."""
    evaluation = quiz.evaluation(questions)
    decided = benchmark.decide(evaluation, content)
    assert isinstance(decided, ToMark)
    return benchmark.conclude(evaluation, content, decided.rows, marks)


def mark(question: dict[str, Any], answer: Any) -> float:
    return criterion(question, answer)["mark"]


# Giving and showing


def test_a_challenge_has_every_question_once_and_lasts_as_long_as_the_evaluation_says():
    content, lasts = benchmark.make_challenge(exam(time_limit_minutes=12.5))

    assert sorted(content["order"]) == ["capital", "code", "essay", "half", "point", "primes", "sky"]
    assert lasts.total_seconds() == 750


def test_attempts_have_orders_of_their_own():
    orders = {tuple(benchmark.make_challenge(exam()).content["order"]) for _ in range(30)}

    assert len(orders) > 20


def test_without_shuffling_the_order_is_that_of_the_sip():
    content = benchmark.make_challenge(exam(shuffle=False)).content
    shown = benchmark.show_challenge(exam(shuffle=False), quiz.challenge(seed=content["seed"]))

    assert content["order"] == ["sky", "primes", "capital", "half", "code", "point", "essay"]
    assert shown["questions"][0]["options"] == ["blue", "green", "red"]


def test_a_seed_always_gives_the_same_order():
    assert seeded.shuffle(["a", "b", "c", "d", "e"], "5eed") == seeded.shuffle(["e", "d", "c", "b", "a"], "5eed")
    assert seeded.shuffle(["a", "b", "c", "d", "e"], "5eed") != seeded.shuffle(["a", "b", "c", "d", "e"], "5eee")


def test_options_come_in_the_order_of_the_seed():
    def options(seed: str) -> list[str]:
        return benchmark.show_challenge(exam(), quiz.challenge(seed=seed))["questions"][1]["options"]

    assert options("one") == options("one")
    assert len({tuple(options(str(seed))) for seed in range(30)}) > 10
    assert sorted(options("one")) == ["2", "3", "4", "6"]


def test_the_candidate_sees_no_key():
    shown = benchmark.show_challenge(exam(), quiz.challenge())

    assert shown["time_limit_minutes"] == 30
    assert [sorted(question) for question in shown["questions"]] == [
        ["id", "kind", "options", "points", "text"],
        ["id", "kind", "options", "partial", "points", "text"],
        ["id", "kind", "points", "strict", "text"],
        ["id", "kind", "points", "text"],
        ["id", "kind", "points", "text"],
        ["id", "kind", "points", "text"],
        ["id", "kind", "points", "text"],
    ]
    assert [question["kind"] for question in shown["questions"]] == [
        "choice",
        "multiple_choice",
        "exact",
        "numeric",
        "regex",
        "json_schema",
        "free_text",
    ]


# Which answers are taken


@pytest.mark.parametrize(
    ("question_id", "answer", "message"),
    [
        ("sky", 3, NOT_TEXT.format("a number")),
        ("sky", None, NOT_TEXT.format("null")),
        ("sky", ["blue"], NOT_TEXT.format("a list")),
        ("sky", "Blue", NO_OPTION),
        ("sky", "x" * 20_001, NO_OPTION),
        ("primes", "2", "The answer to this question has to be a list of options, not text."),
        ("primes", ["2", 3], NO_CHOICE),
        ("primes", ["2", "5"], NO_CHOICE),
        ("primes", [["2"]], NO_CHOICE),
        ("primes", ["2"] * 51, "An answer has at most 50 choices."),
        ("capital", ["Paris"], NOT_TEXT.format("a list")),
        ("capital", "x" * 1_001, TOO_LONG.format("1,000")),
        ("half", True, NOT_NUMBER.format("true or false")),
        ("half", [0.5], NOT_NUMBER.format("a list")),
        ("half", "a half", NOT_ONLY_NUMBER),
        ("half", "0.5 km", NOT_ONLY_NUMBER),
        ("half", "NaN", NOT_ONLY_NUMBER),
        ("half", "1" * 1_001, TOO_LONG.format("1,000")),
        ("half", " " * 1_001, TOO_LONG.format("1,000")),
        ("code", {"code": "ab1"}, NOT_TEXT.format("an object")),
        ("code", "x" * 1_001, TOO_LONG.format("1,000")),
        ("point", ["x" * (64 * 1024)], "An answer has at most 65,536 bytes as JSON."),
        ("point", json.loads("[" * 201 + "]" * 201), "An answer has at most 200 nested lists and objects."),
        ("essay", 1, NOT_TEXT.format("a number")),
        ("essay", "x" * 20_001, TOO_LONG.format("20,000")),
    ],
)
def test_an_answer_of_the_wrong_kind_is_refused_by_name_with_what_is_wanted(question_id, answer, message):
    with pytest.raises(Invalid) as refusal:
        check_answers(quiz.evaluation(), {question_id: answer})

    assert [(fault.field, fault.message) for fault in refusal.value.faults] == [(f"answers.{question_id}", message)]


def test_the_largest_answers_are_taken():
    largest = {
        "sky": "red",
        "primes": ["2"] * 50,
        "capital": "x" * 1_000,
        "half": "1" * 1_000,
        "code": "x" * 1_000,
        "point": "x" * (64 * 1024 - 2),
        "essay": "é" * 20_000,
    }

    check_answers(quiz.evaluation(), largest)


def test_every_fault_is_told_at_once():
    with pytest.raises(Invalid) as refusal:
        check_answers(
            quiz.evaluation(),
            {"sky": 1, "primes": ["9"], "capital": "Paris", "code": "x" * 1_001, "nothing": "x", "essay": []},
        )

    assert [(fault.field, fault.code) for fault in refusal.value.faults] == [
        ("answers.sky", "wrong_kind"),
        ("answers.primes", "unknown_option"),
        ("answers.code", "too_long"),
        ("answers.nothing", "unknown_question"),
        ("answers.essay", "wrong_kind"),
    ]


@pytest.mark.parametrize("answers", [{"sky": ""}, {"primes": []}, {"half": " "}, {"capital": ""}, {"essay": ""}])
def test_an_answer_can_be_taken_back(answers):
    check_answers(quiz.evaluation(), answers)


@pytest.mark.parametrize(
    ("longest", "bound"), [(1, 1_000), (100, 1_000), (101, 2_000), (1_999, 20_000), (9_000, 20_000)]
)
def test_an_exact_answer_may_be_ten_times_as_long_as_the_longest_right_one(longest, bound):
    question = {"id": "only", "kind": "exact", "text": "?", "answers": ["a", "b" * longest]}
    evaluation = quiz.evaluation([question])

    check_answers(evaluation, {"only": "x" * bound})
    with pytest.raises(Invalid, match=f"at most {bound:,} characters"):
        check_answers(evaluation, {"only": "x" * (bound + 1)})


def test_a_pattern_can_allow_longer_answers():
    question = {"id": "only", "kind": "regex", "text": "?", "pattern": "x+", "max_length": 1_500}
    evaluation = quiz.evaluation([question])

    check_answers(evaluation, {"only": "x" * 1_500})
    with pytest.raises(Invalid, match="at most 1,500 characters"):
        check_answers(evaluation, {"only": "x" * 1_501})


def test_a_refusal_lists_options_in_no_telling_order_and_not_without_end():
    options = ["right", *(f"{number} {'x' * 19_000}" for number in range(49))]
    question = {"id": "only", "kind": "choice", "text": "?", "options": options, "answer": "right"}

    with pytest.raises(Invalid) as refusal:
        check_answers(quiz.evaluation([question]), {"only": "y"})

    told = refusal.value.faults[0].message
    assert "right" not in told
    assert told.endswith(" and so on.")
    assert len(told) < 1_200


def test_saved_answers_of_the_wrong_kind_are_refused_before_they_are_handed_in():
    with pytest.raises(Invalid) as refusal:
        benchmark.read_submission(
            exam(), quiz.challenge(), {"answers": {"half": "x"}}, {"sky": "purple", "code": "ab1"}
        )

    assert {fault.field for fault in refusal.value.faults} == {"answers.sky", "answers.half"}
    assert benchmark.read_submission(exam(), quiz.challenge(), {"answers": {"sky": "red"}}, {"sky": "purple"})


def test_what_is_handed_in_is_merged_over_what_was_saved():
    handed_in = benchmark.read_submission(
        exam(), quiz.challenge(), {"answers": {"sky": "red", "half": 1}}, {"sky": "blue", "code": "ab1", "gone": "x"}
    )

    assert handed_in == {
        "seed": "5eed",
        "order": ["sky", "primes", "capital", "half", "code", "point", "essay"],
        "answers": {"sky": "red", "half": 1, "code": "ab1"},
    }


def test_saved_answers_can_be_handed_in_with_an_empty_body():
    assert benchmark.read_submission(exam(), quiz.challenge(), {}, {"sky": "blue"})["answers"] == {"sky": "blue"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"answer": {}}, "answer"),
        ({"answers": {}, "seed": "5eed"}, "seed"),
        ({"answers": None}, "answers"),
        ({"answers": ["blue"]}, "answers"),
        ({"answers": {"nothing": 1}}, "answers.nothing"),
        ({"answers": {"half": False}}, "answers.half"),
    ],
)
def test_a_body_of_another_form_is_refused(body, field):
    with pytest.raises(Invalid) as refusal:
        benchmark.read_submission(exam(), quiz.challenge(), body, {})

    assert refusal.value.faults[0].field == field


# What each kind earns


@pytest.mark.parametrize(("answer", "earned"), [("blue", 1), ("red", 0), ("Blue", 0), ("purple", 0), (" ", 0)])
def test_choice(answer, earned):
    assert mark(quiz.QUESTIONS[0] | {"id": "only"}, answer) == earned


@pytest.mark.parametrize(
    ("answer", "earned"),
    [
        (["2", "3"], 2),
        (["3", "2", "2"], 2),
        (["2"], 0),
        (["2", "3", "4"], 0),
        (["2", "3", "5"], 0),
        ([], 0),
    ],
)
def test_multiple_choice_is_right_as_a_whole_or_not_at_all(answer, earned):
    assert mark(quiz.QUESTIONS[1] | {"id": "only"}, answer) == earned


@pytest.mark.parametrize(
    ("answer", "earned"),
    [
        (["2", "3"], 2),
        (["2"], 1),
        (["2", "3", "4"], 1),
        (["2", "4"], 0),
        (["4"], 0),
        (["4", "6"], 0),
        (["2", "3", "4", "6"], 0),
    ],
)
def test_partial_multiple_choice_takes_the_wrong_share_from_the_right_one(answer, earned):
    assert mark(PARTIAL[0] | {"id": "only"}, answer) == earned


def test_partial_multiple_choice_without_a_wrong_option_is_the_right_share():
    everything = {"kind": "multiple_choice", "options": ["a", "b"], "answers": ["a", "b"], "partial": True}

    assert [mark(everything, chosen) for chosen in (["a"], ["a", "b"])] == [0.5, 1]


@pytest.mark.parametrize(
    ("answer", "earned"),
    [
        ("Paris", 1),
        ("  pARis\n", 1),
        ("ＰＡＲＩＳ", 1),  # wide letters
        ("city  of\tparis", 1),
        ("Paris.", 0),
        ("P aris", 0),
        ("Lyon", 0),
    ],
)
def test_exact_looks_past_capitals_white_space_and_wide_letters(answer, earned):
    assert mark({"kind": "exact", "answers": ["Paris", "City of Paris"]}, answer) == earned


def test_exact_folds_letters_that_have_several_forms():
    assert mark({"kind": "exact", "answers": ["Straße"]}, "STRASSE") == 1
    assert mark({"kind": "exact", "answers": ["caf\u00e9"]}, "CAFE\u0301") == 1


@pytest.mark.parametrize(("answer", "earned"), [("A-b", 1), ("a-b", 0), (" A-b", 0), ("A-b\n", 0)])
def test_strict_exact_counts_every_character(answer, earned):
    assert mark({"kind": "exact", "answers": ["A-b"], "strict": True}, answer) == earned


@pytest.mark.parametrize(
    ("right", "tolerance", "answer", "earned"),
    [
        (0.2, 0.1, 0.3, 1),
        (0.2, 0.1, 0.1, 1),
        (0.7, 0.1, 0.8, 1),  # in floats it is more than 0.1 away
        (0.2, 0.1, 0.30001, 0),
        (0.3, 0, 0.1 + 0.2, 1),
        (0.3, 0, 0.3001, 0),
        (42, 0, 42, 1),
        (42, 0, "42", 1),
        (42, 0, " 42.0 ", 1),
        (42, 0, "+4.2e1", 1),
        (42, 0, "42 km", 0),
        (42, 0, "4_2", 0),
        (42, 0, "４２", 0),
        (42, 0, "0x2a", 0),
        (42, 0, "", 0),
        (42, 0, "NaN", 0),
        (42, 1e9, "Infinity", 0),
        (42, 1e300, "1e400", 0),
        (42, 0, "1e99999", 0),
        (42, 0, 10**400, 0),
        (42, 0, "9" * 20_000, 0),
        (1, 0, True, 0),
        (0, 0, False, 0),
        (0, 0, -0.0, 1),
        (0, 0, 1e-300, 0),
        (6.02214076e23, 1e18, 602214076000000000000000, 1),
        (9007199254740991, 0, 9007199254740990, 0),
        (-3.5, 0.5, -4, 1),
    ],
)
def test_numeric(right, tolerance, answer, earned):
    assert mark({"kind": "numeric", "answer": right, "tolerance": tolerance}, answer) == earned


@pytest.mark.parametrize(
    ("answer", "earned"), [("ab1", 1), ("ab12", 0), (" ab1", 0), ("ab1\n", 0), ("x\nab1", 0), ("AB1", 0)]
)
def test_regex_matches_the_whole_answer(answer, earned):
    assert mark({"kind": "regex", "pattern": "[a-z]{2}[0-9]"}, answer) == earned


def test_regex_matches_each_side_of_an_or_as_a_whole():
    assert [mark({"kind": "regex", "pattern": "yes|no"}, answer) for answer in ("yes", "no", "yes!", "a no")] == [
        1,
        1,
        0,
        0,
    ]


def test_a_pattern_that_would_try_for_ever_is_matched_in_linear_time():
    assert mark({"kind": "regex", "pattern": "(a+)+b"}, "a" * 20_000) == 0


@pytest.mark.parametrize(
    ("answer", "earned"),
    [
        ({"x": 7}, 1),
        ({"x": 7, "y": [1]}, 1),
        ('{"x": 7}', 1),
        (' {"x": 7.0}\n', 1),
        ({"x": 8}, 0),
        ({}, 0),
        ([7], 0),
        (None, 0),
        ('{"x": 7', 0),
        ("x = 7", 0),
        ("[" * 20_000, 0),
        ("[" * 10_000 + "]" * 10_000, 0),
    ],
)
def test_json_schema(answer, earned):
    assert mark({"kind": "json_schema", "schema": quiz.QUESTIONS[5]["schema"]}, answer) == earned


@pytest.mark.parametrize(
    ("schema", "answer"),
    [({"type": "null"}, None), ({"type": "array"}, []), ({"type": "string"}, "42"), ({"type": "integer"}, "42")],
)
def test_json_schema_takes_whatever_json_was_asked_for(schema, answer):
    assert mark({"kind": "json_schema", "schema": schema}, answer) == 1


def test_json_that_is_nested_deeply_is_no_answer_but_does_no_harm():
    deep: Any = 7
    for _ in range(400):
        deep = {"x": deep}

    assert mark({"kind": "json_schema", "schema": quiz.QUESTIONS[5]["schema"]}, deep) == 0


# The outcome


def test_all_right_passes_with_all_points():
    decided = outcome(quiz.RIGHT, quiz.QUESTIONS[:-1])

    assert (decided.passed, decided.score, decided.max_score, decided.is_try) == (True, 7, 7, True)
    assert decided.data is not None
    assert (decided.data["questions"], decided.data["answered"], decided.data["seed"]) == (6, 6, "5eed")


def test_a_result_has_a_line_for_each_question_in_the_order_of_the_sip():
    decided = outcome({"primes": ["2"], "sky": "blue"})

    assert decided.data is not None
    lines = [(c["id"], c["prompt_id"], c["met"], c["mark"], c["max"]) for c in decided.data["criteria"]]
    assert lines == [
        ("sky", "sky", True, 1, 1),
        ("primes", "primes", False, 0, 2),
        ("capital", "capital", False, 0, 1),
        ("half", "half", False, 0, 1),
        ("code", "code", False, 0, 1),
        ("point", "point", False, 0, 1),
        ("essay", "essay", False, 0, 3),
    ]
    assert (decided.data["questions"], decided.data["answered"]) == (7, 2)


def test_a_line_has_the_question_the_answer_and_a_reason():
    line = criterion(quiz.QUESTIONS[0] | {"id": "only"}, "green")

    assert (line["text"], line["evidence"], line["reason"]) == ("Which colour?", "green", "The answer is not right.")


def test_what_was_not_answered_is_said_not_to_be():
    decided = outcome({"sky": "  ", "primes": [], "essay": "\n"})

    assert decided.data is not None
    assert {c["reason"] for c in decided.data["criteria"]} == {"There is no answer."}
    assert (decided.score, decided.data["answered"]) == (0, 0)


def test_an_answer_is_kept_up_to_500_characters():
    assert len(criterion(quiz.QUESTIONS[0] | {"id": "only"}, "x" * 600)["evidence"]) == 500
    assert criterion({"kind": "numeric", "answer": 1}, 2.5)["evidence"] == "2.5"


def test_a_thousand_questions_make_no_boundless_result():
    many = [{"id": f"q{n}", "kind": "exact", "text": "x" * 2_000, "answers": ["a"]} for n in range(1_000)]

    content = quiz.content({f"q{n}": "y" * 2_000 for n in range(1_000)}, many)
    decided = conclude(content, [], many)

    assert len(json.dumps(decided.data)) < 400_000


def test_passing_is_reached_by_exactly_the_share_that_is_asked_for():
    tenths = [{"id": f"q{n}", "kind": "exact", "text": "?", "points": 0.1, "answers": ["a"]} for n in range(10)]

    assert outcome({f"q{n}": "a" for n in range(7)}, tenths).passed
    assert not outcome({f"q{n}": "a" for n in range(6)}, tenths).passed


WRONG = {
    "sky": "green",
    "primes": ["4"],
    "capital": "Lyon",
    "half": "3",
    "code": "zz",
    "point": '{"x": 1}',
}


def test_no_line_of_a_wrong_answer_tells_the_right_one():
    decided = outcome(WRONG)

    assert decided.data is not None
    for line in decided.data["criteria"]:
        for key in ("blue", "Paris", "0.5", "[a-z]", "const", "It names a reason", "prime numbers"):
            assert key not in line["reason"] + line["evidence"] + line["text"], line


# Free text


def test_an_answered_free_text_is_left_to_a_marker():
    decided = benchmark.decide(quiz.evaluation(), quiz.content({"essay": quiz.ESSAY, **quiz.RIGHT}))

    assert isinstance(decided, ToMark)
    (row,) = decided.rows
    assert (row.id, row.ask, row.most, row.prompt_id) == ("essay", "It names a reason.", 3, "essay")
    assert row.texts == {"question": "Why test?", "answer": "To find out early."}


def test_marks_and_checks_make_one_list():
    content = quiz.content({"essay": quiz.ESSAY, **quiz.RIGHT})

    decided = conclude(content, [Mark("essay", "wise", 1.5, 3, "A reason, not a full one.", "find out")])

    assert (decided.passed, decided.score, decided.max_score) == (True, 8.5, 10)
    assert decided.data is not None
    assert [c["id"] for c in decided.data["criteria"]] == [question["id"] for question in quiz.QUESTIONS]
    line = decided.data["criteria"][-1]
    assert (line["text"], line["mark"], line["max"], line["reason"], line["evidence"]) == (
        "Why test?",
        1.5,
        3,
        "A reason, not a full one.",
        "To find out early.",
    )
    assert line["marks"][0]["quote"] == "find out"


def test_a_free_text_that_nobody_could_mark_is_unscored():
    content = quiz.content({"essay": quiz.ESSAY, **quiz.RIGHT})

    decided = conclude(content, [Mark("essay", "wise", None, 3)])

    assert (decided.passed, decided.score, decided.data and decided.data["unscored"]) == (True, 7, ["essay"])


def test_where_the_unscored_could_have_turned_the_verdict_it_is_no_try():
    content = quiz.content({"essay": quiz.ESSAY, "sky": "blue", "primes": ["2", "3"], "capital": "Paris"})

    decided = conclude(content, [Mark("essay", "wise", None, 3)])

    assert (decided.passed, decided.score, decided.is_try) == (False, 4, False)  # 7 of 10 are needed
    assert decided.data is not None
    assert decided.data["is_undecided"]


# Whatever is answered


KINDS = st.sampled_from([question["id"] for question in quiz.QUESTIONS])


@patiently
@given(st.dictionaries(KINDS, JSON))
def test_any_json_is_checked_without_a_fault(answers):
    decided = benchmark.decide(quiz.evaluation(), quiz.content(answers))

    if isinstance(decided, ToMark):
        decided = conclude(quiz.content(answers), [])
    assert isinstance(decided, Outcome)
    assert decided.score is not None
    assert 0 <= decided.score <= 10 == decided.max_score
    assert json.loads(msgspec.json.encode(decided.data)) is not None


@patiently
@given(st.dictionaries(KINDS | st.text(max_size=5), JSON))
def test_any_json_is_taken_or_refused_by_name(answers):
    questions = benchmark.questions_in(quiz.evaluation(), quiz.challenge().content)

    faults = [fault for id_, answer in answers.items() for fault in answering.faults_of(questions, id_, answer)]

    assert {fault.field for fault in faults} <= {f"answers.{question_id}" for question_id in answers}
    assert {fault.field for fault in faults} >= {f"answers.{id_}" for id_ in answers if id_ not in questions}


@st.composite
def marked(draw):
    """Questions with any points, each answered right, partly or wrong, and a mark for the free text."""
    points = draw(st.lists(st.floats(0.001, 1_000_000), min_size=2, max_size=8))
    questions = [
        {**PARTIAL[0], "id": f"q{n}", "points": worth} if n else {**quiz.QUESTIONS[-1], "id": "q0", "points": worth}
        for n, worth in enumerate(points)
    ]
    chosen = st.lists(st.sampled_from(["2", "3", "4", "6"]), max_size=4)
    answers = {f"q{n}": draw(chosen) if n else quiz.ESSAY for n in range(len(points))}
    return questions, answers, draw(st.floats(0, 1)) * points[0]


@patiently
@given(marked())
def test_the_score_is_never_below_nothing_nor_above_all_points(drawn):
    questions, answers, given_mark = drawn
    mark = Mark("q0", "wise", given_mark, questions[0]["points"])

    decided = conclude(quiz.content(answers, questions), [mark], questions)

    assert decided.score is not None
    assert decided.max_score is not None
    assert 0 <= decided.score <= decided.max_score


@patiently
@given(st.permutations(sorted(quiz.RIGHT | {"sky": "green"})))
def test_the_order_of_the_answers_changes_nothing(order):
    answers = {question_id: (quiz.RIGHT | {"sky": "green"})[question_id] for question_id in order}

    decided = outcome(answers, quiz.QUESTIONS[:-1])

    assert decided == outcome(quiz.RIGHT | {"sky": "green"}, quiz.QUESTIONS[:-1])


@patiently
@given(st.lists(st.sampled_from(["2", "3", "4", "6"])), st.randoms())
def test_the_order_of_the_choices_changes_nothing(chosen, randomly):
    (question,) = benchmark.config_of(quiz.evaluation(PARTIAL)).questions
    other = list(chosen)
    randomly.shuffle(other)

    assert checking.check(question, {"primes": chosen}) == checking.check(question, {"primes": other})


# Long benchmarks and stored rows


def test_a_long_benchmark_is_left_to_background_work():
    plain = [{"id": f"q{n}", "kind": "exact", "text": "?", "answers": ["a"]} for n in range(201)]
    patterns = [{"id": f"q{n}", "kind": "regex", "text": "?", "pattern": "a"} for n in range(21)]

    long = [{"id": f"q{n}", "kind": "exact", "text": "?", "answers": ["a" * 20_000, "b"]} for n in range(10)]

    for questions in (plain, patterns, long):
        decided = benchmark.decide(quiz.evaluation(questions), quiz.content({"q0": "a"}, questions))
        assert decided == ToMark([])
        assert isinstance(
            benchmark.decide(quiz.evaluation(questions[1:]), quiz.content({"q1": "a"}, questions[1:])), Outcome
        )


def test_what_was_checked_before_is_not_checked_again():
    content = quiz.content({"sky": "green"}, quiz.QUESTIONS[:-1])
    checked = benchmark.add_checks(quiz.evaluation(quiz.QUESTIONS[:-1]), content)
    kept = json.loads(msgspec.json.encode(checked))
    changed = [{**quiz.QUESTIONS[0], "answer": "green"}, *quiz.QUESTIONS[1:-1]]

    decided = benchmark.conclude(quiz.evaluation(changed), kept, [], [])

    assert decided == benchmark.decide(quiz.evaluation(quiz.QUESTIONS[:-1]), content)
    assert decided.score == 0


def test_rows_decide_what_was_marked_even_where_the_questions_are_others():
    content = quiz.content({"essay": quiz.ESSAY})
    to_mark = benchmark.decide(quiz.evaluation(), content)
    assert isinstance(to_mark, ToMark)
    marks = [Mark("essay", "wise", 3, 3)]
    gone, other_kind = quiz.QUESTIONS[:-1], [*quiz.QUESTIONS[:-1], {**quiz.QUESTIONS[2], "id": "essay"}]

    for questions in (quiz.QUESTIONS, gone, other_kind):
        decided = benchmark.conclude(quiz.evaluation(questions), content, to_mark.rows, marks)
        assert (decided.score, decided.max_score) == (3, 10)
        assert require(decided.data)["criteria"][-1]["text"] == "Why test?"
