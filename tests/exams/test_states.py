"""The states of an attempt: what was handed in and nobody could mark is undecided, until a proctor marks it."""

import pytest

from tests import make
from tests.exams import certification, class_work
from viva.exams import classes, open_exams, registering, sheets, states, store
from viva.exams.open_registrations import list_open_registrations
from viva.exams.states import AttemptState
from viva.kit.db import Connection
from viva.results import store as results


@pytest.fixture
def ada(db):
    return make.agent(db, "ada")


def leave_to_proctors(db: Connection, subject_id: str) -> None:
    """What the background work does with a sheet that no judge could mark."""
    sheets.give_to_proctors(db, sheets.get_about(db, subject_id).id)


def states_in(db: Connection, agent_id: str, registration_id: str) -> list[AttemptState]:
    """The state of an open attempt by itself, and in the list of open ones."""
    return [
        states.find_state(db, store.get(db, registration_id)),
        *(each.state for each in list_open_registrations(db, agent_id).registrations),
    ]


def test_what_no_judge_could_mark_is_undecided_until_a_proctor_marks_it(db, ada):
    certification.evaluation(db, max_tries=1)
    registration_id = certification.hand_in(db, ada)
    assert states_in(db, ada.id, registration_id) == ["in_progress", "in_progress"]
    leave_to_proctors(db, registration_id)

    assert states_in(db, ada.id, registration_id) == ["undecided", "undecided"]
    assert open_exams.list_open_exams(db, ada.id)[certification.EXAM].is_undecided
    assert store.count_tries(db, [ada.id], certification.EXAM).number == 0
    assert results.tally(db, certification.EXAM, None, "any").attempts == 0
    certification.mark(db, registration_id, make.agent(db, "paul"), 10, 10, 10)
    assert states_in(db, ada.id, registration_id) == ["passed"]
    assert store.count_tries(db, [ada.id], certification.EXAM).number == 1


def test_the_work_of_a_class_is_undecided_for_each_participant(db):
    class_work.evaluation(db)
    cohort, (ann, _), _ = class_work.ended_class(db)
    registration = store.find_open(db, ann.id, class_work.CLASS)
    assert registration
    assert states.find_state(db, registration) == "in_progress"
    leave_to_proctors(db, cohort.id)

    assert states_in(db, ann.id, registration.id) == ["undecided", "undecided"]
    assert open_exams.list_open_exams(db, ann.id)[class_work.CLASS].is_undecided
    with pytest.raises(classes.ClassIsOver):
        registering.cancel(db, class_work.CLASS, ann)
