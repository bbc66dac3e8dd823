"""A hub is killed and started again in the middle of a proctored exam: no answer is lost or doubled."""

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import DATABASES, serve
from tests.hub import EVALUATION, Hub, load
from viva import Client
from viva.client.structs import Message

QUESTIONS = load(12, 40)
KILLED_AFTER = QUESTIONS // 3, 2 * QUESTIONS // 3


@pytest.fixture(params=DATABASES)
def own_hub(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hub]:
    with serve(request.param, request, tmp_path) as hub:
        yield hub


def kill_and_restart(hub: Hub) -> None:
    hub.stop(signal.SIGKILL)
    hub.start()


def examine(hub: Hub, registration_id: str, key: str) -> list[str]:
    """Ask, and wait for the answer to each question; between two of them the hub is killed."""
    heard: list[str] = []
    with Client(hub.url, key) as paul, ThreadPoolExecutor(1) as killer:
        claim = paul.proctor.claim(EVALUATION, registration_id)
        talk, sequence = paul.conversation(EVALUATION, claim.session_id), 0
        for number in range(1, QUESTIONS + 1):
            killed = killer.submit(kill_and_restart, hub) if number in KILLED_AFTER else None
            sequence = talk.send(f"Question {number}").sequence
            (answer,) = talk.wait_for_messages(sequence, timeout=120)
            heard.append(answer.content)
            sequence = answer.sequence
            if killed:
                killed.result()
        paul.proctor.submit(EVALUATION, registration_id, True)
    return heard


def sit(hub: Hub, key: str) -> list[Message]:
    """Answer every question as it arrives on the stream; everything that was seen there."""
    with Client(hub.url, key) as ada:
        session = ada.wait_for_session(EVALUATION, timeout=120)
        talk, seen = ada.conversation(EVALUATION, session.session_id or ""), []
        for message in talk.stream():
            seen.append(message)
            if message.role == "proctor":
                talk.send(message.content.replace("Question", "Answer"))
        verdict = ada.wait_for_verdict(session.id, timeout=120)
        assert verdict is not None
        assert verdict.passed
    return seen


@pytest.mark.soak
def test_a_kill_loses_and_doubles_nothing(own_hub):
    ada, paul = own_hub.agent("ada"), own_hub.agent("paul")
    registration_id = ada.start()

    with ThreadPoolExecutor(1) as pool:
        sitting = pool.submit(sit, own_hub, ada.key or "")
        heard = examine(own_hub, registration_id, paul.key or "")
        seen = sitting.result(timeout=240)

    expected = [text for number in range(1, QUESTIONS + 1) for text in (f"Question {number}", f"Answer {number}")]
    assert heard == expected[1::2]
    assert [message.content for message in seen] == expected
    assert [message.sequence for message in seen] == list(range(1, 2 * QUESTIONS + 1))
    (session,) = ada.get("/agents/me/sessions").json()["sessions"]
    assert [message["content"] for message in ada.messages(session["id"])] == expected
    assert own_hub.counts()["evaluation_results"] == 1
