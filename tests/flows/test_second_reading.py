"""Second readings and appeals through HTTP: who takes them, what a blind marker sees, and what the result says."""

import json
import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.hub import AgentClient, Hub, write_sip

SECRET_FEEDBACK = "The pelican opinion of the first proctor."
REASON = "The proctor never asked what the procedure asks."


@pytest.fixture
def exam(hub: Hub, tmp_path: Path) -> str:
    """A proctored evaluation whose every verdict is drawn."""
    id_ = f"table-talk-{uuid.uuid4().hex[:8]}"
    config = {"max_score": 100, "second_reading": 1, "assignment": "draw"}
    write_sip(tmp_path, "SIP-9001.md", id=id_, name="Table talk", config=config)
    assert hub.viva("sync", str(tmp_path)).returncode == 0
    return f"/evaluations/{id_}"


def examine(hub: Hub, exam: str, candidate: AgentClient, proctor: AgentClient) -> dict[str, Any]:
    """A decided exam, with a score that occurs nowhere else."""
    candidate.post(f"{exam}/register")
    registration_id = candidate.post(f"{exam}/start").json()["registration"]["id"]
    claim = proctor.post(f"{exam}/proctor/claim", {}).json()
    for agent, text in ((proctor, "Pass the salt."), (candidate, "Here it is, please.")):
        agent.post(f"{exam}/sessions/{claim['session_id']}/messages", {"content": text})
    verdict = {"registration_id": registration_id, "passed": True, "score": 87.625, "proctor_feedback": SECRET_FEEDBACK}
    answer = proctor.post(f"{exam}/proctor/submit", verdict)
    assert answer.status_code == 201, answer.text
    return dict(answer.json()["result"])


def test_a_third_marker_decides_and_the_result_tells_all_three_verdicts(hub: Hub, exam: str):
    ada, paul, pia, paz = (hub.agent(name) for name in ("ada", "paul", "pia", "paz"))
    result = examine(hub, exam, ada, paul)
    shown = f"/evaluations/results/{result['id']}"
    (reading,) = pia.get(f"{exam}/proctor/pending").json()["readings"]
    place = f"{exam}/proctor/readings/{reading['reading_id']}"

    early = ada.get(shown).json()
    second = [
        pia.post(f"{place}/take"),
        pia.post(place, {"passed": False, "score": 12.5, "feedback": "It took the salt itself."}),
    ]
    between = ada.get(shown).json()
    third = [paz.post(f"{place}/take"), paz.post(place, {"passed": False, "score": 20})]
    late = ada.get(shown).json()

    assert [answer.status_code for answer in (*second, *third)] == [200, 201, 200, 201]
    assert [second[1].json()["state"], third[1].json()["state"]] == ["open", "changed"]
    for open_ in (early, between):
        assert open_["result"]["second_reading"] == open_["readings"][0]["state"] == "open"
        assert (open_["readings"][0]["verdicts"], open_["readings"][0]["first"]) == ([], None)
    assert (late["result"]["passed"], late["result"]["score"], late["result"]["points_earned"]) == (False, 20, 0)
    (report,) = late["readings"]
    assert (report["state"], report["first"]["score"]) == ("changed", 87.625)
    assert [(each["place"], each["score"]) for each in report["verdicts"]] == [(2, 12.5), (3, 20)]
    assert paz.get(f"{exam}/proctor/pending").json()["readings"] == []
    page = hub.client.get(f"/evaluations/result/{result['id']}").text
    assert "The result changed after a second and a third reading." in page
    assert "87.6" in page


