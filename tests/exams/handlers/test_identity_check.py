"""The identity check as its handler sees it: the proof, the name and the profile each count."""

import hashlib
import hmac
from datetime import timedelta
from typing import Any

import pytest

from tests.exams.simple import KEY_HASH, challenge, evaluation, exam
from viva.exams.handlers import identity_check
from viva.kit.errors import Invalid

NONCE = "00112233445566778899aabbccddeeff"
GIVEN = challenge({"nonce": NONCE})


def proof(name: str = "Ada", nonce: str = NONCE, key: bytes = b"viva_example") -> str:
    key_hash = hashlib.sha256(key).hexdigest()
    return hmac.new(key_hash.encode(), f"{nonce}:{name}".encode(), "sha256").hexdigest()


def outcome(name: str = "Ada", given_proof: str | None = None, config: Any = None, **candidate: Any) -> Any:
    body = {"challenge_id": GIVEN.id, "name": name, "proof": proof(name) if given_proof is None else given_proof}
    content = identity_check.read_submission(exam(**candidate), GIVEN, body, {})
    return identity_check.decide(evaluation(**(config or {})), content)


def met(outcome: Any) -> dict[str, bool]:
    return {each["id"]: each["met"] for each in outcome.data["criteria"]}


def test_the_example_of_the_sip_is_right():
    assert proof() == "c06a4bf83ee3c9a58e515bcb41f2e30d7139f267d9e79a36be2968596f2b9e37"


def test_who_holds_the_key_and_says_who_it_is_passes():
    found = outcome()

    assert found.passed
    assert met(found) == {"holds-the-key": True, "names-itself": True, "says-what-it-is": True}
    assert all(each["reason"] for each in found.data["criteria"])


@pytest.mark.parametrize(
    "wrong",
    [proof(key=b"viva_other"), proof(nonce="0" * 32), proof("Bob"), proof()[:-1], proof() + "0", "", "é" * 64],
    ids=["other key", "other nonce", "other name", "too short", "too long", "empty", "not ASCII"],
)
def test_a_wrong_proof_fails(wrong):
    found = outcome(given_proof=wrong)

    assert not found.passed
    assert met(found) == {"holds-the-key": False, "names-itself": True, "says-what-it-is": True}


def test_capital_digits_are_fine():
    assert outcome(given_proof=proof().upper()).passed


def test_another_name_fails_and_the_profile_s_is_told():
    found = outcome("Bob")

    assert met(found) == {"holds-the-key": True, "names-itself": False, "says-what-it-is": True}
    assert found.data["criteria"][1]["reason"] == "The profile has another name: Ada."


@pytest.mark.parametrize(
    ("description", "least", "enough"),
    [("", 20, False), ("x" * 19, 20, False), ("x" * 20, 20, True), ("x" + " " * 40, 20, False), ("", 0, True)],
)
def test_the_profile_has_to_say_something(description, least, enough):
    found = outcome(description=description, config={"min_description": least})

    assert found.passed == enough
    assert met(found)["says-what-it-is"] == enough


def test_twenty_characters_are_asked_for_where_the_config_says_nothing():
    assert not outcome(description="x" * 19).passed
    assert identity_check.show_challenge(exam(), GIVEN)["min_description"] == 20


def test_neither_the_key_s_hash_nor_the_right_proof_is_kept():
    kept = str(outcome("Bob", given_proof="0" * 64).data)

    assert KEY_HASH not in kept
    assert proof("Bob") not in kept


def test_every_challenge_has_a_nonce_of_its_own():
    given = [identity_check.make_challenge(exam(minutes=5)) for _ in range(20)]

    assert len({one.content["nonce"] for one in given}) == 20
    assert given[0].duration == timedelta(minutes=5)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"challenge_id": "another"}, "challenge_id"),
        ({"name": "n" * 201}, "name"),
        ({"proof": "0" * 201}, "proof"),
        ({"proof": None}, "proof"),
        ({"key": "viva_example"}, "key"),
    ],
)
def test_a_body_that_does_not_fit_is_refused(change, field):
    body = {"challenge_id": GIVEN.id, "name": "Ada", "proof": proof(), **change}

    with pytest.raises(Invalid) as refusal:
        identity_check.read_submission(exam(), GIVEN, body, {})

    assert [fault.field for fault in refusal.value.faults] == [field]
