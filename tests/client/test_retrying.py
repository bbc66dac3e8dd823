"""What is sent again, how often, and what is never sent twice."""

import pytest

from tests.client.scripted import Reply, scripted
from viva import Client
from viva.client import retrying
from viva.client.retrying import HubError, HubUnreachable, Retries, StrangeAnswer

SENT = Reply(
    201, b'{"id": "m", "role": "candidate", "content": "Hi", "created_at": "2026-11-18T09:00:00Z", "sequence": 1}'
)
BUSY, LIMITED = Reply(503), Reply(429, headers={"Retry-After": "0"})
NO_ANSWER, CUT = Reply(None), Reply(201, b'{"id": ', is_cut=True)
PROXY_LOST_HUB = Reply(502, b"<html>Bad gateway</html>")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(retrying, "MAX_PAUSE_SECONDS", 0.002)


@pytest.mark.parametrize("failure", [BUSY, LIMITED, NO_ANSWER, CUT, PROXY_LOST_HUB, Reply(504), Reply(408)])
def test_every_try_of_a_message_has_the_same_idempotency_key(failure):
    with scripted(failure, failure, SENT) as hub, Client(hub.url, "viva_x") as client:
        sent = client.sessions.send_message("plain-dealing", "s", "Hi")

    keys = {request.headers["Idempotency-Key"] for request in hub.requests}
    assert (len(hub.requests), len(keys), sent.sequence) == (3, 1, 1)
    assert {request.body for request in hub.requests} == {b'{"content":"Hi"}'}


def test_two_messages_have_two_idempotency_keys():
    with scripted(SENT) as hub, Client(hub.url, "viva_x") as client:
        client.sessions.send_message("plain-dealing", "s", "Hi")
        client.sessions.send_message("plain-dealing", "s", "Hi")

    assert len({request.headers["Idempotency-Key"] for request in hub.requests}) == 2


@pytest.mark.parametrize("failure", [NO_ANSWER, CUT, PROXY_LOST_HUB, Reply(504)])
def test_a_change_that_the_hub_may_have_made_is_not_sent_again(failure):
    with scripted(failure) as hub, Client(hub.url, "viva_x") as client:
        with pytest.raises((HubError, HubUnreachable)):
            client.traces.delete_trace("t")
        with pytest.raises((HubError, HubUnreachable)):
            client.contributions.change_contribution("c", title="New", revision=3)
        with pytest.raises((HubError, HubUnreachable)):
            client.agents.change_me(name="ada")

    assert [request.method for request in hub.requests] == ["DELETE", "PUT", "PATCH"]


def test_a_change_that_the_hub_refused_for_now_is_sent_again():
    with scripted(BUSY, LIMITED, Reply(204, b"")) as hub, Client(hub.url, "viva_x") as client:
        client.traces.delete_trace("t")

    assert [request.method for request in hub.requests] == ["DELETE"] * 3
    assert "Idempotency-Key" not in hub.requests[0].headers


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 413, 422, 500])
def test_a_refusal_is_not_repeated(status):
    with scripted(Reply(status)) as hub, Client(hub.url, "viva_x") as client, pytest.raises(HubError) as refused:
        client.exams.register("plain-dealing")

    assert (len(hub.requests), refused.value.status) == (1, status)


def test_tries_are_limited_in_number():
    with scripted(BUSY) as hub, Client(hub.url, "viva_x") as client, pytest.raises(HubError) as refused:
        client.evaluations.list_evaluations()

    assert (len(hub.requests), refused.value.status) == (retrying.MAX_TRIES, 503)


def test_the_hub_says_how_long_to_wait_within_the_limit():
    assert Retries().next_pause("7") == 7
    assert Retries().next_pause("0") == 0
    assert Retries().next_pause("61") is None
    assert (Retries().next_pause("\N{SUPERSCRIPT TWO}") or 1) < 0.1
    assert (Retries().next_pause("Wed, 18 Nov 2026 09:00:00 GMT") or 1) < 0.1


def test_pauses_grow_and_end(monkeypatch):
    monkeypatch.setattr(retrying, "FIRST_PAUSE_SECONDS", 1.0)
    monkeypatch.setattr(retrying, "MAX_PAUSE_SECONDS", 8.0)
    retries = Retries()

    pauses = [retries.next_pause() or 0.0 for _ in range(6)]

    assert all(longest / 2 <= pause <= longest for pause, longest in zip(pauses, [1, 2, 4, 8, 8, 8], strict=True))
    retries.until = 1.0  # long ago
    assert retries.next_pause() is None


def test_an_answer_of_another_form_is_named():
    with scripted(Reply(200, b'{"agent": 7}')) as hub, Client(hub.url, "viva_x") as client:  # noqa: SIM117
        with pytest.raises(StrangeAnswer, match=r"GET /api/v1/agents/me: .*agent"):
            client.agents.show_me()


def test_a_key_does_not_follow_a_redirect():
    with scripted(SENT) as other:
        away = Reply(307, headers={"Location": f"{other.url}/api/v1/agents/me"})
        with scripted(away) as hub, Client(hub.url, "viva_x") as client, pytest.raises(HubError):
            client.agents.show_me()

    assert other.requests == []


def test_values_in_a_path_stay_one_part_of_it():
    with scripted(Reply(404)) as hub, Client(hub.url, "viva_x") as client, pytest.raises(HubError):
        client.agents.show_agent("../me?x=1#y")

    assert hub.requests[0].path == "/api/v1/agents/..%2Fme%3Fx%3D1%23y"
