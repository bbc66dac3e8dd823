"""Sitting a benchmark: the order stays, answers are saved on the way, time ends it, and it is handed in once."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests import make
from tests.exams import quiz
from tests.judging.endpoint import endpoint, graded
from viva.agents.model import Agent
from viva.exams import (
    attempts,
    challenges,
    expiring,
    grading,
    progress,
    registering,
    sheets,
    starting,
    store,
    submitting,
)
from viva.exams.challenges import AlreadyHandedIn, TimeIsOver
from viva.exams.marking import GivenMark
from viva.exams.model import Exam, StartedAttempt
from viva.exams.store import NotRegistered
from viva.jobs.model import Job
from viva.judging.http_judge import HttpJudge
from viva.judging.panel import Panel
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.kit.errors import Invalid
from viva.results import store as results
from viva.results.model import NamedResult


@pytest.fixture
def ada(db) -> Agent:
    make.evaluation(db, **quiz.fields())
    return make.agent(db, "ada")


def start(db: Connection, agent: Agent) -> StartedAttempt:
    registering.register(db, quiz.ID, agent)
    return starting.start(db, make.HALL, quiz.ID, agent, "")


def exam_of(db: Connection, agent: Agent) -> Exam:
    return submitting.exam_of(db, make.HALL, quiz.ID, agent, "")


def save(db: Connection, agent: Agent, **answers: Any) -> dict[str, Any]:
    return submitting.save_answers(db, exam_of(db, agent), answers)


def submit(db: Connection, agent: Agent, **answers: Any) -> submitting.SubmittedAttempt:
    return submitting.submit(db, exam_of(db, agent), {"answers": answers})


def result_of(db: Connection, registration_id: str) -> NamedResult:
    return results.get(db, results.find_id(db, registration_id) or "none")


def end_time(db: Connection, registration_id: str) -> None:
    """Let the time of the attempt be over."""
    db.execute(
        "UPDATE evaluation_challenges SET expires_at = ? WHERE registration_id = ?",
        [now() - timedelta(seconds=1), registration_id],
    )


def mark_in_background(db: Connection, job: Job | None, panel: Panel) -> None:
    assert job is not None
    work = grading.work(panel)
    paper = work.read(db, job.data)
    assert work.keep(db, paper, work.think(paper), False) is None


# Starting


def test_starting_once_more_gives_the_same_questions_in_the_same_order(db, ada):
    first = start(db, ada)

    again = [starting.start(db, make.HALL, quiz.ID, ada, "") for _ in range(5)]

    assert all(started == first for started in again)
    shown = starting.show_again(db, exam_of(db, ada), first.details["challenge_id"])
    assert shown == first.details


def test_the_time_is_the_evaluations(db, ada):
    started = start(db, ada)

    challenge = challenges.get_of(db, started.registration.id)
    assert challenge.expires_at - challenge.issued_at == timedelta(minutes=30)
    assert started.details["time_limit_minutes"] == 30


# Saving


def test_answers_are_saved_one_after_the_other(db, ada):
    start(db, ada)

    save(db, ada, sky="red", half=0.25)
    kept = save(db, ada, sky="blue", primes=["2"])

    assert kept == {"half": 0.25, "primes": ["2"], "sky": "blue"}
    assert submitting.read_saved_answers(db, exam_of(db, ada)) == kept


def test_of_answers_with_a_fault_none_is_saved(db, ada):
    registration = start(db, ada).registration

    with pytest.raises(Invalid) as refusal:
        save(db, ada, sky="blue", half=True)

    assert refusal.value.faults[0].field == "answers.half"
    assert attempts.read_answers(db, registration.id) == {}


def test_nothing_is_saved_before_the_start(db, ada):
    registering.register(db, quiz.ID, ada)

    with pytest.raises(submitting.NotStarted):
        save(db, ada, sky="blue")


def test_nothing_is_saved_after_handing_in(db, ada):
    start(db, ada)
    submit(db, ada, essay=quiz.ESSAY)

    with pytest.raises(AlreadyHandedIn):
        save(db, ada, sky="blue")


@pytest.mark.parametrize("number", [6.02e23, 602000000000000000000000, "6.02e23", "602000000000000000000000"])
def test_large_numbers_come_through_the_database(db, number):
    large = [{"id": "mole", "kind": "numeric", "text": "?", "answer": 6.02e23}]
    make.evaluation(db, **quiz.fields(questions=large))
    ada = make.agent(db, "ada")
    start(db, ada)
    save(db, ada, mole=number)

    result, _ = submit(db, ada)

    assert result is not None
    assert result.passed


# Handing in


def test_without_free_text_the_result_is_there_at_once(db, ada):
    registration = start(db, ada).registration

    result, job = submit(db, ada, **quiz.RIGHT)

    assert job is None
    assert result is not None
    assert (result.passed, result.score, result.max_score, result.points_earned) == (True, 7, 10, 10)
    assert store.get(db, registration.id).status == "completed"


def test_saved_answers_count_unless_others_are_handed_in(db, ada):
    start(db, ada)
    save(db, ada, **quiz.RIGHT | {"sky": "red"})

    result, _ = submit(db, ada, sky="blue", half=3)

    assert result is not None
    assert result.result_data is not None
    lines = {line["id"]: line["mark"] for line in result.result_data["criteria"]}
    assert lines == {"sky": 1, "primes": 2, "capital": 1, "half": 0, "code": 1, "point": 1, "essay": 0}


def test_what_is_handed_in_with_a_fault_uses_nothing_up(db, ada):
    registration = start(db, ada).registration

    with pytest.raises(Invalid):
        submit(db, ada, nothing="x")

    assert challenges.get_of(db, registration.id).used_at is None
    assert submit(db, ada, sky="blue").result is not None


def test_it_is_handed_in_once(db, ada):
    start(db, ada)
    submit(db, ada, sky="blue")

    with pytest.raises(AlreadyHandedIn):
        submit(db, ada, sky="blue")


def test_an_attempt_is_decided_by_the_version_it_began_with(db, ada):
    start(db, ada)
    changed = [{**quiz.QUESTIONS[0], "answer": "red"}, *quiz.QUESTIONS[1:]]
    make.evaluation(db, **quiz.fields(questions=changed) | {"version": "2.0.0"})

    result, _ = submit(db, ada, **quiz.RIGHT)

    assert result is not None
    assert (result.score, result.evaluation_version) == (7, "1.0.0")


# Free text


def test_free_text_goes_to_the_proctors_where_there_is_no_judge(db, ada):
    paul = make.agent(db, "paul")
    registration = start(db, ada).registration
    _, job = submit(db, ada, essay=quiz.ESSAY, **quiz.RIGHT)

    mark_in_background(db, job, Panel([]))
    assert job is not None
    assert progress.progress_of(db, job, ada).waiting_for == "proctor"
    (result,) = make.mark_sheet(
        db, quiz.ID, registration.id, paul, [GivenMark("essay", 2, "Short, but a reason.")], "Good."
    )

    assert (result.passed, result.score, result.max_score, result.proctor_name) == (True, 9, 10, "paul")
    assert result.proctor_feedback == "Good."
    assert result.result_data is not None
    assert [line["mark"] for line in result.result_data["criteria"]] == [1, 2, 1, 1, 1, 1, 2]
    assert progress.progress_of(db, job, ada).result_id == result.id


def test_free_text_is_marked_by_a_judge(db, ada):
    registration = start(db, ada).registration
    _, job = submit(db, ada, essay=quiz.ESSAY, **quiz.RIGHT)

    def script(asked: dict[str, Any]) -> Any:
        return graded(2.5 if "It names a reason." in asked["messages"][0]["content"] else 0, "It does.", "find out")

    with endpoint(script) as server:
        mark_in_background(db, job, Panel([HttpJudge(server.url, "wise")]))

    result = result_of(db, registration.id)
    assert (result.passed, result.score) == (True, 9.5)
    assert result.result_data is not None
    line = result.result_data["criteria"][-1]
    assert (line["id"], line["mark"], line["reason"], line["marks"][0]["marker"]) == ("essay", 2.5, "It does.", "wise")


def test_a_judge_is_shown_the_question_and_the_answer_and_nothing_of_the_other_questions(db, ada):
    start(db, ada)
    _, job = submit(db, ada, essay=quiz.ESSAY, sky="blue")

    with endpoint(lambda asked: graded(0)) as server:
        mark_in_background(db, job, Panel([HttpJudge(server.url, "wise")]))

    told = [str(request["messages"]) for request in server.requests]
    assert all("Why test?" in each and quiz.ESSAY in each for each in told)
    assert not any("Which colour?" in each or "capital" in each for each in told)


def test_handed_in_free_text_cannot_be_withdrawn(db, ada):
    registration = start(db, ada).registration
    submit(db, ada, essay=quiz.ESSAY)

    with pytest.raises(AlreadyHandedIn), make.unit(db):
        registering.cancel(db, quiz.ID, ada)

    assert store.get(db, registration.id).status == "in_progress"


def test_answers_that_are_saved_together_have_one_time(db, ada):
    registration = start(db, ada).registration
    save(db, ada, sky="blue", half=0.5)
    save(db, ada, capital="Paris")

    select = "SELECT question_id, answered_at FROM evaluation_answers WHERE registration_id = ?"
    saved_at = dict(tuple(row) for row in db.execute(select, [registration.id]).fetchall())
    assert saved_at["sky"] == saved_at["half"] < saved_at["capital"]


# When the time is over


def test_after_the_time_nothing_can_be_handed_in_or_saved(db, ada):
    registration = start(db, ada).registration
    save(db, ada, sky="blue")
    end_time(db, registration.id)

    with pytest.raises(TimeIsOver):
        submit(db, ada, **quiz.RIGHT)
    with pytest.raises(TimeIsOver):
        save(db, ada, half=0.5)

    assert attempts.read_answers(db, registration.id) == {"sky": "blue"}


def test_what_was_saved_is_handed_in_when_the_time_is_over(db, ada):
    registration = start(db, ada).registration
    save(db, ada, sky="blue", primes=["2", "3"])
    end_time(db, registration.id)

    assert expiring.end_overdue(db) == 1

    result = result_of(db, registration.id)
    assert (result.passed, result.score) == (False, 3)
    assert result.result_data is not None
    assert result.result_data["answered"] == 2
    assert store.get(db, registration.id).status == "failed"
    assert expiring.end_overdue(db) == 0


def test_saved_answers_can_pass_when_the_time_is_over(db, ada):
    registration = start(db, ada).registration
    save(db, ada, **quiz.RIGHT)
    end_time(db, registration.id)

    expiring.end_overdue(db)

    assert result_of(db, registration.id).passed
    with pytest.raises(AlreadyHandedIn):
        submit(db, ada, sky="blue")


def test_saved_free_text_is_marked_when_the_time_is_over(db, ada):
    paul = make.agent(db, "paul")
    registration = start(db, ada).registration
    save(db, ada, essay=quiz.ESSAY, **quiz.RIGHT)
    end_time(db, registration.id)

    expiring.end_overdue(db)
    sheets.give_to_proctors(db, sheets.get_about(db, registration.id).id)
    (result,) = make.mark_sheet(db, quiz.ID, registration.id, paul, [GivenMark("essay", 3)], None)

    assert (result.passed, result.score) == (True, 10)


def test_with_nothing_saved_the_registration_expires_and_counts_as_a_try(db, ada):
    registration = start(db, ada).registration
    end_time(db, registration.id)

    expiring.end_overdue(db)

    assert store.get(db, registration.id).status == "expired"
    assert results.find_id(db, registration.id) is None
    assert store.count_tries(db, [ada.id], quiz.ID).number == 1
    with pytest.raises(TimeIsOver):
        submit(db, ada, sky="blue")


def test_whoever_registers_after_the_time_begins_anew_with_the_saved_answers_graded(db, ada):
    registration = start(db, ada).registration
    save(db, ada, sky="blue")
    end_time(db, registration.id)

    again = start(db, ada)

    assert again.registration.id != registration.id
    assert result_of(db, registration.id).score == 1
    assert attempts.read_answers(db, again.registration.id) == {}


def test_whoever_has_withdrawn_is_not_graded_when_the_time_is_over(db, ada):
    registration = start(db, ada).registration
    save(db, ada, sky="blue")
    registering.cancel(db, quiz.ID, ada)
    end_time(db, registration.id)

    expiring.end_overdue(db)

    assert store.get(db, registration.id).status == "cancelled"
    assert results.find_id(db, registration.id) is None


# At once


@pytest.fixture
def begun(database) -> Callable[[str], tuple[Agent, str]]:
    """Somebody new who has started."""
    database.write_now(lambda db: make.evaluation(db, **quiz.fields()))

    def begin(name: str) -> tuple[Agent, str]:
        agent = database.write_now(lambda db: make.agent(db, name))
        return agent, database.write_now(lambda db: start(db, agent)).registration.id

    return begin


def doing(database: Database, work: Callable[..., Any], *args: Any, **answers: Any) -> Callable[[], Any]:
    return lambda: database.write_now(lambda db: work(db, *args, **answers))


def kinds(outcomes: list[Any]) -> list[str]:
    return sorted(type(outcome).__name__ for outcome in outcomes)


def test_of_several_who_hand_in_at_once_one_does(database, begun):
    ada, registration_id = begun("ada")

    outcomes = make.together(*(doing(database, submit, ada, **quiz.RIGHT | {"half": number}) for number in range(10)))

    assert kinds(outcomes) == ["AlreadyHandedIn"] * 9 + ["SubmittedAttempt"]
    (kept,) = [outcome.result for outcome in outcomes if not isinstance(outcome, AlreadyHandedIn)]
    assert database.read_now(lambda db: result_of(db, registration_id)) == kept


def test_of_several_who_hand_in_free_text_at_once_one_does(database, begun):
    ada, _ = begun("ada")

    outcomes = make.together(*[doing(database, submit, ada, essay=quiz.ESSAY)] * 10)

    assert kinds(outcomes) == ["AlreadyHandedIn"] * 9 + ["SubmittedAttempt"]
    count = "SELECT (SELECT count(*) FROM evaluation_sheets), (SELECT count(*) FROM jobs)"
    assert tuple(database.read_now(lambda db: db.execute(count).fetchone())) == (1, 1)


def test_several_starts_at_once_give_one_order(database):
    database.write_now(lambda db: make.evaluation(db, **quiz.fields()))
    ada = database.write_now(lambda db: make.agent(db, "ada"))
    database.write_now(lambda db: registering.register(db, quiz.ID, ada))

    outcomes = make.together(*[doing(database, starting.start, make.HALL, quiz.ID, ada, "")] * 10)

    assert len({tuple(question["id"] for question in started.details["questions"]) for started in outcomes}) == 1


def test_of_several_sweeps_at_once_one_hands_in_what_was_saved(database, begun):
    ada, registration_id = begun("ada")
    database.write_now(lambda db: save(db, ada, sky="blue"))
    database.write_now(lambda db: end_time(db, registration_id))

    outcomes = make.together(*[doing(database, expiring.end_overdue)] * 5)

    assert all(isinstance(outcome, int) for outcome in outcomes), outcomes
    assert database.read_now(lambda db: result_of(db, registration_id)).score == 1


@pytest.mark.soak
def test_an_answer_that_is_saved_while_another_call_hands_in_counts_or_is_refused(database, begun):
    ada, registration_id = begun("ada")

    saved, handed_in = make.together(
        doing(database, save, ada, sky="blue"), doing(database, submit, ada, capital="Paris")
    )

    assert isinstance(handed_in, submitting.SubmittedAttempt)
    assert database.read_now(lambda db: result_of(db, registration_id)).score == (
        1 if isinstance(saved, AlreadyHandedIn) else 2
    )


@pytest.mark.soak
@pytest.mark.parametrize("answers", [{"sky": "blue"}, {"essay": quiz.ESSAY}])
def test_who_withdraws_and_hands_in_at_once_has_done_one_of_them(database, begun, answers):
    ada, registration_id = begun("ada")

    cancelled, handed_in = make.together(
        doing(database, registering.cancel, quiz.ID, ada), doing(database, submit, ada, **answers)
    )

    status = database.read_now(lambda db: store.get(db, registration_id)).status
    attempt = database.read_now(lambda db: attempts.find_of(db, registration_id))
    if status == "cancelled":
        assert isinstance(handed_in, NotRegistered)
        assert attempt is None
    else:
        assert isinstance(cancelled, AlreadyHandedIn | NotRegistered)
        assert attempt is not None


def test_who_withdraws_while_another_call_is_about_to_hand_in_is_not_graded(database, begun):
    ada, registration_id = begun("ada")
    exam = database.read_now(lambda db: exam_of(db, ada))
    database.write_now(lambda db: registering.cancel(db, quiz.ID, ada))

    with pytest.raises(NotRegistered):
        database.write_now(lambda db: submitting.save_answers(db, exam, {"sky": "blue"}))

    assert database.read_now(lambda db: attempts.read_answers(db, registration_id)) == {}
