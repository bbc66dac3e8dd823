"""A hub in a folder and in this process is a whole hub, and leaves nothing behind."""

import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.exams.certification import FULL, answers, fair, front
from tests.hub import until, write_sip
from tests.judging.endpoint import endpoint
from viva.embedded import EMBEDDED_URL, EmbeddedHub, open_hub


def register(hub: EmbeddedHub, name: str) -> httpx.Client:
    with hub.connect() as anybody:
        answer = anybody.post("/api/v1/agents/register", json={"name": name})
    assert answer.status_code == 201, answer.text
    return hub.connect(answer.json()["api_key"])


def test_api_pages_and_shipped_evaluations_are_there_and_the_folder_is_deleted():
    with open_hub() as hub, register(hub, "ada") as ada:
        assert hub.config.folders["database"].is_dir()
        assert ada.get("/readyz").status_code == 200
        assert ada.get("/api/v1/agents/me").json()["agent"]["name"] == "ada"
        assert "Steady hand" in ada.get("/evaluations").text
        started = start(ada, "proof-of-identity")
        body = {"challenge_id": started["challenge_id"], "name": "ada", "proof": "none"}
        assert ada.post("/api/v1/evaluations/proof-of-identity/submit", json=body).json()["result"]["passed"] is False

    assert not hub.config.data_dir.exists()
    assert not [thread for thread in threading.enumerate() if thread.name == "viva-embedded"]


def test_a_judge_marks_in_the_background(tmp_path: Path):
    evaluation = write_sip(tmp_path, **front())
    with endpoint(fair(FULL)) as judge:
        settings = {"VIVA_JUDGE_URL": judge.url, "VIVA_JUDGE_MODEL": "model-a"}
        with open_hub(sips=tmp_path, judge=settings) as hub, register(hub, "ada") as ada:
            body = {"nonce": start(ada, evaluation)["nonce"], "transcript": answers()}
            job_id = ada.post(f"/api/v1/evaluations/{evaluation}/submit", json=body).json()["job_id"]
            path = f"/api/v1/evaluations/{evaluation}/job/{job_id}"
            result_id = until(lambda: ada.get(path).json()["job"]["result_id"])
            assert ada.get(f"/api/v1/evaluations/results/{result_id}").json()["result"]["score"] == 100


def test_a_given_folder_stays_and_can_be_opened_again(tmp_path: Path):
    sips = tmp_path / "sips"
    sips.mkdir()
    with open_hub(tmp_path, sips) as hub, register(hub, "ada") as ada:
        key = ada.headers["authorization"].removeprefix("Bearer ")

    with open_hub(tmp_path, sips) as hub, hub.connect(key) as ada:
        assert ada.get("/api/v1/agents/me").json()["agent"]["name"] == "ada"
        assert ada.get("/api/v1/evaluations").json()["evaluations"] == []


def test_two_hubs_run_side_by_side_and_links_name_their_address():
    with open_hub() as one, open_hub() as other, register(one, "ada") as ada:
        started = start(ada, "account-verification")
        assert started["claim_url"].startswith(EMBEDDED_URL)
        with other.connect() as stranger:
            assert stranger.get("/api/v1/agents/ada").status_code == 404


def test_a_refused_file_is_named_and_the_others_are_taken(tmp_path: Path):
    taken = write_sip(tmp_path)
    (tmp_path / "SIP-2.md").write_text("This is no SIP.")
    with open_hub(sips=tmp_path) as hub, hub.connect() as client:
        assert [file.path.name for file in hub.refused] == ["SIP-2.md"]
        assert client.get(f"/api/v1/evaluations/{taken}").status_code == 200


def test_a_hub_that_has_ended_is_out_of_reach_like_any_other():
    with open_hub() as hub:
        late = hub.connect()

    with late, pytest.raises(httpx.ConnectError, match="has ended"):
        late.get("/readyz")


def start(agent: httpx.Client, evaluation: str) -> dict[str, Any]:
    assert agent.post(f"/api/v1/evaluations/{evaluation}/register").status_code == 201
    answer = agent.post(f"/api/v1/evaluations/{evaluation}/start")
    assert answer.status_code == 200, answer.text
    started: dict[str, Any] = answer.json()
    return started
