"""Attempts that contributed code decides in the background, on both databases."""

from datetime import timedelta
from typing import Any

import pytest

from tests import make
from tests.values import require
from viva.agents.model import Agent
from viva.evaluations import catalogue
from viva.evaluations.sip import Executable
from viva.exams import handler_runs, progress, registering, starting, store, submitting
from viva.exams.handlers.contributed import HandlerFailed, SandboxCrashed
from viva.exams.marking import GivenMark
from viva.exams.model import Registration
from viva.exams.registering import CannotBeTaken
from viva.jobs import queue
from viva.jobs.model import Job
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.results import listing
from viva.results import store as stored_sums
from viva.results.model import NamedResult
from viva.sandbox.model import SandboxFailure, SandboxResult

DOUBLE = "double-it"
CODE = """
def make_challenge(seed, config):
    return {'prompt': 'Double ' + str(seed), 'secret': seed * config['parameters']['times']}

def decide(submission, challenge, config):
    return {'passed': submission == challenge['secret'], 'score': 1, 'max_score': 2}
"""
BROKEN = "def decide(submission, challenge, config):\n    return {'pass': True}"


def put(db: Connection, code: str | None = CODE, version: str = "1.0.0", **config: Any) -> None:
    config = {"parameters": {"times": 2}, **config}
    handler = Executable("contributed.double_it", None)
    sip = make.sip(id=DOUBLE, type="simple_pass_fail", config=config, executable=handler, version=version)
    catalogue.put(db, sip, code)


@pytest.fixture
def ada(db) -> Agent:
    return make.agent(db, "ada")


def hand_in(db: Connection, agent: Agent, answer: Any = None) -> Job:
    """Register, start and hand in the answer, or without one the right answer."""
    registering.register(db, DOUBLE, agent)
    started = starting.start(db, make.HALL, DOUBLE, agent, "").details
    prompt = str(started["prompt"])
    body = {
        "challenge_id": started["challenge_id"],
        "answer": int(prompt.split()[1]) * 2 if answer is None else answer,
    }
    return finish_submitting(db, agent, body)


def finish_submitting(db: Connection, agent: Agent, body: dict[str, Any]) -> Job:
    result, job = submitting.submit(db, submitting.exam_of(db, make.HALL, DOUBLE, agent, ""), body)
    assert result is None
    assert job is not None
    return job


def run(db: Connection) -> None:
    """Do the job as a worker does it."""
    job = queue.take(db, 30)
    assert job is not None
    work = handler_runs.work()
    task = work.read(db, job.data)
    assert work.keep(db, task, work.think(task), job.is_at_last_try) is None
    queue.finish(db, job)


def results_of(db: Connection) -> list[NamedResult]:
    return listing.list_results(db, listing.ResultFilter(DOUBLE), "completed_at", 10, None).items


def test_the_code_decides_after_the_submission_and_not_while_it_is_taken(db, ada):
    put(db)

    job = hand_in(db, ada)

    assert (job.work, job.status) == ("run_handler", "waiting")
    assert results_of(db) == []
    run(db)
    (result,) = results_of(db)
    assert (result.passed, result.score, result.max_score, result.points_earned) == (True, 1, 2, 10)
    assert store.find_last_status(db, ada.id, DOUBLE) == "completed"


def test_a_wrong_answer_fails_and_is_a_try(db, ada):
    put(db, max_tries=1)
    hand_in(db, ada, "no number")

    run(db)

    assert [result.passed for result in results_of(db)] == [False]
    assert store.count_tries(db, [ada.id], DOUBLE).number == 1


def hand_in_to_broken_code(db: Connection, agent: Agent, **config: Any) -> tuple[Registration, Job]:
    put(db, BROKEN, challenge="Add up.", **config)
    registering.register(db, DOUBLE, agent)
    started = starting.start(db, make.HALL, DOUBLE, agent, "")
    body = {"challenge_id": started.details["challenge_id"], "answer": {"sum": 1}}
    return started.registration, finish_submitting(db, agent, body)


def test_code_that_returns_no_verdict_decides_nothing_and_leaves_the_answer_to_a_proctor(db, ada):
    registration, job = hand_in_to_broken_code(db, ada, max_tries=1)

    run(db)

    assert results_of(db) == []
    assert stored_sums.tally(db, DOUBLE, None, "any").attempts == 0
    assert store.count_tries(db, [ada.id], DOUBLE).number == 0
    told = progress.get_progress(db, DOUBLE, job.id, ada)
    assert (told.status, told.waiting_for) == ("waiting", "proctor")
    assert "There is no field pass" in (told.reason or "")
    (row,) = make.take_sheet(db, DOUBLE, registration.id, make.agent(db, "paul")).rows
    assert row.texts == {"challenge": "Add up.", "answer": '{\n "sum": 1\n}'}
    assert "There is no field pass" in row.guidance


