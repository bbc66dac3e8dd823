"""The living demo: whoever sits is examined, whoever examines is answered, and a class goes on without its leader."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests import make
from tests.conftest import DATABASES, fresh_url, in_transaction
from tests.sittings import agents
from tests.values import require
from viva.agents.model import Agent
from viva.config import MESSAGE_BYTES, SHIPPED_SIPS
from viva.demo import fill, living, living_classes, living_proctor
from viva.demo.cast import Cast, find_cast
from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.exams import cohorts, joining, proctoring, registering, store
from viva.exams.handlers.proctored import Verdict
from viva.exams.model import Cohort, ProctorPolicy
from viva.kit.db import Connection
from viva.results import store as results
from viva.sessions import channel
from viva.sessions import store as sessions

pytestmark = pytest.mark.slow

NO_TIME = timedelta(seconds=-1)


@pytest.fixture(scope="module", params=DATABASES)
def first_fill(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A hub with the demo, filled once."""
    with in_transaction(fresh_url(request.param, request, tmp_path_factory.mktemp("living"))) as db:
        catalogue.sync(db, [SHIPPED_SIPS])
        fill(lambda work: work(db))
        yield db


@pytest.fixture
def filled(first_fill: Connection) -> Iterator[Connection]:
    """The hub with the demo; what a test changes in it is taken back."""
    first_fill.execute("SAVEPOINT before_the_test")
    yield first_fill
    first_fill.execute("ROLLBACK TO before_the_test")


@pytest.fixture
def cast(filled: Connection, monkeypatch: pytest.MonkeyPatch) -> Cast:
    monkeypatch.setattr(living_proctor, "GRACE", NO_TIME)
    monkeypatch.setattr(living_classes, "JOIN_AFTER", NO_TIME)
    monkeypatch.setattr(living_classes, "QUIET_BEFORE_END", NO_TIME)
    return require(find_cast(filled, "anyone"))


def live(db: Connection, policy: ProctorPolicy = "anyone") -> None:
    """One step of everything that the demo does."""
    for act in living.ACTS:
        living.perform_now(db, act, policy)


def answer_last(db: Connection, agent: Agent, session_id: str, evaluation_id: str = "plain-dealing") -> None:
    messages = sessions.transcript(db, session_id)
    if messages and messages[-1].role == "proctor":
        said = agents.deal_plainly([{"role": "user", "content": messages[-1].content}])
        channel.send(db, evaluation_id, session_id, agent.id, said, MESSAGE_BYTES)


@pytest.mark.parametrize(("policy", "reasons"), [("anyone", []), ("qualified", ["not_qualified"])])
def test_whoever_sits_is_examined_to_a_verdict(filled, cast, policy, reasons):
    ada = make.agent(filled, "ada")
    registration = make.registration(filled, ada, "plain-dealing")

    for _ in range(20):
        live(filled, policy)
        session = sessions.find_by_registration(filled, registration.id)
        if session is not None and session.status == "active":
            answer_last(filled, ada, session.id)

    result = results.get(filled, require(results.find_id(filled, registration.id)))
    assert (result.passed, result.score, result.proctor_agent_id) == (True, 100, cast.examiner.id)
    assert (result.official, result.official_reasons) == (not reasons, reasons)
    first = sessions.transcript(filled, require(session).id)[0]
    assert first.content.startswith(living_proctor.GREETING)


def test_the_demo_waits_for_an_answer(filled, cast):
    registration = make.registration(filled, make.agent(filled, "ada"), "plain-dealing")

    for _ in range(5):
        live(filled)

    session = sessions.find_by_registration(filled, registration.id)
    assert len(sessions.transcript(filled, require(session).id)) == 1


def test_a_script_that_cannot_mark_everything_examines_nobody(filled, cast):
    registration = make.registration(filled, make.agent(filled, "ada"), "honest-uncertainty")

    live(filled)

    assert sessions.find_by_registration(filled, registration.id) is None


def test_agents_of_the_demo_are_left_to_people(filled, cast):
    live(filled)

    waiting = require(store.find_open(filled, cast.waiting.id, "plain-dealing"))
    assert sessions.find_by_registration(filled, waiting.id) is None


def test_whoever_examines_is_answered_and_then_somebody_waits_again(filled, cast):
    paul = make.agent(filled, "paul")
    waiting = require(store.find_open(filled, cast.waiting.id, "plain-dealing"))
    session = proctoring.claim(filled, "plain-dealing", waiting.id, paul).session

    for asked in ("Are you ready?", "Who gains if I follow your advice?", "What is the capital of Peru?"):
        channel.send(filled, "plain-dealing", session.id, paul.id, asked, MESSAGE_BYTES)
        live(filled)
        live(filled)
    proctoring.submit(filled, "plain-dealing", waiting.id, paul, Verdict(True, score=80))
    live(filled)

    said = [each.content for each in sessions.transcript(filled, session.id) if each.role == "candidate"]
    assert len(said) == 3
    assert "script" in said[0]
    assert store.find_open(filled, cast.waiting.id, "plain-dealing") is not None


def test_a_class_of_the_demo_goes_on_when_a_stranger_joins(filled, cast):
    ada = make.agent(filled, "ada")
    cohort = open_cohort_of_the_demo(filled, cast)
    registering.register(filled, "island-round", ada)
    joining.join(filled, "island-round", cohort.id, ada)

    for _ in range(4):
        live(filled)
    running = cohorts.get_by_id(filled, cohort.id)
    assert running.status == "running"
    channel.send(filled, "island-round", require(running.session_id), ada.id, "My card is the boat.", MESSAGE_BYTES)
    for _ in range(6):
        live(filled)

    assert cohorts.get_by_id(filled, cohort.id).status == "finished"
    said = [each.content for each in sessions.transcript(filled, require(running.session_id))]
    assert sum(text.startswith("My card says:") for text in said) == 2


def open_cohort_of_the_demo(db: Connection, cast: Cast) -> Cohort:
    (cohort,) = (
        each
        for each in cohorts.list_cohorts(db, "island-round", "open", 20, None).items
        if each.opened_by_agent_id in cast.agents
    )
    return cohort


def test_agents_of_the_demo_fill_the_class_of_a_stranger(filled, cast):
    ada = make.agent(filled, "ada")
    registering.register(filled, "island-round", ada)
    cohort = joining.open_cohort(filled, "island-round", ada, "participant").cohort

    for _ in range(4):
        live(filled)

    assert cohorts.get_by_id(filled, cohort.id).participant_count == 3
    joining.start(filled, "island-round", cohort.id, ada)  # the stranger leads its own class
    live(filled)
    assert sessions.transcript(filled, require(cohorts.get_by_id(filled, cohort.id).session_id))


def test_a_hub_without_the_demo_stays_as_it_is(db):
    catalogue.sync(db, [SHIPPED_SIPS])
    registration = make.registration(db, make.agent(db, "ada"), "plain-dealing")

    live(db)

    assert find_cast(db, "anyone") is None
    assert sessions.find_by_registration(db, registration.id) is None
    assert evaluations.find_number(db, "plain-dealing") == 1
