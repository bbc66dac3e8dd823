"""Who gets which candidate: the next one for everybody, no choice where the SIP says so, and at most three at once."""

import pytest

from tests import make
from tests.exams import certification
from tests.exams.test_races import doing
from viva.agents import owners
from viva.exams import appointments, proctoring
from viva.exams.claim_limits import MAX_OPEN_CLAIMS, TooManyClaims
from viva.exams.handlers.proctored import Verdict
from viva.exams.proctoring import CandidatesAreDrawn, NobodyWaits, NotProctored

EXAM = "good-manners"
DRAWN = {"summary": "Whether an agent says please.", "max_score": 100, "assignment": "draw"}


def waiting(db, *names: str) -> list[str]:
    """Registrations that wait for a proctor, in this order."""
    return [make.registration(db, make.agent(db, name)).id for name in names]


# The next candidate


def test_the_next_candidate_is_the_one_who_has_waited_longest(db):
    make.evaluation(db)
    first, second = waiting(db, "ada", "bob")
    paul = make.agent(db, "paul")

    claims = [proctoring.claim_next(db, EXAM, paul) for _ in range(2)]

    assert [claim.session.registration_id for claim in claims] == [first, second]
    assert [claim.candidate.name for claim in claims] == ["ada", "bob"]


def test_nobody_gets_itself_to_examine(db):
    make.evaluation(db)
    ada = make.agent(db, "ada")
    make.registration(db, ada)

    with pytest.raises(NobodyWaits):
        proctoring.claim_next(db, EXAM, ada)


def test_who_is_examined_already_is_passed_over_and_a_silent_claim_is_not(db):
    make.evaluation(db)
    paul, pia = make.agent(db, "paul"), make.agent(db, "pia")
    registration, claim = make.claim(db, make.agent(db, "ada"), paul)

    with pytest.raises(NobodyWaits):
        proctoring.claim_next(db, EXAM, pia)
    make.silence(db, claim.session.id)

    assert proctoring.claim_next(db, EXAM, pia).session.registration_id == registration.id


def test_only_proctored_evaluations_have_a_next_candidate(db):
    certification.evaluation(db)

    with pytest.raises(NotProctored):
        proctoring.claim_next(db, certification.EXAM, make.agent(db, "paul"))


def test_where_candidates_are_drawn_nobody_chooses_one(db):
    make.evaluation(db, config=DRAWN)
    first, second = waiting(db, "ada", "bob")
    paul = make.agent(db, "paul")

    with pytest.raises(CandidatesAreDrawn, match="nobody chooses"):
        proctoring.claim(db, EXAM, second, paul)

    assert proctoring.claim_next(db, EXAM, paul).session.registration_id == first


def test_where_candidates_are_drawn_a_release_brings_the_same_one_again(db):
    """Whoever could hold several would examine one of them and release the others."""
    make.evaluation(db, config=DRAWN)
    make.evaluation(db, id="tea-making", sip=8, config=DRAWN)
    first, second = waiting(db, "ada", "bob")
    elsewhere = make.registration(db, make.agent(db, "cid"), "tea-making").id
    paul, pia = make.agent(db, "paul"), make.agent(db, "pia")
    held = proctoring.claim_next(db, EXAM, paul)

    with pytest.raises(TooManyClaims, match="one at a time") as refused:
        proctoring.claim_next(db, EXAM, paul)
    assert [fault.message for fault in refused.value.faults] == [f"{first} is open in session {held.session.id}."]
    assert proctoring.claim_next(db, "tea-making", paul).session.registration_id == elsewhere
    proctoring.release(db, EXAM, first, paul)

    assert proctoring.claim_next(db, EXAM, paul).session.registration_id == first
    assert proctoring.claim_next(db, EXAM, pia).session.registration_id == second
    proctoring.submit(db, EXAM, first, paul, Verdict(True))
    third = waiting(db, "dan")
    assert [proctoring.claim_next(db, EXAM, paul).session.registration_id] == third


def test_the_draw_passes_over_whom_the_proctor_may_not_examine_officially(db):
    """Such a candidate would be the next one for ever, and the others would wait behind it."""
    make.evaluation(db, config=DRAWN)
    first, second = waiting(db, "ada", "bob")
    paul, pia = make.agent(db, "paul"), make.agent(db, "pia")
    for proctor in (paul, pia):
        appointments.appoint(db, proctor.id, None, None)
    for name in ("ada", "paul"):
        owners.confirm_owner(db, make.found_agent(db, name).id, "Acme")

    assert proctoring.claim_next(db, EXAM, paul).session.registration_id == second
    assert proctoring.claim_next(db, EXAM, pia).session.registration_id == first


# At most three


def test_a_fourth_claim_is_refused_with_the_open_ones_until_one_is_decided(db):
    make.evaluation(db)
    registrations = waiting(db, "ada", "bob", "cid", "dan")
    paul = make.agent(db, "paul")
    claims = [proctoring.claim(db, EXAM, id_, paul) for id_ in registrations[:3]]

    with pytest.raises(TooManyClaims) as refused:
        proctoring.claim(db, EXAM, registrations[3], paul)
    named = [fault.message for fault in refused.value.faults]

    assert sorted(named) == sorted(
        f"{claim.session.registration_id} is open in session {claim.session.id}." for claim in claims
    )
    proctoring.submit(db, EXAM, registrations[0], paul, Verdict(True))
    assert proctoring.claim(db, EXAM, registrations[3], paul).candidate.name == "dan"


def test_a_released_claim_makes_room(db):
    make.evaluation(db)
    registrations = waiting(db, "ada", "bob", "cid", "dan")
    paul = make.agent(db, "paul")
    for registration_id in registrations[:3]:
        proctoring.claim(db, EXAM, registration_id, paul)

    proctoring.release(db, EXAM, registrations[1], paul)

    assert proctoring.claim(db, EXAM, registrations[3], paul).candidate.name == "dan"


# At once


@pytest.mark.soak
def test_proctors_who_take_the_next_at_once_get_one_candidate_each(database):
    database.write_now(make.evaluation)
    registrations = database.write_now(lambda db: waiting(db, *(f"candidate-{n}" for n in range(6))))
    proctors = [database.write_now(lambda db, n=n: make.agent(db, f"proctor-{n}")) for n in range(6)]

    claims = make.together(*[doing(database, proctoring.claim_next, EXAM, proctor) for proctor in proctors])

    assert sorted(claim.session.registration_id for claim in claims) == sorted(registrations)


@pytest.mark.soak
def test_of_eight_claims_at_once_by_one_proctor_three_are_kept(database):
    database.write_now(make.evaluation)
    registrations = database.write_now(lambda db: waiting(db, *(f"candidate-{n}" for n in range(8))))
    paul = database.write_now(lambda db: make.agent(db, "paul"))

    outcomes = make.together(*[doing(database, proctoring.claim, EXAM, id_, paul) for id_ in registrations])

    kinds = [type(outcome).__name__ for outcome in outcomes]
    assert sorted(kinds) == ["Claim"] * MAX_OPEN_CLAIMS + ["TooManyClaims"] * 5
