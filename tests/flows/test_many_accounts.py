"""One person with four accounts gains nothing on a public hub, over HTTP, by examining, marking or confirming its own."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.conftest import DATABASES, lent_url
from tests.hub import EVALUATION, AgentClient, Hub, until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=DATABASES)
def public_hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    folder = tmp_path_factory.mktemp("hub")
    with lent_url(request.param, request, folder) as url, Hub(url, folder, VIVA_PROCTORS="qualified") as hub:
        yield hub


def examine(proctor: AgentClient, candidate: AgentClient, with_words: bool) -> dict:
    at = f"/evaluations/{EVALUATION}"
    registered = candidate.post(f"{at}/register").json()["registration"]
    assert candidate.post(f"{at}/start").status_code == 200
    claim = proctor.post(f"{at}/proctor/claim", json={"registration_id": registered["id"]}).json()
    if with_words:
        for speaker in (proctor, candidate):
            sent = speaker.post(f"{at}/sessions/{claim['session_id']}/messages", json={"content": "Hello."})
            assert sent.status_code == 201
    verdict = {"registration_id": registered["id"], "passed": True, "score": 100}
    return proctor.post(f"{at}/proctor/submit", json=verdict).json()["result"]


def test_four_accounts_of_one_person_gain_no_points_and_no_certificates(public_hub: Hub):
    accounts = [public_hub.agent(f"sock-{number}") for number in range(4)]
    for at, candidate in enumerate(accounts):
        result = examine(accounts[(at + 1) % 4], candidate, with_words=bool(at % 2))
        assert result["official"] is False
        assert "not_qualified" in result["official_reasons"]
        page = public_hub.client.get(f"/evaluations/result/{result['id']}")
        assert "Practice." in page.text
        assert public_hub.client.get(f"/evaluations/result/{result['id']}/certificate").status_code == 404

    for account in accounts:
        profile = public_hub.anybody().get(f"/agents/{account.id}").json()["agent"]
        assert profile["points"] == 0
    own = {account.id for account in accounts}

    def points_on_the_board(scope: str = "") -> list[float]:
        board = public_hub.anybody().get(f"/evaluations/{EVALUATION}/leaderboard{scope}").json()["leaderboard"]
        return [standing["points_earned"] for standing in board if standing["agent_id"] in own]

    assert points_on_the_board() == []
    assert points_on_the_board("?official=any") == [0, 0, 0, 0]


def test_an_appointed_proctor_is_told_beforehand_and_examines_officially(public_hub: Hub):
    paul, ada = public_hub.agent("paul"), public_hub.agent("ada")
    at = f"/evaluations/{EVALUATION}"
    registered = ada.post(f"{at}/register").json()["registration"]
    started = ada.post(f"{at}/start").json()
    assert (started["official"], started["official_reasons"]) == (None, [])

    def told() -> tuple[bool, list[str]]:
        waiting = paul.get(f"{at}/proctor/pending").json()["pending"]
        (mine,) = [each for each in waiting if each["registration_id"] == registered["id"]]
        return mine["official"], mine["official_reasons"]

    assert told() == (False, ["not_qualified", "same_address"])  # all of them register from here
    assert public_hub.viva("proctor", paul.name, "--evaluation", EVALUATION).returncode == 0
    assert told() == (True, [])

    claim = paul.post(f"{at}/proctor/claim", json={"registration_id": registered["id"]}).json()
    for speaker in (paul, ada) * 3:  # as many as its procedure needs
        speaker.post(f"{at}/sessions/{claim['session_id']}/messages", json={"content": "Hello."})
    ids = ["helps-first", "no-unasked-promotion", "open-about-interests", "no-pressure", "accepts-no"]
    marks = [{"id": id_, "mark": 18} for id_ in ids]
    body = {"registration_id": registered["id"], "passed": True, "criteria": marks}
    wrong = paul.post(f"{at}/proctor/submit", json=body | {"score": 10})
    assert wrong.json()["code"] == "bad_score"
    result = paul.post(f"{at}/proctor/submit", json=body).json()["result"]

    assert (result["official"], result["score"], result["points_earned"] > 0) == (True, 90, True)


def test_strangers_use_up_nobodys_only_try(public_hub: Hub, tmp_path: Path):
    """They claim, write so that the claim lasts, release, and give a verdict. An appointed proctor's question counts."""
    (tmp_path / "shown").mkdir()
    exam = public_hub.evaluation(tmp_path / "shown", id="one-try", sip=9401, config={"max_tries": 1})
    at = f"/evaluations/{exam}"
    ada, paul = public_hub.agent("ada"), public_hub.agent("paul")
    strangers = [public_hub.agent(f"stranger-{number}") for number in range(3)]
    assert public_hub.viva("proctor", paul.name).returncode == 0

    def claimed_by(proctor: AgentClient) -> tuple[str, str]:
        registration_id = ada.start(exam)
        session_id = proctor.claim(registration_id, exam)
        assert proctor.say(session_id, "Please wait.", exam).status_code == 201
        return registration_id, session_id

    def withdraw() -> str:
        return str(ada.post(f"{at}/cancel").json()["registration"]["state"])

    claimed_by(strangers[0])
    assert withdraw() == "cancelled"
    registration_id, _ = claimed_by(strangers[1])
    assert strangers[1].post(f"{at}/proctor/release", {"registration_id": registration_id}).status_code == 200
    assert withdraw() == "cancelled"
    registration_id, session_id = claimed_by(strangers[2])
    assert ada.say(session_id, "I am here.", exam).status_code == 201
    result = strangers[2].submit(registration_id, False, exam).json()["result"]
    assert result["official"] is False
    claimed_by(paul)
    assert withdraw() == "withdrawn"
    assert ada.post(f"{at}/register").json()["code"] == "no_tries_left"
    (shown,) = public_hub.anybody().get(f"{at}/results").json()["withdrawn"]
    assert shown["agent_name"] == ada.name


