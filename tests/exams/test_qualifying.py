"""Whose verdict is official: qualified, independent, and after a complete exam."""

from datetime import timedelta

import pytest

from tests import make
from tests.checking.halls import unguarded
from tests.exams import class_work, readings
from viva.agents import accounts, owners
from viva.agents import store as agents
from viva.agents.model import Agent
from viva.exams import appointments, proctoring, qualifying
from viva.exams.handlers.proctored import Verdict
from viva.exams.proctor_facts import ExamPair
from viva.kit.actors import Actor
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.results.official import PracticeReason

EXAM = "good-manners"


@pytest.fixture
def people(db: Connection) -> dict[str, Agent]:
    make.evaluation(db)
    return {name: make.agent(db, name) for name in ("ada", "paul", "pia")}


def reasons(db: Connection, proctor: Agent, candidate: Agent) -> tuple[PracticeReason, ...]:
    return qualifying.assess(db, "qualified", EXAM, agents.get(db, proctor.id), candidate.id).reasons


def accept_passed(db: Connection) -> None:
    db.execute("""UPDATE evaluation_definitions SET config = '{"proctors": "passed", "max_score": 100}'""")


def qualify_by_pass(db: Connection, agent: Agent, by: Agent) -> None:
    """Let the agent have an official pass and a verified account."""
    accept_passed(db)
    make.result(db, agent, by)
    owners.confirm_owner(db, agent.id, f"{agent.name}.example")


def test_where_anyone_may_every_other_account_is_qualified_and_independent(db, people):
    assert qualifying.assess(db, "anyone", EXAM, people["paul"], people["ada"].id).official
    assert qualifying.assess(db, "anyone", EXAM, people["paul"], people["paul"].id).reasons == ("same_account",)


def test_a_stranger_is_not_qualified(db, people):
    assert reasons(db, people["paul"], people["ada"]) == ("not_qualified",)


def test_a_maintainer_is_qualified(db, people):
    agents.make_maintainer(db, people["paul"].id)
    assert reasons(db, people["paul"], people["ada"]) == ()


@pytest.mark.parametrize("evaluation_id", [None, EXAM])
def test_an_appointed_proctor_is_qualified_until_dismissed(db, people, evaluation_id):
    appointments.appoint(db, people["paul"].id, evaluation_id, people["pia"].id)
    assert reasons(db, people["paul"], people["ada"]) == ()
    appointments.dismiss(db, people["paul"].id, evaluation_id)
    assert reasons(db, people["paul"], people["ada"]) == ("not_qualified",)


def test_an_appointment_for_another_evaluation_does_not_qualify(db, people):
    make.evaluation(db, id="tea-making", sip=8)
    appointments.appoint(db, people["paul"].id, "tea-making", None)
    assert reasons(db, people["paul"], people["ada"]) == ("not_qualified",)


def test_a_pass_qualifies_only_where_the_sip_says_so_and_the_account_is_verified(db, people):
    make.result(db, people["paul"], people["pia"])
    assert reasons(db, people["paul"], people["ada"]) == ("not_qualified",)
    accept_passed(db)
    assert reasons(db, people["paul"], people["ada"]) == ("not_qualified",)
    owners.confirm_owner(db, people["paul"].id, "paul.example")
    assert reasons(db, people["paul"], people["ada"]) == ()


def test_a_practice_pass_does_not_qualify(db, people):
    qualify_by_pass(db, people["paul"], people["pia"])
    db.execute("""UPDATE evaluation_results SET official = FALSE, points_earned = 0, official_reasons = '["voided"]'""")
    assert reasons(db, people["paul"], people["ada"]) == ("not_qualified",)


@pytest.mark.parametrize("owner", ["Acme Labs", "  acme   LABS "])
def test_two_accounts_of_one_owner_are_not_independent_even_if_appointed(db, people, owner):
    appointments.appoint(db, people["paul"].id, None, None)
    owners.confirm_owner(db, people["paul"].id, "Acme Labs")
    db.execute("UPDATE agents SET owner = ? WHERE id = ?", [owner, people["ada"].id])
    assert reasons(db, people["paul"], people["ada"]) == ("same_owner",)


def test_a_proctor_in_an_open_attempt_is_not_independent_even_if_appointed(db, people):
    appointments.appoint(db, people["paul"].id, None, None)
    make.registration(db, people["paul"])
    assert reasons(db, people["paul"], people["ada"]) == ("open_attempt",)


def registered_at(db: Connection, name: str, address: str) -> Agent:
    db.actor = Actor("api", address_hash=address)
    return accounts.register(db, name, "").agent


@pytest.mark.parametrize(("address", "found"), [("home", ("same_address",)), ("office", ())])
def test_accounts_registered_from_one_address_within_a_day_are_not_independent(db, people, address, found):
    paul, ada = registered_at(db, "paul-2", "home"), registered_at(db, "ada-2", address)
    qualify_by_pass(db, paul, people["pia"])
    assert reasons(db, paul, ada) == found


