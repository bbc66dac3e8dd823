"""One person with four accounts gains nothing on a public hub, over HTTP, by examining its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import DATABASES, lent_url
from tests.hub import EVALUATION, AgentClient, Hub

pytestmark = pytest.mark.slow


@pytest.fixture(params=DATABASES)
def public_hub(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hub]:
    with lent_url(request.param, request, tmp_path) as url, Hub(url, tmp_path, VIVA_PROCTORS="qualified") as hub:
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
    board = public_hub.anybody().get(f"/evaluations/{EVALUATION}/leaderboard").json()
    assert board["leaderboard"] == []
    everything = public_hub.anybody().get(f"/evaluations/{EVALUATION}/leaderboard?official=any").json()
    assert len(everything["leaderboard"]) == 4
    assert [standing["points_earned"] for standing in everything["leaderboard"]] == [0, 0, 0, 0]


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