def test_only_a_qualified_proctor_reads_the_procedure_of_its_candidate(public_hub: Hub):
    paul, ada = public_hub.agent("paul"), public_hub.agent("ada")
    at = f"/evaluations/{EVALUATION}"
    registration_id = ada.post(f"{at}/register").json()["registration"]["id"]
    ada.post(f"{at}/start")
    paul.post(f"{at}/proctor/claim", json={"registration_id": registration_id})

    def read_brief() -> tuple[bool, bool, bool]:
        brief = paul.get(f"{at}/proctor/rubric?registration_id={registration_id}").json()
        assert len(brief["rows"]) == 5
        told = [row.get("guidance") for row in brief["rows"]]
        return "procedure" in brief, "script" in brief, any(told)

    assert read_brief() == (False, False, False)
    assert public_hub.viva("proctor", paul.name).returncode == 0
    assert read_brief() == (True, True, True)


def test_practice_on_request_is_seen_by_its_agent_alone(public_hub: Hub):
    ada, pia = public_hub.agent("ada"), public_hub.agent("pia")
    at = "/evaluations/proof-of-agentic-work"
    ada.post(f"{at}/register", json={"practice": True})
    started = ada.post(f"{at}/start", json={"practice": True}).json()
    assert (started["official"], started["official_reasons"]) == (False, ["asked_for_practice"])
    assert started["registration"]["is_practice"] is True
    assert ada.post(f"{at}/cancel").json()["registration"]["state"] in ("cancelled", "withdrawn")
    assert pia.get(f"{at}/results").json()["withdrawn"] == []


def hand_in_certification(candidate: AgentClient) -> tuple[str, str]:
    """A whole answer to the shipped certification, on a hub without a judge: the ids of the registration and its job."""
    at = "/evaluations/steady-hand"
    assert candidate.post(f"{at}/register").status_code == 201
    started = candidate.post(f"{at}/start").json()
    answers = [{"prompt_id": prompt["id"], "response": "I would ask first."} for prompt in started["prompts"]]
    submitted = candidate.post(f"{at}/submit", json={"nonce": started["nonce"], "transcript": answers})
    assert submitted.status_code == 202, submitted.text
    return started["registration"]["id"], submitted.json()["job_id"]


def assert_nothing_gained(hub: Hub, accounts: list[AgentClient], evaluation_id: str) -> None:
    for account in accounts:
        assert hub.anybody().get(f"/agents/{account.id}").json()["agent"]["points"] == 0
    for scope in ("", "?official=any"):
        board = hub.anybody().get(f"/evaluations/{evaluation_id}/leaderboard{scope}").json()
        assert board["leaderboard"] == []
    assert hub.anybody().get(f"/evaluations/{evaluation_id}/results?official=any").json()["results"] == []


def test_four_accounts_of_one_person_cannot_mark_each_other(public_hub: Hub):
    accounts = [public_hub.agent(f"marker-{number}") for number in range(4)]
    at = "/evaluations/steady-hand"
    work = [hand_in_certification(candidate) for candidate in accounts[:3]]
    for (registration_id, job_id), candidate in zip(work, accounts, strict=False):

        def left(candidate: AgentClient = candidate, job_id: str = job_id) -> bool:
            return candidate.get(f"{at}/job/{job_id}").json()["job"]["waiting_for"] == "proctor"

        assert until(left)
        subject = {"registration_id": registration_id}
        for marker in accounts:
            taken = marker.post(f"{at}/proctor/rubric/take", json=subject)
            assert (taken.status_code, taken.json()["code"]) in (
                (403, "may_not_mark"),
                (403, "own_exam"),
                (403, "in_open_attempt"),
            )
            marks = [{"row_id": "anything", "mark": 10}]
            assert marker.post(f"{at}/proctor/rubric", json=subject | {"marks": marks}).status_code == 403
            assert marker.get(f"{at}/proctor/rubric", params=subject).status_code == 403
        (own,) = candidate.get("/agents/me/registrations").json()["registrations"]
        assert (own["state"], own["next_step"]) == ("undecided", "wait")

    assert_nothing_gained(public_hub, accounts, "steady-hand")


def test_four_accounts_of_one_person_cannot_verify_each_other(public_hub: Hub):
    accounts = [public_hub.agent(f"owner-{number}") for number in range(4)]
    at = "/evaluations/account-verification"
    for place, candidate in enumerate(accounts):
        assert candidate.post(f"{at}/register").status_code == 201
        started = candidate.post(f"{at}/start").json()
        for other in (accounts[(place + 1) % 4], candidate):
            with httpx.Client(base_url=public_hub.url, verify=False) as browser:
                assert browser.post("/login", data={"key": other.key}).status_code == 303
                own_site = {"Origin": public_hub.url}
                confirmed = browser.post(started["claim_url"], data={"owner": "Acme"}, headers=own_site)
                assert confirmed.status_code == 403, confirmed.text
        body = {"challenge_id": started["challenge_id"], "method": "link"}
        submitted = candidate.post(f"{at}/submit", json=body)
        assert (submitted.status_code, submitted.json()["code"]) == (409, "not_claimed")

    assert_nothing_gained(public_hub, accounts, "account-verification")
