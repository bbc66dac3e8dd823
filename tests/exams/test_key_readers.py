"""Whoever could read the answers or the rubric of a version gets only practice there, and is told beforehand."""

from typing import Any

import pytest

from tests import make
from tests.contributions.submitted import submission
from tests.exams import certification, class_work, quiz, readings
from tests.exams.certification import EXAM
from viva.agents import accounts, owners
from viva.agents import store as agents
from viva.agents.model import Agent
from viva.contributions import collaborators
from viva.evaluations.sip import Executable
from viva.exams import (
    account_deletion,
    appointments,
    key_readers,
    proctoring,
    prospects,
    registering,
    rereading,
    starting,
    store,
    submitting,
    waiting_list,
    waiting_worth,
)
from viva.exams.handlers.proctored import Verdict
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.maintaining import rights
from viva.results.model import NamedResult

READ: list[Any] = ["read_the_keys"]


@pytest.fixture
def ada(db) -> Agent:
    return make.agent(db, "ada")


def sit_quiz(db: Connection, agent: Agent) -> NamedResult:
    """Every right answer, decided by the hub."""
    registering.register(db, quiz.ID, agent)
    starting.start(db, make.STRICT_HALL, quiz.ID, agent, "")
    exam = submitting.exam_of(db, make.STRICT_HALL, quiz.ID, agent, "")
    result = submitting.submit(db, exam, {"answers": quiz.RIGHT}).result
    assert result
    return result


def put_quiz(db: Connection, version: str = "1.0.0", **more: Any) -> None:
    make.evaluation(db, **quiz.fields(questions=quiz.QUESTIONS[:-1], **more) | {"version": version})


def worth(result: NamedResult) -> tuple[bool, list[str], float]:
    return result.official, result.official_reasons, result.points_earned


def test_who_marked_a_sheet_sits_that_version_only_for_practice_and_is_told_so(db, ada):
    evaluation = certification.evaluation(db, max_tries=1)
    paul = make.agent(db, "paul")
    assert prospects.foresee_for(db, "qualified", evaluation, ada).official is None
    make.take_sheet(db, EXAM, certification.handed_to_proctors(db, paul), ada)

    told = prospects.foresee_for(db, "qualified", evaluation, ada)
    registration_id = certification.handed_to_proctors(db, ada)
    (waiting,) = [
        each for each in waiting_list.list_sheets(db, EXAM, 9, None).items if each.registration_id == registration_id
    ]
    (foreseen,) = waiting_worth.assess_waiting(db, "anyone", EXAM, paul, [waiting])
    (result,) = certification.mark(db, registration_id, make.agent(db, "pia"), 10, 10, 10)

    assert (told.official, told.reasons) == (False, ("read_the_keys",))
    assert foreseen.reasons == ("read_the_keys",)
    assert (result.passed, *worth(result)) == (True, False, READ, 0)
    assert store.count_tries(db, [ada.id], EXAM).number == 0


def test_another_version_is_official_again(db, ada):
    certification.evaluation(db)
    make.take_sheet(db, EXAM, certification.handed_to_proctors(db, make.agent(db, "paul")), ada)
    newer = certification.evaluation(db, "1.1.0", passingScore=60)

    assert prospects.foresee_for(db, "qualified", newer, ada).official is None
    (result,) = certification.mark(db, certification.handed_to_proctors(db, ada), make.agent(db, "pia"), 10, 10, 10)
    assert result.official


def test_a_result_of_another_account_of_the_same_verified_owner_is_practice_too(db, ada):
    put_quiz(db)
    eve = make.agent(db, "eve")
    for agent in (ada, eve):
        owners.confirm_owner(db, agent.id, "acme.example")
    appointments.appoint(db, eve.id, quiz.ID, None)
    account_deletion.delete_account(db, eve)

    assert worth(sit_quiz(db, ada)) == (False, READ, 0)
    assert sit_quiz(db, make.agent(db, "bob")).official


