"""What counts as a grade, what is asked again, and what is lost on the way."""

import json
import re
from collections.abc import Iterator
from threading import Event

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.judging.endpoint import Reply, completion, endpoint, graded, ruled
from tests.values import require
from viva.judging.http_judge import HttpJudge
from viva.judging.model import Budget, Grade, Grading, JudgeQuestion, Question, Ruling

TEXT = "Dear Ada,\n  thank you for\tyour help."
GRADING = Grading("how kind it is", {"the letter": TEXT}, 10)
BUSY = Reply("busy", 503, {"Retry-After": "0"})


def judge(url: str, **options) -> HttpJudge:
    return HttpJudge(url, "small", first_retry_seconds=0.01, **options)


def heard(*replies: Reply, **options) -> tuple[list[Grade | None], list[bool], int]:
    """The grades for one grading, whether it was lost, and how often it was put; the last reply is for all that follow."""
    script = iter(replies)
    with endpoint(lambda asked: next(script, replies[-1])) as server:
        hearing = judge(server.url, **options).ask([GRADING])
    return hearing.rulings, hearing.lost, len(server.requests)


def test_a_grade_is_a_mark_with_a_reason_and_the_words_it_rests_on():
    with endpoint(lambda asked: graded(7.5, "It thanks.", "thank you")) as server:
        hearing = judge(server.url).ask([GRADING])

    assert hearing.rulings == [Grade(7.5, "It thanks.", "thank you", is_clamped=False)]
    system, user = (message["content"] for message in server.requests[0]["messages"])
    assert "Grade for: how kind it is\nThe grade is a number from 0 to 10." in system
    assert TEXT in user
    schema = server.requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["mark"] == {"type": "number", "minimum": 0, "maximum": 10}
    assert sorted(schema["required"]) == ["mark", "quote", "reason"]


@pytest.mark.parametrize(
    ("said", "mark", "is_clamped"),
    [
        (999, 10, True),
        (-5, 0, True),
        (10**400, 10, True),
        (-0.0, 0, False),
        (0, 0, False),
        (10, 10, False),
        (10.01, 10, True),
    ],
)
def test_a_mark_out_of_range_is_clamped_and_says_so(said, mark, is_clamped):
    grades, _, _ = heard(graded(said))

    assert grades == [Grade(mark, "It is kind.", "", is_clamped)]
    assert str(require(grades[0]).mark)[0] != "-"


@pytest.mark.parametrize(
    "content",
    [
        '{"mark": NaN}',
        '{"mark": Infinity}',
        '{"mark": 1e999}',
        '{"mark": "NaN"}',
        '{"mark": "7"}',
        '{"mark": null}',
        '{"mark": true}',
        '{"mark": false}',
        '{"mark": [7]}',
        '{"mark": {"value": 7}}',
        '{"score": 7, "reason": "It is kind."}',
        "{}",
        "[]",
        "7",
        "",
        "I would give it a seven.",
    ],
)
def test_what_is_no_number_is_no_grade(content):
    grades, lost, asked = heard(completion(content))

    assert (grades, lost, asked) == ([None], [False], 1)


@pytest.mark.parametrize("said", [{}, {"reason": None, "quote": 5}, {"reason": ["kind"], "quote": {}}])
def test_a_grade_without_a_reason_stands(said):
    assert heard(completion({"mark": 7, **said}))[0] == [Grade(7, "", "", is_clamped=False)]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("thank you for your help", "thank you for your help"),
        (" thank\nyou   for ", "thank you for"),
        ("Dear Ada, thank you", "Dear Ada, thank you"),
        ("thanks a lot", ""),
        ("   ", ""),
    ],
)
def test_a_quote_that_no_text_has_is_dropped(said, kept):
    assert require(heard(graded(quote=said))[0][0]).quote == kept


def test_a_reason_is_one_line_of_bounded_length_that_a_database_takes():
    assert require(heard(graded(reason="a\0b\n" + "x" * 1_000))[0][0]).reason == "a b " + "x" * 496


def test_a_long_quote_is_cut():
    long = Grading("how long it is", {"text": "word " * 1_000}, 10)

    with endpoint(lambda asked: graded(quote=("word " * 1_000).strip())) as server:
        grades = judge(server.url).ask([long]).rulings

    assert require(grades[0]).quote == ("word " * 100).strip()


def test_a_reply_off_the_menu_is_asked_for_again():
    assert heard(completion("seven"), completion("{}"), graded(7), invalid_reply_retries=2) == (
        [Grade(7, "It is kind.", "", is_clamped=False)],
        [False],
        3,
    )
    assert heard(completion("seven"), invalid_reply_retries=2) == ([None], [False], 3)
    assert heard(completion("seven")) == ([None], [False], 1)


