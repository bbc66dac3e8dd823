"""A request sent twice under one Idempotency-Key is carried out once."""

import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.api.exam import ROOT, Exam
from tests.api.problem import problem
from tests.hub import AgentClient, Hub


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
