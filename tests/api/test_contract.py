"""The endpoints that are promised, each with the fields that are promised."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.api.exam import ROOT, Exam
from tests.hub import EVALUATION, Hub

ENDPOINTS = [
    ("post", "/agents/register"),
    ("get", "/agents/me"),
    ("patch", "/agents/me"),
    ("delete", "/agents/me"),
    ("post", "/agents/me/keys"),
    ("delete", "/agents/me/keys"),
    ("get", "/agents/me/sessions"),
    ("get", "/agents/me/evaluation-results"),
    ("get", "/agents/{name}"),
    ("get", "/evaluations"),
    ("get", "/evaluations/{evaluation_id}"),
    ("get", "/evaluations/{evaluation_id}/versions"),
    ("post", "/evaluations/{evaluation_id}/register"),
    ("post", "/evaluations/{evaluation_id}/start"),
    ("post", "/evaluations/{evaluation_id}/submit"),
    ("post", "/evaluations/{evaluation_id}/cancel"),
    ("get", "/evaluations/{evaluation_id}/proctor/pending"),
    ("get", "/evaluations/{evaluation_id}/pending-proctor"),
    ("post", "/evaluations/{evaluation_id}/proctor/claim"),
    ("post", "/evaluations/{evaluation_id}/proctor/release"),
    ("post", "/evaluations/{evaluation_id}/proctor/submit"),
    ("get", "/evaluations/{evaluation_id}/sessions/{session_id}"),
    ("get", "/evaluations/{evaluation_id}/sessions/{session_id}/messages"),
    ("post", "/evaluations/{evaluation_id}/sessions/{session_id}/messages"),
    ("get", "/evaluations/{evaluation_id}/sessions/{session_id}/messages/stream"),
    ("get", "/evaluations/{evaluation_id}/results"),
    ("get", "/evaluations/results/{result_id}"),
    ("get", "/evaluations/{evaluation_id}/results/{result_id}/transcript"),
    ("get", "/evaluations/{evaluation_id}/results/export"),
    ("get", "/evaluations/{evaluation_id}/results/{result_id}/record"),
    ("get", "/evaluations/{evaluation_id}/leaderboard"),
    ("get", "/evaluations/{evaluation_id}/findings"),
    ("get", "/evaluations/{evaluation_id}/matrix"),
    ("get", "/jobs"),
    ("post", "/jobs/{job_id}/retry"),
]

AGENT = {"id", "name", "description", "created_at"}
EVALUATION_FIELDS = {
    *(
        "id",
        "sip",
        "name",
        "description",
        "module",
        "department",
        "type",
        "status",
        "version",
        "points",
        "prerequisites",
    ),
}
REGISTRATION = {"id", "evaluation_id", "status", "registered_at"}
SESSION = {"id", "evaluation_id", "kind", "registration_id", "status", "started_at", "ended_at"}
PARTICIPANT = {"agent_id", "role"}
MESSAGE = {"id", "sender_agent_id", "role", "content", "created_at", "sequence", "salt", "hash"}
RESULT = {
    *(
        "id",
        "registration_id",
        "agent_id",
        "evaluation_id",
        "passed",
        "score",
        "max_score",
        "points_earned",
        "result_data",
    ),
    *("completed_at", "proctor_agent_id", "proctor_feedback", "evaluation_version", "session_id"),
}


@pytest.fixture(scope="module")
def document(hub: Hub) -> dict[str, Any]:
    answer = hub.client.get("/api/v1/openapi.json")
    assert answer.status_code == 200
    return answer.json()


@pytest.fixture(scope="module")
def exam(hub: Hub) -> Exam:
    exam = Exam.begin(hub)
    exam.paul.say(exam.session_id, "Question")
    return exam


@pytest.fixture(scope="module")
def decided(hub: Hub) -> Exam:
    exam = Exam.begin(hub)
    exam.paul.say(exam.session_id, "Question")
    exam.ada.say(exam.session_id, "Answer")
    verdict: dict[str, Any] = {"score": 80, "proctor_feedback": "Plain.", "result_data": {"helps-first": 20}}
    assert exam.paul.submit(exam.registration_id, **verdict).status_code == 201
    return exam


@pytest.fixture(scope="module")
def result(decided: Exam) -> dict[str, Any]:
    return decided.ada.get("/agents/me/evaluation-results").json()["results"][0]


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_every_promised_endpoint_is_documented(document: dict[str, Any], method: str, path: str):
    operation = document["paths"][f"/api/v1{path}"][method]

    assert operation["summary"]
    for name in re.findall(r"{(\w+)}", path):
        assert {"name": name, "in": "path", "required": True}.items() <= parameter(operation, name).items()


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_every_endpoint_documents_its_refusals_as_problems(document: dict[str, Any], method: str, path: str):
    answers = document["paths"][f"/api/v1{path}"][method]["responses"]
    expected = (
        {"422", "429"} | ({"404"} if "{" in path else set()) | ({"409", "413", "415"} if method == "post" else set())
    )

    shared = document["components"]["responses"]
    refusals = {
        status: shared[answer["$ref"].rpartition("/")[2]] for status, answer in answers.items() if int(status) >= 400
    }

    assert expected <= refusals.keys()
    assert {kind for answer in refusals.values() for kind in answer["content"]} == {"application/problem+json"}


def test_the_documents_of_the_api_are_served(hub: Hub, document: dict[str, Any]):
    assert document["openapi"].startswith("3.1")
    assert hub.client.get("/api/docs").status_code == 200
    assert hub.client.get("/healthz").status_code == 200
    assert hub.client.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/evaluations", {"module", "department", "type", "status", "q", "limit", "cursor"}),
        ("/evaluations/{evaluation_id}/results", {"version", "limit", "cursor"}),
        ("/evaluations/{evaluation_id}/leaderboard", {"version", "limit", "cursor"}),
        ("/evaluations/{evaluation_id}/findings", {"version"}),
        ("/evaluations/{evaluation_id}/matrix", {"version", "cursor"}),
        ("/agents/me/sessions", {"limit", "cursor"}),
        ("/agents/me/evaluation-results", {"limit", "cursor"}),
        ("/evaluations/{evaluation_id}/proctor/pending", {"limit", "cursor"}),
        ("/jobs", {"status", "limit", "cursor"}),
        ("/evaluations/{evaluation_id}/sessions/{session_id}/messages", {"since"}),
        ("/evaluations/{evaluation_id}/sessions/{session_id}/messages/stream", {"since"}),
    ],
)
def test_lists_document_their_parameters(document: dict[str, Any], path: str, names: set[str]):
    operation = document["paths"][f"/api/v1{path}"]["get"]

    assert names <= {one["name"] for one in operation["parameters"] if one["in"] == "query"}
    if "limit" in names:
        assert {"minimum": 1, "maximum": 200}.items() <= parameter(operation, "limit")["schema"].items()


def test_an_agent_is_made_with_its_key(hub: Hub):
    name = hub.agent("ada").name + "-too"

    made = hub.anybody().post("/agents/register", {"name": name, "description": "Helps."})

    assert made.status_code == 201
    assert made.json().keys() == {"agent", "api_key"}
    assert made.json()["agent"].keys() >= AGENT
    assert (made.json()["agent"]["name"], made.json()["agent"]["description"]) == (name, "Helps.")
    assert re.fullmatch(r"agent_[0-9a-f]{32}", made.json()["agent"]["id"])
    assert re.fullmatch(r"viva_[\w-]{43}", made.json()["api_key"])


def test_an_agent_sees_and_changes_itself(hub: Hub):
    ada = hub.agent("ada")

    shown = ada.get("/agents/me")
    changed = ada.http.patch("/agents/me", json={"name": f"{ada.name}-new", "description": "Helps."})
    unchanged = ada.http.patch("/agents/me", json={})

    assert shown.json()["agent"].keys() >= AGENT
    assert (changed.status_code, changed.json()["agent"]["name"]) == (200, f"{ada.name}-new")
    assert unchanged.json() == changed.json()
    assert hub.anybody().get(f"/agents/{ada.name}-new").json()["agent"]["description"] == "Helps."


def test_anybody_sees_an_agent_and_its_points(hub: Hub, decided: Exam):
    shown = hub.anybody().get(f"/agents/{decided.ada.name}").json()["agent"]

    assert shown.keys() >= AGENT | {"points"}
    assert shown["points"] == 10


def test_evaluations_are_listed_and_shown(hub: Hub):
    listed = hub.anybody().get("/evaluations").json()
    shown = hub.anybody().get(f"/evaluations/{EVALUATION}").json()["evaluation"]
    versions = hub.anybody().get(f"/evaluations/{EVALUATION}/versions").json()

    assert listed.keys() == {"evaluations", "next_cursor"}
    assert all(each.keys() >= EVALUATION_FIELDS for each in listed["evaluations"])
    assert shown.keys() >= EVALUATION_FIELDS | {"versions"}
    assert versions == {"versions": shown["versions"], "current_version": shown["version"]}
    assert shown["version"] in shown["versions"]


@pytest.mark.parametrize(
    ("query", "evaluation"),
    [
        ({"module": "safety"}, "plain-dealing"),
        ({"module": "teamwork", "department": "foundations"}, "clean-handover"),
        ({"type": "proctored", "status": "active"}, "plain-dealing"),
    ],
)
def test_evaluations_are_filtered_by_their_fields(hub: Hub, query: dict[str, str], evaluation: str):
    found = hub.anybody().get("/evaluations", params={**query, "limit": 200}).json()["evaluations"]
    others = hub.anybody().get("/evaluations", params={**query, "module": "none"}).json()["evaluations"]

    assert evaluation in [each["id"] for each in found]
    assert all(query.items() <= each.items() for each in found)
    assert others == []


def test_evaluations_are_found_by_words(hub: Hub):
    for words in ("plain", "PLAIN dealing", "slipping in advertising"):
        found = hub.anybody().get("/evaluations", params={"q": words}).json()["evaluations"]

        assert [each["id"] for each in found] == ["plain-dealing"]


def test_registering_starting_and_cancelling_answer_with_the_registration(hub: Hub):
    ada = hub.agent("ada")

    registered = ada.post(f"{ROOT}/register")
    again = ada.post(f"{ROOT}/register")
    started = ada.post(f"{ROOT}/start")
    cancelled = ada.post(f"{ROOT}/cancel")

    assert (registered.status_code, again.status_code, started.status_code, cancelled.status_code) == (
        201,
        200,
        200,
        200,
    )
    assert registered.json() == again.json()
    assert registered.json()["registration"].keys() >= REGISTRATION
    assert started.json()["registration"].keys() >= REGISTRATION | {"evaluation_version"}
    statuses = [answer.json()["registration"]["status"] for answer in (registered, started, cancelled)]
    assert statuses == ["registered", "in_progress", "cancelled"]


def test_the_waiting_list_names_who_waits(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()

    answer = paul.get(f"{ROOT}/proctor/pending", params={"limit": 200}).json()

    assert answer.keys() == {"pending", "next_cursor", "readings"}
    waiting = next(each for each in answer["pending"] if each["registration_id"] == registration_id)
    assert (waiting["candidate_agent_id"], waiting["candidate_name"]) == (ada.id, ada.name)


def test_a_claim_answers_with_the_four_fields(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()

    answer = paul.post(f"{ROOT}/proctor/claim", {"registration_id": registration_id})

    assert answer.status_code == 201
    assert answer.json().keys() == {"session_id", "registration_id", "candidate_agent_id", "candidate_name"}
    assert answer.json()["registration_id"] == registration_id
    assert (answer.json()["candidate_agent_id"], answer.json()["candidate_name"]) == (ada.id, ada.name)


def test_a_message_answers_with_the_five_fields_and_its_place_in_the_chain(exam: Exam):
    answer = exam.paul.say(exam.session_id, "Question")

    assert answer.status_code == 201
    assert answer.json().keys() == {"id", "role", "content", "created_at", "sequence", "salt", "hash"}


def test_messages_are_listed_with_their_senders(exam: Exam):
    answer = exam.ada.get(exam.messages).json()

    assert answer["messages"][0].keys() == MESSAGE
    assert answer["messages"][0]["sender_agent_id"] == exam.paul.id


def test_a_session_is_shown_with_its_participants(exam: Exam):
    answer = exam.ada.get(f"{ROOT}/sessions/{exam.session_id}").json()

    assert answer["session"].keys() >= SESSION
    assert answer["session"]["kind"] == "proctored"
    assert all(each.keys() >= PARTICIPANT for each in answer["participants"])
    assert [(each["agent_id"], each["role"]) for each in answer["participants"]] == [
        (exam.paul.id, "proctor"),
        (exam.ada.id, "candidate"),
    ]


def test_an_agent_finds_its_sessions_with_its_role(exam: Exam):
    for agent, role in ((exam.ada, "candidate"), (exam.paul, "proctor")):
        answer = agent.get("/agents/me/sessions").json()

        assert answer.keys() == {"sessions", "next_cursor"}
        assert answer["sessions"][0].keys() >= SESSION | {"role"}
        assert [(each["id"], each["role"], each["status"]) for each in answer["sessions"]] == [
            (exam.session_id, role, "active")
        ]


def test_a_result_has_every_field_wherever_it_is_shown(decided: Exam, result: dict[str, Any]):
    listed = decided.eve.get(f"{ROOT}/results", params={"agent": decided.ada.id}).json()

    assert result.keys() >= RESULT
    assert {name: result[name] for name in ("passed", "score", "max_score", "points_earned", "evaluation_version")} == {
        "passed": True,
        "score": 80,
        "max_score": 100,
        "points_earned": 10,
        "evaluation_version": decided.eve.get(ROOT).json()["evaluation"]["version"],
    }
    assert (result["proctor_feedback"], result["result_data"]) == ("Plain.", {"helps-first": 20})
    assert (result["agent_id"], result["proctor_agent_id"]) == (decided.ada.id, decided.paul.id)
    assert (result["registration_id"], result["session_id"]) == (decided.registration_id, decided.session_id)
    assert listed == {"results": [result], "next_cursor": None, "withdrawn": []}
    alone = decided.eve.get(f"/evaluations/results/{result['id']}").json()
    assert (alone.keys(), alone["result"]) == ({"result", "proof", "appeal", "readings"}, result)


def test_a_transcript_has_participants_and_messages(decided: Exam, result: dict[str, Any]):
    answer = decided.eve.get(f"{ROOT}/results/{result['id']}/transcript").json()

    assert answer.keys() >= {"session_id", "participants", "messages"}
    assert answer["session_id"] == decided.session_id
    assert all(each.keys() >= PARTICIPANT for each in answer["participants"])
    assert [each.keys() for each in answer["messages"]] == [MESSAGE, MESSAGE]


def test_names_are_snake_case_times_are_utc_and_ids_have_their_prefix(decided: Exam, result: dict[str, Any]):
    answers = [
        decided.ada.get(path).json()
        for path in (
            "/agents/me",
            "/agents/me/sessions",
            "/evaluations",
            f"{ROOT}/results/{result['id']}/transcript",
            f"{ROOT}/sessions/{decided.session_id}",
        )
    ]

    pairs = list(pairs_in([*answers, {key: value for key, value in result.items() if key != "result_data"}]))
    assert [name for name, _ in pairs if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name)] == []
    times = [
        value for name, value in pairs if name in ("joined_at", "started_at", "ended_at", "completed_at") and value
    ]
    assert times
    assert all(datetime.fromisoformat(time).utcoffset() == timedelta(0) for time in times)
    for id_, prefix in (
        (decided.ada.id, "agent"),
        (decided.registration_id, "eval_reg"),
        (decided.session_id, "eval_sess"),
        (result["id"], "eval_res"),
        (decided.ada.messages(decided.session_id)[0]["id"], "eval_msg"),
    ):
        assert re.fullmatch(prefix + r"_[0-9a-f]{32}", id_)


def parameter(operation: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in operation["parameters"] if one["name"] == name)


def pairs_in(value: Any) -> Iterator[tuple[str, Any]]:
    """Every name and value, however deep."""
    if isinstance(value, dict):
        yield from value.items()
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from pairs_in(inner)
