"""Registering for an evaluation, starting it, and withdrawing from it."""

from datetime import timedelta

import pytest

from tests import make
from viva.config import SHIPPED_SIPS
from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.evaluations.sip import Executable
from viva.evaluations.sip_fields import EVALUATION_TYPES
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import attempts, proctoring, registering, store, submitting
from viva.exams.challenges import AlreadyHandedIn
from viva.exams.registering import CannotBeTaken, CoolingDown, NotActive, NoTriesLeft, PrerequisitesMissing
from viva.exams.store import NotRegistered
from viva.exams.submitting import ClassDecides, NotStarted, ProctorDecides
from viva.kit.clock import now
from viva.sessions import store as sessions


@pytest.fixture
def ada(db):
    return make.agent(db, "ada")


@pytest.fixture
def evaluation(db):
    return make.evaluation(db)


# Registering


def test_registering_gives_a_place_that_is_not_started(db, ada, evaluation):
    registration, is_new = registering.register(db, "good-manners", ada)

    assert is_new
    assert registration.id.startswith("eval_reg_")
    assert (registration.agent_id, registration.evaluation_id, registration.status) == (
        ada.id,
        "good-manners",
        "registered",
    )
    assert (registration.started_at, registration.evaluation_version, registration.completed_at) == (None, None, None)


@pytest.mark.parametrize("started", [False, True])
def test_registering_again_gives_the_open_place(db, ada, evaluation, started):
    first = make.registration(db, ada) if started else registering.register(db, "good-manners", ada).registration

    assert registering.register(db, "SIP-7", ada) == (first, False)


def test_who_withdrew_may_register_anew(db, ada, evaluation):
    first = registering.register(db, "good-manners", ada).registration
    registering.cancel(db, "good-manners", ada)

    again = registering.register(db, "good-manners", ada)

    assert again.is_new
    assert again.registration.id != first.id


def test_who_was_decided_on_may_register_anew(db, ada, evaluation):
    make.result(db, ada, make.agent(db, "paul"), passed=False)

    assert registering.register(db, "good-manners", ada).is_new


def test_there_is_no_place_in_what_is_not_there(db, ada):
    with pytest.raises(NoSuchEvaluation):
        registering.register(db, "good-manners", ada)


@pytest.mark.parametrize(("status", "error"), [("draft", NoSuchEvaluation), ("retired", registering.NotActive)])
def test_only_active_evaluations_are_registered_for(db, ada, status, error):
    make.evaluation(db, status=status)

    with pytest.raises(error):
        registering.register(db, "good-manners", ada)


def test_what_this_hub_cannot_run_is_not_registered_for(db, ada):
    make.evaluation(db, type="complex_benchmark", executable=Executable("benchmark", None))

    with pytest.raises(CannotBeTaken):
        registering.register(db, "good-manners", ada)


def test_a_broken_evaluation_is_named_with_its_reason_and_the_others_are_not(db, evaluation):
    make.evaluation(db, id="tea-making", sip=8, executable=Executable("tea_ceremony", "tea.py"))

    (broken,) = registering.list_broken(db)

    assert broken.evaluation.id == "tea-making"
    assert broken.reason == "No handler is called tea_ceremony."


def test_every_evaluation_that_viva_ships_can_be_taken(db):
    catalogue.sync(db, [SHIPPED_SIPS])

    assert registering.list_broken(db) == []
    assert {evaluation.type for evaluation in evaluations.list_active(db)} == set(EVALUATION_TYPES)


# Tries


@pytest.fixture
def twice(db):
    return make.evaluation(db, config={"max_tries": 2})


def test_there_are_as_many_tries_as_the_evaluation_says(db, ada, twice):
    paul = make.agent(db, "paul")
    make.result(db, ada, paul, passed=False)
    make.result(db, ada, paul, passed=True)

    with pytest.raises(NoTriesLeft, match="all your 2 tries"), make.unit(db):
        registering.register(db, "good-manners", ada)

    assert store.find_open(db, ada.id, "good-manners") is None
    assert registering.register(db, "good-manners", paul).is_new


