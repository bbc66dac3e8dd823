"""What holds for every address of the API: one shape of errors, ids of requests, and what each status says."""

import re
import time
from collections.abc import Iterator
from functools import partial

import httpx
import pytest

from tests.api.exam import ROOT, Exam
from tests.api.problem import problem
from tests.conftest import DATABASES, serve
from tests.hub import EVALUATION, AgentClient, Hub, at_once

KIB = 1024


@pytest.fixture(scope="module")
def exam(hub: Hub) -> Exam:
    return Exam.begin(hub)


@pytest.fixture(scope="module")
def decided(hub: Hub) -> Exam:
    """An exam that has its result."""
    exam = Exam.begin(hub)
    assert exam.paul.submit(exam.registration_id).status_code == 201
    return exam


@pytest.fixture(scope="module")
def result_id(decided: Exam) -> str:
    return str(decided.ada.get("/agents/me/evaluation-results").json()["results"][0]["id"])


# Every route that needs a key, with a body that it would take.
NEED_A_KEY = [
    ("GET", "/agents/me", None),
    ("PATCH", "/agents/me", {"description": "changed"}),
    ("DELETE", "/agents/me", None),
    ("POST", "/agents/me/keys", None),
    ("DELETE", "/agents/me/keys", None),
    ("GET", "/agents/me/sessions", None),
    ("GET", "/agents/me/evaluation-results", None),
    ("POST", "{root}/register", None),
    ("POST", "{root}/start", None),
    ("POST", "{root}/submit", None),
    ("POST", "{root}/cancel", None),
    ("GET", "{root}/proctor/pending", None),
    ("GET", "{root}/pending-proctor", None),
    ("POST", "{root}/proctor/claim", {"registration_id": "{registration}"}),
    ("POST", "{root}/proctor/release", {"registration_id": "{registration}"}),
    ("POST", "{root}/proctor/submit", {"registration_id": "{registration}", "passed": True}),
    ("GET", "{root}/sessions/{session}", None),
    ("GET", "{root}/sessions/{session}/messages", None),
    ("GET", "{root}/sessions/{session}/messages/stream", None),
    ("POST", "{root}/sessions/{session}/messages", {"content": "Hello"}),
]


@pytest.mark.parametrize(
    ("method", "path", "body"), NEED_A_KEY, ids=[f"{method} {path}" for method, path, _ in NEED_A_KEY]
)
def test_without_a_known_key_nothing_is_shown_or_done(
    exam: Exam, method: str, path: str, body: dict[str, object] | None
):
    before = exam.hub.counts()
    body = body and {name: exam.addressed(value) if isinstance(value, str) else value for name, value in body.items()}
    key = exam.paul.key
    for header in (
        None,
        "",
        "Bearer",
        "Bearer viva_wrong",
        f"Bearer {key}x",
        f"Basic {key}",
        str(key),
        "Bearer \xe9\xe9",
    ):
        headers = {} if header is None else {"Authorization": header.encode("latin-1")}
        url = f"/api/v1{exam.addressed(path)}"

        answer = exam.hub.client.request(method, url, json=body, headers=headers)  # type: ignore[arg-type]

        assert problem(answer, 401)["code"] in ("unauthorized", "wrong_key")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert exam.hub.counts() == before


def test_the_word_bearer_may_be_written_small(exam: Exam):
    answer = exam.hub.client.get("/api/v1/agents/me", headers={"Authorization": f"bearer {exam.ada.key}"})

    assert answer.json()["agent"]["id"] == exam.ada.id


def test_a_rotated_key_stops_and_the_new_one_works(hub: Hub):
    ada = hub.agent("ada")

    rotated = ada.post("/agents/me/keys")

    assert rotated.status_code == 201
    problem(ada.get("/agents/me"), 401, "wrong_key")
    renewed = hub.with_key(rotated.json()["api_key"])
    assert renewed.id == ada.id
    assert renewed.http.delete("/agents/me/keys").status_code == 204
    problem(renewed.get("/agents/me"), 401, "wrong_key")


