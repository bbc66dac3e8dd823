"""Maintainers read the event log; what was done over HTTP stands in it with its caller."""

import uuid
from typing import Any

import httpx
import pytest

from tests.api.problem import problem
from tests.hub import AgentClient, Hub
from viva.agents.access import ApiKey

FIELDS = {
    "id",
    "at",
    "action",
    "via",
    "account_id",
    "key_prefix",
    "address_hash",
    "subject_type",
    "subject_id",
    "data",
}


@pytest.fixture(scope="module")
def maintainer(hub: Hub) -> AgentClient:
    return hub.maintainer("mary")


def events_about(maintainer: AgentClient, subject_id: str) -> list[dict[str, Any]]:
    """The newest events about this subject, oldest first."""
    found = maintainer.get("/log", params={"limit": 200}).json()["events"]
    return [event for event in reversed(found) if event["subject_id"] == subject_id]


def test_a_command_stands_in_the_log_without_account_and_address(maintainer: AgentClient):
    made = events_about(maintainer, maintainer.id)

    assert [event["action"] for event in made] == ["agent.registered", "maintainer.made", "key.made"]
    assert all(event.keys() == FIELDS for event in made)
    assert {(event["via"], event["account_id"], event["address_hash"]) for event in made} == {("command", None, None)}


def test_a_caller_stands_in_the_log_with_key_and_address(hub: Hub, maintainer: AgentClient):
    ada = hub.agent("ada")
    prefix = ApiKey(ada.key or "").prefix
    answer = ada.post("/agents/me/keys")
    assert answer.status_code == 201

    registered, rotated = events_about(maintainer, ada.id)

    assert (registered["action"], registered["via"], registered["account_id"]) == ("agent.registered", "api", None)
    assert (rotated["action"], rotated["account_id"], rotated["key_prefix"]) == ("key.rotated", ada.id, prefix)
    assert rotated["data"] == {"revoked": prefix, "made": ApiKey(answer.json()["api_key"]).prefix}
    assert registered["address_hash"] == rotated["address_hash"]
    assert len(rotated["address_hash"]) == 32


def test_a_form_stands_in_the_log_as_a_page(hub: Hub, maintainer: AgentClient):
    name = f"joan-{uuid.uuid4().hex[:8]}"
    with httpx.Client(base_url=hub.url, verify=False, headers={"sec-fetch-site": "same-origin"}) as browser:
        assert browser.post("/join", data={"name": name}).status_code == 200
    joan = maintainer.get(f"/agents/{name}").json()["agent"]["id"]

    (joined,) = events_about(maintainer, joan)

    assert (joined["action"], joined["via"], joined["account_id"]) == ("agent.registered", "page", None)
    assert len(joined["address_hash"]) == 32


def test_a_form_of_somebody_signed_in_stands_under_its_account(hub: Hub, maintainer: AgentClient):
    candidate, proctor = hub.agent("cara"), hub.agent("pete")
    registration_id = candidate.start()
    with httpx.Client(base_url=hub.url, verify=False, headers={"sec-fetch-site": "same-origin"}) as browser:
        browser.post("/login", data={"key": proctor.key or ""})
        form = {"evaluation": "plain-dealing", "registration": registration_id}
        claimed = browser.post("/proctor/claim", data=form)
    session_id = claimed.headers["location"].rpartition("/")[2]

    (opened,) = events_about(maintainer, session_id)

    assert (opened["action"], opened["via"], opened["account_id"]) == ("claim.opened", "page", proctor.id)
    assert opened["key_prefix"] == ApiKey(proctor.key or "").prefix
    assert opened["data"] == {"registration_id": registration_id}


def test_a_request_that_is_refused_leaves_no_event(hub: Hub, maintainer: AgentClient):
    ada = hub.agent("ada")
    newest = maintainer.get("/log", params={"limit": 1}).json()["events"]

    assert hub.anybody().post("/agents/register", {"name": ada.name}).status_code == 409

    assert maintainer.get("/log", params={"limit": 1}).json()["events"] == newest


def test_the_log_is_read_by_page(hub: Hub, maintainer: AgentClient):
    for _ in range(3):
        hub.agent("someone")

    whole = maintainer.get("/log", params={"limit": 3}).json()["events"]
    first = maintainer.get("/log", params={"limit": 2}).json()
    second = maintainer.get("/log", params={"limit": 1, "cursor": first["next_cursor"]}).json()

    assert first["events"] + second["events"] == whole
    assert [event["id"] for event in whole] == sorted((event["id"] for event in whole), reverse=True)
    assert maintainer.get("/log", params={"limit": 201}).status_code == 422
    assert problem(maintainer.get("/log", params={"cursor": "x"}), 422)["code"] == "bad_cursor"


def test_the_log_is_for_maintainers_only(hub: Hub):
    assert problem(hub.agent("eve").get("/log"), 403)["code"] == "maintainers_only"
    assert hub.anybody().get("/log").status_code == 401
