"""Appointing and dismissing proctors."""

import pytest

from tests import make
from viva.exams import account_deletion, appointments
from viva.kit import events


@pytest.fixture
def paul(db):
    make.evaluation(db)
    return make.agent(db, "paul")


def actions(db):
    return [event.action for event in events.list_events(db, 10, None).items if event.action.startswith("proctor.")]


def test_an_agent_is_appointed_once_for_each_evaluation_and_once_for_the_hub(db, paul):
    assert appointments.appoint(db, paul.id, "good-manners", None)
    assert not appointments.appoint(db, paul.id, "good-manners", None)
    assert appointments.appoint(db, paul.id, None, None)
    assert not appointments.appoint(db, paul.id, None, None)
    found = [(each.agent_name, each.evaluation_id) for each in appointments.list_appointments(db)]
    assert sorted(found, key=str) == [("paul", "good-manners"), ("paul", None)]
    assert actions(db) == ["proctor.appointed"] * 2


def test_only_who_is_appointed_can_be_dismissed(db, paul):
    appointments.appoint(db, paul.id, None, None)
    with pytest.raises(appointments.NotAppointed):
        appointments.dismiss(db, paul.id, "good-manners")
    appointments.dismiss(db, paul.id, None)
    assert not appointments.is_appointed(db, paul.id, "good-manners")
    assert actions(db) == ["proctor.dismissed", "proctor.appointed"]


def test_an_appointment_for_the_hub_holds_for_every_evaluation(db, paul):
    appointments.appoint(db, paul.id, None, None)
    assert appointments.is_appointed(db, paul.id, "good-manners")


def test_a_deleted_account_is_dismissed(db, paul):
    appointments.appoint(db, paul.id, None, None)
    account_deletion.delete_account(db, paul)
    assert appointments.list_appointments(db) == []