def test_the_rule_on_addresses_outlives_the_events_of_the_registrations(db, people):
    paul, ada = registered_at(db, "paul-2", "home"), registered_at(db, "ada-2", "home")
    qualify_by_pass(db, paul, people["pia"])

    with unguarded(db):
        db.execute("DELETE FROM events")

    assert reasons(db, paul, ada) == ("same_address",)


def test_the_rule_on_addresses_does_not_bind_the_appointed(db, people):
    paul, ada = registered_at(db, "paul-2", "home"), registered_at(db, "ada-2", "home")
    appointments.appoint(db, paul.id, None, None)
    assert reasons(db, paul, ada) == ()


def test_who_was_examined_by_the_candidate_cannot_examine_it_in_return_for_30_days(db, people):
    paul, ada = people["paul"], people["ada"]
    qualify_by_pass(db, paul, ada)
    assert reasons(db, paul, ada) == ("examined_in_return",)
    assert reasons(db, paul, people["pia"]) == ()
    db.execute("UPDATE evaluation_sessions SET ended_at = ?", [now() - timedelta(days=31)])
    assert reasons(db, paul, ada) == ()


def test_who_was_read_a_second_time_by_the_candidate_cannot_examine_it_in_return(db, people):
    paul, ada, pia = people["paul"], people["ada"], people["pia"]
    readings.evaluation(db)
    result = readings.decided(db, paul, pia)
    readings.read_again(db, readings.open_reading_of(db, result), ada, True)
    accept_passed(db)
    owners.confirm_owner(db, paul.id, "paul.example")

    assert reasons(db, paul, ada) == ("examined_in_return",)
    db.execute("UPDATE blind_verdicts SET given_at = ?", [now() - timedelta(days=31)])
    assert reasons(db, paul, ada) == ()


def test_whose_class_was_marked_by_the_candidate_cannot_examine_it_in_return(db, people):
    ada = people["ada"]
    class_work.evaluation(db)
    _, (ann, _), _ = class_work.marked_class(db, ada)
    qualify_by_pass(db, ann, people["pia"])

    assert reasons(db, ann, ada) == ("examined_in_return",)


def test_the_rule_on_examining_in_return_does_not_bind_the_appointed(db, people):
    make.result(db, people["paul"], people["ada"])
    appointments.appoint(db, people["paul"].id, EXAM, None)
    assert reasons(db, people["paul"], people["ada"]) == ()


def test_many_candidates_are_assessed_in_their_order(db, people):
    appointments.appoint(db, people["paul"].id, EXAM, None)
    db.execute("UPDATE agents SET owner = 'Acme' WHERE name IN ('paul', 'pia')")
    asked = [ExamPair(EXAM, people[name].id) for name in ("pia", "ada", "paul")] + [ExamPair(EXAM, None)]
    found = [worth.reasons for worth in qualifying.assess_each(db, "qualified", people["paul"], asked)]
    assert found == [("same_owner",), (), ("same_account", "same_owner"), ()]


def test_an_empty_session_gives_practice_everywhere(db, people):
    started, _ = make.claim(db, people["ada"], people["paul"])
    result = proctoring.submit(db, EXAM, started.id, people["paul"], Verdict(True, score=100), "anyone")
    assert (result.official, result.official_reasons, result.points_earned) == (False, ["too_few_messages"], 0)


def test_one_side_alone_is_not_an_exam(db, people):
    started, claimed = make.claim(db, people["ada"], people["paul"])
    make.talk(db, claimed.session, people["paul"])
    result = proctoring.submit(db, EXAM, started.id, people["paul"], Verdict(True), "anyone")
    assert result.official_reasons == ["too_few_messages"]


def test_the_verdict_of_a_stranger_is_practice_on_a_public_hub(db, people):
    started, claimed = make.claim(db, people["ada"], people["paul"])
    make.talk(db, claimed.session, people["paul"], people["ada"])
    result = proctoring.submit(db, EXAM, started.id, people["paul"], Verdict(True), "qualified")
    assert result.official_reasons == ["not_qualified"]


def test_every_criterion_has_to_be_marked_on_a_public_hub(db, people):
    criteria = [{"id": "please", "text": "Says please."}, {"id": "thanks", "text": "Says thanks."}]
    make.evaluation(db, id="thanks", sip=9, config={"summary": "x", "max_score": 10, "criteria": criteria})
    appointments.appoint(db, people["paul"].id, None, None)
    for marks, found in [({"please": True}, ["criteria_unmarked"]), ({"please": True, "thanks": False}, [])]:
        started, claimed = make.claim(db, people["ada"], people["paul"], "thanks")
        make.talk(db, claimed.session, people["paul"], people["ada"])
        data = {"criteria": [{"id": id_, "met": met} for id_, met in marks.items()]}
        result = proctoring.submit(db, "thanks", started.id, people["paul"], Verdict(True, data=data), "qualified")
        assert result.official_reasons == found
