"""What a candidate or a stranger cannot get by trying: more tries, more room, others' time, or a hub that stands still."""

import contextlib
import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests import make
from tests.exams import certification, class_work, quiz
from tests.exams.class_work import CLASS
from tests.exams.test_races import in_the_middle
from viva.agents import store as agents
from viva.agents.model import Agent
from viva.evaluations.sip import Executable
from viva.exams import (
    account_deletion,
    attempts,
    challenges,
    classes,
    cohorts,
    expiring,
    grading,
    joining,
    page_proofs,
    progress,
    registering,
    sheets,
    starting,
    store,
    submitting,
    waiting_list,
)
from viva.exams.criteria import criteria_of, outcome_of
from viva.exams.grading import GradingResult, GradingTask
from viva.exams.handlers.answering import AnswersTooLarge
from viva.exams.joining import TooManyCohorts
from viva.exams.model import HubFacts, Mark, SheetRow, StartedAttempt
from viva.exams.registering import CoolingDown, NoTriesLeft
from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection, Params
from viva.kit.rows import Cursor
from viva.kit.sqlite_connection import SqliteConnection, connect
from viva.sessions import channel

VERIFICATION = "owned"
FETCHING = HubFacts(b"secret", "http://hub.example", ("pages.example",))


def verification(db: Connection, **config: Any) -> None:
    make.evaluation(
        db,
        sip=60,
        id=VERIFICATION,
        type="simple_pass_fail",
        config=config,
        executable=Executable("account_verification", None),
    )


def begun(db: Connection, evaluation_id: str, agent: Agent, hall: HubFacts = make.HALL) -> StartedAttempt:
    registering.register(db, evaluation_id, agent)
    return starting.start(db, hall, evaluation_id, agent, "")


def proof_handed_in(db: Connection, agent: Agent) -> str:
    """The id of the job that fetches the page."""
    started = begun(db, VERIFICATION, agent, FETCHING)
    body = {"challenge_id": started.details["challenge_id"], "method": "url", "url": "https://pages.example/ada"}
    job = submitting.submit(db, submitting.exam_of(db, FETCHING, VERIFICATION, agent, ""), body).job
    assert job
    return job.id


def fail(db: Connection, job_id: str, reason: str) -> None:
    taken = queue.take(db, 30)
    assert taken
    assert taken.id == job_id
    queue.fail(db, taken, reason)


# Tries


def test_a_proof_that_the_hub_could_not_look_at_ends_the_attempt_and_is_no_try(db):
    verification(db, max_tries=1)
    ada = make.agent(db, "ada")
    job_id = proof_handed_in(db, ada)
    fail(db, job_id, "KeyError: 'url'")

    assert page_proofs.end_failed(db) == 1
    assert page_proofs.end_failed(db) == 0

    assert store.find_last_status(db, ada.id, VERIFICATION) == "cancelled"
    assert registering.register(db, VERIFICATION, ada).is_new
    queue.restart(db, job_id)
    assert page_proofs.read(db, queue.get(db, job_id).data) is None


def test_a_proof_that_is_still_looked_for_is_not_ended(db):
    verification(db)
    ada = make.agent(db, "ada")
    proof_handed_in(db, ada)

    assert page_proofs.end_failed(db) == 0

    assert store.find_last_status(db, ada.id, VERIFICATION) == "in_progress"


def test_who_has_seen_the_questions_and_withdraws_has_used_a_try(db):
    make.evaluation(db, **quiz.fields(max_tries=1))
    ada = make.agent(db, "ada")
    begun(db, quiz.ID, ada)
    registering.cancel(db, quiz.ID, ada)

    with pytest.raises(NoTriesLeft):
        registering.register(db, quiz.ID, ada)


def test_who_has_seen_the_questions_and_withdraws_has_to_wait(db):
    make.evaluation(db, **quiz.fields(cooldown_minutes=5))
    ada = make.agent(db, "ada")
    begun(db, quiz.ID, ada)
    registering.cancel(db, quiz.ID, ada)

    with pytest.raises(CoolingDown):
        registering.register(db, quiz.ID, ada)