def test_what_belongs_to_others_is_refused(exam: Exam):
    before = exam.hub.counts()
    registration = {"registration_id": exam.registration_id}

    problem(exam.eve.get(exam.messages), 403, "not_for_you")
    problem(exam.eve.get(exam.messages.removesuffix("/messages")), 403, "not_for_you")
    problem(exam.eve.say(exam.session_id, "Hello"), 403, "not_a_participant")
    problem(exam.eve.post(f"{ROOT}/proctor/submit", {**registration, "passed": True}), 403, "not_your_candidate")
    problem(exam.eve.post(f"{ROOT}/proctor/release", registration), 403, "not_your_candidate")
    problem(exam.ada.submit(exam.registration_id), 403, "not_your_candidate")
    problem(exam.eve.post("/evaluations/clean-handover/register"), 403, "prerequisites_missing")
    assert exam.hub.counts() == before


# Where an evaluation and a session are looked for together, either may be the one that is missing.
UNKNOWN = [
    ("GET", "/agents/nobody", "no_such_agent"),
    ("GET", "/evaluations/none", "no_such_evaluation"),
    ("GET", "/evaluations/SIP-999999999", "no_such_evaluation"),
    ("GET", "/evaluations/none/versions", "no_such_evaluation"),
    ("GET", "/evaluations/none/results", "no_such_evaluation"),
    ("GET", "/evaluations/results/none", "no_such_result"),
    ("GET", "{root}/results/none/transcript", "no_such_result"),
    ("GET", "/evaluations/none/results/{result}/transcript", "no_such_evaluation"),
    ("GET", "/evaluations/honest-uncertainty/results/{result}/transcript", "no_such_result"),
    ("GET", "/evaluations/none/proctor/pending", "no_such_evaluation"),
    ("GET", "/evaluations/none/pending-proctor", "no_such_evaluation"),
    ("GET", "{root}/sessions/none", "no_such_session"),
    ("GET", "/evaluations/none/sessions/{session}", None),
    ("GET", "/evaluations/honest-uncertainty/sessions/{session}", "no_such_session"),
    ("GET", "{root}/sessions/none/messages", "no_such_session"),
    ("GET", "/evaluations/none/sessions/{session}/messages", None),
    ("GET", "{root}/sessions/none/messages/stream", "no_such_session"),
    ("GET", "/evaluations/none/sessions/{session}/messages/stream", None),
    ("POST message", "{root}/sessions/none/messages", "no_such_session"),
    ("POST message", "/evaluations/none/sessions/{session}/messages", None),
    ("POST message", "/evaluations/honest-uncertainty/sessions/{session}/messages", "no_such_session"),
    ("POST", "/evaluations/none/register", "no_such_evaluation"),
    ("POST", "/evaluations/none/start", "no_such_evaluation"),
    ("POST", "/evaluations/none/cancel", "no_such_evaluation"),
    ("POST", "/evaluations/none/submit", "no_such_evaluation"),
    *[
        (f"POST {what}", path, code)
        for action in ("claim", "release", "submit")
        for what, path, code in (
            (f"{action} of nobody", f"{{root}}/proctor/{action}", "no_such_registration"),
            (f"{action} of ada", f"/evaluations/none/proctor/{action}", "no_such_evaluation"),
            (f"{action} of ada", f"/evaluations/honest-uncertainty/proctor/{action}", "no_such_registration"),
        )
    ],
]


@pytest.mark.parametrize(("what", "path", "code"), UNKNOWN, ids=[f"{what} {path}" for what, path, _ in UNKNOWN])
def test_an_id_that_nothing_has_is_not_found(exam: Exam, result_id: str, what: str, path: str, code: str | None):
    method, _, kind = what.partition(" ")
    registration = {"registration_id": exam.registration_id if kind.endswith("ada") else "eval_reg_none"}
    body = {"content": "Hello"} if kind == "message" else registration | ({"passed": True} if "submit" in kind else {})
    before = exam.hub.counts()

    path = path.format(root=ROOT, session=exam.session_id, result=result_id)
    answer = exam.paul.http.request(method, path, json=body if kind else None)

    problem(answer, 404, code)
    assert exam.hub.counts() == before


