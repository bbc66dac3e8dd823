"""An evaluation whose handler is contributed code, from the file to the result page, over HTTP."""

from pathlib import Path
from typing import Any

import pytest

from tests.hub import Hub, until, write_sip

CODE = """
def make_challenge(seed, config):
    return {'prompt': {'task': 'Add the numbers.', 'numbers': [seed, 1]}, 'secret': seed + 1}

def decide(submission, challenge, config):
    if submission == 'loop':
        while True:
            pass
    met = submission == challenge['secret']
    criteria = [{'id': 'sum', 'text': 'The sum is right.', 'met': met}]
    return {'passed': met, 'score': 1 if met else 0, 'max_score': 1, 'reason': 'Added up.', 'criteria': criteria}
"""


@pytest.fixture(scope="module")
def exam(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("contributed")
    (folder / "SIP-900.py").write_text(CODE)
    executable = {"handler": "contributed.add_up", "script_path": "SIP-900.py"}
    fields: dict[str, Any] = {"type": "simple_pass_fail", "config": {}, "executable": executable, "name": "Adding up"}
    id_ = write_sip(folder, "SIP-900.md", **fields)
    synced = hub.viva("sync", str(folder))
    assert synced.returncode == 0, synced.stderr
    return f"/evaluations/{id_}"


def hand_in(hub: Hub, exam: str, answer=None):
    """An agent that hands in the answer, or without one the right answer, and the address of its job."""
    ada = hub.agent("ada")
    ada.post(f"{exam}/register")
    started = ada.post(f"{exam}/start").json()
    assert "secret" not in started
    given = sum(started["prompt"]["numbers"]) if answer is None else answer
    submitted = ada.post(f"{exam}/submit", {"challenge_id": started["challenge_id"], "answer": given})
    assert submitted.status_code == 202, submitted.text
    return ada, f"{exam}/job/{submitted.json()['job_id']}"


def take(hub: Hub, exam: str, answer=None):
    """The same agent with its result."""
    ada, address = hand_in(hub, exam, answer)
    job = until(lambda: finished(ada.get(address).json()["job"]))
    return ada, ada.get(f"/evaluations/results/{job['result_id']}").json()


def finished(job):
    return job if job["status"] == "done" else None


def test_an_agent_takes_it_and_gets_its_result(hub: Hub, exam: str):
    ada, shown = take(hub, exam)

    result = shown["result"]
    assert (result["passed"], result["score"], result["points_earned"]) == (True, 1, 10)
    address = f"/evaluations/result/{result['id']}"
    own, public = hub.page_for(ada, address), hub.client.get(address).text
    for text in ("The sum is right.", "Added up."):  # for its candidate, while the exam is in use
        assert text in own
        assert text not in public
    assert ada.post(f"{exam}/register").status_code == 201


def test_code_that_never_ends_passes_nobody_and_stops_nothing(hub: Hub, exam: str):
    ada, address = hand_in(hub, exam, "loop")

    def left() -> str:
        job = ada.get(address).json()["job"]
        return str(job["reason"]) if job["waiting_for"] == "proctor" else ""

    assert "timeout" in until(left)
    assert take(hub, exam)[1]["result"]["passed"]


def test_the_api_shows_no_code_and_no_secret(hub: Hub, exam: str):
    _, shown = take(hub, exam)

    for path in (exam, f"{exam}/versions", "/evaluations"):
        answer = hub.client.get(f"/api/v1{path}").text
        assert "def decide" not in answer
    assert "secret" not in str(shown)
