"""Contributed handlers: the challenge they make, the submission they get, and the verdict they may return."""

import re
import secrets
from datetime import timedelta
from typing import Any

import pytest

from tests import make
from tests.contracts.tree import ROOT
from tests.exams.simple import challenge, exam
from viva.evaluations import catalogue
from viva.evaluations.handler_code import handler_code_faults
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import Executable
from viva.exams.handlers import contributed, table
from viva.exams.handlers.contributed import HandlerFailed
from viva.exams.model import Exam, Outcome, ToRun, Undecided
from viva.kit.errors import Invalid
from viva.sandbox.scanning import ALLOWED_MODULES

DOUBLE = """
import random

def make_challenge(seed, config):
    number = random.Random(seed).randint(config['parameters']['least'], 99)
    return {'prompt': f'Double {number}.', 'secret': number}

def decide(submission, challenge, config):
    return {'passed': submission == challenge['secret'] * 2, 'reason': 'It was ' + str(challenge['secret'])}
"""
CONTENT: dict[str, Any] = {"answer": 4, "challenge": {"prompt": "Double 2.", "secret": 2}}


def evaluation(code: str | None, **config: Any) -> Evaluation:
    config = {"parameters": {"least": 10}, **config}
    handler = Executable("contributed.double_it", None)
    return catalogue.evaluation_of(make.sip(type="simple_pass_fail", config=config, executable=handler), code)


def exam_of(taken: Evaluation) -> Exam:
    return exam()._replace(evaluation=taken)


GIVEN = challenge(CONTENT["challenge"])


def decided(body: str):
    code = f"def decide(submission, challenge, config):\n    {body}"
    return contributed.find_outcome(evaluation(code), CONTENT)


def reason(outcome) -> str:
    (criterion,) = outcome.data["criteria"]
    return criterion["reason"]


def test_a_contributed_name_finds_the_handler_and_another_does_not():
    assert table.find_handler("contributed.double_it") is contributed
    assert table.find_handler("double_it") is None
    assert table.find_handler("proctored") is None


def test_an_evaluation_without_its_code_cannot_be_taken_and_says_why():
    assert list(table.find_faults(evaluation(None))) == ["The code of the handler contributed.double_it is missing."]
    assert list(table.find_faults(evaluation(DOUBLE))) == []


def test_the_code_makes_a_challenge_from_a_seed(monkeypatch):
    monkeypatch.setattr(secrets, "randbelow", lambda limit: 7)
    new = contributed.make_challenge(exam_of(evaluation(DOUBLE, minutes=3)))

    assert new.duration == timedelta(minutes=3)
    assert new.content == {"prompt": "Double 51.", "secret": 51}


def test_the_candidate_sees_the_prompt_and_not_the_secret():
    assert contributed.show_challenge(exam_of(evaluation(DOUBLE)), GIVEN) == {"prompt": "Double 2."}


def test_without_make_challenge_the_prompt_is_that_of_the_config():
    code = "def decide(submission, challenge, config):\n    return {'passed': True}"

    made = contributed.make_challenge(exam_of(evaluation(code, challenge="Say please.")))

    assert made.content == {"prompt": "Say please.", "secret": None}


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("'text'", "must have a prompt"),
        ("{'secret': 1}", "must have a prompt"),
        ("{'prompt': 1, 'hint': 2}", "must have a prompt"),
        ("{'prompt': 'a' * 100_000}", "output"),
    ],
)
def test_a_challenge_of_another_form_starts_no_attempt(returned, told):
    code = f"def make_challenge(seed, config):\n    return {returned}"

    with pytest.raises(HandlerFailed, match=told):
        contributed.make_challenge(exam_of(evaluation(code)))


def test_a_submission_is_any_json_with_the_id_of_the_challenge():
    body = {"challenge_id": GIVEN.id, "answer": {"number": [4]}}

    content = contributed.read_submission(exam_of(evaluation(DOUBLE)), GIVEN, body, {})

    assert content == {"answer": {"number": [4]}, "challenge": {"prompt": "Double 2.", "secret": 2}}
    assert contributed.decide(evaluation(DOUBLE), content) == ToRun("contributed.double_it")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"challenge_id": "another"}, "challenge_id"),
        ({"answer": "a" * 70_000}, "answer"),
        ({"more": 1}, "more"),
    ],
)
def test_a_submission_of_another_form_is_refused(change, field):

    with pytest.raises(Invalid) as raised:
        contributed.read_submission(
            exam_of(evaluation(DOUBLE)), GIVEN, {"challenge_id": GIVEN.id, "answer": 4, **change}, {}
        )

    assert [fault.field for fault in raised.value.faults] == [field]