@pytest.mark.parametrize(
    "path", ["/nothing", "/", "/agents", "/evaluations/plain-dealing/nothing", "/agents/me/nothing"]
)
def test_an_address_that_is_none_is_not_found(hub: Hub, path: str):
    problem(hub.anybody().get(path), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/agents/me", {"GET", "PATCH", "DELETE"}),
        ("GET", "/agents/me/keys", {"POST", "DELETE"}),
        ("POST", "/agents/me/sessions", {"GET"}),
        ("DELETE", "/evaluations", {"GET"}),
        ("GET", f"{ROOT}/register", {"POST"}),
        ("GET", f"{ROOT}/proctor/claim", {"POST"}),
        ("DELETE", f"{ROOT}/sessions/none/messages", {"GET", "POST"}),
        ("POST", "/evaluations/results/none", {"GET"}),
    ],
)
def test_a_method_that_an_address_does_not_take_is_refused_with_those_it_takes(exam: Exam, method, path, allowed):
    answer = exam.ada.http.request(method, path)

    problem(answer, 405, "method_not_allowed")
    assert set(re.split(r",\s*", answer.headers["allow"])) - {"OPTIONS", "HEAD"} == allowed


def test_what_the_present_state_does_not_allow_is_a_conflict(hub: Hub, decided: Exam):
    before = hub.counts()
    registration = {"registration_id": decided.registration_id}

    problem(hub.anybody().post("/agents/register", {"name": decided.ada.name}), 409, "name_taken")
    problem(hub.anybody().post("/agents/register", {"name": decided.ada.name.upper()}), 409, "name_taken")
    problem(decided.ada.http.patch("/agents/me", json={"name": decided.paul.name}), 409, "name_taken")
    problem(decided.eve.post(f"{ROOT}/start"), 409, "not_registered")
    problem(decided.eve.post(f"{ROOT}/cancel"), 409, "not_registered")
    problem(decided.eve.post(f"{ROOT}/submit"), 409, "proctor_decides")
    problem(decided.eve.post(f"{ROOT}/proctor/claim", registration), 409, "not_waiting")
    assert hub.counts() == before


def test_nothing_more_happens_in_an_ended_session(hub: Hub, decided: Exam):
    before = hub.counts()
    registration = {"registration_id": decided.registration_id}

    problem(decided.paul.say(decided.session_id, "One more thing."), 409, "session_ended")
    problem(decided.ada.say(decided.session_id, "One more thing."), 409, "session_ended")
    problem(decided.eve.say(decided.session_id, "One more thing."), 403, "not_a_participant")
    problem(decided.paul.submit(decided.registration_id), 409, "already_decided")
    problem(decided.paul.post(f"{ROOT}/proctor/release", registration), 409, "not_waiting")
    problem(decided.paul.post(f"{ROOT}/proctor/claim", registration), 409, "not_waiting")
    assert hub.counts() == before


@pytest.mark.parametrize("letter", ["a", "é", "😀"])
def test_a_message_of_64_kib_is_taken_and_one_byte_more_is_too_large(hub: Hub, letter: str):
    exam = Exam.begin(hub)
    whole = letter * (64 * KIB // len(letter.encode()))

    sent = exam.paul.say(exam.session_id, whole)
    before = hub.counts()
    refused = exam.paul.say(exam.session_id, whole + ".")

    assert sent.status_code == 201
    assert exam.ada.messages(exam.session_id)[0]["content"] == whole
    problem(refused, 413, "message_too_large")
    assert hub.counts() == before


@pytest.mark.parametrize(
    "path", ["/agents/register", "{root}/proctor/submit", "{root}/sessions/{session}/messages", "{root}/register"]
)
@pytest.mark.parametrize("by", ["length", "chunks"])
def test_a_body_of_10_mb_is_too_large(exam: Exam, path: str, by: str):
    before = exam.hub.counts()
    body = [b'{"content": "', *[b"a" * 100_000] * 100, b'"}']
    content = b"".join(body) if by == "length" else iter(body)

    answer = exam.paul.http.post(exam.addressed(path), content=content, headers={"Content-Type": "application/json"})

    problem(answer, 413, "too_large")
    assert exam.hub.counts() == before


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None]
)
def test_a_body_that_is_not_called_json_is_an_unsupported_media_type(exam: Exam, media_type: str | None):
    before = exam.hub.counts()
    headers = {"Content-Type": media_type} if media_type else {}

    answer = exam.paul.http.post(exam.messages, content=b'{"content": "Hello"}', headers=headers)

    problem(answer, 415, "wrong_media_type")
    assert exam.hub.counts() == before


