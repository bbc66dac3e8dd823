"""Second readings: which verdicts are drawn, who reads them, and what becomes of the result."""

import pytest

from tests import make
from tests.exams import certification, class_work, quiz, readings
from tests.exams.readings import ANYONE, EXAM, decided, open_reading_of, read_again
from tests.exams.test_races import doing
from tests.values import require
from viva.agents import store as agents
from viva.exams import account_deletion, reading_draws, registering, rereading, starting, submitting
from viva.exams.markers import InOpenAttempt, MayNotMark
from viva.exams.marking import BadMarks, GivenMark
from viva.exams.marking_locks import NotTaken, TakenByOthers
from viva.exams.proctored_rows import GivenReading, VerdictMissing
from viva.kit import events
from viva.results import second_readings
from viva.results import store as results
from viva.results.reading_reports import list_reports
from viva.results.second_readings import NoSuchReading, ReadAlready


@pytest.fixture
def people(db):
    return {name: make.agent(db, name) for name in ("ada", "bob", "paul", "pia", "paz", "pam")}


def actions(db) -> list[str]:
    return [str(event.action) for event in events.list_events(db, 200, None).items][::-1]


# The draw


@pytest.mark.parametrize(("share", "state"), [(0, None), (1, "open")])
def test_a_share_of_all_or_none_draws_all_or_none(db, people, share, state):
    readings.evaluation(db, share)

    result = decided(db, people["ada"], people["paul"])

    assert result.second_reading == state


def test_the_draw_takes_about_its_share_and_depends_on_the_key():
    ids = [f"eval_reg_{n:04}" for n in range(4_000)]
    drawn = {id_ for id_ in ids if reading_draws.draw_of(b"a key", id_) < 0.1}
    otherwise = {id_ for id_ in ids if reading_draws.draw_of(b"another key", id_) < 0.1}

    assert 300 < len(drawn) < 500
    assert len(drawn & otherwise) < 100


def test_practice_is_never_drawn(db, people):
    readings.evaluation(db)

    result = readings.silent(db, people["ada"], people["paul"])

    assert (result.official, result.second_reading) == (False, None)


def test_what_the_hub_decides_by_rule_is_never_drawn(db, people):
    make.evaluation(db, **quiz.fields(questions=quiz.QUESTIONS[:1], second_reading=1.0))
    registering.register(db, quiz.ID, people["ada"])
    starting.start(db, make.HALL, quiz.ID, people["ada"], "")
    exam = submitting.exam_of(db, make.HALL, quiz.ID, people["ada"], "")

    result = require(submitting.submit(db, exam, {"answers": {"sky": "blue"}}).result)

    assert (result.official, result.second_reading) == (True, None)


# Reading


def test_a_second_marker_who_agrees_lets_the_verdict_stand(db, people):
    readings.evaluation(db)
    result = decided(db, people["ada"], people["paul"], score=90)

    reading = read_again(db, open_reading_of(db, result), people["pia"], True, score=82)

    after = results.get(db, result.id)
    assert (reading.status, after.second_reading) == ("stands", "stands")
    assert (after.passed, after.score, after.points_earned) == (True, 90, 10)
    assert [(v.place, v.marker_name, v.score) for v in list_reports(db, results.get(db, result.id))[0].verdicts] == [
        (2, "pia", 82)
    ]
    assert actions(db)[-4:] == ["reading.opened", "reading.taken", "reading.given", "result.reread"]


@pytest.mark.parametrize(("passed", "score"), [(True, 79), (False, 89)])
def test_a_difference_above_the_margin_or_about_passing_waits_for_a_third(db, people, passed, score):
    readings.evaluation(db)
    result = decided(db, people["ada"], people["paul"], score=90)

    reading = read_again(db, open_reading_of(db, result), people["pia"], passed, score=score)

    after = results.get(db, result.id)
    assert (reading.status, after.second_reading, after.score) == ("open", "open", 90)


def test_a_third_who_agrees_with_the_first_lets_the_verdict_stand(db, people):
    readings.evaluation(db)
    result = decided(db, people["ada"], people["paul"])
    reading = read_again(db, open_reading_of(db, result), people["pia"], False)

    reading = read_again(db, reading, people["paz"], True, score=85)

    after = results.get(db, result.id)
    assert (reading.status, after.passed, after.score) == ("stands", True, 90)


def test_a_third_who_differs_from_the_first_decides_and_the_first_verdict_stays_readable(db, people):
    readings.evaluation(db)
    result = decided(db, people["ada"], people["paul"], feedback="Splendid.")
    reading = read_again(db, open_reading_of(db, result), people["pia"], False)

    reading = read_again(db, reading, people["paz"], False, score=30, feedback="It never said please.")

    after, (report,) = results.get(db, result.id), list_reports(db, results.get(db, result.id))
    assert (reading.status, after.second_reading) == ("changed", "changed")
    assert (after.passed, after.score, after.points_earned) == (False, 30, 0)
    assert after.proctor_feedback == "It never said please."
    assert report.first is not None
    assert (report.first.passed, report.first.score, report.first.proctor_feedback) == (True, 90, "Splendid.")
    assert agents.profile(db, "ada").points == 0
    assert results.tally(db, EXAM, None).passed == 0
    assert db.execute(
        "SELECT status FROM evaluation_registrations WHERE id = ?", [result.registration_id]
    ).fetchone() == ("failed",)