@pytest.mark.parametrize(("mark", "passed"), [(1, True), (0.5, False)])
def test_full_marks_of_a_proctor_pass_what_the_code_could_not_decide(db, ada, mark, passed):
    registration, job = hand_in_to_broken_code(db, ada, max_tries=1)
    run(db)

    (result,) = make.mark_sheet(
        db, DOUBLE, registration.id, make.agent(db, "paul"), [GivenMark("handler", mark, "I added them up.")]
    )

    assert (result.passed, result.official, result.points_earned) == (passed, True, 10 if passed else 0)
    assert require(result.result_data)["criteria"][0]["reason"] == "I added them up."
    assert progress.get_progress(db, DOUBLE, job.id, ada).result_id == result.id
    assert store.count_tries(db, [ada.id], DOUBLE).number == 1


def test_a_job_that_runs_again_leaves_the_decision_to_the_proctor(db, ada):
    _, job = hand_in_to_broken_code(db, ada)
    run(db)

    assert handler_runs.work().read(db, job.data) is None


def test_an_attempt_is_decided_by_the_code_of_the_version_it_started_with(db, ada):
    put(db)
    hand_in(db, ada)
    put(db, CODE.replace("submission ==", "submission !="), version="2.0.0")

    run(db)

    assert [(result.passed, result.evaluation_version) for result in results_of(db)] == [(True, "1.0.0")]


def test_a_job_that_runs_twice_decides_once(db, ada):
    put(db)
    job = hand_in(db, ada)
    work = handler_runs.work()
    task = work.read(db, job.data)
    outcome = work.think(task)
    work.keep(db, task, outcome, False)

    work.keep(db, task, outcome, False)

    assert len(results_of(db)) == 1
    assert work.read(db, job.data) is None
    assert work.think(None) is None


def test_a_worker_that_died_lets_the_job_be_tried_again(db, ada, monkeypatch):
    put(db)
    hand_in(db, ada)
    crash = SandboxResult(None, SandboxFailure("crashed", "The process that ran the code died."))
    monkeypatch.setattr("viva.exams.handlers.contributed.run_function", lambda *_: crash)

    with pytest.raises(SandboxCrashed):
        run(db)

    monkeypatch.undo()
    db.execute("UPDATE jobs SET due_at = ?", [now() - timedelta(seconds=1)])
    run(db)
    assert [result.passed for result in results_of(db)] == [True]


def test_an_attempt_whose_job_failed_is_left_to_a_proctor(db, ada):
    put(db, max_tries=1)
    job = hand_in(db, ada)
    taken = queue.take(db, 30)
    assert taken
    queue.fail(db, taken, "Broken off.")

    assert handler_runs.leave_failed_to_proctors(db) == 1

    assert handler_runs.leave_failed_to_proctors(db) == 0
    assert progress.get_progress(db, DOUBLE, job.id, ada).waiting_for == "proctor"
    assert store.count_tries(db, [ada.id], DOUBLE).number == 0


def test_a_challenge_that_cannot_be_made_starts_nothing(db, ada):
    put(db, CODE.replace("'prompt':", "'promt':"))
    registering.register(db, DOUBLE, ada)

    with pytest.raises(HandlerFailed, match="it must have a prompt"):
        starting.start(db, make.HALL, DOUBLE, ada, "")


def test_a_repeated_start_makes_no_second_challenge(db, ada, monkeypatch):
    put(db)
    registering.register(db, DOUBLE, ada)
    first = starting.start(db, make.HALL, DOUBLE, ada, "").details
    monkeypatch.setattr("viva.exams.handlers.contributed.run_function", None)

    assert starting.start(db, make.HALL, DOUBLE, ada, "").details == first


def test_an_evaluation_without_code_cannot_be_registered_for(db, ada):
    put(db, None)

    with pytest.raises(CannotBeTaken, match=r"The code of the handler contributed\.double_it is missing"):
        registering.register(db, DOUBLE, ada)
    assert [broken.evaluation.id for broken in registering.list_broken(db)] == [DOUBLE]
