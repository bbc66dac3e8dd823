"""What becomes of an exam when two do things to it at once: one of them wins, the other is told so by name."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests import make
from tests.hub import load
from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.exams import account_deletion, appointments, proctoring, registering, store
from viva.exams.handlers.proctored import Verdict
from viva.exams.proctoring import NotWaiting, NotYourCandidate
from viva.exams.store import NotRegistered
from viva.kit.db import Connection, Database
from viva.results import listing
from viva.results.listing import ResultFilter
from viva.results.store import AlreadyDecided
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.sessions.store import AlreadyClaimed

pytestmark = pytest.mark.soak
EXAM = "good-manners"
ROUNDS = range(load(1, in_soak=15))


def doing(database: Database, work: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    return lambda: database.write_now(lambda db: work(db, *args))


@pytest.fixture
def people(database) -> dict[str, Agent]:
    database.write_now(make.evaluation)
    return {name: database.write_now(lambda db, name=name: make.agent(db, name)) for name in ("ada", "paul", "pia")}


def kinds(outcomes: list[Any]) -> list[str]:
    return sorted(type(outcome).__name__ for outcome in outcomes)


class Exam:
    """What the database says of a registration."""

    def __init__(self, database: Database, registration_id: str) -> None:
        def read(db: Connection) -> tuple[Any, ...]:
            (status,) = db.execute(
                "SELECT status FROM evaluation_registrations WHERE id = ?", [registration_id]
            ).fetchone()
            kept = listing.list_results(db, ResultFilter(EXAM), "completed_at", 200, None).items
            return (
                status,
                sessions.find_by_registration(db, registration_id),
                [r for r in kept if r.registration_id == registration_id],
            )

        self.status, self.session, self.results = database.read_now(read)


# Many at once


def test_of_twenty_who_register_at_once_with_one_key_all_get_the_same_place(database, people):
    outcomes = make.together(*[doing(database, registering.register, EXAM, people["ada"])] * 20)

    assert kinds(outcomes) == ["RegistrationPlace"] * 20
    assert len({outcome.registration.id for outcome in outcomes}) == 1
    assert sum(outcome.is_new for outcome in outcomes) == 1


def test_of_twenty_who_claim_at_once_one_gets_the_candidate(database, people):
    registration = database.write_now(lambda db: make.registration(db, people["ada"]))
    proctors = [database.write_now(lambda db, n=n: make.agent(db, f"proctor-{n}")) for n in range(20)]

    outcomes = make.together(
        *(doing(database, proctoring.claim, EXAM, registration.id, proctor) for proctor in proctors)
    )

    assert kinds(outcomes) == ["AlreadyClaimed"] * 19 + ["Claim"]
    (claim,) = [outcome for outcome in outcomes if isinstance(outcome, proctoring.Claim)]
    assert Exam(database, registration.id).session == claim.session
    assert database.read_now(lambda db: db.execute("SELECT count(*) FROM evaluation_sessions").fetchone()) == (1,)


def test_of_twenty_who_claim_a_silent_claim_at_once_one_takes_over(database, people):
    registration, (silent, _) = database.write_now(lambda db: make.claim(db, people["ada"], people["paul"]))
    database.write_now(lambda db: make.silence(db, silent.id))
    proctors = [database.write_now(lambda db, n=n: make.agent(db, f"proctor-{n}")) for n in range(20)]

    outcomes = make.together(
        *(doing(database, proctoring.claim, EXAM, registration.id, proctor) for proctor in proctors)
    )

    assert kinds(outcomes) == ["AlreadyClaimed"] * 19 + ["Claim"]
    assert database.read_now(lambda db: sessions.read_state(db, silent.id)).status == "ended"


def test_of_entitled_proctors_who_take_over_from_a_stranger_at_once_one_does(database, people):
    ada, stranger = people["ada"], people["paul"]
    proctors = [database.write_now(lambda db, n=n: make.agent(db, f"proctor-{n}")) for n in range(6)]
    for proctor in proctors:
        database.write_now(lambda db, proctor=proctor: appointments.appoint(db, proctor.id, None, None))
    for _ in ROUNDS:
        registration = database.write_now(lambda db: make.registration(db, ada))
        held = database.write_now(doing_claim(registration.id, stranger)).session

        verdict, *claims = make.together(
            doing(database, proctoring.submit, EXAM, registration.id, stranger, Verdict(False)),
            *(doing(database, proctoring.claim, EXAM, registration.id, proctor) for proctor in proctors),
        )

        assert database.read_now(lambda db, held=held: sessions.read_state(db, held.id)).status == "ended"
        if isinstance(verdict, NotYourCandidate):
            assert kinds(claims) == ["AlreadyClaimed"] * 5 + ["Claim"]
            assert Exam(database, registration.id).results == []
            database.write_now(lambda db: registering.cancel(db, EXAM, ada))
        else:
            assert kinds(claims) == ["NotWaiting"] * 6
            assert Exam(database, registration.id).results == [verdict]


def doing_claim(registration_id: str, proctor: Agent) -> Callable[[Connection], proctoring.Claim]:
    return lambda db: proctoring.claim(db, EXAM, registration_id, proctor)


def test_of_twenty_verdicts_at_once_one_is_kept(database, people):
    registration, _ = database.write_now(lambda db: make.claim(db, people["ada"], people["paul"]))
    verdicts = [Verdict(number % 2 == 0, score=number) for number in range(20)]

    outcomes = make.together(
        *(doing(database, proctoring.submit, EXAM, registration.id, people["paul"], verdict) for verdict in verdicts)
    )

    assert kinds(outcomes) == ["AlreadyDecided"] * 19 + ["NamedResult"]
    (kept,) = Exam(database, registration.id).results
    assert [kept] == [outcome for outcome in outcomes if not isinstance(outcome, AlreadyDecided)]
    assert Exam(database, registration.id).status == ("completed" if kept.passed else "failed")


# Two at once, many times


def test_withdrawing_against_a_claim(database, people):
    ada, paul = people["ada"], people["paul"]
    for _ in ROUNDS:
        registration = database.write_now(lambda db: make.registration(db, ada))

        cancelled, claimed = make.together(
            doing(database, registering.cancel, EXAM, ada),
            doing(database, proctoring.claim, EXAM, registration.id, paul),
        )

        assert cancelled.status == "cancelled"
        assert isinstance(claimed, NotWaiting | proctoring.Claim)
        exam = Exam(database, registration.id)
        assert exam.status == "cancelled"
        assert (exam.session is None) == isinstance(claimed, NotWaiting)
        assert exam.session is None or exam.session.status == "ended"


def test_withdrawing_against_a_verdict(database, people):
    ada, paul = people["ada"], people["paul"]
    for _ in ROUNDS:
        registration, _ = database.write_now(lambda db: make.claim(db, ada, paul))

        cancelled, decided = make.together(
            doing(database, registering.cancel, EXAM, ada),
            doing(database, proctoring.submit, EXAM, registration.id, paul, Verdict(True)),
        )

        exam = Exam(database, registration.id)
        assert exam.session is not None
        assert exam.session.status == "ended"
        if isinstance(decided, NotWaiting):
            assert (cancelled.status, exam.status, exam.results) == ("cancelled", "cancelled", [])
        else:
            assert isinstance(cancelled, NotRegistered)
            assert (exam.status, exam.results) == ("completed", [decided])


def test_releasing_against_a_verdict(database, people):
    ada, paul = people["ada"], people["paul"]
    for _ in ROUNDS:
        registration, _ = database.write_now(lambda db: make.claim(db, ada, paul))

        released, decided = make.together(
            doing(database, proctoring.release, EXAM, registration.id, paul),
            doing(database, proctoring.submit, EXAM, registration.id, paul, Verdict(True)),
        )

        exam = Exam(database, registration.id)
        if isinstance(decided, NotYourCandidate):
            assert released.status == "in_progress"
            assert (exam.status, exam.session, exam.results) == ("in_progress", None, [])
            database.write_now(lambda db: registering.cancel(db, EXAM, ada))
        else:
            assert isinstance(released, NotWaiting)
            assert exam.session is not None
            assert (exam.status, exam.session.status, exam.results) == ("completed", "ended", [decided])


def test_releasing_against_another_claim(database, people):
    ada, paul, pia = people["ada"], people["paul"], people["pia"]
    for _ in ROUNDS:
        registration, (first, _) = database.write_now(lambda db: make.claim(db, ada, paul))

        released, claimed = make.together(
            doing(database, proctoring.release, EXAM, registration.id, paul),
            doing(database, proctoring.claim, EXAM, registration.id, pia),
        )

        assert released.status == "in_progress"
        assert isinstance(claimed, AlreadyClaimed | proctoring.Claim)
        exam = Exam(database, registration.id)
        assert exam.session == (claimed.session if isinstance(claimed, proctoring.Claim) else None)
        assert database.read_now(lambda db, first=first: sessions.read_state(db, first.id)).status == "ended"
        database.write_now(lambda db: registering.cancel(db, EXAM, ada))


def test_the_sweep_against_a_verdict(database, people):
    ada, paul = people["ada"], people["paul"]
    for _ in ROUNDS:
        registration, (session, _) = database.write_now(lambda db: make.claim(db, ada, paul))
        database.write_now(lambda db, session=session: make.silence(db, session.id))

        ended, decided = make.together(
            doing(database, proctoring.end_silent_claims),
            doing(database, proctoring.submit, EXAM, registration.id, paul, Verdict(False)),
        )

        exam = Exam(database, registration.id)
        if isinstance(decided, NotYourCandidate):
            assert (ended, exam.status, exam.session, exam.results) == (1, "in_progress", None, [])
            database.write_now(lambda db: registering.cancel(db, EXAM, ada))
        else:
            assert (ended, exam.status, exam.results) == (0, "failed", [decided])


def test_two_who_examine_each_other_can_leave_at_once(database, people):
    ada, paul = people["ada"], people["paul"]
    database.write_now(lambda db: make.claim(db, ada, paul))
    database.write_now(lambda db: make.claim(db, paul, ada))

    outcomes = make.together(
        doing(database, account_deletion.delete_account, ada), doing(database, account_deletion.delete_account, paul)
    )

    assert outcomes == [None, None]
    rows = database.read_now(lambda db: db.execute("SELECT status FROM evaluation_registrations").fetchall())
    assert [tuple(row) for row in rows] == [("cancelled",), ("cancelled",)]


# Two at once, the one in the middle of the other


def in_the_middle(
    database: Database, first: Callable[[Connection], Any], second: Callable[[Connection], Any]
) -> list[Any]:
    """What comes of two units of which the second begins when the first has done its work and is not committed yet."""
    is_done, may_commit = threading.Event(), threading.Event()

    def unit(db: Connection) -> Any:
        answer = first(db)
        is_done.set()
        assert may_commit.wait(30), "the second unit never began"
        return answer

    def after() -> Any:
        assert is_done.wait(30), "the first unit never came to its end"
        threading.Timer(0.3, may_commit.set).start()
        return database.write_now(second)

    return make.together(lambda: database.write_now(unit), after)


def test_who_withdraws_in_the_middle_of_starting_does_not_start(database, people):
    ada = people["ada"]
    database.write_now(lambda db: registering.register(db, EXAM, ada))

    cancelled, started = in_the_middle(
        database, lambda db: registering.cancel(db, EXAM, ada), lambda db: make.start(db, EXAM, ada)
    )

    assert cancelled.status == "cancelled"
    assert isinstance(started, NotRegistered), started


def test_who_withdraws_in_the_middle_of_registering_has_a_place(database, people):
    ada = people["ada"]
    database.write_now(lambda db: registering.register(db, EXAM, ada))

    cancelled, registered = in_the_middle(
        database, lambda db: registering.cancel(db, EXAM, ada), lambda db: registering.register(db, EXAM, ada)
    )

    assert registered.is_new
    assert registered.registration.id != cancelled.id


def test_a_proctor_can_leave_while_its_candidate_withdraws(database, people):
    ada, paul = people["ada"], people["paul"]
    registration, _ = database.write_now(lambda db: make.claim(db, ada, paul))

    cancelled, left = in_the_middle(
        database, lambda db: registering.cancel(db, EXAM, ada), lambda db: account_deletion.delete_account(db, paul)
    )

    assert (cancelled.status, left) == ("cancelled", None)
    assert Exam(database, registration.id).status == "cancelled"


def test_a_proctor_can_leave_while_the_sweep_ends_its_claim(database, people):
    ada, paul = people["ada"], people["paul"]
    registration, (session, _) = database.write_now(lambda db: make.claim(db, ada, paul))
    database.write_now(lambda db: make.silence(db, session.id))

    ended, left = in_the_middle(
        database, proctoring.end_silent_claims, lambda db: account_deletion.delete_account(db, paul)
    )

    assert (ended, left) == (1, None)
    assert (Exam(database, registration.id).status, Exam(database, registration.id).session) == ("in_progress", None)


def test_a_proctor_can_leave_while_its_verdict_is_kept(database, people):
    ada, paul = people["ada"], people["paul"]
    registration, _ = database.write_now(lambda db: make.claim(db, ada, paul))

    decided, left = in_the_middle(
        database,
        lambda db: make.submit(db, EXAM, registration.id, paul, Verdict(True)),
        lambda db: account_deletion.delete_account(db, paul),
    )

    assert (decided.passed, left) == (True, None)
    assert Exam(database, registration.id).status == "completed"


@pytest.mark.parametrize("speaker", ["ada", "paul"])
def test_who_speaks_while_the_sweep_comes_keeps_the_claim(database, people, speaker):
    ada, paul = people["ada"], people["paul"]
    registration, (session, _) = database.write_now(lambda db: make.claim(db, ada, paul))
    database.write_now(lambda db: make.silence(db, session.id))

    sent, ended = in_the_middle(
        database,
        lambda db: channel.send(db, EXAM, session.id, people[speaker].id, "I am here.", 100),
        proctoring.end_silent_claims,
    )

    assert (sent.sequence, ended) == (1, 0)
    exam = Exam(database, registration.id)
    assert exam.session is not None
    assert exam.session.status == "active"


def test_who_speaks_while_another_takes_over_keeps_the_claim(database, people):
    ada, paul, pia = people["ada"], people["paul"], people["pia"]
    registration, (session, _) = database.write_now(lambda db: make.claim(db, ada, paul))
    database.write_now(lambda db: make.silence(db, session.id))

    sent, claimed = in_the_middle(
        database,
        lambda db: channel.send(db, EXAM, session.id, paul.id, "I am here.", 100),
        lambda db: proctoring.claim(db, EXAM, registration.id, pia),
    )

    assert sent.sequence == 1
    assert isinstance(claimed, AlreadyClaimed), claimed


def test_a_version_that_comes_in_the_middle_of_starting_is_pinned_whole(database, people):
    ada = people["ada"]
    database.write_now(lambda db: registering.register(db, EXAM, ada))

    newer, started = in_the_middle(
        database,
        lambda db: make.evaluation(db, version="1.1.0", points=20),
        lambda db: make.start(db, EXAM, ada),
    )

    older = database.read_now(lambda db: evaluations.digest_of(db, EXAM, "1.0.0"))
    assert (started.evaluation_version, started.evaluation_digest) in {("1.0.0", older), ("1.1.0", newer.digest)}


def test_a_claim_is_never_of_a_candidate_who_left_meanwhile(database, people):
    ada, paul = people["ada"], people["paul"]
    registration = database.write_now(lambda db: make.registration(db, ada))

    left, claimed = in_the_middle(
        database,
        lambda db: account_deletion.delete_account(db, ada),
        lambda db: proctoring.claim(db, EXAM, registration.id, paul),
    )

    assert left is None
    assert isinstance(claimed, NotWaiting), claimed
    assert database.read_now(lambda db: store.list_open(db, ada.id)) == []
