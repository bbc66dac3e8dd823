"""A request sent twice under one Idempotency-Key is carried out once."""

import contextlib
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.api.exam import ROOT, Exam
from tests.api.problem import problem
from tests.hub import AgentClient, Hub
from viva.kit.idempotency import MAX_RESPONSES_PER_DAY
from viva.kit.opening import open_database


class Post(NamedTuple):
    """A request that makes something, and another one that its caller may send."""

    caller: AgentClient
    path: str
    body: Any
    other_path: str
    other_body: Any

    def send(self, key: str):
        return self.caller.post(self.path, self.body, headers={"Idempotency-Key": key})

    def send_other(self, key: str):
        return self.caller.post(self.other_path, self.other_body, headers={"Idempotency-Key": key})


def new_agent(hub: Hub) -> Post:
    name = f"ada-{uuid.uuid4().hex}"
    return Post(hub.anybody(), "/agents/register", {"name": name}, "/agents/register", {"name": f"{name}-other"})


def new_key(hub: Hub) -> Post:
    return Post(hub.agent("ada"), "/agents/me/keys", None, f"{ROOT}/register", None)


def registering(hub: Hub) -> Post:
    return Post(hub.agent("ada"), f"{ROOT}/register", None, "/evaluations/honest-uncertainty/register", None)


def starting(hub: Hub) -> Post:
    ada = hub.agent("ada")
    ada.post(f"{ROOT}/register")
    return Post(ada, f"{ROOT}/start", None, f"{ROOT}/cancel", None)


def cancelling(hub: Hub) -> Post:
    ada = hub.agent("ada")
    ada.start()
    return Post(ada, f"{ROOT}/cancel", None, f"{ROOT}/register", None)


def claiming(hub: Hub) -> Post:
    one, other = hub.agent("ada").start(), hub.agent("abe").start()
    path = f"{ROOT}/proctor/claim"
    return Post(hub.agent("paul"), path, {"registration_id": one}, path, {"registration_id": other})


def releasing(hub: Hub) -> Post:
    exam = Exam.begin(hub)
    body = {"registration_id": exam.registration_id}
    return Post(exam.paul, f"{ROOT}/proctor/release", body, f"{ROOT}/proctor/claim", body)


def speaking(hub: Hub) -> Post:
    exam = Exam.begin(hub)
    return Post(exam.paul, exam.messages, {"content": "Once."}, exam.messages, {"content": "Twice."})


def deciding(hub: Hub) -> Post:
    exam = Exam.begin(hub)
    body = {"registration_id": exam.registration_id, "passed": True}
    return Post(exam.paul, f"{ROOT}/proctor/submit", body, f"{ROOT}/proctor/submit", body | {"passed": False})


POSTS = [new_agent, new_key, registering, starting, cancelling, claiming, releasing, speaking, deciding]
each_post = pytest.mark.parametrize("make", POSTS, ids=lambda make: make.__name__)


@each_post
def test_the_same_request_gives_the_same_answer_once_more(hub: Hub, make: Callable[[Hub], Post]):
    post = make(hub)
    key = uuid.uuid4().hex
    first = post.send(key)
    before = hub.counts()

    second = post.send(key)

    assert first.status_code in (200, 201), first.text
    assert (second.status_code, second.content) == (first.status_code, first.content)
    assert second.headers["content-type"] == first.headers["content-type"]
    assert second.headers["x-request-id"] != first.headers["x-request-id"]
    assert hub.counts() == before


@each_post
def test_another_request_under_the_same_key_is_a_conflict(hub: Hub, make: Callable[[Hub], Post]):
    post = make(hub)
    key = uuid.uuid4().hex
    first = post.send(key)
    before = hub.counts()

    other = post.send_other(key)

    problem(other, 409, "key_reused")
    assert hub.counts() == before
    assert post.send(key).content == first.content


@each_post
@pytest.mark.parametrize("key", ["", "k" * 256], ids=["empty", "too long"])
def test_a_key_has_1_to_255_characters(hub: Hub, make: Callable[[Hub], Post], key: str):
    post = make(hub)
    before = hub.counts()

    refused = post.send(key)

    problem(refused, 422, "bad_idempotency_key", "Idempotency-Key")
    assert hub.counts() == before
    assert post.send("k" * 255 if make is not new_agent else uuid.uuid4().hex * 7).status_code in (200, 201)


def test_registering_twice_gives_the_one_agent_and_its_key_again(hub: Hub):
    post = new_agent(hub)
    key = uuid.uuid4().hex

    first, second = post.send(key), post.send(key)

    assert first.json()["api_key"] == second.json()["api_key"]
    assert hub.with_key(second.json()["api_key"]).id == first.json()["agent"]["id"]


def test_two_agents_may_use_the_same_key(hub: Hub):
    exam = Exam.begin(hub)
    same = {"headers": {"Idempotency-Key": "1"}}

    by_paul = exam.paul.post(exam.messages, {"content": "Same."}, **same)
    by_ada = exam.ada.post(exam.messages, {"content": "Same."}, **same)

    assert (by_paul.json()["sequence"], by_ada.json()["sequence"]) == (1, 2)
    assert (by_paul.json()["role"], by_ada.json()["role"]) == ("proctor", "candidate")


