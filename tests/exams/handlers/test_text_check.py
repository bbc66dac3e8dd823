"""A text check: the challenge that is shown, the answers that are taken, and what of them a result tells."""

import json
from typing import Any

import msgspec
import pytest

from tests.exams import simple
from viva.exams.handlers import text_check
from viva.kit.errors import Invalid

CHALLENGE = "How many bones has an adult human?"
KEYS: dict[str, dict[str, Any]] = {
    "exact": {"answer": "Two hundred and six"},
    "one_of": {"answers": ["206", "two hundred and six"]},
    "numeric": {"answer": 206, "tolerance": 0.5},
    "pattern": {"pattern": "[0-9]{3}"},
    "json_schema": {"schema": {"type": "object", "properties": {"bones": {"const": 206}}, "required": ["bones"]}},
}


def check(kind: str, **more: Any) -> dict[str, Any]:
    return {"id": kind, "kind": kind, "text": f"The {kind} check.", **KEYS[kind], **more}


def exam(*checks: dict[str, Any]) -> Any:
    return simple.exam(challenge=CHALLENGE, checks=list(checks), minutes=3)


def submit(answer: Any, *checks: dict[str, Any]) -> Any:
    sitting = exam(*checks)
    body = {"challenge_id": "eval_chal_1", "answer": answer}
    content = text_check.read_submission(sitting, simple.challenge({}), body, {})
    return text_check.decide(sitting.evaluation, content)


def test_the_challenge_is_shown_without_its_checks():
    sitting = exam(check("numeric"))
    made = text_check.make_challenge(sitting)

    assert made.duration.total_seconds() == 180
    assert text_check.show_challenge(sitting, simple.challenge(made.content)) == {"challenge": CHALLENGE}


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("exact", "two hundred  AND six", "two hundred and seven"),
        ("one_of", " 206", "207"),
        ("numeric", 206.5, 206.6),
        ("numeric", "206", "about 206"),
        ("pattern", "123", "1234"),
        ("json_schema", {"bones": 206}, {"bones": 207}),
        ("json_schema", '{"bones": 206}', "206"),
    ],
)
def test_an_answer_passes_if_its_check_holds(kind, right, wrong):
    assert submit(right, check(kind)).passed
    assert not submit(wrong, check(kind)).passed
    assert not submit("", check(kind)).passed


def test_a_strict_check_minds_capitals_and_white_space():
    assert not submit("two hundred and six", check("exact", strict=True)).passed
    assert not submit("206 ", check("one_of", strict=True)).passed
    assert submit("206", check("one_of", strict=True)).passed


def test_all_checks_must_hold():
    outcome = submit("204", check("numeric"), check("pattern"))

    assert not outcome.passed
    assert outcome.data == {
        "criteria": [
            {"id": "numeric", "text": "The numeric check.", "met": False, "reason": "The answer is not right."},
            {"id": "pattern", "text": "The pattern check.", "met": True, "reason": "The answer is right."},
        ]
    }


@pytest.mark.parametrize("answer", ["206", "999", 206, {"bones": 206}])
def test_a_result_shows_neither_a_key_nor_the_answer(answer):
    outcome = submit(answer, *map(check, KEYS))

    told = msgspec.json.encode(outcome.data).decode()
    assert not any(key in told for key in ("206", "999", "wo hundred", "[0-9]", "bones", "0.5"))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("x" * 65_536, "An answer has at most 65,536 bytes as JSON."),
        (json.loads("[" * 300 + "]" * 300), "nested lists and objects"),
    ],
)
def test_an_answer_that_is_too_large_or_too_deep_is_refused(answer, message):
    with pytest.raises(Invalid, match=message):
        submit(answer, check("json_schema"))


@pytest.mark.parametrize("body", [{}, {"answer": "206"}, {"challenge_id": "another", "answer": "206"}])
def test_a_submission_names_its_challenge_and_has_an_answer(body):
    with pytest.raises(Invalid):
        text_check.read_submission(exam(check("numeric")), simple.challenge({}), body, {})
