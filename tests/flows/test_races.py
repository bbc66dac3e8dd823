"""Many callers at the same moment: one wins, and nothing is lost or doubled."""

from collections import Counter
from functools import partial

import pytest

from tests.hub import EVALUATION, AgentClient, Hub, at_once, load

pytestmark = pytest.mark.soak
CONNECTIONS = 8
EACH = load(60, in_soak=250)


def test_of_fifty_claims_of_one_registration_one_opens_a_session(hub: Hub):
    ada = hub.agent("ada")
    registration_id = ada.start()
    proctors = [hub.agent("paul") for _ in range(50)]

    answers = at_once([partial(claim, proctor, registration_id) for proctor in proctors])

    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: 49}
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"already_claimed"}
    winner, claimed = next((p, a.json()) for p, a in zip(proctors, answers, strict=True) if a.status_code == 201)
    shown = winner.get(f"/evaluations/{EVALUATION}/sessions/{claimed['session_id']}").json()
    assert {(p["agent_id"], p["role"]) for p in shown["participants"]} == {
        (winner.id, "proctor"),
        (ada.id, "candidate"),
    }
    assert len(shown["participants"]) == 2
    assert [s["id"] for s in ada.get("/agents/me/sessions").json()["sessions"]] == [claimed["session_id"]]


def test_messages_of_eight_connections_get_each_sequence_once(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    session_id = paul.claim(ada.start())

    def talk(place: int) -> list[int]:
        own = hub.with_key((ada, paul)[place % 2].key or "")
        return [own.say(session_id, f"{place}/{number}").status_code for number in range(EACH)]

    statuses = at_once([partial(talk, place) for place in range(CONNECTIONS)])

    assert Counter(status for each in statuses for status in each) == {201: CONNECTIONS * EACH}
    messages = paul.messages(session_id)
    assert [message["sequence"] for message in messages] == list(range(1, CONNECTIONS * EACH + 1))
    sent = {f"{place}/{number}": (ada, paul)[place % 2].id for place in range(CONNECTIONS) for number in range(EACH)}
    assert len(messages) == len(sent)
    assert {message["content"]: message["sender_agent_id"] for message in messages} == sent
    for place in range(CONNECTIONS):  # whoever waits for each answer is heard in the order of speaking
        said = [m["content"] for m in messages if m["content"].startswith(f"{place}/")]
        assert said == [f"{place}/{number}" for number in range(EACH)]


def test_of_fifty_verdicts_one_is_kept(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()
    paul.claim(registration_id)

    answers = at_once([partial(paul.submit, registration_id, passed=True, score=number) for number in range(50)])

    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: 49}
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"already_decided"}
    kept = next(answer.json()["result"] for answer in answers if answer.status_code == 201)
    assert ada.get("/agents/me/evaluation-results").json()["results"] == [kept]


def test_nobody_but_the_claimer_submits_neither_before_nor_after_the_verdict(hub: Hub):
    ada, paul, pia = hub.agent("ada"), hub.agent("paul"), hub.agent("pia")
    registration_id = ada.start()
    paul.claim(registration_id)

    before = [stranger.submit(registration_id, passed=False) for stranger in (ada, pia)]
    decided = paul.submit(registration_id, passed=True)
    after = [stranger.submit(registration_id, passed=False) for stranger in (ada, pia)]

    assert decided.status_code == 201
    assert [answer.status_code for answer in before + after] == [403, 403, 403, 403]
    assert ada.get("/agents/me/evaluation-results").json()["results"] == [decided.json()["result"]]


def test_verdicts_and_claims_of_strangers_at_once_leave_the_claimers_result(hub: Hub):
    ada, paul, pia = hub.agent("ada"), hub.agent("paul"), hub.agent("pia")
    registration_id = ada.start()
    paul.claim(registration_id)

    answers = at_once(
        [
            *[partial(pia.submit, registration_id, passed=False)] * 10,
            *[partial(claim, pia, registration_id)] * 10,
            partial(paul.submit, registration_id, passed=True),
        ]
    )

    assert {answer.status_code for answer in answers[:10]} == {403}
    assert {answer.status_code for answer in answers[10:20]} == {409}
    assert answers[20].status_code == 201
    assert [r["passed"] for r in ada.get("/agents/me/evaluation-results").json()["results"]] == [True]


def test_of_a_verdict_and_a_withdrawal_at_once_one_counts(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")

    for _ in range(load(3, in_soak=10)):
        registration_id = ada.start()
        session_id = paul.claim(registration_id)
        before = len(ada.get("/agents/me/evaluation-results").json()["results"])
        verdict, withdrawal = at_once(
            [partial(paul.submit, registration_id), partial(ada.post, f"/evaluations/{EVALUATION}/cancel")]
        )
        after = len(ada.get("/agents/me/evaluation-results").json()["results"])

        assert (verdict.status_code, withdrawal.status_code, after - before) in {(201, 409, 1), (409, 200, 0)}
        assert paul.get(f"/evaluations/{EVALUATION}/sessions/{session_id}").json()["session"]["status"] == "ended"


def test_twenty_registrations_of_one_agent_give_one_place(hub: Hub):
    ada = hub.agent("ada")

    answers = at_once([partial(ada.post, f"/evaluations/{EVALUATION}/register")] * 20)

    assert Counter(answer.status_code for answer in answers) == {201: 1, 200: 19}
    assert len({answer.json()["registration"]["id"] for answer in answers}) == 1


def test_twenty_starts_of_one_registration_are_one_start(hub: Hub):
    ada = hub.agent("ada")
    assert ada.post(f"/evaluations/{EVALUATION}/register").status_code == 201

    answers = at_once([partial(ada.post, f"/evaluations/{EVALUATION}/start")] * 20)

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1


def test_one_idempotency_key_twenty_times_at_once_is_one_message(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    session_id = paul.claim(ada.start())
    path = f"/evaluations/{EVALUATION}/sessions/{session_id}/messages"

    answers = at_once([partial(paul.post, path, {"content": "Once."}, headers={"Idempotency-Key": "once"})] * 20)

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert [message["content"] for message in paul.messages(session_id)] == ["Once."]


def test_of_twenty_agents_with_one_name_one_is_made(hub: Hub):
    body = {"name": hub.agent("double").name + "-again"}
    anybody = hub.anybody()

    answers = at_once([partial(anybody.post, "/agents/register", body)] * 20)

    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: 19}
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"name_taken"}


def claim(proctor: AgentClient, registration_id: str):
    return proctor.post(f"/evaluations/{EVALUATION}/proctor/claim", {"registration_id": registration_id})
