"""Trying a contributed handler on the exemplars, before anybody takes the evaluation."""

from viva.contributions.trying import MAX_SAMPLES_TRIED, list_samples, try_handler
from viva.exams.handlers import contributed

CODE = """
def decide(submission, challenge, config):
    print('looking at', submission)
    return {'passed': submission == config['parameters']['right'], 'reason': 'Compared.'}
"""
CONFIG = {"parameters": {"right": "four"}}
EXEMPLARS = [{"probe": "sum", "pass": "four", "fail": "five"}]


def test_each_exemplar_is_two_samples_and_what_is_none_is_left_out():
    rows = [*EXEMPLARS, {"probe": "empty"}, {"probe": 3}, "nothing", {"probe": "one", "pass": "yes"}]

    assert list_samples(rows) == [("sum", "four", True), ("sum", "five", False), ("one", "yes", True)]
    assert len(list_samples(EXEMPLARS * 50)) == MAX_SAMPLES_TRIED


def test_the_handler_decides_each_sample():
    passing, failing = try_handler(CODE, list_samples(EXEMPLARS), CONFIG)

    assert (passing.passed, failing.passed) == (True, False)
    assert passing.is_as_expected
    assert failing.is_as_expected
    assert failing.reason == "Compared."
    assert failing.printed == "looking at five\n"


def test_a_challenge_of_a_trial_is_always_the_same():
    code = """
def make_challenge(seed, config):
    return {'prompt': 'Double it.', 'secret': seed}
def decide(submission, challenge, config):
    return {'passed': submission == str(challenge['secret'])}
"""
    (outcome,) = try_handler(code, list_samples([{"probe": "double", "pass": "0"}]))

    assert outcome.passed is True


def test_a_handler_that_passes_everything_is_not_as_expected():
    code = "def decide(submission, challenge, config):\n    return {'passed': True}"

    assert [outcome.is_as_expected for outcome in try_handler(code, list_samples(EXEMPLARS))] == [True, False]


def test_a_handler_that_never_ends_is_tried_once(monkeypatch):
    monkeypatch.setattr(contributed, "DECIDING_LIMITS", contributed.DECIDING_LIMITS._replace(cpu_seconds=0.1))
    outcomes = try_handler(
        "def decide(submission, challenge, config):\n    while True: pass", list_samples(EXEMPLARS), CONFIG
    )

    assert [outcome.passed for outcome in outcomes] == [None, None]
    assert "timeout" in outcomes[0].reason
    assert outcomes[1].reason == "Not tried, because an earlier sample took all the time of the handler."


def test_a_handler_without_a_challenge_decides_nothing():
    code = "def make_challenge(seed, config):\n    return 1 / 0\ndef decide(submission, challenge, config):\n    return {'passed': True}"

    outcomes = try_handler(code, list_samples(EXEMPLARS))

    assert [outcome.passed for outcome in outcomes] == [None, None]
    assert "ZeroDivisionError" in outcomes[0].reason
