"""How a claim ends without a verdict, and how the next proctor takes over."""

import time
from pathlib import Path

import pytest

from tests.hub import EVALUATION, AgentClient, Hub, until

SECONDS = 1.2  # 0.02 minutes, after which a claim in which nobody speaks is given up


@pytest.fixture
def brief(hub: Hub, tmp_path: Path) -> str:
    """An evaluation whose claims are given up after little more than a second."""
    return hub.evaluation(tmp_path, config={"summary": "In haste.", "max_score": 10, "claim_minutes": SECONDS / 60})


def pending(proctor: AgentClient, evaluation: str = EVALUATION) -> list[str]:
    answer = proctor.get(f"/evaluations/{evaluation}/proctor/pending", params={"limit": 200})
    assert answer.status_code == 200, answer.text
    return [waiting["registration_id"] for waiting in answer.json()["pending"]]


def wait_until_pending(proctor: AgentClient, evaluation: str, registration_id: str) -> None:
    until(lambda: registration_id in pending(proctor, evaluation))


def release(proctor: AgentClient, registration_id: str, evaluation: str = EVALUATION):
    return proctor.post(f"/evaluations/{evaluation}/proctor/release", {"registration_id": registration_id})


def test_a_candidate_waits_until_claimed_and_again_after_a_release(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    assert ada.post(f"/evaluations/{EVALUATION}/register").status_code == 201
    registered = pending(paul)
    registration_id = ada.post(f"/evaluations/{EVALUATION}/start").json()["registration"]["id"]
    started = pending(paul)

    paul.claim(registration_id)
    claimed = pending(paul)
    released = release(paul, registration_id)

    assert registration_id not in registered
    assert registration_id in started
    assert registration_id not in claimed
    assert released.status_code == 200
    assert released.json()["registration"]["status"] == "in_progress"
    assert registration_id in pending(paul)


def test_both_addresses_of_the_waiting_list_give_the_same(hub: Hub):
    registration_id = hub.agent("ada").start()
    paul = hub.agent("paul")

    first = paul.get(f"/evaluations/{EVALUATION}/proctor/pending", params={"limit": 200}).json()
    second = paul.get(f"/evaluations/{EVALUATION}/pending-proctor", params={"limit": 200}).json()

    assert first == second
    assert registration_id in [waiting["registration_id"] for waiting in first["pending"]]


def test_after_a_release_another_proctor_takes_over_and_the_first_is_out(hub: Hub):
    ada, paul, pia = hub.agent("ada"), hub.agent("paul"), hub.agent("pia")
    registration_id = ada.start()
    first = paul.claim(registration_id)
    paul.say(first, "Said before the release.")
    release(paul, registration_id)

    second = pia.claim(registration_id)

    assert second != first
    assert paul.submit(registration_id).status_code == 403
    assert release(paul, registration_id).status_code == 403
    assert paul.say(second, "Still here?").status_code == 403
    assert paul.say(first, "Still here?").status_code == 409
    assert pia.say(second, "A new beginning.").json()["sequence"] == 1
    decided = pia.submit(registration_id, passed=True)
    assert decided.status_code == 201
    assert decided.json()["result"]["session_id"] == second
    assert [m["content"] for m in paul.messages(first)] == ["Said before the release."]
    for stranger in (pia, hub.anybody()):
        assert stranger.get(f"/evaluations/{EVALUATION}/sessions/{first}/messages").status_code in (401, 403)
    assert [s["id"] for s in ada.get("/agents/me/sessions").json()["sessions"]] == [second, first]


def test_the_one_who_released_may_claim_again(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()
    first = paul.claim(registration_id)
    release(paul, registration_id)

    second = paul.claim(registration_id)

    assert second != first
    assert paul.submit(registration_id).status_code == 201


def test_only_the_claimer_releases(hub: Hub):
    ada, paul, pia = hub.agent("ada"), hub.agent("paul"), hub.agent("pia")
    registration_id = ada.start()
    unclaimed = release(pia, registration_id)
    paul.claim(registration_id)

    claimed = [release(stranger, registration_id) for stranger in (ada, pia)]

    assert unclaimed.status_code == 403
    assert [answer.status_code for answer in claimed] == [403, 403]
    assert registration_id not in pending(paul)


def test_after_the_verdict_there_is_nothing_to_release(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()
    paul.claim(registration_id)
    paul.submit(registration_id)

    answer = release(paul, registration_id)

    assert answer.status_code == 409
    assert registration_id not in pending(paul)


def test_nobody_claims_their_own_exam(hub: Hub):
    ada = hub.agent("ada")
    registration_id = ada.start()

    answer = ada.post(f"/evaluations/{EVALUATION}/proctor/claim", {"registration_id": registration_id})

    assert (answer.status_code, answer.json()["code"]) == (403, "own_exam")


def test_a_registration_that_has_not_started_cannot_be_claimed(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.post(f"/evaluations/{EVALUATION}/register").json()["registration"]["id"]

    answer = paul.post(f"/evaluations/{EVALUATION}/proctor/claim", {"registration_id": registration_id})

    assert (answer.status_code, answer.json()["code"]) == (409, "not_waiting")


def test_a_silent_claim_is_given_up_and_another_proctor_takes_over(hub: Hub, brief: str):
    ada, paul, pia = hub.agent("ada"), hub.agent("paul"), hub.agent("pia")
    registration_id = ada.start(brief)
    first = paul.claim(registration_id, brief)
    paul.say(first, "One moment, please.", brief)

    wait_until_pending(pia, brief, registration_id)
    second = pia.claim(registration_id, brief)

    assert second != first
    assert paul.submit(registration_id, evaluation=brief).status_code == 403
    assert paul.say(first, "Here I am again.", brief).status_code == 409
    shown = ada.get(f"/evaluations/{brief}/sessions/{first}").json()
    assert (shown["session"]["status"], shown["session"]["registration_id"]) == ("ended", registration_id)
    assert [m["content"] for m in ada.messages(first, brief)] == ["One moment, please."]
    assert pia.submit(registration_id, evaluation=brief).json()["result"]["session_id"] == second


def test_a_claim_in_which_somebody_speaks_is_kept(hub: Hub, brief: str):
    ada, paul, pia = hub.agent("ada"), hub.agent("paul"), hub.agent("pia")
    registration_id = ada.start(brief)
    session_id = paul.claim(registration_id, brief)

    ends = time.monotonic() + 2 * SECONDS
    while time.monotonic() < ends:
        spoke = time.monotonic()
        said = ada.say(session_id, "I am still thinking.", brief)
        is_pending = registration_id in pending(pia, brief)
        if time.monotonic() - spoke < SECONDS:  # on a machine that stood still meanwhile, the claim may rightly be gone
            assert said.status_code == 201
            assert not is_pending


def test_a_withdrawn_candidate_waits_no_more(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()
    session_id = paul.claim(registration_id)

    withdrawn = ada.post(f"/evaluations/{EVALUATION}/cancel")

    assert withdrawn.json()["registration"]["status"] == "cancelled"
    assert paul.say(session_id, "Hello?").status_code == 409
    assert paul.submit(registration_id).status_code == 409
    assert registration_id not in pending(paul)
    assert ada.start() != registration_id
