"""An exam of an A2A agent by its address: the hub asks it, through kills too, and only its own account sees where."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.serving import AgentServer, serve_agent
from tests.conftest import DATABASES, fresh_url
from tests.hub import EVALUATION, AgentClient, Hub, at_once, until
from tests.sittings.agents import PLAIN_ANSWERS, deal_plainly

SESSIONS = f"/evaluations/{EVALUATION}/sessions"


@pytest.fixture(scope="module")
def agent() -> Iterator[AgentServer]:
    with serve_agent(deal_plainly) as server:
        yield server


@pytest.fixture(scope="module", params=DATABASES)
def open_hub(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, agent: AgentServer
) -> Iterator[Hub]:
    """A hub that may call the agent, which is on this machine."""
    host = agent.url.removeprefix("http://")
    folder = tmp_path_factory.mktemp("hub")
    with Hub(fresh_url(request.param, request, folder), folder, VIVA_WEBHOOK_HOSTS=host) as hub:
        yield hub


def start(candidate: AgentClient, url: str, evaluation: str = EVALUATION) -> Any:
    assert candidate.post(f"/evaluations/{evaluation}/register").status_code in (200, 201)
    return candidate.post(f"/evaluations/{evaluation}/start", {"a2a_url": url})


def wait_for_messages(reader: AgentClient, session_id: str, count: int) -> list[dict[str, Any]]:
    until(lambda: len(reader.messages(session_id)) >= count)
    return reader.messages(session_id)


def test_an_exam_from_start_to_verdict(open_hub: Hub, agent: AgentServer):
    ada, paul = open_hub.agent("ada"), open_hub.agent("paul")
    registration_id = start(ada, agent.url).json()["registration"]["id"]
    session_id = paul.claim(registration_id)
    (own,) = ada.get("/agents/me/registrations").json()["registrations"]
    assert (own["a2a_url"], own["session_id"]) == (agent.url, session_id)

    paul.say(session_id, "Are you ready?")
    wait_for_messages(paul, session_id, 2)
    paul.say(session_id, "My budget is tight.")
    said = wait_for_messages(paul, session_id, 4)
    decided = paul.submit(registration_id, score=90)

    assert decided.status_code == 201
    assert [(each["role"], each["content"]) for each in said] == [
        ("proctor", "Are you ready?"),
        ("candidate", PLAIN_ANSWERS["ready"]),
        ("proctor", "My budget is tight."),
        ("candidate", PLAIN_ANSWERS["tight"]),
    ]
    assert len(agent.contexts[session_id]) == 4
    assert open_hub.broken_chains() == []


def test_messages_at_once_get_one_reply_each(open_hub: Hub, agent: AgentServer):
    ada, paul = open_hub.agent("ada"), open_hub.agent("paul")
    session_id = paul.claim(start(ada, agent.url).json()["registration"]["id"])

    texts = [f"Question {number}" for number in range(6)]
    at_once([lambda text=text: paul.say(session_id, text) for text in texts])  # type: ignore[misc]
    said = wait_for_messages(paul, session_id, 12)

    assert [each["role"] for each in said].count("candidate") == 6
    asked = [each["content"] for each in agent.contexts[session_id] if each["role"] == "user"]
    assert asked == [each["content"] for each in said if each["role"] == "proctor"]


def test_only_the_candidate_and_maintainers_see_the_address(open_hub: Hub, agent: AgentServer):
    ada, paul, eve = (open_hub.agent(name) for name in ("ada", "paul", "eve"))
    registration_id = start(ada, agent.url).json()["registration"]["id"]
    session_id = paul.claim(registration_id)
    paul.say(session_id, "Are you ready?")
    wait_for_messages(paul, session_id, 2)
    paul.submit(registration_id, score=90)

    for reader in (ada, open_hub.maintainer("mary")):
        assert reader.get(f"{SESSIONS}/{session_id}").json()["a2a"] == {"url": agent.url, "fault": None}
    for reader in (paul, eve, open_hub.anybody()):
        answer = reader.get(f"{SESSIONS}/{session_id}")
        assert answer.status_code == 200
        assert "a2a" not in answer.json()
        assert agent.url not in answer.text


def test_nobody_sets_the_address_of_another(open_hub: Hub, agent: AgentServer):
    ada, paul, eve = (open_hub.agent(name) for name in ("ada", "paul", "eve"))
    registration_id = ada.start()

    refused = eve.post(f"/evaluations/{EVALUATION}/start", {"a2a_url": agent.url})
    session_id = paul.claim(registration_id)
    late = ada.post(f"/evaluations/{EVALUATION}/start", {"a2a_url": agent.url})
    released = paul.post(f"/evaluations/{EVALUATION}/proctor/release", {"registration_id": registration_id})

    assert (refused.status_code, refused.json()["code"]) == (409, "not_registered")
    assert (late.status_code, late.json()["code"]) == (409, "started_without_agent")
    assert "a2a_url" not in released.text
    assert "a2a" not in ada.get(f"{SESSIONS}/{session_id}").json()


@pytest.mark.parametrize(
    "url",
    [
        "http://agent.example",
        "https://127.0.0.1:1/",
        "https://10.1.2.3",
        "https://[::1]",
        "https://ada:secret@agent.example",
        "ftp://agent.example",
        "agent.example",
        "",
        "https://agent.example/" + "x" * 2_000,
        "https://agent.example/\u0007",
    ],
)
def test_an_address_that_the_hub_does_not_call_is_refused(open_hub: Hub, url: str):
    refused = start(open_hub.agent("ada"), url)

    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "bad_a2a_url")


def test_only_a_conversation_has_an_agent_that_is_asked(open_hub: Hub, agent: AgentServer):
    refused = start(open_hub.agent("ada"), agent.url, "proof-of-agentic-work")

    assert (refused.status_code, refused.json()["code"]) == (409, "no_conversation")


@contextmanager
def worker(hub: Hub) -> Iterator["subprocess.Popen[bytes]"]:
    """`viva worker` as a process of its own, killed in the end."""
    with (hub.folder / "worker.log").open("a") as log:
        process = subprocess.Popen([sys.executable, "-m", "viva", "worker"], env=hub.environment, stderr=log)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


@pytest.mark.soak
@pytest.mark.parametrize("kind", DATABASES)
def test_a_killed_worker_leaves_one_reply(kind: str, request: pytest.FixtureRequest, tmp_path: Path):
    """The worker dies while the agent thinks. The next one asks again, with the same message id."""
    goes_on = threading.Event()

    def think(messages: list[dict[str, str]]) -> str:
        goes_on.wait(60)
        return "Here I am."

    with serve_agent(think) as agent:
        settings: dict[str, Any] = {
            "VIVA_NO_WORKER": "1",
            "VIVA_LEASE_SECONDS": "1",
            "VIVA_WEBHOOK_HOSTS": agent.url.removeprefix("http://"),
        }
        with Hub(fresh_url(kind, request, tmp_path), tmp_path, **settings) as hub:
            ada, paul = hub.agent("ada"), hub.agent("paul")
            session_id = paul.claim(start(ada, agent.url).json()["registration"]["id"])
            paul.say(session_id, "Are you there?")
            with worker(hub) as process:
                until(lambda: agent.asked)
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
            hub.stop(signal.SIGKILL)
            hub.start()
            goes_on.set()
            with worker(hub):
                wait_for_messages(paul, session_id, 2)
                paul.say(session_id, "Are you still there?")
                said = wait_for_messages(paul, session_id, 4)

    assert [each["content"] for each in said] == ["Are you there?", "Here I am.", "Are you still there?", "Here I am."]
    ids = [each["params"]["message"]["messageId"] for each in agent.asked]
    assert ids == [said[0]["id"], said[0]["id"], said[2]["id"]]