def test_an_answer_that_is_nested_too_deep_is_refused():
    answer: list = []
    for _ in range(201):
        answer = [answer]

    with pytest.raises(Invalid, match="nested at most 200"):
        contributed.read_submission(
            exam_of(evaluation(DOUBLE)), GIVEN, {"challenge_id": GIVEN.id, "answer": answer}, {}
        )


def test_the_code_decides_from_submission_challenge_and_config():
    outcome = contributed.find_outcome(evaluation(DOUBLE), CONTENT)
    wrong = contributed.find_outcome(evaluation(DOUBLE), {**CONTENT, "answer": 5})

    assert isinstance(outcome, Outcome)
    assert (outcome.passed, outcome.is_try, outcome.score) == (True, True, None)
    assert reason(outcome) == "It was 2"
    assert isinstance(wrong, Outcome)
    assert not wrong.passed


def test_a_verdict_may_have_a_score_and_criteria():
    outcome = decided(
        "return {'passed': False, 'score': 3, 'max_score': 4.5, 'reason': 'Close.',"
        " 'criteria': [{'id': 'polite', 'text': 'Is polite.', 'met': True}]}"
    )

    assert (outcome.passed, outcome.score, outcome.max_score, outcome.is_try) == (False, 3, 4.5, True)
    assert outcome.data == {
        "criteria": [
            {
                "id": "handler",
                "text": "The answer passes the check of this evaluation's handler.",
                "met": False,
                "reason": "Close.",
            },
            {"id": "polite", "text": "Is polite.", "met": True, "reason": ""},
        ]
    }


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return None", "no valid verdict"),
        ("return True", "no valid verdict"),
        ("return {}", "The field passed is missing"),
        ("return {'passed': 1}", "at passed"),
        ("return {'passed': 'yes'}", "at passed"),
        ("return {'passed': True, 'pased': True}", "There is no field pased"),
        ("return {'passed': True, 'score': float('nan'), 'max_score': 1}", "kind value"),
        ("return {'passed': True, 'score': -1, 'max_score': 1}", "at score"),
        ("return {'passed': True, 'score': 1e300, 'max_score': 1e301}", "at score"),
        ("return {'passed': True, 'score': 10 ** 400, 'max_score': 10 ** 401}", "at score"),
        ("return {'passed': True, 'score': 1}", "without a max_score"),
        ("return {'passed': True, 'max_score': 1}", "without a max_score"),
        ("return {'passed': True, 'score': 2, 'max_score': 1}", "above its max_score"),
        ("return {'passed': True, 'reason': 'a' * 3_000}", "at reason"),
        ("return {'passed': True, 'reason': 'a' * 100_000}", "kind output"),
        ("return {'passed': True, 'reason': chr(0)}", "null character"),
        ("return {'passed': True, 'criteria': [{'id': 'a'}]}", "criteria"),
        ("return {'passed': True, 'criteria': [{'id': 'a', 'text': 'b', 'met': True}] * 51}", "at criteria"),
        ("raise ValueError('no')", "kind exception \\(line 2 of its code\\): ValueError: no"),
        ("import os; os.listdir('/')", "kind forbidden"),
    ],
)
def test_a_verdict_of_another_form_decides_nothing(body, told):
    outcome = decided(body)

    assert isinstance(outcome, Undecided)
    assert re.search(told, outcome.reason)


def test_the_example_of_the_guide_works():
    guide = (ROOT / "docs/howto/contribute-a-handler.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert list(handler_code_faults(code)) == []

    made = contributed.new_challenge(code, {"parameters": {"least": 10}}, 7)
    outcome = contributed.find_outcome(evaluation(code), {"answer": str(made["secret"]), "challenge": made})

    assert made == {"prompt": "Double 51.", "secret": 102}
    assert isinstance(outcome, Outcome)
    assert (outcome.passed, reason(outcome)) == (True, "The number is right.")


def test_the_guide_names_every_module():
    guide = (ROOT / "docs/howto/contribute-a-handler.md").read_text()

    assert all(f"`{module}`" in guide for module in ALLOWED_MODULES)
