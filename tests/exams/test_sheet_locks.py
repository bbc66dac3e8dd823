"""Who sees a rubric: only a qualified marker who has taken the sheet, for an hour, and nobody who could profit."""

import pytest

from tests import make
from tests.exams import certification
from tests.exams.certification import EXAM, given
from tests.exams.test_races import doing
from viva.agents import store as agents
from viva.exams import appointments, marking, registering, sheets, starting
from viva.exams.markers import InOpenAttempt, MayNotMark
from viva.exams.marking_locks import LOCK_MINUTES, NotTaken, TakenByOthers
from viva.exams.proctoring import OwnExam
from viva.kit import events

ANYONE = make.HALL.proctors
FULL = given(10, 10, 10)


@pytest.fixture
def people(db):
    return {name: make.agent(db, name) for name in ("ada", "paul", "pia", "paz")}


def open_sheet(db, people, **config) -> str:
    certification.evaluation(db, **config)
    return certification.handed_to_proctors(db, people["ada"])


def see(db, sheet: str, marker, policy=ANYONE):
    """Every way to read or mark a sheet that one has not taken."""
    for way in (marking.read_form, marking.open_form):
        with pytest.raises(NotTaken), make.unit(db):
            way(db, EXAM, sheet, marker, policy)
    with pytest.raises(NotTaken), make.unit(db):
        marking.give_marks(db, EXAM, sheet, marker, FULL, None, policy)


def test_a_sheet_is_seen_only_by_who_has_taken_it_for_a_stated_time(db, people):
    sheet = open_sheet(db, people)
    see(db, sheet, people["paul"])

    taken = marking.take(db, EXAM, sheet, people["paul"], ANYONE)

    assert (taken.lock.ends_at - taken.lock.taken_at).total_seconds() == LOCK_MINUTES * 60
    assert marking.read_form(db, EXAM, sheet, people["paul"], ANYONE).paper.rows == taken.paper.rows
    see(db, sheet, people["pia"])
    with pytest.raises(TakenByOthers):
        marking.take(db, EXAM, sheet, people["pia"], ANYONE)


def test_a_sheet_that_is_given_back_can_be_taken_by_another(db, people):
    sheet = open_sheet(db, people)
    marking.take(db, EXAM, sheet, people["paul"], ANYONE)

    marking.release(db, EXAM, sheet, people["paul"])
    with pytest.raises(NotTaken):
        marking.release(db, EXAM, sheet, people["paul"])
    see(db, sheet, people["paul"])

    assert marking.take(db, EXAM, sheet, people["pia"], ANYONE).lock.marker_agent_id == people["pia"].id
    actions = [event.action for event in events.list_events(db, 3, None).items]
    assert actions == ["sheet.taken", "sheet.released", "sheet.taken"]


def test_after_its_time_a_lock_gives_way_and_is_renewed_if_nobody_came(db, people):
    sheet = open_sheet(db, people)
    marking.take(db, EXAM, sheet, people["paul"], ANYONE)
    db.execute("UPDATE marking_locks SET ends_at = taken_at")

    with pytest.raises(NotTaken):
        marking.read_form(db, EXAM, sheet, people["paul"], ANYONE)
    with make.undone(db):
        marking.take(db, EXAM, sheet, people["pia"], ANYONE)
        see(db, sheet, people["paul"])
    (result,) = marking.give_marks(db, EXAM, sheet, people["paul"], FULL, None, ANYONE)

    assert result.proctor_agent_id == people["paul"].id


def test_two_markers_of_one_sheet_hold_a_lock_each_and_a_third_none(db, people):
    sheet = open_sheet(db, people, markers=2)
    for name in ("paul", "pia"):
        marking.take(db, EXAM, sheet, people[name], ANYONE)

    with pytest.raises(TakenByOthers):
        marking.take(db, EXAM, sheet, people["paz"], ANYONE)
    marking.give_marks(db, EXAM, sheet, people["paul"], FULL, None, ANYONE)
    with pytest.raises(TakenByOthers):  # one marking is missing, and pia has taken it
        marking.take(db, EXAM, sheet, people["paz"], ANYONE)
    marking.give_marks(db, EXAM, sheet, people["pia"], given(0, 0, 0), None, ANYONE)

    assert marking.take(db, EXAM, sheet, people["paz"], ANYONE).paper.sheet.status == "proctors"


def test_the_candidate_neither_takes_nor_reads_nor_marks(db, people):
    sheet = open_sheet(db, people)

    for way in (marking.take, marking.read_form, marking.open_form):
        with pytest.raises(OwnExam):
            way(db, EXAM, sheet, people["ada"], ANYONE)
    with pytest.raises(OwnExam):
        marking.give_marks(db, EXAM, sheet, people["ada"], FULL, None, ANYONE)


@pytest.mark.parametrize("has_started", [False, True])
def test_who_has_an_open_attempt_sees_no_rubric_even_with_a_lock(db, people, has_started):
    sheet = open_sheet(db, people)
    marking.take(db, EXAM, sheet, people["paul"], ANYONE)
    registering.register(db, EXAM, people["paul"])
    if has_started:
        starting.start(db, make.HALL, EXAM, people["paul"], "")

    for way in (marking.take, marking.read_form, marking.open_form):
        with pytest.raises(InOpenAttempt):
            way(db, EXAM, sheet, people["paul"], ANYONE)
    with pytest.raises(InOpenAttempt):
        marking.give_marks(db, EXAM, sheet, people["paul"], FULL, None, ANYONE)


def test_on_a_strict_hub_only_the_qualified_see_it(db, people):
    sheet = open_sheet(db, people)
    with pytest.raises(MayNotMark, match="not qualified"):
        marking.take(db, EXAM, sheet, people["paul"], "qualified")

    appointments.appoint(db, people["paul"].id, EXAM, None)
    agents.make_maintainer(db, people["pia"].id)

    for name in ("paul", "pia"):
        with make.undone(db):
            assert marking.take(db, EXAM, sheet, agents.get(db, people[name].id), "qualified").paper.rows
    appointments.dismiss(db, people["paul"].id, EXAM)
    with pytest.raises(MayNotMark):
        marking.take(db, EXAM, sheet, people["paul"], "qualified")


@pytest.mark.soak
def test_of_eight_markers_who_take_one_sheet_at_once_one_gets_it(database):
    names = ["ada", *(f"marker-{n}" for n in range(8))]
    people = {n: database.write_now(lambda db, n=n: make.agent(db, n)) for n in names}
    sheet = database.write_now(lambda db: open_sheet(db, people))

    outcomes = make.together(*[doing(database, marking.take, EXAM, sheet, people[name], ANYONE) for name in names[1:]])

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["TakenByOthers"] * 7 + ["TakenSheet"]
    assert database.read_now(lambda db: sheets.get_about(db, sheet)).status == "proctors"
