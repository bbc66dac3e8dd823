"""Exams without a proctor over HTTP, from registering to the page of the result: work, identity, account."""

import hashlib
import hmac
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import fresh_url
from tests.exams.simple import solved
from tests.hub import AgentClient, Hub, at_once, until
from tests.pages import Pages

WORK, IDENTITY, ACCOUNT = "proof-of-agentic-work", "proof-of-identity", "account-verification"


def started(agent: AgentClient, evaluation: str) -> dict[str, Any]:
    assert agent.post(f"/evaluations/{evaluation}/register").status_code == 201
    answer = agent.post(f"/evaluations/{evaluation}/start")
    assert answer.status_code == 200, answer.text
    assert answer.json()["registration"]["status"] == "in_progress"
    return dict(answer.json())


def submit(agent: AgentClient, evaluation: str, shown: dict[str, Any], **body: Any) -> httpx.Response:
    return agent.post(f"/evaluations/{evaluation}/submit", {"challenge_id": shown["challenge_id"], **body})


def page_of(hub: Hub, result_id: str) -> str:
    answer = hub.client.get(f"/evaluations/result/{result_id}")
    assert answer.status_code == 200, answer.text
    return unescape(answer.text)


def decided(agent: AgentClient, evaluation: str, job_id: str) -> str:
    """The id of the result that the job brings."""
    return str(until(lambda: agent.get(f"/evaluations/{evaluation}/job/{job_id}").json()["job"]["result_id"]))


def test_proof_of_agentic_work_from_registering_to_the_result(hub: Hub):
    ada = hub.agent("ada")
    shown = started(ada, WORK)
    again = ada.get(f"/evaluations/{WORK}/challenge/{shown['challenge_id']}").json()
    about_the_attempt = {"registration", "official", "official_reasons", "official_note"}
    assert again == {name: value for name, value in shown.items() if name not in about_the_attempt}
    assert (shown["official"], shown["official_reasons"]) == (True, [])

    answer = submit(ada, WORK, shown, answer=solved(shown))

    assert answer.status_code == 201, answer.text
    result = answer.json()["result"]
    assert (result["passed"], result["points_earned"]) == (True, 5)
    page = page_of(hub, result["id"])
    assert "The recipe was carried out exactly, within its time." in page
    assert "The answer is right." in page
    repeated = submit(ada, WORK, shown, answer=solved(shown))
    assert (repeated.status_code, repeated.json()["code"]) == (409, "already_handed_in")


def test_a_wrong_answer_is_kept_with_the_reason(hub: Hub):
    ada = hub.agent("ada")

    answer = submit(ada, WORK, started(ada, WORK), answer="f" * 64)

    result = answer.json()["result"]
    assert (answer.status_code, result["passed"], result["points_earned"]) == (201, False, 0)
    assert "The answer is not the result of the recipe." in page_of(hub, result["id"])


@pytest.mark.parametrize(
    ("body", "field"), [({}, "answer"), ({"answer": 5}, "answer"), ({"answer": "x", "more": 1}, "more")]
)
def test_a_wrong_body_is_told_and_uses_nothing_up(hub: Hub, body: dict[str, Any], field: str):
    ada = hub.agent("ada")
    shown = started(ada, WORK)

    refused = submit(ada, WORK, shown, **body)

    assert refused.status_code == 422
    assert [fault["field"] for fault in refused.json()["errors"]] == [field]
    assert submit(ada, WORK, shown, answer=solved(shown)).status_code == 201


def test_of_ten_answers_at_once_one_counts(hub: Hub):
    ada = hub.agent("ada")
    shown = started(ada, WORK)

    answers = at_once([lambda: submit(ada, WORK, shown, answer=solved(shown))] * 10)

    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 9


def test_an_identity_check_from_registering_to_the_result(hub: Hub):
    ada = hub.agent("ada")
    described = ada.http.patch("/agents/me", json={"description": "An agent that sits exams for others."})
    assert described.status_code == 200
    shown = started(ada, IDENTITY)
    key = hashlib.sha256(str(ada.key).encode()).hexdigest()
    proof = hmac.new(key.encode(), f"{shown['nonce']}:{ada.name}".encode(), "sha256").hexdigest()

    answer = submit(ada, IDENTITY, shown, name=ada.name, proof=proof)

    assert answer.status_code == 201, answer.text
    result = answer.json()["result"]
    assert result["passed"]
    assert key not in answer.text
    page = page_of(hub, result["id"])
    for criterion in result["result_data"]["criteria"]:
        assert criterion["met"] is True
        assert criterion["text"] in page
        assert criterion["reason"] in page


def test_an_identity_with_another_s_key_and_no_profile_fails(hub: Hub):
    ada, bob = hub.agent("ada"), hub.agent("bob")
    shown = started(ada, IDENTITY)
    key = hashlib.sha256(str(bob.key).encode()).hexdigest()
    proof = hmac.new(key.encode(), f"{shown['nonce']}:{ada.name}".encode(), "sha256").hexdigest()

    result = submit(ada, IDENTITY, shown, name=ada.name, proof=proof).json()["result"]

    assert [each["met"] for each in result["result_data"]["criteria"]] == [False, True, False]
    assert "The description has 0 characters; at least 20 are required." in page_of(hub, result["id"])


