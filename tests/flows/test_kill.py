"""A server that is killed in the middle of its work loses nothing that it had answered."""

import signal
import threading
from collections.abc import Callable
from functools import partial

import httpx
import pytest

from tests.hub import EVALUATION, Hub, at_once, load

pytestmark = pytest.mark.soak
CONNECTIONS = 8
EACH = load(80, in_soak=250)
ENOUGH = EACH * CONNECTIONS // 3  # messages answered before the kill


def test_every_answered_message_outlives_a_kill_with_its_sequence(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    session_id = paul.claim(ada.start())
    path = f"/evaluations/{EVALUATION}/sessions/{session_id}/messages"
    answered: list[dict[str, object]] = []
    enough = threading.Event()

    def talk(place: int) -> None:
        with httpx.Client(base_url=f"{hub.url}/api/v1", headers=paul.http.headers, timeout=60, verify=False) as own:
            for number in range(EACH):
                try:
                    answer = own.post(path, json={"content": f"{place}/{number}"})
                except httpx.TransportError:
                    return  # killed
                assert answer.status_code == 201
                answered.append(answer.json())
                if len(answered) >= ENOUGH:
                    enough.set()

    def kill() -> None:
        assert enough.wait(timeout=120)
        hub.stop(signal.SIGKILL)

    talking: list[Callable[[], None]] = [partial(talk, place) for place in range(CONNECTIONS)]
    at_once([kill, *talking])
    hub.start()
    messages = paul.messages(session_id)
    goes_on = paul.say(session_id, "Still there?")

    assert ENOUGH <= len(answered) < CONNECTIONS * EACH
    kept = {message["sequence"]: message for message in messages}
    assert sorted(kept) == list(range(1, len(messages) + 1))
    assert len({message["content"] for message in messages}) == len(messages)
    assert [m for m in answered if kept[m["sequence"]] != {**m, "sender_agent_id": paul.id}] == []
    assert goes_on.json()["sequence"] == len(messages) + 1
    assert hub.broken_chains() == []


def test_an_answered_verdict_and_an_idempotency_key_outlive_a_kill(hub: Hub):
    ada, eve, paul = hub.agent("ada"), hub.agent("eve"), hub.agent("paul")
    registration_id = ada.start()
    decided_id, running_id = paul.claim(registration_id), paul.claim(eve.start())
    path = f"/evaluations/{EVALUATION}/sessions/{running_id}/messages"
    say = partial(paul.post, path, {"content": "Once."}, headers={"Idempotency-Key": "over a kill"})
    decided, first = paul.submit(registration_id, passed=True, score=80), say()
    hub.stop(signal.SIGKILL)

    hub.start()
    second = say()

    assert decided.status_code == 201
    assert ada.get("/agents/me/evaluation-results").json()["results"] == [decided.json()["result"]]
    assert paul.get(f"/evaluations/{EVALUATION}/sessions/{decided_id}").json()["session"]["status"] == "ended"
    assert paul.submit(registration_id).status_code == 409
    assert (second.status_code, second.text) == (first.status_code, first.text) == (201, first.text)
    assert len(paul.messages(running_id)) == 1