def test_withdrawing_costs_no_try(db, ada, twice):
    for _ in range(3):
        make.registration(db, ada)
        registering.cancel(db, "good-manners", ada)

    assert registering.register(db, "good-manners", ada).is_new


def test_between_two_tries_time_has_to_pass(db, ada):
    make.evaluation(db, config={"cooldown_minutes": 10})
    make.result(db, ada, make.agent(db, "paul"), passed=False)

    with pytest.raises(CoolingDown) as refused, make.unit(db):
        registering.register(db, "good-manners", ada)

    assert 590 <= (refused.value.retry_after or 0) <= 600
    db.execute("UPDATE evaluation_registrations SET completed_at = ?", [now() - timedelta(minutes=10)])
    assert registering.register(db, "good-manners", ada).is_new


def test_who_has_used_all_tries_still_has_the_open_place(db, ada, twice):
    make.result(db, ada, make.agent(db, "paul"), passed=False)
    make.registration(db, ada)

    assert not registering.register(db, "good-manners", ada).is_new


# Prerequisites


@pytest.fixture
def advanced(db, evaluation):
    make.evaluation(db, id="tea-making", sip=8)
    return make.evaluation(db, id="high-tea", sip=9, prerequisites=("good-manners", "tea-making"))


def test_prerequisites_that_are_missing_are_named(db, ada, advanced):
    make.result(db, ada, make.agent(db, "paul"), evaluation_id="tea-making")

    with pytest.raises(PrerequisitesMissing, match=r"Pass these evaluations first: good-manners\.$"):
        registering.register(db, "high-tea", ada)


def test_a_failed_prerequisite_is_missing(db, ada, advanced):
    paul = make.agent(db, "paul")
    make.result(db, ada, paul, passed=True)
    make.result(db, ada, paul, passed=False, evaluation_id="tea-making")

    with pytest.raises(PrerequisitesMissing, match=r": tea-making\.$"):
        registering.register(db, "high-tea", ada)


def test_what_another_agent_passed_does_not_count(db, ada, advanced):
    paul = make.agent(db, "paul")
    make.result(db, paul, ada)
    make.result(db, paul, ada, evaluation_id="tea-making")

    with pytest.raises(PrerequisitesMissing, match=r": good-manners, tea-making\.$"):
        registering.register(db, "high-tea", ada)


def test_who_passed_all_prerequisites_is_registered_even_after_failing_one_again(db, ada, advanced):
    paul = make.agent(db, "paul")
    make.result(db, ada, paul)
    make.result(db, ada, paul, evaluation_id="tea-making")
    make.result(db, ada, paul, passed=False)

    assert registering.register(db, "high-tea", ada).is_new


# Starting


def test_starting_pins_version_and_digest(db, ada, evaluation):
    registering.register(db, "good-manners", ada)

    started = make.start(db, "good-manners", ada)

    assert started.status == "in_progress"
    assert started.started_at is not None
    assert (started.evaluation_version, started.evaluation_digest) == ("1.0.0", evaluation.digest)


def test_a_version_that_comes_between_registering_and_starting_is_the_one_taken(db, ada, evaluation):
    registering.register(db, "good-manners", ada)
    newer = make.evaluation(db, version="1.1.0", points=20)

    started = make.start(db, "good-manners", ada)

    assert (started.evaluation_version, started.evaluation_digest) == ("1.1.0", newer.digest)
    assert newer.digest != evaluation.digest


def test_starting_twice_changes_nothing(db, ada, evaluation):
    first = make.registration(db, ada)
    make.evaluation(db, version="1.1.0", points=20)

    assert make.start(db, "good-manners", ada) == first


def test_who_has_no_place_cannot_start(db, ada, evaluation):
    registering.register(db, "good-manners", make.agent(db, "paul"))

    with pytest.raises(NotRegistered):
        make.start(db, "good-manners", ada)


