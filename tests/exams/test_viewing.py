"""Who may look into a session, and the way from a result to its transcript."""

import pytest

from tests import make
from viva.agents import accounts
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import proctoring, registering, viewing
from viva.exams.handlers.proctored import Verdict
from viva.exams.viewing import NotForYou
from viva.kit.errors import Unauthorized
from viva.results.store import NoSuchResult
from viva.sessions.store import NoSuchSession

EXAM = "good-manners"
EVERYBODY = ["nobody", "candidate", "proctor", "stranger", "maintainer"]


@pytest.fixture
def people(db):
    make.evaluation(db)
    return {
        "nobody": None,
        "candidate": make.agent(db, "ada"),
        "proctor": make.agent(db, "paul"),
        "stranger": make.agent(db, "pia"),
        "maintainer": accounts.promote(db, "grace").agent,
    }


@pytest.fixture
def session(db, people):
    return make.claim(db, people["candidate"], people["proctor"])[1].session


@pytest.mark.parametrize("who", ["candidate", "proctor", "maintainer"])
def test_participants_and_maintainers_look_into_a_running_session(db, people, session, who):
    assert viewing.get_session(db, EXAM, session.id, people[who]) == session


@pytest.mark.parametrize(("who", "error"), [("nobody", Unauthorized), ("stranger", NotForYou)])
def test_nobody_else_looks_into_a_running_session(db, people, session, who, error):
    with pytest.raises(error):
        viewing.get_session(db, EXAM, session.id, people[who])


@pytest.mark.parametrize("who", EVERYBODY)
def test_everybody_looks_into_an_ended_session(db, people, session, who):
    make.submit(db, EXAM, session.registration_id, people["proctor"], Verdict(True))

    assert viewing.get_session(db, EXAM, session.id, people[who]).status == "ended"


@pytest.mark.parametrize("who", EVERYBODY)
def test_everybody_looks_into_a_running_session_of_an_observable_evaluation(db, people, session, who):
    make.evaluation(db, version="1.1.0", config={"observable": True})

    assert viewing.get_session(db, EXAM, session.id, people[who]).status == "active"


@pytest.mark.parametrize("ended_by", ["release", "cancel"])
def test_a_session_that_ended_without_a_verdict_stays_with_its_participants(db, people, session, ended_by):
    if ended_by == "release":
        proctoring.release(db, EXAM, session.registration_id, people["proctor"])
    else:
        registering.cancel(db, EXAM, people["candidate"])

    for who in ("candidate", "proctor", "maintainer"):
        assert viewing.get_session(db, EXAM, session.id, people[who]).status == "ended"
    with pytest.raises(NotForYou):
        viewing.get_session(db, EXAM, session.id, people["stranger"])
    with pytest.raises(Unauthorized):
        viewing.get_session(db, EXAM, session.id, None)


def test_a_session_is_found_by_the_evaluations_number_too(db, people, session):
    assert viewing.get_session(db, "SIP-7", session.id, people["candidate"]) == session


def test_a_session_is_not_found_in_another_evaluation_even_by_maintainers(db, people, session):
    make.evaluation(db, id="tea-making", sip=8)

    with pytest.raises(NoSuchSession):
        viewing.get_session(db, "tea-making", session.id, people["maintainer"])
    with pytest.raises(NoSuchSession):
        viewing.get_session(db, EXAM, "eval_sess_x", people["maintainer"])


def test_a_result_leads_to_its_session(db, people):
    result = make.result(db, people["candidate"], people["proctor"])

    assert (
        viewing.get_session_of_result(db, viewing.get_result_in(db, "SIP-7", result.id, None), None).id
        == result.session_id
    )


def test_a_result_without_a_session_leads_to_none(db, people):
    result = make.result(db, people["candidate"], people["proctor"])
    db.execute("UPDATE evaluation_results SET session_id = NULL")

    with pytest.raises(NoSuchSession, match="result has no session"):
        viewing.get_session_of_result(db, viewing.get_result_in(db, EXAM, result.id, None), None)


def test_a_result_is_only_found_in_its_own_evaluation(db, people):
    result = make.result(db, people["candidate"], people["proctor"])
    make.evaluation(db, id="tea-making", sip=8)

    with pytest.raises(NoSuchResult):
        viewing.get_result_in(db, "tea-making", result.id, None)
    with pytest.raises(NoSuchEvaluation):
        viewing.get_result_in(db, "nothing", result.id, None)