def test_who_withdraws_before_the_start_has_used_no_try(db):
    make.evaluation(db, **quiz.fields(max_tries=1))
    ada = make.agent(db, "ada")
    registering.register(db, quiz.ID, ada)
    registering.cancel(db, quiz.ID, ada)

    assert registering.register(db, quiz.ID, ada).is_new


# Time


def test_what_was_begun_in_time_is_handed_in_even_if_the_time_ends_meanwhile(db):
    make.evaluation(db, **quiz.fields())
    registration = begun(db, quiz.ID, make.agent(db, "ada")).registration
    earlier = now() - timedelta(seconds=1)
    db.execute(
        "UPDATE evaluation_challenges SET issued_at = ?, expires_at = ? WHERE registration_id = ?",
        [earlier, earlier, registration.id],
    )

    challenges.use(db, challenges.get_of(db, registration.id))

    used = challenges.get_of(db, registration.id)
    assert used.used_at == used.expires_at


def test_an_attempt_that_cannot_be_decided_does_not_keep_others_from_ending(db, caplog):
    make.evaluation(db, **quiz.fields(max_tries=1))
    ada, bob = make.agent(db, "ada"), make.agent(db, "bob")
    for agent in (ada, bob):
        begun(db, quiz.ID, agent)
        submitting.save_answers(db, submitting.exam_of(db, make.HALL, quiz.ID, agent, ""), {"sky": "blue"})
    broken = store.find_open(db, ada.id, quiz.ID)
    assert broken
    db.execute("UPDATE evaluation_challenges SET content = '{}' WHERE registration_id = ?", [broken.id])
    db.execute("UPDATE evaluation_challenges SET expires_at = ?", [now() - timedelta(seconds=1)])

    assert expiring.end_overdue(db) == 2

    assert store.find_last_status(db, ada.id, quiz.ID) == "expired"
    assert store.find_last_status(db, bob.id, quiz.ID) == "failed"
    assert registering.register(db, quiz.ID, ada).is_new
    assert "Could not hand in what was saved" in caplog.text


# Room


def test_all_saved_answers_together_have_a_limit(db):
    options = ["a" * 20_000, "b"]
    questions = [
        {"id": f"q{number}", "kind": "multiple_choice", "text": "Which?", "options": options, "answers": ["b"]}
        for number in range(6)
    ]
    make.evaluation(db, **quiz.fields(questions=questions))
    ada = make.agent(db, "ada")
    begun(db, quiz.ID, ada)
    exam = submitting.exam_of(db, make.HALL, quiz.ID, ada, "")
    long = ["a" * 20_000] * 50
    for number in range(4):
        submitting.save_answers(db, exam, {f"q{number}": long})

    with pytest.raises(AnswersTooLarge), make.unit(db):
        submitting.save_answers(db, exam, {"q4": long})
    with pytest.raises(AnswersTooLarge), make.unit(db):
        submitting.submit(db, exam, {"answers": {"q4": long}})

    assert sorted(attempts.read_answers(db, exam.registration.id)) == ["q0", "q1", "q2", "q3"]
    assert submitting.save_answers(db, exam, {"q0": ["b"], "q4": long}).keys() == {"q0", "q1", "q2", "q3", "q4"}


def test_a_result_keeps_no_more_words_than_lists_can_show():
    rows = [SheetRow(f"row-{number}", "c" * 20_000, 10, {}, points=1) for number in range(200)]
    marks = [
        Mark(row.id, marker, 5, 10, "r" * 1_000, "q" * 1_000, {"instructions": ["i" * 240] * 5})
        for row in rows
        for marker in ("one", "two", "three")
    ]

    outcome = outcome_of(criteria_of(rows, marks, 70), 70)

    assert outcome.data is not None
    assert len(msgspec.json.encode(outcome.data["criteria"])) < 500_000


