"""Who may claim a candidate, what a claim opens, how it is given back, and who decides."""

from datetime import timedelta

import pytest

from tests import make
from tests.values import require
from viva.evaluations.sip import Executable
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import proctoring, registering, store
from viva.exams.handlers.proctored import BadScore, ResultDataTooLarge, Verdict
from viva.exams.proctoring import NotProctored, NotWaiting, NotYourCandidate, OwnExam
from viva.exams.store import NoSuchRegistration
from viva.kit.paging import BadCursor, cursor_at
from viva.results import store as results
from viva.results.store import AlreadyDecided
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.sessions.store import AlreadyClaimed

EXAM = "good-manners"


@pytest.fixture
def people(db):
    make.evaluation(db)
    return {name: make.agent(db, name) for name in ("ada", "paul", "pia")}


@pytest.fixture
def ada(people):
    return people["ada"]


@pytest.fixture
def paul(people):
    return people["paul"]


@pytest.fixture
def pia(people):
    return people["pia"]


def waiting(db) -> list[str]:
    return [candidate.candidate_name for candidate in proctoring.list_waiting(db, EXAM, 200, None).items]


def status_of(db, registration) -> str:
    return store.hold(db, EXAM, registration.id).status


# Waiting


def test_a_candidate_waits_once_it_has_started(db, ada):
    registering.register(db, EXAM, ada)
    assert waiting(db) == []

    started = make.start(db, EXAM, ada)

    (candidate,) = proctoring.list_waiting(db, EXAM, 10, None).items
    assert (candidate.registration_id, candidate.candidate_agent_id, candidate.candidate_name) == (
        started.id,
        ada.id,
        "ada",
    )
    assert (candidate.evaluation_version, candidate.started_at) == ("1.0.0", started.started_at)


def test_a_candidate_who_is_examined_does_not_wait(db, ada, paul):
    make.claim(db, ada, paul)

    assert waiting(db) == []


def test_a_candidate_who_was_decided_on_does_not_wait(db, ada, paul):
    make.result(db, ada, paul)

    assert waiting(db) == []