def test_a_refusal_is_not_kept(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.post(f"{ROOT}/register").json()["registration"]["id"]
    claim = Post(paul, f"{ROOT}/proctor/claim", {"registration_id": registration_id}, "", None)
    too_early = claim.send("key")
    ada.post(f"{ROOT}/start")

    in_time = claim.send("key")

    problem(too_early, 409, "not_waiting")
    assert in_time.status_code == 201


def test_without_a_key_each_request_counts(hub: Hub):
    exam = Exam.begin(hub)

    said = [exam.paul.say(exam.session_id, "Again.").json()["sequence"] for _ in range(3)]

    assert said == [1, 2, 3]


def test_a_key_does_not_open_what_the_caller_has_lost(hub: Hub):
    ada = hub.agent("ada")
    registering = {"headers": {"Idempotency-Key": "key"}}
    assert ada.post(f"{ROOT}/register", **registering).status_code == 201
    assert ada.http.delete("/agents/me/keys").status_code == 204

    problem(ada.post(f"{ROOT}/register", **registering), 401, "wrong_key")


# Large answers


def kept_bytes(hub: Hub) -> int:
    """How much the responses that are kept take."""
    with contextlib.closing(open_database(hub.database_url)) as database:
        sql = "SELECT coalesce(sum(length(answer)), 0) FROM kept_answers"
        return int(database.read_now(lambda db: db.execute(sql).fetchone()[0]))


@pytest.fixture(scope="module")
def large_benchmark(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a benchmark whose start answers with half a megabyte of questions."""
    questions = [
        {
            "id": f"q{number}",
            "kind": "exact",
            "points": 1,
            "text": f"{number}: " + "Read this. " * 400,
            "answers": ["yes"],
        }
        for number in range(100)
    ]
    evaluation_id = hub.evaluation(
        tmp_path_factory.mktemp("benchmark"),
        type="complex_benchmark",
        config={"summary": "Reading.", "time_limit_minutes": 30, "passing_score": 50, "questions": questions},
        executable={"handler": "benchmark"},
    )
    return f"/evaluations/{evaluation_id}"


def large_message(hub: Hub, _: str) -> Post:
    exam = Exam.begin(hub)
    return Post(exam.paul, exam.messages, {"content": "x" * 60_000}, "", None)


def large_verdict(hub: Hub, _: str) -> Post:
    exam = Exam.begin(hub)
    body = {"registration_id": exam.registration_id, "passed": True, "result_data": {"note": "x" * 60_000}}
    return Post(exam.paul, f"{ROOT}/proctor/submit", body, "", None)


def large_start(hub: Hub, benchmark: str) -> Post:
    ada = hub.agent("ada")
    assert ada.post(f"{benchmark}/register").status_code == 201
    return Post(ada, f"{benchmark}/start", None, "", None)


LONG_ANSWERS = {f"q{number}": "x" * 900 for number in range(20)}


def large_answers(hub: Hub, benchmark: str) -> Post:
    start = large_start(hub, benchmark)
    assert start.send("start").status_code == 200
    return Post(start.caller, f"{benchmark}/answers", {"answers": LONG_ANSWERS}, "", None)


def large_submission(hub: Hub, benchmark: str) -> Post:
    start = large_start(hub, benchmark)
    assert start.send("start").status_code == 200
    return Post(start.caller, f"{benchmark}/submit", {"answers": LONG_ANSWERS}, "", None)


LARGE = [large_message, large_verdict, large_start, large_answers, large_submission]


@pytest.mark.parametrize("make", LARGE, ids=lambda make: make.__name__)
def test_a_large_answer_is_given_again_and_takes_no_room(
    hub: Hub, large_benchmark: str, make: Callable[[Hub, str], Post]
):
    post = make(hub, large_benchmark)
    key, before = uuid.uuid4().hex, kept_bytes(hub)

    first = post.send(key)
    second = post.send(key)

    assert first.status_code in (200, 201), first.text
    assert len(first.content) > 10_000
    assert (second.status_code, second.content) == (first.status_code, first.content)
    assert kept_bytes(hub) - before < 1_000


def test_the_start_of_an_attempt_that_has_ended_is_given_again(hub: Hub, large_benchmark: str):
    start = large_start(hub, large_benchmark)
    first = start.send("start")
    assert start.caller.post(f"{large_benchmark}/submit", {"answers": {}}).status_code == 201

    second = start.send("start")

    assert (second.status_code, second.content) == (200, first.content)


def test_a_revoked_key_reads_no_large_answer_again(hub: Hub, large_benchmark: str):
    start = large_start(hub, large_benchmark)
    assert start.send("start").status_code == 200
    assert start.caller.http.delete("/agents/me/keys").status_code == 204

    problem(start.send("start"), 401, "wrong_key")


def test_who_has_too_many_answers_kept_is_told_when_to_come_again(hub: Hub):
    exam = Exam.begin(hub)
    assert exam.paul.post(exam.messages, {"content": "One."}, headers={"Idempotency-Key": "1"}).status_code == 201
    with contextlib.closing(open_database(hub.database_url)) as database:
        database.write_now(
            lambda db: db.execute(
                "UPDATE limit_counters SET used = ? WHERE subject LIKE 'idempotent responses:%'",
                [MAX_RESPONSES_PER_DAY],
            )
        )

    refused = exam.paul.post(exam.messages, {"content": "Two."}, headers={"Idempotency-Key": "2"})

    problem(refused, 429, "too_many_idempotency_keys")
    assert 1 <= int(refused.headers["retry-after"]) <= 24 * 3600
    assert exam.paul.post(exam.messages, {"content": "Two."}).json()["sequence"] == 2
    with contextlib.closing(open_database(hub.database_url)) as database:
        database.write_now(lambda db: db.execute("DELETE FROM limit_counters"))