def test_the_words_of_a_usual_rubric_are_kept_whole():
    rows = [SheetRow(f"row-{number}", "Is it kind?", 10, {}, points=1) for number in range(20)]
    marks = [Mark(row.id, "one", 5, 10, "r" * 1_000, "q" * 1_000) for row in rows]

    outcome = outcome_of(criteria_of(rows, marks, 70), 70)

    assert outcome.data is not None
    assert {row["reason"] for row in outcome.data["criteria"]} == {"r" * 1_000}


class Explaining(SqliteConnection):
    """Keeps how SQLite goes about each statement."""

    def __init__(self, driver: sqlite3.Connection) -> None:
        super().__init__(driver)
        self.steps: list[str] = []

    def execute(self, sql: str, params: Params = ()) -> Cursor:
        self.steps += [row[3] for row in self.driver.execute(f"EXPLAIN QUERY PLAN {sql}", params)]
        return super().execute(sql, params)


@pytest.mark.parametrize(
    "read",
    [
        lambda db: store.count_tries(db, ["agent_ada"], CLASS),
        lambda db: store.find_last_status(db, "agent_ada", CLASS),
        lambda db: cohorts.find_oldest_with_room(db, CLASS, "agent_ada"),
        lambda db: cohorts.list_cohorts(db, CLASS, "running", 10, None),
        lambda db: waiting_list.list_sheets_to_mark(db, "agent_ada", [CLASS], 10),
        lambda db: waiting_list.list_candidates_to_claim(db, "agent_ada", now(), {CLASS: now()}, 10),
    ],
)
def test_what_is_asked_all_day_is_found_and_sorted_by_an_index(migrated, read):
    with contextlib.closing(connect(Path(migrated("sqlite").removeprefix("sqlite:///")))) as driver:
        db = Explaining(driver)

        read(db)

    assert db.steps
    assert [
        step for step in db.steps if "TEMP B-TREE" in step or step.startswith("SCAN evaluation_registrations")
    ] == []


def test_who_waits_is_found_among_those_who_wait(migrated):
    with contextlib.closing(connect(Path(migrated("sqlite").removeprefix("sqlite:///")))) as driver:
        db = Explaining(driver)

        waiting_list.list_candidates_to_claim(db, "agent_ada", now(), {}, 10)

    assert "SCAN r USING INDEX evaluation_registrations_longest_waiting" in db.steps


# What is told


def test_what_an_exception_says_is_for_maintainers_only(db):
    verification(db)
    ada = make.agent(db, "ada")
    job_id = proof_handed_in(db, ada)
    fail(db, job_id, f"{queue.BROKEN_OFF}ConnectError: 10.0.0.5 refused")
    agents.make_maintainer(db, make.agent(db, "mia").id)
    mia = agents.find_by_name(db, "mia")
    assert mia

    assert progress.get_progress(db, VERIFICATION, job_id, ada).reason == "It was interrupted by a fault of this hub."
    assert progress.get_progress(db, VERIFICATION, job_id, mia).reason == "Broken off: ConnectError: 10.0.0.5 refused"


def test_why_a_page_could_not_be_reached_is_told_to_its_candidate(db):
    verification(db)
    ada = make.agent(db, "ada")
    job_id = proof_handed_in(db, ada)
    fail(db, job_id, "The page answered with status 503.")

    assert progress.get_progress(db, VERIFICATION, job_id, ada).reason == "The page answered with status 503."


# Judges


