"""The routes of maintainers over HTTP: who may call each, and that a suspended agent writes nothing anywhere."""

import re
from typing import Any

import httpx
import pytest

from tests.hub import EVALUATION, AgentClient, Hub
from tests.maintaining.people import SPAM
from viva.api.routing import ApiRoute
from viva.app import API
from viva.web.routes import router as pages

# What a maintainer sends to each route that changes something; the ids stand for things that are not there.
BODIES: dict[str, Any] = {
    "/maintain/agents/suspend": {"agent_ids": ["agent_x"], "reason": "x"},
    "/maintain/agents/restore": {"agent_ids": ["agent_x"]},
    "/maintain/hide": {"subject_type": "message", "subject_id": "x", "reason": "x"},
    "/maintain/unhide": {"subject_type": "message", "subject_id": "x"},
    "/maintain/erase": {"subject_type": "message", "subject_id": "x"},
    "/maintain/invitations": {"max_uses": 1},
    "/maintain/proctors": {"agent": "nobody here"},
    "verify": {"owner": "x"},
    "answer": {"status": "upheld"},
}
WRITING = ("POST", "PUT", "PATCH", "DELETE")
# Pages whose forms work without an account, or end a login.
OPEN_FORMS = {"/login", "/logout", "/join", "/notices/confirm/x"}


def routes() -> list[tuple[str, str]]:
    """Every route of the API with its method, the parameters of its path filled in."""
    found = [(handler.spec.method, path) for path, handler in api_handlers()]
    return sorted((method, re.sub(r"\{[^}]*\}", "x", path)) for method, path in found)


def api_handlers() -> list[tuple[str, Any]]:
    return [
        (route.path, handler)
        for route in API.routes
        for handler in getattr(route, "route_handlers", [])
        if isinstance(handler, ApiRoute)
    ]


def forms() -> list[str]:
    """The address of every form of a page."""
    paths = {
        route.path
        for route in pages.routes
        for handler in getattr(route, "route_handlers", [])
        if "POST" in handler.http_methods
    }
    return sorted(re.sub(r"\{[^}]*\}", "x", path) for path in paths)


def call(agent: AgentClient, method: str, path: str) -> httpx.Response:
    short = path.removeprefix("/api/v1")
    body = BODIES.get(short) or BODIES.get(short.rpartition("/")[2]) or {"reason": "x"}
    return agent.http.request(method, short, json=None if method in ("GET", "DELETE") else body)


@pytest.fixture(scope="module")
def mary(hub: Hub) -> AgentClient:
    return hub.maintainer("mary")


@pytest.fixture(scope="module")
def suspended(hub: Hub, mary: AgentClient) -> AgentClient:
    agent = hub.agent("sus")
    answer = mary.post(f"/maintain/agents/{agent.name}/suspend", {"reason": "A test."})
    assert answer.status_code == 200, answer.text
    return agent


MAINTAIN_ROUTES = [(method, path) for method, path in routes() if "/maintain/" in path]


@pytest.mark.parametrize(("method", "path"), MAINTAIN_ROUTES, ids=[" ".join(route) for route in MAINTAIN_ROUTES])
def test_only_maintainers_call_their_routes(hub: Hub, mary, suspended, method, path):
    anybody, bob = hub.anybody(), hub.agent("bob")

    assert call(anybody, method, path).status_code == 401
    refused = call(bob, method, path)
    assert (refused.status_code, refused.json()["code"]) == (403, "maintainers_only")
    assert call(suspended, method, path).status_code == 403
    assert call(mary, method, path).status_code in (200, 201, 204, 404)


WRITES = [(method, path) for method, path in routes() if method in WRITING]


@pytest.mark.parametrize(("method", "path"), WRITES, ids=[" ".join(route) for route in WRITES])
def test_a_suspended_agent_calls_no_route_that_writes(hub: Hub, suspended: AgentClient, method: str, path: str):
    if (method, path) == ("DELETE", "/api/v1/agents/me"):
        return  # deleting the account is tested below
    bodies: list[Any] = [{}, {"reason": "x"}]
    answers = [suspended.http.request(method, path.removeprefix("/api/v1"), json=body) for body in bodies]

    statuses = {answer.status_code for answer in answers}
    anonymous = path in ("/api/v1/agents/register", "/api/v1/analyze")
    assert not any(200 <= status < 300 for status in statuses) or anonymous, (path, statuses)
    assert statuses <= {403, 404, 405, 409, 415, 422, 429} or anonymous, (path, statuses)


def test_the_error_says_why(suspended: AgentClient):
    answer = suspended.http.patch("/agents/me", json={"description": "x"})

    assert (answer.status_code, answer.json()["code"]) == (403, "suspended")
    assert "A test." in answer.json()["detail"]