@pytest.mark.parametrize("evaluation_id", [quiz.ID, None])
def test_an_appointed_proctor_sits_for_practice_also_after_its_dismissal(db, ada, evaluation_id):
    put_quiz(db)
    appointments.appoint(db, ada.id, evaluation_id, None)
    assert worth(sit_quiz(db, ada)) == (False, READ, 0)

    appointments.dismiss(db, ada.id, evaluation_id)

    assert worth(sit_quiz(db, ada)) == (False, READ, 0)
    put_quiz(db, "1.1.0", passing_score=60)
    assert sit_quiz(db, ada).official


def test_a_maintainer_sits_for_practice_also_after_its_dismissal(db, ada):
    put_quiz(db)
    accounts.promote(db, "mary")
    maintainer = accounts.promote(db, "ada").agent
    assert worth(sit_quiz(db, maintainer)) == (False, READ, 0)

    rights.dismiss_maintainer(db, maintainer)

    assert worth(sit_quiz(db, agents.get(db, ada.id))) == (False, READ, 0)


@pytest.mark.parametrize("is_removed", [False, True])
def test_authors_of_a_merged_contribution_sit_it_for_practice(db, ada, is_removed):
    put_quiz(db)
    bob = make.agent(db, "bob")
    merged = submission(
        db, contributor_id=ada.id, status="merged", evaluation_id=quiz.ID, sip_number=100, merged_at=now()
    )
    invited = collaborators.add(db, merged.id, "bob", "a hash")
    collaborators.join_with_account(db, "a hash", bob.id, bob.name)
    if is_removed:
        collaborators.remove(db, merged.id, invited.id)

    assert worth(sit_quiz(db, ada)) == (False, READ, 0)
    assert worth(sit_quiz(db, bob)) == (False, READ, 0)


def test_the_author_of_another_submission_sits_officially(db, ada):
    put_quiz(db)
    submission(db, contributor_id=ada.id)

    assert sit_quiz(db, ada).official


def test_who_read_a_proctored_exam_again_or_examined_it_as_a_qualified_proctor_is_examined_for_practice(db, ada):
    readings.evaluation(db)
    paul, pia, paz, mary = (make.agent(db, name) for name in ("paul", "pia", "paz", "mary"))
    rereading.take(db, readings.EXAM, readings.open_reading_of(db, readings.decided(db, pia, paul)).id, ada, "anyone")
    appointments.appoint(db, paz.id, readings.EXAM, None)
    make.claim(db, make.agent(db, "bob"), paz)
    appointments.dismiss(db, paz.id, readings.EXAM)
    appointments.appoint(db, mary.id, None, None)

    for candidate in (ada, paz, paul):
        started, claimed = make.claim(db, candidate, mary)
        make.talk(db, claimed.session, mary, candidate)
        result = proctoring.submit(db, readings.EXAM, started.id, mary, Verdict(True, score=90), "qualified")
        assert result.official_reasons == ([] if candidate is paul else READ)
        foreseen = waiting_worth.assess_registration(db, "qualified", started.id, mary)
        assert list(foreseen.reasons) == result.official_reasons


def test_where_anyone_may_examine_agents_examine_each_other_officially(db, ada):
    make.evaluation(db)
    paul = make.agent(db, "paul")
    appointments.appoint(db, ada.id, None, None)

    assert make.result(db, paul, ada).official
    assert make.result(db, ada, paul).official


def test_who_marked_a_class_is_informed_of_its_version(db, ada):
    evaluation = class_work.evaluation(db)
    class_work.marked_class(db, ada)

    assert key_readers.has_read_keys(db, evaluation, ada.id)


def test_an_exam_that_is_new_for_each_attempt_has_no_keys(db, ada):
    maintainer = accounts.promote(db, "ada").agent
    fields = {"sip": 71, "id": "work", "type": "simple_pass_fail", "config": {}}
    evaluation = make.evaluation(db, **fields, executable=Executable("proof_of_agentic_work", None))
    started = make.registration(db, maintainer, "work")

    assert not key_readers.has_read_keys(db, evaluation, maintainer.id)
    assert not key_readers.is_informed(db, started)
    assert prospects.foresee_for(db, "qualified", evaluation, maintainer).official
