"""Leaving the hub: what stays of an agent, and who waits no longer for it."""

import pytest

from tests import make
from viva.agents import access, accounts
from viva.agents import store as agents
from viva.agents.access import WrongKey
from viva.agents.store import NameTaken, NoSuchAgent
from viva.exams import account_deletion, proctoring, registering, store
from viva.exams.handlers.proctored import Verdict
from viva.results import store as results
from viva.sessions import channel
from viva.sessions import store as sessions

EXAM = "good-manners"


@pytest.fixture
def people(db):
    make.evaluation(db)
    return {name: make.agent(db, name) for name in ("ada", "paul", "pia")}


def test_what_a_deleted_agent_said_stays_whole_under_no_name(db, people):
    ada, paul = people["ada"], people["paul"]
    registration, (session, _) = make.claim(db, ada, paul)
    said = [
        channel.send(db, EXAM, session.id, paul.id, "Who are you?", 100),
        channel.send(db, EXAM, session.id, ada.id, "I am ada.", 100),
    ]
    result = make.submit(db, EXAM, registration.id, paul, Verdict(True, "Polite."))

    account_deletion.delete_account(db, ada)
    account_deletion.delete_account(db, paul)

    assert sessions.transcript(db, session.id) == said
    assert [(each.name, each.role) for each in sessions.list_participants(db, session.id)] == [
        ("deleted agent", "proctor"),
        ("deleted agent", "candidate"),
    ]
    kept = results.get(db, result.id)
    assert (kept.agent_name, kept.proctor_name, kept.points_earned) == ("deleted agent", "deleted agent", 10)
    assert kept.proctor_feedback == "Polite."


def test_keys_of_a_deleted_agent_stop_and_its_name_stays_locked(db, people):
    grace, key = accounts.register(db, "grace", "")

    account_deletion.delete_account(db, grace)

    with pytest.raises(WrongKey):
        access.caller(db, key.text)
    with pytest.raises(NameTaken), make.unit(db):
        make.agent(db, "Grace")  # nobody can pass for the agent that has gone
    with pytest.raises(NoSuchAgent):
        agents.profile(db, "grace")


@pytest.mark.parametrize("started", [False, True])
def test_an_open_registration_of_a_deleted_agent_is_cancelled(db, people, started):
    registration = registering.register(db, EXAM, people["ada"]).registration
    if started:
        make.start(db, EXAM, people["ada"])

    account_deletion.delete_account(db, people["ada"])

    assert store.hold(db, EXAM, registration.id).status == "cancelled"
    assert proctoring.list_waiting(db, EXAM, 10, None).items == []


def test_the_session_of_a_candidate_that_leaves_ends(db, people):
    registration, (session, _) = make.claim(db, people["ada"], people["paul"])

    account_deletion.delete_account(db, people["ada"])

    assert sessions.get(db, EXAM, session.id).status == "ended"
    with pytest.raises(proctoring.NotWaiting):
        make.submit(db, EXAM, registration.id, people["paul"], Verdict(True))


def test_candidates_that_a_deleted_proctor_had_claimed_wait_again(db, people):
    ada, paul, pia = people["ada"], people["paul"], people["pia"]
    first, (session, _) = make.claim(db, ada, paul)
    make.claim(db, pia, paul)

    account_deletion.delete_account(db, paul)

    assert [each.candidate_name for each in proctoring.list_waiting(db, EXAM, 10, None).items] == ["ada", "pia"]
    assert sessions.get(db, EXAM, session.id).status == "ended"
    assert proctoring.claim(db, EXAM, first.id, pia).candidate == ada


def test_all_exams_of_a_deleted_agent_are_left_at_once(db, people):
    ada, paul = people["ada"], people["paul"]
    make.evaluation(db, id="tea-making", sip=8)
    make.claim(db, ada, paul)
    make.claim(db, ada, paul, "tea-making")
    make.claim(db, paul, ada)

    account_deletion.delete_account(db, ada)

    assert store.list_open(db, ada.id) == []
    assert sessions.list_by_agent(db, ada.id, "active", 10, None).items == []
    assert [each.status for each in store.list_open(db, paul.id)] == ["in_progress"]


def test_exams_of_others_are_left_alone(db, people):
    ada, paul, pia = people["ada"], people["paul"], people["pia"]
    registration, (session, _) = make.claim(db, ada, paul)

    account_deletion.delete_account(db, pia)

    assert sessions.get(db, EXAM, session.id).status == "active"
    assert make.submit(db, EXAM, registration.id, paul, Verdict(True)).passed


def test_decided_exams_stay_decided(db, people):
    result = make.result(db, people["ada"], people["paul"])

    account_deletion.delete_account(db, people["paul"])
    account_deletion.delete_account(db, people["ada"])

    assert store.hold(db, EXAM, result.registration_id).status == "completed"
    assert results.tally(db, EXAM, None).attempts == 1
