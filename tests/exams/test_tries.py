"""What uses a try of a proctored exam: somebody entitled has examined. A stranger never uses up the tries of others."""

from datetime import timedelta

import pytest

from tests import make
from viva.agents import accounts
from viva.agents import store as agents
from viva.agents.model import Agent, AgentDetails
from viva.exams import appointments, proctoring, registering, states, store
from viva.exams.handlers.proctored import Verdict
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.sessions.model import Session
from viva.sessions.store import AlreadyClaimed

EXAM = "good-manners"


@pytest.fixture
def ada(db):
    make.evaluation(db, config={"max_tries": 1})
    return make.agent(db, "ada")


@pytest.fixture
def paul(db):
    """A proctor whom a maintainer has appointed, on a hub where not everybody is one."""
    paul = make.agent(db, "paul")
    appointments.appoint(db, paul.id, None, None)
    return paul


def say(db: Connection, session: Session, speaker: Agent) -> None:
    channel.send(db, EXAM, session.id, speaker.id, "Good morning.", 1_000)


def later(db: Connection, session: Session) -> None:
    """Let the claim be an hour old."""
    db.execute("UPDATE evaluation_sessions SET started_at = ? WHERE id = ?", [now() - timedelta(hours=1), session.id])


def tries(db: Connection, candidate: Agent) -> int:
    return store.count_tries(db, [candidate.id], EXAM).number


def claim(db: Connection, candidate: Agent, proctor: Agent) -> Session:
    started = make.registration(db, candidate, EXAM)
    return proctoring.claim(db, EXAM, started.id, proctor, "qualified").session


def submit(db: Connection, candidate: Agent, proctor: Agent) -> bool:
    """Whether the verdict of not passed is official."""
    registration = store.find_open(db, candidate.id, EXAM)
    assert registration
    return proctoring.submit(db, EXAM, registration.id, proctor, Verdict(False), "qualified").official


def test_a_stranger_who_claims_and_writes_costs_no_try(db, ada):
    stranger = make.agent(db, "stranger")
    session = claim(db, ada, stranger)
    for speaker in (stranger, ada, stranger):
        say(db, session, speaker)

    left = registering.cancel(db, EXAM, ada)

    assert states.find_state(db, left) == "cancelled"
    assert tries(db, ada) == 0
    assert registering.register(db, EXAM, ada).is_new


def test_a_claim_without_a_word_of_the_proctor_costs_no_try(db, ada, paul):
    say(db, claim(db, ada, paul), ada)

    registering.cancel(db, EXAM, ada)

    assert tries(db, ada) == 0


def test_who_leaves_after_the_first_question_of_an_entitled_proctor_has_used_a_try(db, ada, paul):
    say(db, claim(db, ada, paul), paul)

    left = registering.cancel(db, EXAM, ada)

    assert states.find_state(db, left) == "withdrawn"
    assert tries(db, ada) == 1


def test_a_stranger_who_claims_later_does_not_take_the_question_back(db, ada, paul):
    session = claim(db, ada, paul)
    say(db, session, paul)
    registration_id = session.registration_id or ""
    proctoring.release(db, EXAM, registration_id, paul)
    proctoring.claim(db, EXAM, registration_id, make.agent(db, "stranger"), "qualified")

    registering.cancel(db, EXAM, ada)

    assert tries(db, ada) == 1


def test_practice_costs_a_try_only_with_an_entitled_proctor(db, ada, paul):
    for proctor, used in ((make.agent(db, "stranger"), 0), (paul, 1)):
        registration, _ = registering.register(db, EXAM, ada, is_practice=True)
        make.start(db, EXAM, ada)
        session = proctoring.claim(db, EXAM, registration.id, proctor, "qualified").session
        for speaker in (proctor, ada):
            say(db, session, speaker)
        submit(db, ada, proctor)
        assert tries(db, ada) == used


def test_nobody_gets_out_of_a_try_by_naming_the_proctors_owner(db, ada, paul):
    agents.change_details(db, paul.id, AgentDetails(owner="The house of Paul"))
    session = claim(db, ada, paul)
    for speaker in (paul, ada):
        say(db, session, speaker)
    later(db, session)
    agents.change_details(db, ada.id, AgentDetails(owner="The house of Paul"))

    assert not submit(db, ada, paul)
    assert tries(db, ada) == 1


def test_nobody_gets_out_of_a_try_by_silence(db, ada, paul):
    session = claim(db, ada, paul)
    say(db, session, paul)
    later(db, session)

    assert not submit(db, ada, paul)
    assert tries(db, ada) == 1


def test_a_hasty_verdict_on_a_silent_candidate_costs_no_try(db, ada, paul):
    say(db, claim(db, ada, paul), paul)

    assert not submit(db, ada, paul)
    assert tries(db, ada) == 0


def test_a_verdict_that_the_proctor_gives_as_practice_costs_no_try(db, ada, paul):
    session = claim(db, ada, paul)
    for speaker in (paul, ada):
        say(db, session, speaker)
    later(db, session)

    proctoring.submit(db, EXAM, session.registration_id or "", paul, Verdict(False, is_practice=True), "qualified")

    assert tries(db, ada) == 0


def test_a_claim_that_can_only_be_practice_gives_way_to_a_proctor_who_examines_officially(db, ada, paul):
    stranger, other = make.agent(db, "stranger"), make.agent(db, "other")
    held = claim(db, ada, stranger)
    say(db, held, stranger)
    registration = store.find_open(db, ada.id, EXAM)
    assert registration
    for proctor, is_listed in ((other, False), (paul, True)):
        of_exam = proctoring.list_waiting(db, EXAM, 10, None, proctor).items
        everywhere = proctoring.list_waiting_everywhere(db, proctor, 10)
        assert [bool(of_exam), bool(everywhere)] == [is_listed] * 2
    for take in (
        lambda: proctoring.claim(db, EXAM, registration.id, other),
        lambda: proctoring.claim_next(db, EXAM, other),
    ):
        with pytest.raises((AlreadyClaimed, proctoring.NobodyWaits)), make.unit(db):
            take()

    taken = proctoring.claim_next(db, EXAM, paul).session

    assert sessions.get(db, EXAM, held.id).status == "ended"
    with pytest.raises(proctoring.NotYourCandidate):
        proctoring.submit(db, EXAM, registration.id, stranger, Verdict(False))
    with pytest.raises(AlreadyClaimed), make.unit(db):  # an official claim stays, also against a maintainer
        proctoring.claim(db, EXAM, registration.id, accounts.promote(db, "mary").agent)
    for speaker in (paul, ada):
        say(db, taken, speaker)
    assert submit(db, ada, paul)


def test_practice_that_the_candidate_asked_for_gives_way_to_nobody(db, ada, paul):
    started = make.registration(db, ada, EXAM)
    db.execute("UPDATE evaluation_registrations SET is_practice = TRUE WHERE id = ?", [started.id])
    proctoring.claim(db, EXAM, started.id, make.agent(db, "stranger"))

    assert proctoring.list_waiting(db, EXAM, 10, None, paul).items == []
    with pytest.raises(proctoring.NobodyWaits):
        proctoring.claim_next(db, EXAM, paul)
    with pytest.raises(AlreadyClaimed):
        proctoring.claim(db, EXAM, started.id, paul)
