"""Appeals: by whom, against what, until when, once; and what they lead to."""

from datetime import timedelta

import pytest

from tests import make
from tests.exams import readings
from tests.exams.readings import ANYONE, EXAM, decided, open_reading_of, read_again
from tests.exams.test_races import doing
from viva.exams import account_deletion, appealing, rereading
from viva.exams.appealing import BadReason, NothingToAppeal, NotYourResult, PracticeResult, TooLateToAppeal
from viva.kit.clock import now
from viva.notices import store as notices
from viva.results import appeals, second_readings
from viva.results import store as results
from viva.results.appeals import AppealedAlready
from viva.results.second_readings import NoSuchReading

REASON = "The proctor never asked what the procedure asks."


@pytest.fixture
def people(db):
    return {name: make.agent(db, name) for name in ("ada", "paul", "pia", "paz", "pam", "pat")}


def failed(db, people, second_reading: float = 0.0):
    readings.evaluation(db, second_reading)
    return decided(db, people["ada"], people["paul"], passed=False, feedback="No please.")


def test_an_appeal_opens_a_second_reading_and_says_so(db, people):
    result = failed(db, people)

    made = appealing.appeal(db, result.id, people["ada"], f"  {REASON}  ")

    assert (made.reason, made.state) == (REASON, "open")
    assert open_reading_of(db, result).cause == "appeal"
    assert results.get(db, result.id).second_reading == "open"


def test_an_appeal_can_change_the_result(db, people):
    result = failed(db, people)
    appealing.appeal(db, result.id, people["ada"], REASON)

    for name in ("pia", "paz"):
        read_again(db, open_reading_of(db, result), people[name], True)

    after, appeal = results.get(db, result.id), appeals.find_of(db, result.id)
    assert (after.passed, after.points_earned) == (True, 10)
    assert appeal is not None
    assert appeal.state == "changed"


def test_an_appeal_can_leave_the_result_as_it_is(db, people):
    result = failed(db, people)
    appealing.appeal(db, result.id, people["ada"], REASON)

    read_again(db, open_reading_of(db, result), people["pia"], False)

    appeal = appeals.find_of(db, result.id)
    assert appeal is not None
    assert appeal.state == "stands"
    assert results.get(db, result.id).passed is False


def test_nobody_appeals_twice_even_after_the_decision(db, people):
    result = failed(db, people)
    appealing.appeal(db, result.id, people["ada"], REASON)
    with pytest.raises(AppealedAlready), make.unit(db):
        appealing.appeal(db, result.id, people["ada"], REASON)
    read_again(db, open_reading_of(db, result), people["pia"], False)

    with pytest.raises(AppealedAlready):
        appealing.appeal(db, result.id, people["ada"], REASON)


@pytest.mark.parametrize("name", ["paul", "pia"])
def test_only_the_agent_of_the_result_appeals(db, people, name):
    result = failed(db, people)

    with pytest.raises(NotYourResult):
        appealing.appeal(db, result.id, people[name], REASON)


def test_after_14_days_it_is_too_late(db, people):
    result = failed(db, people)
    db.execute("UPDATE evaluation_results SET completed_at = ?", [now() - timedelta(days=14, seconds=1)])

    with pytest.raises(TooLateToAppeal):
        appealing.appeal(db, result.id, people["ada"], REASON)


@pytest.mark.parametrize("reason", ["", "Unfair.", " " * 30, "x" * 4_001])
def test_an_appeal_needs_a_reason_of_some_length(db, people, reason):
    result = failed(db, people)

    with pytest.raises(BadReason):
        appealing.appeal(db, result.id, people["ada"], reason)
    assert second_readings.list_of(db, result.id) == []


def test_there_is_no_appeal_against_practice(db, people):
    readings.evaluation(db)
    result = readings.silent(db, people["ada"], people["paul"])

    with pytest.raises(PracticeResult):
        appealing.appeal(db, result.id, people["ada"], REASON)