@pytest.mark.parametrize("limit", [1, 3, 8, 50])
def test_candidates_wait_in_the_order_they_started_and_pages_give_each_once(db, paul, limit):
    started = [make.registration(db, make.agent(db, f"candidate-{number}")) for number in range(8)]
    moment = require(started[0].started_at)
    for place, minutes in enumerate([5, 1, 1, 1, 9, 0, 5, 5]):
        at = moment + timedelta(minutes=minutes)
        db.execute("UPDATE evaluation_registrations SET started_at = ? WHERE id = ?", [at, started[place].id])
    seen, cursor = [], None

    while True:
        page = proctoring.list_waiting(db, EXAM, limit, cursor)
        seen += [(candidate.started_at, candidate.registration_id) for candidate in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break

    assert seen == sorted(seen)
    assert sorted(registration_id for _, registration_id in seen) == sorted(registration.id for registration in started)


@pytest.mark.parametrize("cursor", ["x", cursor_at((7,)), cursor_at(("eval_reg_1",))])
def test_a_cursor_of_another_list_is_refused(db, people, cursor):
    with pytest.raises(BadCursor):
        proctoring.list_waiting(db, EXAM, 10, cursor)


# Claiming


def test_a_claim_opens_a_session_with_both_roles(db, ada, paul):
    registration = make.registration(db, ada)

    session, candidate = proctoring.claim(db, EXAM, registration.id, paul)

    assert candidate == ada
    assert (session.evaluation_id, session.kind, session.registration_id) == (EXAM, "proctored", registration.id)
    assert session.status == "active"
    assert {(each.agent_id, each.role) for each in sessions.list_participants(db, session.id)} == {
        (paul.id, "proctor"),
        (ada.id, "candidate"),
    }


def test_an_evaluation_that_is_not_there_has_nobody_to_claim(db, ada, paul):
    registration = make.registration(db, ada)

    with pytest.raises(NoSuchEvaluation):
        proctoring.claim(db, "tea-making", registration.id, paul)


def test_only_proctored_evaluations_are_proctored(db, ada, paul):
    registration = make.registration(db, ada)
    make.evaluation(db, id="quiz", sip=8, type="complex_benchmark", executable=Executable("benchmark", None))

    with pytest.raises(NotProctored):
        proctoring.claim(db, "quiz", registration.id, paul)
    with pytest.raises(NotProctored):
        proctoring.list_waiting(db, "quiz", 10, None)
    with pytest.raises(NotProctored):
        proctoring.release(db, "quiz", registration.id, paul)
    with pytest.raises(NotProctored):
        make.submit(db, "quiz", registration.id, paul, Verdict(True))


def test_a_registration_that_is_not_there_is_not_claimed(db, paul):
    with pytest.raises(NoSuchRegistration):
        proctoring.claim(db, EXAM, "eval_reg_x", paul)


def test_a_registration_of_another_evaluation_is_not_claimed(db, ada, paul):
    make.evaluation(db, id="tea-making", sip=8)
    registration = make.registration(db, ada, "tea-making")

    with pytest.raises(NoSuchRegistration):
        proctoring.claim(db, EXAM, registration.id, paul)


def test_nobody_proctors_their_own_exam(db, ada):
    registration = make.registration(db, ada)

    with pytest.raises(OwnExam):
        proctoring.claim(db, EXAM, registration.id, ada)


def test_who_has_not_started_is_not_claimed(db, ada, paul):
    registration = registering.register(db, EXAM, ada).registration

    with pytest.raises(NotWaiting):
        proctoring.claim(db, EXAM, registration.id, paul)


def test_who_withdrew_is_not_claimed(db, ada, paul):
    registration = make.registration(db, ada)
    registering.cancel(db, EXAM, ada)

    with pytest.raises(NotWaiting):
        proctoring.claim(db, EXAM, registration.id, paul)


@pytest.mark.parametrize("passed", [True, False])
def test_who_was_decided_on_is_not_claimed(db, ada, paul, pia, passed):
    result = make.result(db, ada, paul, passed)

    with pytest.raises(NotWaiting):
        proctoring.claim(db, EXAM, result.registration_id, pia)


@pytest.mark.parametrize("second", ["paul", "pia"])
def test_the_second_claim_of_a_registration_fails(db, people, ada, paul, second):
    registration, claim = make.claim(db, ada, paul)

    with pytest.raises(AlreadyClaimed), make.unit(db):
        proctoring.claim(db, EXAM, registration.id, people[second])

    assert sessions.find_by_registration(db, registration.id) == claim.session


def test_a_proctor_may_examine_several_candidates_and_be_one(db, ada, paul, pia):
    make.claim(db, ada, paul)
    make.claim(db, pia, paul)
    make.claim(db, paul, ada)

    assert len(sessions.list_proctored_by(db, paul.id)) == 2


# Releasing


def test_a_released_candidate_waits_again_and_another_can_claim(db, ada, paul, pia):
    registration, (first, _) = make.claim(db, ada, paul)

    released = proctoring.release(db, EXAM, registration.id, paul)

    assert released.status == "in_progress"
    assert sessions.get(db, EXAM, first.id).status == "ended"
    assert waiting(db) == ["ada"]
    second = proctoring.claim(db, EXAM, registration.id, pia).session
    assert second.id != first.id
    assert sessions.role_of(db, second.id, paul.id) is None


def test_who_released_can_claim_again(db, ada, paul):
    registration, _ = make.claim(db, ada, paul)
    proctoring.release(db, EXAM, registration.id, paul)

    assert proctoring.claim(db, EXAM, registration.id, paul).session.status == "active"


def test_the_wait_goes_on_from_the_start_not_from_the_release(db, ada, paul, pia):
    registration, _ = make.claim(db, ada, paul)
    make.registration(db, pia)

    proctoring.release(db, EXAM, registration.id, paul)

    assert waiting(db) == ["ada", "pia"]


@pytest.mark.parametrize("who", ["ada", "pia"])
def test_only_who_claimed_releases(db, people, ada, paul, who):
    registration, _ = make.claim(db, ada, paul)

    with pytest.raises(NotYourCandidate):
        proctoring.release(db, EXAM, registration.id, people[who])


def test_what_nobody_claimed_is_not_released(db, ada, paul):
    registration = make.registration(db, ada)

    with pytest.raises(NotYourCandidate):
        proctoring.release(db, EXAM, registration.id, paul)


def test_nothing_is_released_twice(db, ada, paul):
    registration, _ = make.claim(db, ada, paul)
    proctoring.release(db, EXAM, registration.id, paul)

    with pytest.raises(NotYourCandidate):
        proctoring.release(db, EXAM, registration.id, paul)


def test_what_is_decided_is_not_released(db, ada, paul):
    result = make.result(db, ada, paul)

    with pytest.raises(NotWaiting):
        proctoring.release(db, EXAM, result.registration_id, paul)

    assert results.get(db, result.id).session_id == result.session_id


def test_who_withdrew_is_not_released(db, ada, paul):
    registration, _ = make.claim(db, ada, paul)
    registering.cancel(db, EXAM, ada)

    with pytest.raises(NotWaiting):
        proctoring.release(db, EXAM, registration.id, paul)


# Claims that fall silent


def test_a_claim_in_which_nobody_speaks_counts_for_nothing_after_half_an_hour(db, ada, paul, pia):
    registration, (session, _) = make.claim(db, ada, paul)
    make.silence(db, session.id, minutes=29)
    assert waiting(db) == []
    with pytest.raises(AlreadyClaimed), make.unit(db):
        proctoring.claim(db, EXAM, registration.id, pia)

    make.silence(db, session.id, minutes=31)

    assert waiting(db) == ["ada"]
    claim = proctoring.claim(db, EXAM, registration.id, pia)
    assert sessions.role_of(db, claim.session.id, pia.id) == "proctor"
    old = sessions.get(db, EXAM, session.id)
    assert (old.status, old.released_registration_id) == ("ended", registration.id)


def test_an_evaluation_says_how_long_a_claim_may_be_silent(db, ada, paul):
    make.evaluation(db, version="1.1.0", config={"claim_minutes": 1.5})
    _, (session, _) = make.claim(db, ada, paul)
    make.silence(db, session.id, minutes=1.4)
    assert waiting(db) == []

    make.silence(db, session.id, minutes=1.6)

    assert waiting(db) == ["ada"]


def test_the_sweep_ends_silent_claims_and_counts_them(db, ada, paul, pia):
    quiet = [make.claim(db, candidate, paul)[1].session for candidate in (ada, pia)]
    spoken = make.claim(db, paul, ada)[1].session
    for session in (*quiet, spoken):
        make.silence(db, session.id)
    channel.send(db, EXAM, spoken.id, paul.id, "Is anybody there?", 100)

    ended = proctoring.end_silent_claims(db)

    assert ended == 2
    assert [sessions.get(db, EXAM, session.id).status for session in quiet] == ["ended", "ended"]
    assert sessions.get(db, EXAM, spoken.id).status == "active"
    assert sorted(waiting(db)) == ["ada", "pia"]
    assert proctoring.end_silent_claims(db) == 0


def test_the_sweep_leaves_decided_and_withdrawn_exams_alone(db, ada, paul, pia):
    decided = make.result(db, ada, paul)
    _, (withdrawn, _) = make.claim(db, pia, paul)
    registering.cancel(db, EXAM, pia)
    for session_id in (require(decided.session_id), withdrawn.id):
        make.silence(db, session_id)

    assert proctoring.end_silent_claims(db) == 0
    assert sessions.get(db, EXAM, require(decided.session_id)).registration_id == decided.registration_id


def test_whose_claim_fell_silent_may_still_decide_until_another_takes_over(db, ada, paul, pia):
    registration, (session, _) = make.claim(db, ada, paul)
    make.silence(db, session.id)

    result = make.submit(db, EXAM, registration.id, paul, Verdict(True))

    assert result.session_id == session.id


def test_whose_claim_was_taken_over_decides_nothing(db, ada, paul, pia):
    registration, (session, _) = make.claim(db, ada, paul)
    make.silence(db, session.id)
    proctoring.claim(db, EXAM, registration.id, pia)

    with pytest.raises(NotYourCandidate):
        make.submit(db, EXAM, registration.id, paul, Verdict(True))


# Deciding


def test_a_verdict_becomes_the_result_and_ends_the_session(db, ada, paul):
    registration, (session, _) = make.claim(db, ada, paul)
    verdict = Verdict(True, feedback="Said please.", score=90, data={"please": 3})

    result = make.submit(db, EXAM, registration.id, paul, verdict)

    assert (result.passed, result.score, result.max_score, result.points_earned) == (True, 90, 100, 10)
    assert (result.proctor_feedback, result.result_data) == ("Said please.", {"please": 3})
    assert (result.agent_id, result.agent_name) == (ada.id, "ada")
    assert (result.proctor_agent_id, result.proctor_name) == (paul.id, "paul")
    assert (result.registration_id, result.session_id) == (registration.id, session.id)
    assert (result.evaluation_version, result.evaluation_digest) == ("1.0.0", registration.evaluation_digest)
    assert sessions.get(db, EXAM, session.id).status == "ended"
    assert status_of(db, registration) == "completed"
    assert results.get(db, result.id) == result


def test_who_fails_earns_no_points_and_the_registration_is_failed(db, ada, paul):
    result = make.result(db, ada, paul, passed=False, score=12.5)

    assert (result.passed, result.score, result.points_earned) == (False, 12.5, 0)
    assert store.hold(db, EXAM, result.registration_id).status == "failed"


def test_a_verdict_without_a_score_has_no_maximum_either(db, ada, paul):
    result = make.result(db, ada, paul)

    assert (result.score, result.max_score, result.points_earned) == (None, None, 10)


@pytest.mark.parametrize("score", [0, 0.5, 100])
def test_a_score_from_zero_to_the_maximum_is_taken(db, ada, paul, score):
    assert make.result(db, ada, paul, score=score).score == score


@pytest.mark.parametrize("score", [-0.5, 100.5, 1e9, float("nan"), float("inf"), float("-inf")])
def test_a_score_beyond_the_maximum_is_refused(db, ada, paul, score):
    registration, _ = make.claim(db, ada, paul)

    with pytest.raises(BadScore, match="a number from 0 to 100") as refused:
        make.submit(db, EXAM, registration.id, paul, Verdict(True, score=score))

    assert [fault.field for fault in refused.value.faults] == ["score"]
    assert status_of(db, registration) == "in_progress"


def test_an_evaluation_without_a_maximum_takes_no_score(db, ada, paul):
    make.evaluation(db, version="1.1.0", config={})
    registration, _ = make.claim(db, ada, paul)

    with pytest.raises(BadScore, match="pass or fail only"):
        make.submit(db, EXAM, registration.id, paul, Verdict(True, score=1))

    assert make.submit(db, EXAM, registration.id, paul, Verdict(True)).passed


@pytest.mark.parametrize("who", ["ada", "pia"])
def test_only_who_claimed_decides(db, people, ada, paul, who):
    registration, _ = make.claim(db, ada, paul)

    with pytest.raises(NotYourCandidate):
        make.submit(db, EXAM, registration.id, people[who], Verdict(True))

    assert status_of(db, registration) == "in_progress"


def test_what_nobody_claimed_is_not_decided(db, ada, paul):
    registration = make.registration(db, ada)

    with pytest.raises(NotYourCandidate):
        make.submit(db, EXAM, registration.id, paul, Verdict(True))


def test_who_released_decides_nothing(db, ada, paul):
    registration, _ = make.claim(db, ada, paul)
    proctoring.release(db, EXAM, registration.id, paul)

    with pytest.raises(NotYourCandidate):
        make.submit(db, EXAM, registration.id, paul, Verdict(True))


@pytest.mark.parametrize("passed", [True, False])
def test_nothing_is_decided_twice(db, ada, paul, passed):
    first = make.result(db, ada, paul, passed)

    with pytest.raises(AlreadyDecided):
        make.submit(db, EXAM, first.registration_id, paul, Verdict(not passed))

    assert results.get(db, first.id) == first


def test_who_withdrew_is_not_decided_on(db, ada, paul):
    registration, _ = make.claim(db, ada, paul)
    registering.cancel(db, EXAM, ada)

    with pytest.raises(NotWaiting):
        make.submit(db, EXAM, registration.id, paul, Verdict(True))


def test_a_registration_of_another_evaluation_is_not_decided(db, ada, paul):
    registration, _ = make.claim(db, ada, paul)
    make.evaluation(db, id="tea-making", sip=8)

    with pytest.raises(NoSuchRegistration):
        make.submit(db, "tea-making", registration.id, paul, Verdict(True))


def test_an_attempt_is_graded_by_the_version_it_started_with(db, ada, paul):
    registration, _ = make.claim(db, ada, paul)
    make.evaluation(db, version="2.0.0", points=50, config={"max_score": 5})

    result = make.submit(db, EXAM, registration.id, paul, Verdict(True, score=90))

    assert (result.evaluation_version, result.evaluation_digest) == ("1.0.0", registration.evaluation_digest)
    assert (result.score, result.max_score, result.points_earned) == (90, 100, 10)


def test_the_next_attempt_is_graded_by_the_new_version(db, ada, paul):
    make.result(db, ada, paul)
    newer = make.evaluation(db, version="2.0.0", points=50, config={"max_score": 5})

    result = make.result(db, ada, paul, score=4)

    assert (result.evaluation_version, result.evaluation_digest) == ("2.0.0", newer.digest)
    assert (result.max_score, result.points_earned) == (5, 50)


def test_an_exam_that_runs_goes_on_when_the_evaluation_is_retired(db, ada, paul):
    registration = make.registration(db, ada)
    make.evaluation(db, status="retired")

    proctoring.claim(db, EXAM, registration.id, paul)

    assert make.submit(db, EXAM, registration.id, paul, Verdict(True)).passed


def test_the_data_of_a_verdict_is_bounded_since_lists_show_it_whole(db):
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    started, _ = make.claim(db, ada, paul)
    beside = len('{"note":""}')

    with pytest.raises(ResultDataTooLarge):
        submit(db, started, paul, {"note": "x" * (64 * 1024 - beside + 1)})

    assert submit(db, started, paul, {"note": "x" * (64 * 1024 - beside)}).passed


def submit(db, registration, proctor, data):
    verdict = Verdict(True, data=data)
    return make.submit(db, registration.evaluation_id, registration.id, proctor, verdict)