def test_who_was_decided_on_cannot_start_again_without_a_new_place(db, ada, evaluation):
    make.result(db, ada, make.agent(db, "paul"))

    with pytest.raises(NotRegistered):
        make.start(db, "good-manners", ada)


def test_an_evaluation_that_was_retired_meanwhile_is_not_started(db, ada, evaluation):
    registering.register(db, "good-manners", ada)
    make.evaluation(db, status="retired")

    with pytest.raises(NotActive):
        make.start(db, "good-manners", ada)


# Withdrawing


def test_who_has_not_started_may_withdraw(db, ada, evaluation):
    registration = registering.register(db, "good-manners", ada).registration

    cancelled = registering.cancel(db, "good-manners", ada)

    assert (cancelled.id, cancelled.status, cancelled.started_at) == (registration.id, "cancelled", None)
    assert cancelled.completed_at is not None


def test_who_waits_and_withdraws_waits_no_more(db, ada, evaluation):
    make.registration(db, ada)

    registering.cancel(db, "good-manners", ada)

    assert proctoring.list_waiting(db, "good-manners", 10, None).items == []


def test_withdrawing_while_examined_ends_the_session_without_a_verdict(db, ada, evaluation):
    registration, (session, _) = make.claim(db, ada, make.agent(db, "paul"))

    cancelled = registering.cancel(db, "good-manners", ada)

    ended = sessions.get(db, "good-manners", session.id)
    assert cancelled.status == "cancelled"
    assert (ended.status, ended.registration_id) == ("ended", registration.id)
    assert db.execute("SELECT count(*) FROM evaluation_results").fetchone() == (0,)


@pytest.mark.parametrize("how", ["never registered", "withdrew before", "was decided on"])
def test_who_has_no_open_place_cannot_withdraw(db, ada, evaluation, how):
    if how == "withdrew before":
        registering.register(db, "good-manners", ada)
        registering.cancel(db, "good-manners", ada)
    if how == "was decided on":
        make.result(db, ada, make.agent(db, "paul"))

    with pytest.raises(NotRegistered):
        registering.cancel(db, "good-manners", ada)


def test_a_retired_evaluation_can_still_be_withdrawn_from(db, ada, evaluation):
    make.registration(db, ada)
    make.evaluation(db, status="retired")

    assert registering.cancel(db, "good-manners", ada).status == "cancelled"


def test_places_in_other_evaluations_are_left_alone(db, ada, evaluation):
    make.evaluation(db, id="tea-making", sip=8)
    other = make.registration(db, ada, "tea-making")
    make.registration(db, ada)

    registering.cancel(db, "good-manners", ada)

    assert store.find_open(db, ada.id, "tea-making") == other
    assert store.list_open(db, ada.id) == [other]


# Handing in


def submit(db, agent):
    return submitting.submit(db, submitting.exam_of(db, make.HALL, "good-manners", agent, ""), {})


def test_a_candidate_does_not_hand_in_what_a_proctor_decides(db, ada, evaluation):
    with pytest.raises(ProctorDecides):
        submit(db, ada)


def test_nobody_hands_in_class_work(db, ada):
    make.evaluation(db, type="live_class_work", executable=Executable("live_class_work", None))

    with pytest.raises(ClassDecides):
        submit(db, ada)


def test_who_is_not_registered_or_has_not_started_hands_in_nothing(db, ada):
    make.evaluation(db, type="simple_pass_fail", executable=Executable("proof_of_agentic_work", None))

    with pytest.raises(NotRegistered):
        submit(db, ada)

    registering.register(db, "good-manners", ada)
    with pytest.raises(NotStarted):
        submit(db, ada)


def test_what_was_handed_in_cannot_be_withdrawn(db, ada):
    make.evaluation(db, type="simple_pass_fail", executable=Executable("proof_of_agentic_work", None))
    registration = make.registration(db, ada)
    attempts.add(db, registration.id, {})

    with pytest.raises(AlreadyHandedIn):
        registering.cancel(db, "good-manners", ada)