def test_there_is_no_appeal_against_a_rule(db, people):
    readings.evaluation(db, 0)
    result = decided(db, people["ada"], people["paul"])
    db.execute("UPDATE evaluation_results SET proctor_agent_id = NULL, result_data = NULL")

    with pytest.raises(NothingToAppeal):
        appealing.appeal(db, result.id, people["ada"], REASON)


def test_an_appeal_joins_a_reading_that_is_open(db, people):
    result = failed(db, people, second_reading=1.0)
    drawn = open_reading_of(db, result)
    read_again(db, drawn, people["pia"], True)

    appealing.appeal(db, result.id, people["ada"], REASON)
    read_again(db, drawn, people["paz"], True)

    appeal = appeals.find_of(db, result.id)
    assert [reading.id for reading in second_readings.list_of(db, result.id)] == [drawn.id]
    assert appeal is not None
    assert appeal.state == "changed"


def test_after_a_drawn_reading_an_appeal_opens_another_for_other_markers(db, people):
    result = failed(db, people, second_reading=1.0)
    read_again(db, open_reading_of(db, result), people["pia"], False)

    appealing.appeal(db, result.id, people["ada"], REASON)

    reading = open_reading_of(db, result)
    with pytest.raises(NoSuchReading):
        rereading.take(db, EXAM, reading.id, people["pia"], ANYONE)
    assert rereading.take(db, EXAM, reading.id, people["paz"], ANYONE).reading.cause == "appeal"


def test_those_concerned_get_notices_and_the_reader_gets_none(db, people):
    result = failed(db, people)
    appealing.appeal(db, result.id, people["ada"], REASON)
    for name in ("pia", "paz"):
        read_again(db, open_reading_of(db, result), people[name], True)

    def events_of(name: str) -> list[str]:
        return [notice.event for notice in notices.list_notices(db, people[name].id, None, 20, None).items]

    assert events_of("ada").count("exam.reread") == 1
    assert sorted(set(events_of("paul"))) == ["exam.appealed", "exam.reread"]
    assert events_of("pia") == events_of("paz") == []


def test_the_reason_is_for_those_concerned_and_is_erased_with_the_account(db, people):
    result = failed(db, people)
    appealing.appeal(db, result.id, people["ada"], REASON)

    def reason_for(viewer) -> str | None:
        shown = appealing.find_shown(db, results.get(db, result.id), viewer)
        assert shown is not None
        return shown.reason

    assert reason_for(people["ada"]) == reason_for(people["paul"]) == REASON
    assert reason_for(people["pia"]) is reason_for(None) is None
    account_deletion.delete_account(db, people["ada"])
    assert reason_for(people["paul"]) == ""


@pytest.mark.soak
def test_of_four_appeals_at_once_one_is_kept(database):
    database.write_now(lambda db: readings.evaluation(db, 0))
    ada, paul = (database.write_now(lambda db, name=name: make.agent(db, name)) for name in ("ada", "paul"))
    result = database.write_now(lambda db: decided(db, ada, paul, passed=False))

    outcomes = make.together(*[doing(database, appealing.appeal, result.id, ada, REASON)] * 4)

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Appeal"] + ["AppealedAlready"] * 3


@pytest.mark.soak
def test_an_appeal_and_the_last_reading_at_once_leave_one_decided_or_one_open(database):
    database.write_now(readings.evaluation)
    ada, paul, pia = (database.write_now(lambda db, n=n: make.agent(db, n)) for n in ("ada", "paul", "pia"))
    result = database.write_now(lambda db: decided(db, ada, paul, passed=False))
    drawn = database.read_now(lambda db: open_reading_of(db, result))

    outcomes = make.together(
        doing(database, appealing.appeal, result.id, ada, REASON),
        doing(database, read_again, drawn, pia, False),
    )

    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    appeal = database.read_now(lambda db: appeals.find_of(db, result.id))
    states = [reading.status for reading in database.read_now(lambda db: second_readings.list_of(db, result.id))]
    assert (appeal.state, states) in [("stands", ["stands"]), ("open", ["stands", "open"])]