def test_a_failed_exam_can_become_a_passed_one_with_its_points(db, people):
    readings.evaluation(db)
    result = decided(db, people["ada"], people["paul"], passed=False)
    for name in ("pia", "paz"):
        read_again(db, open_reading_of(db, result), people[name], True)

    assert results.get(db, result.id).points_earned == 10
    assert agents.profile(db, "ada").points == 10


def test_the_verdict_is_asked_for_and_the_score_has_to_fit(db, people):
    readings.evaluation(db)
    reading = open_reading_of(db, decided(db, people["ada"], people["paul"]))
    rereading.take(db, EXAM, reading.id, people["pia"], ANYONE)

    for given in (GivenReading([], None, 50), GivenReading([], True, None), GivenReading([], True, 101)):
        with pytest.raises((VerdictMissing, Exception)) as refused:
            rereading.give_verdict(db, EXAM, reading.id, people["pia"], given, ANYONE)
        assert refused.value.status == 422  # type: ignore[attr-defined]


def test_the_criteria_of_the_sip_are_marked_and_add_up_to_the_score(db, people):
    criteria = [
        {"id": "please", "text": "Says please.", "points": 60},
        {"id": "thanks", "text": "Says thank you.", "points": 40},
    ]
    readings.evaluation(db, criteria=criteria)
    result = decided(db, people["ada"], people["paul"])
    reading = open_reading_of(db, result)
    taken = rereading.take(db, EXAM, reading.id, people["pia"], ANYONE)
    assert [(row.id, row.most) for row in taken.form.rows] == [("please", 60), ("thanks", 40)]

    with pytest.raises(BadMarks), make.unit(db):
        rereading.give_verdict(
            db, EXAM, reading.id, people["pia"], GivenReading([GivenMark("please", 60)], True), ANYONE
        )
    marks = [GivenMark("please", 45), GivenMark("thanks", 40)]
    rereading.give_verdict(db, EXAM, reading.id, people["pia"], GivenReading(marks, True), ANYONE)

    (verdict,) = second_readings.list_verdicts(db, reading.id)
    assert (verdict.score, verdict.max_score) == (85, 100)


# Who reads


@pytest.mark.parametrize("name", ["ada", "paul"])
def test_neither_the_candidate_nor_the_first_marker_reads(db, people, name):
    readings.evaluation(db)
    reading = open_reading_of(db, decided(db, people["ada"], people["paul"]))

    with pytest.raises(NoSuchReading):
        rereading.take(db, EXAM, reading.id, people[name], ANYONE)


def test_nobody_reads_twice(db, people):
    readings.evaluation(db)
    reading = open_reading_of(db, decided(db, people["ada"], people["paul"]))
    read_again(db, reading, people["pia"], False)

    with pytest.raises(ReadAlready):
        rereading.take(db, EXAM, reading.id, people["pia"], ANYONE)


def test_who_has_an_open_attempt_does_not_read(db, people):
    readings.evaluation(db)
    reading = open_reading_of(db, decided(db, people["ada"], people["paul"]))
    registering.register(db, EXAM, people["pia"])

    with pytest.raises(InOpenAttempt):
        rereading.take(db, EXAM, reading.id, people["pia"], ANYONE)


def test_on_a_strict_hub_only_a_qualified_marker_reads(db, people):
    readings.evaluation(db)
    reading = open_reading_of(db, decided(db, people["ada"], people["paul"]))

    with pytest.raises(MayNotMark, match="not qualified"):
        rereading.take(db, EXAM, reading.id, people["pia"], "qualified")
    agents.make_maintainer(db, people["pia"].id)
    taken = rereading.take(db, EXAM, reading.id, agents.get(db, people["pia"].id), "qualified")

    assert taken.reading.id == reading.id


def test_a_reading_is_shown_only_to_the_marker_who_has_taken_it(db, people):
    readings.evaluation(db)
    reading = open_reading_of(db, decided(db, people["ada"], people["paul"]))

    with pytest.raises(NotTaken):
        rereading.read_form(db, EXAM, reading.id, people["pia"], ANYONE)
    rereading.take(db, EXAM, reading.id, people["pia"], ANYONE)
    with pytest.raises(TakenByOthers):
        rereading.take(db, EXAM, reading.id, people["paz"], ANYONE)
    with pytest.raises(NotTaken):
        rereading.read_form(db, EXAM, reading.id, people["paz"], ANYONE)

    assert rereading.read_form(db, EXAM, reading.id, people["pia"], ANYONE).form.asks_for_verdict