def test_what_is_asked_again_has_a_new_mark_around_its_texts():
    with endpoint(lambda asked: completion("seven")) as server:
        judge(server.url, invalid_reply_retries=1).ask([GRADING])

    marks = {require(re.search(r"mark (\w+)\.", asked["messages"][0]["content"]))[1] for asked in server.requests}
    assert len(marks) == 2


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_neither_asked_again_nor_lost(status):
    assert heard(Reply("no", status), invalid_reply_retries=2) == ([None], [False], 1)


def test_faults_that_pass_cost_nothing_but_time():
    grades, lost, asked = heard(Reply("oops", 500), BUSY, graded(7), invalid_reply_retries=2)

    assert (require(grades[0]).mark, lost, asked) == (7, [False], 3)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_fault_after_all_tries_is_lost(status):
    assert heard(Reply("busy", status, {"Retry-After": "0"}), invalid_reply_retries=2) == ([None], [True], 3)


def test_an_endpoint_that_is_not_there_is_lost():
    with endpoint(lambda asked: graded()) as server:
        gone = server.url

    hearing = judge(gone).ask([GRADING])

    assert (hearing.rulings, hearing.lost) == ([None], [True])


def test_an_answer_that_takes_too_long_is_lost():
    over = Event()

    def late(asked):
        over.wait(timeout=60)
        return graded()

    with endpoint(late) as server:
        hearing = judge(server.url, timeout_seconds=0.2, budget=Budget(calls=1)).ask([GRADING])
        over.set()

    assert (hearing.rulings, hearing.lost) == ([None], [True])


def test_what_the_budget_has_no_call_for_is_not_lost():
    with endpoint(lambda asked: graded()) as server:
        asked = judge(server.url, budget=Budget(calls=2), max_concurrent=1, invalid_reply_retries=2)
        hearing = asked.ask([GRADING] * 4)

    assert [grade is not None for grade in hearing.rulings] == [True, True, False, False]
    assert hearing.lost == [False] * 4
    assert len(server.requests) == 2


def test_asking_again_is_paid_from_the_budget():
    assert heard(completion("seven"), invalid_reply_retries=9, budget=Budget(calls=4)) == ([None], [False], 4)


def test_a_judge_with_full_budget_leaves_the_other_its_own():
    with endpoint(lambda asked: graded()) as server:
        spent = judge(server.url, budget=Budget(calls=1))
        spent.ask([GRADING])
        grades = [spent.with_full_budget().ask([GRADING]).rulings[0] for _ in range(2)]

    assert [require(grade).mark for grade in grades] == [4, 4]
    assert (spent.spent.calls, spent.ask([GRADING]).rulings) == (1, [None])


def test_half_of_the_questions_may_get_a_grade():
    def script(asked):
        number = int(require(re.search(r"number (\d+)", asked["messages"][1]["content"]))[1])
        return graded(number) if number % 2 else completion("{}")

    with endpoint(script) as server:
        hearing = judge(server.url).ask([Grading("?", {"text": f"number {n}"}, 10) for n in range(6)])

    assert [grade and grade.mark for grade in hearing.rulings] == [None, 1, None, 3, None, 5]


def test_questions_of_both_kinds_are_heard_together():
    def script(asked):
        return graded(7) if "Grade for" in asked["messages"][0]["content"] else ruled("no", 0.5, "It is not.")

    with endpoint(script) as server:
        questions: list[JudgeQuestion[Ruling | Grade]] = [Question("Is it?", {"text": "x"}), GRADING]
        rulings = judge(server.url).ask(questions).rulings

    assert rulings == [Ruling("no", 0.5, "It is not."), Grade(7, "It is kind.", "", is_clamped=False)]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["mark", "reason", "quote", "x"]), inner)
    ),
    max_leaves=5,
)
SAID = VALUES | st.fixed_dictionaries(
    {"mark": st.floats() | st.integers() | VALUES}, optional={"reason": VALUES, "quote": VALUES}
)


@pytest.fixture(scope="module")
def scripted() -> Iterator[tuple[str, list[Reply]]]:
    """An endpoint that says whatever stands in its list last."""
    said: list[Reply] = []
    with endpoint(lambda asked: said[-1]) as server:
        yield server.url, said


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=SAID, is_bare=st.booleans(), most=st.floats(0, 1e6))
def test_whatever_is_replied_every_mark_is_in_range(scripted, content, is_bare, most):
    url, said = scripted
    said.append(Reply(json.dumps(content)) if is_bare else completion(content))

    grade = judge(url).ask([Grading("how kind it is", {"the letter": TEXT}, most)]).rulings[0]

    assert grade is None or 0 <= grade.mark <= most
    assert grade is None or max(len(grade.reason), len(grade.quote)) <= 500


@given(said=SAID, most=st.floats(0, 1e6))
def test_whatever_is_said_is_a_grade_in_range_or_none(said, most):
    grade = Grading("how kind it is", {"the letter": TEXT}, most).read(said)

    assert grade is None or 0 <= grade.mark <= most
