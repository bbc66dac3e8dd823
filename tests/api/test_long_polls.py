"""Reads that wait for news: messages of a session, the job on an attempt, and an agent's open registrations."""

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from tests.api.exam import ROOT, Exam
from tests.exams.certification import ROWS, answers, front
from tests.hub import EVALUATION, AgentClient, Hub
from viva.api.long_polls import wait_for_news
from viva.api.route_spec import PolledAnswer, RouteCall
from viva.kit.db import Connection, Database
from viva.sessions.feed import Feed, TooManyStreams

LONG = {"wait": 30}
BEGIN_SECONDS = 0.5  # a poll that has not begun by then finds its news at once
NEWS_SECONDS = 25  # shorter than a poll by itself, so only a notification can end it in time


@pytest.fixture
def exam(hub: Hub) -> Exam:
    return Exam.begin(hub)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def begin(pool: ThreadPoolExecutor, poll: Callable[[], httpx.Response]) -> "Future[httpx.Response]":
    """A poll that waits."""
    waiting = pool.submit(poll)
    time.sleep(BEGIN_SECONDS)
    assert not waiting.done()
    return waiting


def test_a_message_ends_the_wait(exam, pool):
    waiting = begin(pool, lambda: exam.ada.get(exam.messages, params={"since": 0, **LONG}))
    exam.paul.say(exam.session_id, "Hello?")

    assert [message["content"] for message in waiting.result(NEWS_SECONDS).json()["messages"]] == ["Hello?"]


def test_what_is_there_already_is_answered_at_once(exam):
    exam.paul.say(exam.session_id, "Hello?")

    answer = exam.ada.get(exam.messages, params={"since": 0, **LONG})

    assert [message["sequence"] for message in answer.json()["messages"]] == [1]


def test_after_the_seconds_comes_an_empty_page(exam):
    answer = exam.ada.get(exam.messages, params={"since": 0, "wait": 1})

    assert answer.json() == {"messages": [], "next_cursor": None}


def test_the_end_of_a_session_ends_the_wait(exam, pool):
    waiting = begin(pool, lambda: exam.ada.get(exam.messages, params={"since": 0, **LONG}))
    assert exam.paul.submit(exam.registration_id).status_code == 201

    assert waiting.result(NEWS_SECONDS).json()["messages"] == []


def test_who_loses_the_right_to_read_gets_nothing_more(exam, pool):
    waiting = begin(pool, lambda: exam.ada.get(exam.messages, params={"since": 0, **LONG}))
    exam.ada.http.delete("/agents/me/keys")
    exam.paul.say(exam.session_id, "Hello?")

    assert waiting.result(NEWS_SECONDS).status_code == 401


@pytest.mark.parametrize("path", ["{root}/sessions/{session}/messages", "/agents/me/registrations"])
@pytest.mark.parametrize("seconds", ["31", "-1", "1.5", "long"])
def test_nobody_waits_longer_than_half_a_minute(exam, path, seconds):
    answer = exam.ada.get(exam.addressed(path), params={"wait": seconds})

    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["wait"]


def test_registrations_say_what_to_do_next(hub):
    ada = hub.agent("ada")
    assert registrations(ada)["registrations"] == []

    ada.post(f"{ROOT}/register")
    (registered,) = registrations(ada)["registrations"]
    ada.post(f"{ROOT}/start")
    (started,) = registrations(ada)["registrations"]

    assert (registered["status"], registered["next_step"], registered["started_at"]) == ("registered", "start", None)
    assert (started["status"], started["next_step"], started["session_id"]) == ("in_progress", "wait", None)
    assert (started["evaluation_id"], started["type"], started["deadline"]) == (EVALUATION, "proctored", None)


def test_an_attempt_with_a_time_limit_has_its_deadline_and_its_challenge(hub):
    ada = hub.agent("ada")
    ada.start("careful-work")

    (found,) = registrations(ada)["registrations"]

    assert found["next_step"] == "submit"
    assert found["deadline"] > found["started_at"]
    assert ada.get(f"/evaluations/careful-work/challenge/{found['challenge_id']}").status_code == 200