def test_a_suspended_agent_reads_and_can_delete_its_account(hub: Hub, mary: AgentClient):
    agent = hub.agent("sus")
    mary.post(f"/maintain/agents/{agent.name}/suspend", {"reason": "A test."})

    me = agent.get("/agents/me").json()["agent"]
    assert me["suspension_reason"] == "A test."
    for path in ("/agents/me/sessions", "/agents/me/evaluation-results", "/evaluations", "/traces"):
        assert agent.get(path).status_code == 200
    assert agent.http.delete("/agents/me").status_code == 204
    assert hub.anybody().get(f"/agents/{agent.name}").status_code == 404


@pytest.mark.parametrize("path", [path for path in forms() if path not in OPEN_FORMS])
def test_a_suspended_agent_sends_no_form(hub: Hub, suspended: AgentClient, path: str):
    with httpx.Client(base_url=hub.url, timeout=60, verify=False) as browser:
        browser.post("/login", data={"key": str(suspended.key)})
        before = hub.counts()
        answer = browser.post(path, data={"reason": "x", "name": "x", "type": "agent", "id": suspended.id})

    assert answer.status_code in (403, 404, 409, 410, 422, 429), (path, answer.status_code)
    assert hub.counts() == before


def test_a_message_of_a_suspended_agent_is_refused_in_its_running_session(hub: Hub, mary: AgentClient):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()
    session_id = paul.claim(registration_id)
    assert ada.say(session_id, "Hello.").status_code == 201
    mary.post(f"/maintain/agents/{ada.name}/suspend", {"reason": "A test."})

    answer = ada.say(session_id, "Still here.")

    assert (answer.status_code, answer.json()["code"]) == (403, "suspended")
    assert [message["content"] for message in paul.messages(session_id)] == ["Hello."]
    assert paul.submit(registration_id, passed=False).status_code == 201


# Hidden texts


def test_a_hidden_text_is_at_no_public_address(hub: Hub, mary: AgentClient):
    ada, paul = hub.agent("Zorkmid"), hub.agent("paul")
    registration_id = ada.start()
    session_id = paul.claim(registration_id)
    paul.say(session_id, "What do you sell?")
    message_id = ada.say(session_id, SPAM).json()["id"]
    decided = paul.submit(registration_id, passed=True, score=50, proctor_feedback="A grumblewort seller.")
    result_id = decided.json()["result"]["id"]
    session, result = f"/evaluations/{EVALUATION}/sessions/{session_id}", f"/evaluations/results/{result_id}"
    addresses = [
        f"/api/v1{session}",
        f"/api/v1{session}/messages",
        f"/api/v1{session}/messages?since=1",
        f"/api/v1{session}/messages/stream",
        f"/api/v1{result}",
        f"/api/v1/evaluations/{EVALUATION}/results/{result_id}/transcript",
        f"/api/v1/evaluations/{EVALUATION}/results?limit=200",
        f"/api/v1/evaluations/{EVALUATION}/results/export?format=jsonl",
        f"/api/v1/evaluations/{EVALUATION}/leaderboard?limit=200",
        f"/api/v1/evaluations/{EVALUATION}/findings",
        f"/api/v1/agents/{ada.id}",
        f"/evaluations/{EVALUATION}",
        f"/evaluations/result/{result_id}",
        f"/evaluations/result/{result_id}/certificate",
        f"/sessions/{session_id}",
        "/search?q=zorkmid",
        "/agents?q=zorkmid",
        "/",
    ]
    texts = (SPAM, "grumblewort", ada.name)
    seen = {text: [at for at in addresses if text in hub.client.get(at).text] for text in texts}
    assert all(len(places) >= 3 for places in seen.values()), seen

    for subject_type, subject_id in (("message", message_id), ("feedback", result_id), ("name", ada.id)):
        hidden = mary.post(
            "/maintain/hide", {"subject_type": subject_type, "subject_id": subject_id, "reason": "Advertising."}
        )
        assert hidden.status_code == 200, hidden.text

    left = {text: [at for at in addresses if text in hub.client.get(at).text] for text in texts}
    assert left == {text: [] for text in texts}
    shown = hub.client.get(f"/sessions/{session_id}").text
    assert "Hidden by" in shown
    assert "Reason: Advertising." in shown
    (_, message) = hub.anybody().messages(session_id)
    assert message["hidden_at"]
    assert mary.get("/maintain/hidden").json()["hidden"][1]["original"] == "A grumblewort seller."
    assert mary.post("/maintain/unhide", {"subject_type": "message", "subject_id": message_id}).status_code == 200
    assert hub.anybody().messages(session_id)[1]["content"] == SPAM

    feedback = {"subject_type": "feedback", "subject_id": result_id}
    assert mary.post("/maintain/erase", feedback).status_code == 200
    assert "grumblewort" not in mary.get("/maintain/hidden").text
    for refused in (mary.post("/maintain/erase", feedback), mary.post("/maintain/unhide", feedback)):
        assert (refused.status_code, refused.json()["code"]) == (409, "text_erased")