def test_a_lock_ends_by_itself_and_can_be_given_back(db, people):
    readings.evaluation(db)
    reading = open_reading_of(db, decided(db, people["ada"], people["paul"]))
    rereading.take(db, EXAM, reading.id, people["pia"], ANYONE)
    db.execute("UPDATE marking_locks SET ends_at = taken_at")

    rereading.take(db, EXAM, reading.id, people["paz"], ANYONE)
    with pytest.raises(NotTaken):
        rereading.open_form(db, EXAM, reading.id, people["pia"], ANYONE)
    rereading.release(db, EXAM, reading.id, people["paz"])

    assert rereading.take(db, EXAM, reading.id, people["pia"], ANYONE).lock.marker_agent_id == people["pia"].id


def test_a_lock_whose_time_is_over_is_renewed_by_use_while_nobody_else_wants_it(db, people):
    readings.evaluation(db)
    reading = open_reading_of(db, decided(db, people["ada"], people["paul"]))
    first = rereading.take(db, EXAM, reading.id, people["pia"], ANYONE).lock
    db.execute("UPDATE marking_locks SET ends_at = taken_at")

    renewed = rereading.open_form(db, EXAM, reading.id, people["pia"], ANYONE).lock

    assert renewed.ends_at >= first.ends_at


# Sheets and classes


def marked_sheet(db, people, *marks: float):
    certification.evaluation(db, second_reading=1.0)
    registration_id = certification.handed_to_proctors(db, people["ada"])
    (result,) = certification.mark(db, registration_id, people["paul"], *marks)
    return result


def give_marks(db, reading, marker, *marks: float):
    rereading.take(db, certification.EXAM, reading.id, marker, ANYONE)
    given = GivenReading(certification.given(*marks))
    return rereading.give_verdict(db, certification.EXAM, reading.id, marker, given, ANYONE)


def test_a_sheet_is_read_again_by_its_rows_and_the_marks_decide(db, people):
    result = marked_sheet(db, people, 10, 10, 10)
    reading = open_reading_of(db, result)

    reading = give_marks(db, reading, people["pia"], 0, 0, 10)
    assert reading.status == "open"
    reading = give_marks(db, reading, people["paz"], 0, 5, 10)

    after = results.get(db, result.id)
    assert (reading.status, after.passed, after.score) == ("changed", False, 55)
    assert after.result_data is not None
    assert after.result_data["markers"] == [people["paz"].id]


def test_marks_within_the_margin_let_a_sheet_stand(db, people):
    result = marked_sheet(db, people, 10, 10, 10)

    reading = give_marks(db, open_reading_of(db, result), people["pia"], 10, 9, 8)

    assert reading.status == "stands"


def test_a_participant_of_a_class_is_read_again_alone_and_by_nobody_of_the_class(db, people):
    class_work.evaluation(db, second_reading=1.0)
    marked, (ann, ben), leader = class_work.marked_class(db, people["paul"])
    first = next(result for result in marked if result.agent_id == ann.id)
    reading = open_reading_of(db, first)
    for involved in (ann, ben, leader, people["paul"]):
        with pytest.raises(NoSuchReading):
            rereading.take(db, class_work.CLASS, reading.id, involved, ANYONE)

    for name, mark in (("pia", 0), ("paz", 1)):
        taken = rereading.take(db, class_work.CLASS, reading.id, people[name], ANYONE)
        assert {row.agent_id for row in taken.form.rows} == {None, ann.id}
        given = GivenReading([GivenMark(row.id, mark) for row in taken.form.rows])
        rereading.give_verdict(db, class_work.CLASS, reading.id, people[name], given, ANYONE)

    assert results.get(db, first.id).score == 10
    assert [results.get(db, other.id).score for other in marked if other.id != first.id] == [
        other.score for other in marked if other.id != first.id
    ]


# What else happens


def test_the_reading_of_a_deleted_agent_ends_and_so_do_its_locks(db, people):
    readings.evaluation(db)
    first = open_reading_of(db, decided(db, people["ada"], people["paul"]))
    second = open_reading_of(db, decided(db, people["bob"], people["paul"]))
    rereading.take(db, EXAM, second.id, people["ada"], ANYONE)

    account_deletion.delete_account(db, people["ada"])

    assert second_readings.get(db, first.id).status == "ended"
    assert rereading.take(db, EXAM, second.id, people["pia"], ANYONE).reading.id == second.id


@pytest.mark.soak
def test_of_two_markers_who_take_one_reading_at_once_one_gets_it(database):
    database.write_now(readings.evaluation)
    people = {n: database.write_now(lambda db, n=n: make.agent(db, n)) for n in ("ada", "paul", "pia", "paz", "pam")}
    result = database.write_now(lambda db: decided(db, people["ada"], people["paul"]))
    reading = database.read_now(lambda db: open_reading_of(db, result))

    outcomes = make.together(
        *[doing(database, rereading.take, EXAM, reading.id, people[name], ANYONE) for name in ("pia", "paz", "pam")]
    )

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["TakenByOthers", "TakenByOthers", "TakenReading"]