def test_class_work_is_joined_then_waited_for(hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    ada.post("/evaluations/island-round/register")
    ada.post("/evaluations/island-round/start")
    (started,) = registrations(ada)["registrations"]
    assert started["cohort_id"]
    assert started["next_step"] == "wait"

    assert registrations(paul)["registrations"] == []


def test_a_candidate_waits_for_the_proctor_then_for_the_verdict(hub, pool):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()
    before = registrations(ada)["state"]
    waiting = begin(pool, lambda: ada.get("/agents/me/registrations", params=LONG))
    waiting_for_change = begin(pool, lambda: ada.get("/agents/me/registrations", params={"since": before, **LONG}))
    session_id = paul.claim(registration_id)

    for poll in (waiting, waiting_for_change):
        (claimed,) = poll.result(NEWS_SECONDS).json()["registrations"]
        assert (claimed["session_id"], claimed["next_step"]) == (session_id, "talk")

    state = registrations(ada)["state"]
    waiting = begin(pool, lambda: ada.get("/agents/me/registrations", params={"since": state, **LONG}))
    assert paul.submit(registration_id).status_code == 201
    assert waiting.result(NEWS_SECONDS).json()["registrations"] == []


def test_a_released_candidate_learns_of_it(exam, pool):
    state = registrations(exam.ada)["state"]
    waiting = begin(pool, lambda: exam.ada.get("/agents/me/registrations", params={"since": state, **LONG}))
    released = exam.paul.post(f"{ROOT}/proctor/release", {"registration_id": exam.registration_id})
    assert released.status_code == 200

    (found,) = waiting.result(NEWS_SECONDS).json()["registrations"]
    assert (found["session_id"], found["next_step"]) == (None, "wait")


def test_registrations_are_those_of_the_caller(exam):
    assert registrations(exam.eve)["registrations"] == []
    assert exam.hub.anybody().get("/agents/me/registrations").status_code == 401


def test_a_decision_ends_the_wait_for_its_job(hub, tmp_path: Path, pool):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    evaluation = hub.evaluation(tmp_path, **front())
    ada.post(f"/evaluations/{evaluation}/register")
    started = ada.post(f"/evaluations/{evaluation}/start").json()
    body = {"nonce": started["nonce"], "transcript": answers()}
    job_id = ada.post(f"/evaluations/{evaluation}/submit", body).json()["job_id"]
    registration_id = started["registration"]["id"]
    waiting = begin(pool, lambda: ada.get(f"/evaluations/{evaluation}/job/{job_id}", params=LONG))

    marks = [{"row_id": row, "mark": 10} for row in ROWS]
    rubric = {"registration_id": registration_id, "marks": marks}
    sheet = {"registration_id": registration_id}
    while paul.post(f"/evaluations/{evaluation}/proctor/rubric/take", sheet).status_code == 409:
        time.sleep(0.05)  # the judges, of whom there are none, come first
    marked = paul.post(f"/evaluations/{evaluation}/proctor/rubric", rubric)
    assert marked.status_code == 201, marked.text

    job = waiting.result(NEWS_SECONDS).json()["job"]
    assert job["result_id"] == marked.json()["result"]["id"]


def registrations(agent: AgentClient) -> dict[str, Any]:
    answer = agent.get("/agents/me/registrations")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


class Counting:
    """A call whose answer has no news until it is told some, and how often it was read."""

    def __init__(self, database: Database, wait: int = 30) -> None:
        self.has_news, self.reads, self.wait = False, 0, wait
        self.feed = Feed(database)
        hub = SimpleNamespace(feed=self.feed, rate_limits=object())
        request = SimpleNamespace(client=SimpleNamespace(host="2001:db8::1"))
        self.call = RouteCall(cast(Any, request), cast(Any, hub), self.read)

    def read(self, db: Connection) -> PolledAnswer[str]:
        self.reads += 1
        return PolledAnswer("news", self.has_news, self.wait, ("topic", "other"))

    def begin(self) -> "asyncio.Task[PolledAnswer[Any]]":
        return asyncio.create_task(wait_for_news(self.call, PolledAnswer("", False, self.wait, ("topic", "other"))))


def test_who_waits_reads_only_when_something_happened(database):
    async def wait() -> int:
        counting = Counting(database)
        waiting = counting.begin()
        await asyncio.sleep(0.3)
        assert (counting.reads, waiting.done()) == (1, False)
        database.notifier.notify("elsewhere")
        counting.has_news = True
        database.notifier.notify("other")
        assert (await waiting).has_news
        assert counting.feed.open.count("2001:db8::1") == 0
        return counting.reads

    assert asyncio.run(wait()) == 2


def test_a_hub_that_stops_answers_those_who_wait(database):
    async def wait() -> bool:
        counting = Counting(database)
        waiting = counting.begin()
        await asyncio.sleep(0.1)
        counting.feed.close()
        return (await waiting).has_news

    assert asyncio.run(wait()) is False


def test_an_address_has_as_many_polls_as_streams(database, monkeypatch):
    monkeypatch.setattr("viva.sessions.feed.MAX_STREAMS_PER_ADDRESS", 1)

    async def wait() -> None:
        counting = Counting(database)
        waiting = counting.begin()
        await asyncio.sleep(0.1)
        with pytest.raises(TooManyStreams):
            await counting.begin()
        counting.feed.close()
        await waiting

    asyncio.run(wait())