def test_nothing_of_the_first_verdict_reaches_the_second_marker(hub: Hub, exam: str):
    ada, paul, pia = (hub.agent(name) for name in ("ada", "paul", "pia"))
    result = examine(hub, exam, ada, paul)
    ada.post(f"/results/{result['id']}/appeal", {"reason": REASON})
    (reading,) = pia.get(f"{exam}/proctor/pending").json()["readings"]
    place = f"{exam}/proctor/readings/{reading['reading_id']}"
    page = f"/proctor/readings/{exam.rpartition('/')[2]}/{reading['reading_id']}"

    seen = [pia.get(f"{exam}/proctor/pending"), pia.post(f"{place}/take"), pia.get(place)]
    with httpx.Client(base_url=hub.url, timeout=60, verify=False) as browser:
        browser.post("/login", data={"key": pia.key})
        seen += [browser.get("/proctor"), browser.get(page)]

    assert [answer.status_code for answer in seen] == [200] * 5
    assert "Here it is, please." in seen[2].text
    assert "Here it is, please." in seen[4].text
    hidden = (result["id"], result["registration_id"], result["session_id"], ada.id, ada.name, paul.id, paul.name)
    for answer in seen:
        for text in (*hidden, SECRET_FEEDBACK, "pelican", "87.6", REASON, "appeal_made"):
            assert text not in answer.text, text
    fields = set(json.loads(seen[2].text))
    assert fields == {
        "reading_id",
        "evaluation_version",
        "locked_until",
        "rows",
        "asks_for_verdict",
        "asks_for_score",
        "messages",
        "procedure",
    }
    assert set(json.loads(seen[2].text)["messages"][0]) == {"sequence", "role", "content"}


def test_who_may_take_a_reading(hub: Hub, exam: str):
    ada, paul, pia, bob = (hub.agent(name) for name in ("ada", "paul", "pia", "bob"))
    examine(hub, exam, ada, paul)
    (reading,) = pia.get(f"{exam}/proctor/pending").json()["readings"]
    place = f"{exam}/proctor/readings/{reading['reading_id']}"
    bob.post(f"{exam}/register")

    def codes(agent: Any) -> list[str]:
        answers = [agent.get(place), agent.post(f"{place}/take"), agent.post(place, {"passed": True, "score": 1})]
        return [answer.json()["code"] for answer in answers]

    assert codes(hub.anybody()) == ["unauthorized"] * 3
    assert codes(ada) == codes(paul) == ["no_such_reading"] * 3
    assert codes(bob) == ["in_open_attempt"] * 3
    assert pia.get(place).json()["code"] == "not_taken"
    assert pia.post(f"{place}/release").json()["code"] == "not_taken"
    assert pia.post(f"{place}/take").status_code == 200
    assert hub.agent("paz").post(f"{place}/take").json()["code"] == "taken_by_others"
    assert pia.post(f"{place}/release").status_code == 204


def test_where_candidates_are_drawn_a_named_claim_is_refused_with_the_reason(hub: Hub, exam: str):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    ada.post(f"{exam}/register")
    registration_id = ada.post(f"{exam}/start").json()["registration"]["id"]

    chosen = paul.post(f"{exam}/proctor/claim", {"registration_id": registration_id})
    taken, again = paul.post(f"{exam}/proctor/claim", {}), paul.post(f"{exam}/proctor/claim", {})

    assert (chosen.status_code, chosen.json()["code"]) == (409, "candidates_are_drawn")
    assert (taken.status_code, taken.json()["registration_id"]) == (201, registration_id)
    assert (again.status_code, again.json()["code"]) == (409, "too_many_claims")


def test_an_appeal_is_made_once_on_the_page_without_javascript(hub: Hub, exam: str):
    ada, paul, pia = (hub.agent(name) for name in ("ada", "paul", "pia"))
    result = examine(hub, exam, ada, paul)
    address = f"/evaluations/result/{result['id']}"

    with httpx.Client(base_url=hub.url, timeout=60, verify=False) as browser:
        browser.post("/login", data={"key": ada.key})
        form = browser.get(address).text
        short = browser.post(f"{address}/appeal", data={"reason": "Unfair."})
        made = browser.post(f"{address}/appeal", data={"reason": REASON})
        after = browser.get(address).text
        again = browser.post(f"{address}/appeal", data={"reason": REASON})
    others = hub.client.get(address).text

    assert "Appeal against this result" in form
    assert (short.status_code, "Unfair." in short.text) == (422, True)
    assert (made.status_code, again.status_code) == (303, 409)
    assert "A second reading is under way" in after
    assert REASON in after
    assert "Appeal against this result" not in after
    assert "Appeal against this result" not in others
    assert REASON not in others
    assert ada.get(f"/evaluations/results/{result['id']}").json()["appeal"]["state"] == "open"
    assert pia.get(f"/evaluations/results/{result['id']}").json()["appeal"]["reason"] is None
    assert pia.post(f"/results/{result['id']}/appeal", {"reason": REASON}).json()["code"] == "not_your_result"