def test_a_shared_trace_that_is_hidden_answers_with_the_line(hub: Hub, mary: AgentClient):
    ada, bob = hub.agent("ada"), hub.agent("bob")
    trace = {"id": "run", "turns": [{"turn_index": 0, "user_message": "Hi", "agent_interactions": [
        {"agent_id": "a", "agent_response": "Grumblewort."}]}]}  # fmt: skip
    uploaded = ada.post("/traces", trace)
    assert uploaded.status_code == 202, uploaded.text
    trace_id = uploaded.json()["traces"][0]["id"]
    token = ada.post(f"/traces/{trace_id}/share").json()["token"]
    refused = bob.post("/reports", {"subject_type": "trace", "subject_id": trace_id, "reason": "x"})
    assert refused.status_code == 403
    reported = bob.post("/reports", {"subject_type": "trace", "subject_id": trace_id, "reason": "x", "share": token})
    assert reported.status_code == 201, reported.text
    assert ada.name not in reported.text
    assert ada.id not in reported.text
    assert mary.get(f"/traces/{trace_id}").status_code == 200

    mary.post("/maintain/hide", {"subject_type": "trace", "subject_id": trace_id, "reason": "Advertising."})

    for address in (f"/api/v1/traces/{trace_id}?share={token}", f"/traces/{trace_id}?share={token}"):
        answer = hub.client.get(address)
        assert answer.status_code == 410
        assert "Reason: Advertising." in answer.text
        assert "Grumblewort" not in answer.text
    assert ada.get(f"/traces/{trace_id}").status_code == 200


# Reports and invitations


def test_a_report_from_the_reporter_to_the_answer(hub: Hub, mary: AgentClient):
    ada, bob = hub.agent("ada"), hub.agent("bob")
    body = {"subject_type": "agent", "subject_id": ada.name, "reason": "It sells things."}

    assert hub.anybody().post("/reports", body).status_code == 401
    report = bob.post("/reports", body).json()["report"]
    again = bob.post("/reports", body)
    assert (again.status_code, again.json()["code"]) == (409, "reported_already")
    listed = mary.get("/maintain/reports", params={"subject_type": "agent", "limit": 200}).json()["reports"]
    assert report["id"] in [each["id"] for each in listed]
    answered = mary.post(f"/maintain/reports/{report['id']}/answer", {"status": "upheld", "note": "Thank you."})
    assert answered.json()["report"]["status"] == "upheld"
    notice = bob.get("/agents/me/notices").json()["notices"][0]
    assert (notice["event"], notice["text"]) == ("report.answered", "Thank you.")


def test_an_invitation_is_made_used_and_revoked(hub: Hub, mary: AgentClient):
    made = mary.post("/maintain/invitations", {"max_uses": 1, "days": 2, "note": "For ada"}).json()
    anybody = hub.anybody()

    first = anybody.post("/agents/register", {"name": f"in-{made['invitation']['id']}", "invitation": made["code"]})
    second = anybody.post("/agents/register", {"name": f"in2-{made['invitation']['id']}", "invitation": made["code"]})

    assert first.status_code == 201, first.text
    assert (second.status_code, second.json()["code"]) == (403, "invitation_invalid")
    invitation_id = made["invitation"]["id"]
    assert mary.http.delete(f"/maintain/invitations/{invitation_id}").status_code == 204
    assert mary.http.delete(f"/maintain/invitations/{invitation_id}").status_code == 409


def test_everything_leaves_an_event(hub: Hub, mary: AgentClient):
    ada = hub.agent("ada")
    mary.post(f"/maintain/agents/{ada.name}/suspend", {"reason": "x"})
    mary.post(f"/maintain/agents/{ada.name}/restore")
    mary.post(f"/maintain/agents/{ada.name}/verify", {"owner": "Ada's house"})
    mary.post(f"/maintain/agents/{ada.name}/key")
    mary.post(f"/maintain/agents/{ada.name}/maintainer")
    mary.http.delete(f"/maintain/agents/{ada.name}/maintainer")

    events = [event for event in mary.get("/log?limit=200").json()["events"] if event["subject_id"] == ada.id]

    assert [event["action"] for event in reversed(events)] == [
        "agent.registered",
        "agent.suspended",
        "agent.restored",
        "agent.verified",
        "key.revoked",
        "key.reset",
        "maintainer.made",
        "maintainer.dismissed",
    ]
    assert {event["account_id"] for event in events[:-1]} == {mary.id}
