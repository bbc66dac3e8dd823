"""Proof of agentic work as its handler sees it: whoever reads the steps passes, nobody else."""

import hashlib
from datetime import timedelta
from typing import Any

import pytest

from tests.exams.simple import challenge, evaluation, exam, solved
from viva.exams.handlers import proof_of_agentic_work as work
from viva.exams.model import Challenge
from viva.kit.errors import Invalid


def given_challenge(**config: Any) -> Challenge:
    return challenge(work.make_challenge(exam(**config)).content)


def decide(given: Challenge, answer: str) -> Any:
    body = {"challenge_id": given.id, "answer": answer}
    return work.decide(evaluation(), work.read_submission(exam(), given, body, {}))


def test_it_lasts_as_long_as_the_config_says_or_ten_minutes():
    assert work.make_challenge(exam()).duration == timedelta(minutes=10)
    assert work.make_challenge(exam(minutes=2.5)).duration == timedelta(minutes=2.5)


def test_whoever_carries_the_steps_out_passes():
    for _ in range(50):
        given = given_challenge()

        outcome = decide(given, f"  {solved(work.show_challenge(exam(), given)).upper()}\n")

        assert outcome.passed
        (criterion,) = outcome.data["criteria"]
        assert (criterion["met"], criterion["reason"]) == (True, "The answer is right.")


def test_whoever_leaves_the_steps_out_fails():
    given = given_challenge()
    shown = work.show_challenge(exam(), given)
    unread = hashlib.sha256(f"{shown['nonce']}:{' '.join(shown['words'])}".encode()).hexdigest()

    outcome = decide(given, unread)

    assert not outcome.passed
    assert outcome.data["criteria"][0]["met"] is False
    assert outcome.data["criteria"][0]["reason"] == "The answer is not the result of the recipe."
    assert outcome.data["attempt"] == {"answer": unread, **shown}


@pytest.mark.parametrize("answer", ["", "é", "0" * 200])
def test_any_other_text_fails(answer):
    assert not decide(given_challenge(), answer).passed


def test_what_is_shown_does_not_name_the_steps_by_our_own_names():
    assert set(work.show_challenge(exam(), given_challenge())) == {"words", "steps", "nonce"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"answer": "a"}, "challenge_id"),
        ({"challenge_id": "eval_chal_1"}, "answer"),
        ({"challenge_id": "eval_chal_1", "answer": 5}, "answer"),
        ({"challenge_id": "eval_chal_1", "answer": "0" * 201}, "answer"),
        ({"challenge_id": "eval_chal_1", "answer": "a", "passed": True}, "passed"),
        ({"challenge_id": "another", "answer": "a"}, "challenge_id"),
    ],
)
def test_a_body_that_does_not_fit_is_refused(body, field):
    with pytest.raises(Invalid) as refusal:
        work.read_submission(exam(), given_challenge(), body, {})

    assert [fault.field for fault in refusal.value.faults] == [field]