def test_a_judge_that_was_talked_round_is_not_heard_again_when_another_is_asked_anew(db):
    certification.evaluation(db)
    registration_id = certification.hand_in(db, make.agent(db, "ada"))
    first = grading.read(db, {"registration_id": registration_id})
    row = first.paper.rows[0]
    misled = Mark(row.id, "model-a", None, row.most, notes={"misled": True})
    lost = Mark(row.id, "model-b", None, row.most, notes={"lost": True})

    grading.keep(db, first, GradingResult([misled, lost], True, None), False)
    again = GradingTask(first.paper, sheets.list_marks(db, first.paper.sheet.id))
    given = [Mark(row.id, "model-a", 10, row.most), Mark(row.id, "model-b", 8, row.most)]
    grading.keep(db, again, GradingResult(given, True, None), False)

    marks = {mark.marker: mark.mark for mark in sheets.list_marks(db, first.paper.sheet.id)}
    assert marks == {"model-a": None, "model-b": 8}


# Proctors


def test_what_is_about_an_agent_who_is_gone_waits_for_nobody(db):
    certification.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    registration_id = certification.hand_in(db, ada)
    sheets.give_to_proctors(db, sheets.get_about(db, registration_id).id)

    account_deletion.delete_account(db, ada)

    assert sheets.get_about(db, registration_id).status == "closed"
    assert waiting_list.list_sheets(db, certification.EXAM, 10, None).items == []
    assert waiting_list.list_sheets_to_mark(db, paul.id, [certification.EXAM], 10) == []


def test_a_class_waits_for_marks_as_long_as_one_of_it_is_there(db):
    class_work.evaluation(db)
    cohort, (ada, bob) = class_work.gathered(db, "ada", "bob")
    ida, paul = agents.get(db, cohort.opened_by_agent_id), make.agent(db, "paul")
    session_id = joining.start(db, CLASS, cohort.id, ida).session_id or ""
    for agent in (ada, bob):
        channel.send(db, CLASS, session_id, agent.id, "I am here.", 100)
    classes.finish(db, CLASS, cohort.id, ida)
    sheets.give_to_proctors(db, sheets.get_about(db, cohort.id).id)

    account_deletion.delete_account(db, ada)
    with_one = [each.subject_id for each in waiting_list.list_sheets_to_mark(db, paul.id, [CLASS], 10)]
    account_deletion.delete_account(db, bob)

    assert with_one == [cohort.id]
    assert waiting_list.list_sheets_to_mark(db, paul.id, [CLASS], 10) == []
    assert waiting_list.list_sheets(db, CLASS, 10, None).items == []


# Cohorts


def test_an_instructor_leads_only_a_few_open_cohorts_at_a_time(db):
    class_work.evaluation(db)
    ida = make.agent(db, "ida")
    for _ in range(3):
        opened = joining.open_cohort(db, CLASS, ida, "instructor").cohort

    with pytest.raises(TooManyCohorts):
        joining.open_cohort(db, CLASS, ida, "instructor")

    cohorts.end(db, opened.id, "cancelled")
    assert joining.open_cohort(db, CLASS, ida, "instructor").cohort.status == "open"


def test_an_instructor_who_opens_two_cohorts_at_once_gets_no_more(database):
    database.write_now(class_work.evaluation)
    ida = database.write_now(lambda db: make.agent(db, "ida"))
    for _ in range(2):
        database.write_now(lambda db: joining.open_cohort(db, CLASS, ida, "instructor"))

    first, second = in_the_middle(
        database,
        lambda db: joining.open_cohort(db, CLASS, ida, "instructor"),
        lambda db: joining.open_cohort(db, CLASS, ida, "instructor"),
    )

    assert first.cohort.status == "open"
    assert isinstance(second, TooManyCohorts)


def test_a_cohort_that_everybody_has_left_is_cancelled(db):
    class_work.evaluation(db)
    ada = class_work.registered(db, "ada")
    cohort = joining.open_cohort(db, CLASS, ada, "participant").cohort

    assert joining.leave(db, CLASS, cohort.id, ada).cohort.status == "cancelled"


def test_an_instructor_keeps_a_cohort_that_everybody_has_left(db):
    class_work.evaluation(db)
    cohort, (ada,) = class_work.gathered(db, "ada")

    assert joining.leave(db, CLASS, cohort.id, ada).cohort.status == "open"