@pytest.mark.parametrize("media_type", ["application/json", "Application/JSON; charset=utf-8"])
def test_json_may_name_its_charset(hub: Hub, media_type: str):
    exam = Exam.begin(hub)
    content = '{"content": "Grüße"}'.encode()

    answer = exam.paul.http.post(exam.messages, content=content, headers={"Content-Type": media_type})

    assert (answer.status_code, answer.json()["content"]) == (201, "Grüße")


@pytest.mark.parametrize("given", ["a", "my-request_1.2", "A" * 64])
def test_a_sane_request_id_is_echoed(exam: Exam, given: str):
    headers = {"X-Request-Id": given}

    fine = exam.ada.get("/agents/me", headers=headers)
    refused = exam.ada.get("/evaluations/none", headers=headers)
    too_large = exam.ada.http.post(
        exam.messages, content=b"x" * 10_000_000, headers=headers | {"Content-Type": "application/json"}
    )
    unread = exam.ada.http.post(exam.messages, content=b"x", headers=headers | {"Content-Type": "text/plain"})

    assert fine.headers["x-request-id"] == given
    for answer, status in ((refused, 404), (too_large, 413), (unread, 415)):
        assert problem(answer, status)["request_id"] == given


@pytest.mark.parametrize("given", [None, "", "A" * 65, "a b", "a\tb", "<script>", "a/b", "é".encode()])
def test_any_other_request_gets_an_id_of_its_own(exam: Exam, given: str | bytes | None):
    headers = {"X-Request-Id": given} if given is not None else {}

    ids = [exam.ada.get("/evaluations/none", headers=headers).json()["request_id"] for _ in range(2)]

    assert ids[0] != ids[1]
    assert all(re.fullmatch(r"req_[0-9a-f]{32}", made) for made in ids)


def test_an_evaluations_number_is_as_good_as_its_id_on_every_address(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    for number in ("SIP-1", "sip-1", "1"):
        registration_id = ada.start(number)
        waiting = paul.get(f"/evaluations/{number}/proctor/pending", params={"limit": 200}).json()["pending"]
        session_id = paul.claim(registration_id, number)
        said = paul.say(session_id, "Question", number)
        heard = ada.messages(session_id, number)
        result = paul.submit(registration_id, evaluation=number).json()["result"]

        assert registration_id in [each["registration_id"] for each in waiting]
        assert said.status_code == 201, said.text
        assert [message["content"] for message in heard] == ["Question"]
        assert result["evaluation_id"] == EVALUATION
        assert ada.get(f"/evaluations/{number}").json()["evaluation"]["id"] == EVALUATION
        assert ada.get(f"/evaluations/{number}/versions").json() == ada.get(f"{ROOT}/versions").json()
        assert result in ada.get(f"/evaluations/{number}/results").json()["results"]
        assert ada.get(f"/evaluations/{number}/results/{result['id']}/transcript").status_code == 200


MOST = 60  # calls a minute for each key


@pytest.fixture(scope="module", params=DATABASES)
def strict_hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub that limits how often one calls."""
    with serve(request.param, request, tmp_path_factory.mktemp("strict"), VIVA_RATE_LIMIT=str(MOST)) as hub:
        yield hub


def test_who_calls_too_often_is_told_when_to_come_again(strict_hub: Hub):
    paul = strict_hub.agent("paul")

    def call(own: AgentClient) -> list[httpx.Response]:
        return [own.get("/agents/me") for _ in range(20)]

    for _ in range(3):  # once more if the minute passes meanwhile
        ada, minute = strict_hub.agent("ada"), time.time() // 60
        answers = [
            a for each in at_once([partial(call, strict_hub.caller(ada.key, {})) for _ in range(8)]) for a in each
        ]
        if time.time() // 60 == minute:
            break

    answered = [answer for answer in answers if answer.status_code == 200]
    assert 1 <= len(answered) <= MOST
    for answer in answers:
        if answer not in answered:
            problem(answer, 429, "too_many")
            assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert paul.get("/agents/me").status_code == 200  # another key has a limit of its own


def test_who_makes_agents_without_end_is_told_when_to_come_again(strict_hub: Hub):
    anybody = strict_hub.anybody()

    # The last test of this hub: from now on it takes no new agents for an hour.
    answers = [anybody.post("/agents/register", {"name": f"ada {number}"}) for number in range(MOST)]

    assert answers[0].status_code == 201
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 3_600
    problem(answers[-1], 429, "too_many")