def test_a_claim_link_from_registering_to_the_result(hub: Hub):
    ada = hub.agent("ada")
    shown = started(ada, ACCOUNT)
    assert shown["methods"] == ["link"]
    assert shown["claim_url"].startswith(f"{hub.url}/claim/")
    early = submit(ada, ACCOUNT, shown, method="link")
    assert (early.status_code, early.json()["code"]) == (409, "not_claimed")

    asked = hub.client.get(shown["claim_url"])
    assert asked.status_code == 200
    assert ada.name in asked.text
    assert "Account verification" in asked.text
    refused = hub.client.post(shown["claim_url"], data={"owner": "Anybody"}, headers={"origin": hub.url})
    assert refused.status_code == 403
    with httpx.Client(base_url=hub.url, timeout=60, verify=False, headers={"origin": hub.url}) as browser:
        assert browser.post("/login", data={"key": str(hub.maintainer("mary").key)}).status_code == 303
        confirmed = browser.post(shown["claim_url"], data={"owner": "Ada's house"})
    assert (confirmed.status_code, confirmed.headers["location"]) == (303, shown["claim_url"].removeprefix(hub.url))
    assert "The agent is claimed" in hub.client.get(shown["claim_url"]).text

    answer = submit(ada, ACCOUNT, shown, method="link")
    assert answer.status_code == 201, answer.text
    result = answer.json()["result"]
    assert (result["passed"], result["points_earned"]) == (True, 10)
    page = page_of(hub, result["id"])
    assert "A maintainer of this hub confirmed at the claim link who owns the agent." in page
    assert "Confirmed at" in page


def test_a_hub_without_proof_hosts_fetches_no_page(hub: Hub):
    ada = hub.agent("ada")

    refused = submit(ada, ACCOUNT, started(ada, ACCOUNT), method="url", url="https://example.org/viva.txt")

    assert (refused.status_code, refused.json()["code"]) == (409, "no_pages_fetched")
    assert refused.json()["detail"] == "This hub fetches no pages, so accounts are verified by claim link only."


@pytest.fixture(scope="module", params=["sqlite"])  # results are kept on both in tests/exams
def fetching(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hub, Pages]]:
    """A hub that may fetch the pages of one server on this machine."""
    folder: Path = tmp_path_factory.mktemp("fetching")
    url = fresh_url(request.param, request, folder)
    with Pages({}) as pages, Hub(url, folder, VIVA_PROOF_HOSTS=f"example.org, {pages.host}") as hub:
        yield hub, pages


def test_a_proof_on_a_page_from_registering_to_the_result(fetching: tuple[Hub, Pages]):
    hub, pages = fetching
    ada = hub.agent("ada")
    shown = started(ada, ACCOUNT)
    assert shown["methods"] == ["link", "url"]
    pages.pages["/ada/viva.txt"] = f"This agent is mine.\n{shown['proof']}\n"

    answer = submit(ada, ACCOUNT, shown, method="url", url=pages.url("/ada/viva.txt"))

    assert answer.status_code == 202, answer.text
    assert answer.json()["job"]["id"] == answer.json()["job_id"]
    result_id = decided(ada, ACCOUNT, answer.json()["job_id"])
    page = page_of(hub, result_id)
    assert "A page that the agent's owner can edit holds the proof." in page
    assert "The page holds the proof." in page
    assert hub.client.get(f"/api/v1/evaluations/results/{result_id}").json()["result"]["points_earned"] == 10


def test_a_page_with_another_s_proof_fails(fetching: tuple[Hub, Pages]):
    hub, pages = fetching
    ada, bob = hub.agent("ada"), hub.agent("bob")
    pages.pages["/bob/viva.txt"] = started(bob, ACCOUNT)["proof"]

    answer = submit(ada, ACCOUNT, started(ada, ACCOUNT), method="url", url=pages.url("/bob/viva.txt"))

    assert "The page does not hold the proof." in page_of(hub, decided(ada, ACCOUNT, answer.json()["job_id"]))


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/viva.txt",
        "http://127.0.0.1:1/viva.txt",
        "http://localhost/viva.txt",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://ada:secret@example.org/",
        "file:///etc/passwd",
        "ftp://example.org/viva.txt",
        "http://example.org:22/",
        "https://example.org.evil.example/",
        "/viva.txt",
        "",
    ],
)
def test_an_address_inside_or_elsewhere_is_refused_and_uses_nothing_up(fetching: tuple[Hub, Pages], url: str):
    hub, pages = fetching
    ada = hub.agent("ada")
    shown = started(ada, ACCOUNT)

    refused = submit(ada, ACCOUNT, shown, method="url", url=url)

    assert refused.status_code == 422, refused.text
    assert [fault["field"] for fault in refused.json()["errors"]] == ["url"]
    pages.pages["/viva.txt"] = shown["proof"]
    assert submit(ada, ACCOUNT, shown, method="url", url=pages.url("/viva.txt")).status_code == 202
