"""An evaluation changes while attempts are under way: each is graded by what it started with."""

import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.hub import AgentClient, Hub, write_sip


def new_fields() -> dict[str, Any]:
    """What stays the same over an evaluation's versions."""
    token = uuid.uuid4().hex
    return {"id": f"table-manners-{token[:8]}", "sip": int(token[8:15], 16) + 1_000}


def talk(session_id: str, evaluation: str, *speakers: AgentClient) -> None:
    """Let each of them say something, so that the verdict is official."""
    for speaker in speakers:
        assert speaker.say(session_id, "Good morning.", evaluation).status_code == 201


@pytest.fixture
def fields() -> dict[str, Any]:
    return new_fields()


def test_a_result_carries_version_points_and_max_score_of_its_start(hub: Hub, tmp_path: Path, fields):
    evaluation = hub.evaluation(tmp_path, **fields, version="1.0.0", points=10, config={"max_score": 50})
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start(evaluation)
    talk(paul.claim(registration_id, evaluation), evaluation, ada, paul)

    hub.evaluation(tmp_path, **fields, version="2.0.0", points=20, config={"max_score": 100})
    again = ada.post(f"/evaluations/{evaluation}/start").json()["registration"]
    too_much = paul.submit(registration_id, evaluation=evaluation, score=60)
    decided = paul.submit(registration_id, evaluation=evaluation, score=40)

    assert again["evaluation_version"] == "1.0.0"
    assert (too_much.status_code, too_much.json()["code"]) == (422, "bad_score")
    assert decided.status_code == 201
    result = decided.json()["result"]
    assert (result["evaluation_version"], result["points_earned"], result["max_score"]) == ("1.0.0", 10, 50)
    assert hub.anybody().get(f"/agents/{ada.name}").json()["agent"]["points"] == 10


def test_an_attempt_that_starts_after_the_bump_takes_the_new_version(hub: Hub, tmp_path: Path, fields):
    evaluation = hub.evaluation(tmp_path, **fields, version="1.0.0", points=10, config={"max_score": 50})
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registered = ada.post(f"/evaluations/{evaluation}/register").json()["registration"]

    hub.evaluation(tmp_path, **fields, version="2.0.0", points=20, config={"max_score": 100})
    started = ada.post(f"/evaluations/{evaluation}/start").json()["registration"]
    talk(paul.claim(started["id"], evaluation), evaluation, ada, paul)
    result = paul.submit(started["id"], evaluation=evaluation, score=60).json()["result"]

    assert registered.get("evaluation_version") is None
    assert started["evaluation_version"] == "2.0.0"
    assert (result["evaluation_version"], result["points_earned"], result["max_score"]) == ("2.0.0", 20, 100)


def test_versions_are_listed_newest_first_by_number(hub: Hub, tmp_path: Path, fields):
    for version in ("1.9.0", "1.10.0"):
        evaluation = hub.evaluation(tmp_path, **fields, version=version)

    answer = hub.anybody().get(f"/evaluations/{evaluation}/versions")

    assert answer.json() == {"versions": ["1.10.0", "1.9.0"], "current_version": "1.10.0"}
    assert hub.anybody().get(f"/evaluations/{evaluation}").json()["evaluation"]["versions"] == answer.json()["versions"]


def test_results_are_filtered_by_version(hub: Hub, tmp_path: Path, fields):
    by_version = {}
    for version in ("1.0.0", "2.0.0"):
        evaluation = hub.evaluation(tmp_path, **fields, version=version)
        ada, paul = hub.agent("ada"), hub.agent("paul")
        registration_id = ada.start(evaluation)
        talk(paul.claim(registration_id, evaluation), evaluation, ada, paul)
        by_version[version] = paul.submit(registration_id, evaluation=evaluation).json()["result"]

    anybody = hub.anybody()
    path = f"/evaluations/{evaluation}/results"
    for version, result in by_version.items():
        assert anybody.get(path, params={"version": version}).json()["results"] == [result]
    assert anybody.get(path, params={"version": "3.0.0"}).json()["results"] == []
    assert anybody.get(path).json()["results"] == [by_version["2.0.0"], by_version["1.0.0"]]


def test_changed_grading_without_a_bump_is_refused(hub: Hub, tmp_path: Path):
    first: dict[str, Any] = {"version": "1.0.0", "points": 10, "config": {"max_score": 50}}
    criteria = [{"id": "says-please", "text": "It says please."}]
    changes: tuple[dict[str, Any], ...] = (
        {"points": 20},
        {"config": {"max_score": 60}},
        {"config": {"max_score": 50, "criteria": criteria}},
    )
    each = [new_fields() for _ in changes]
    for number, fields in enumerate(each):
        write_sip(tmp_path, f"SIP-{number}.md", **fields, **first)
    assert hub.viva("sync", str(tmp_path)).returncode == 0
    before = [hub.anybody().get(f"/evaluations/{fields['id']}").json() for fields in each]

    for number, (fields, change) in enumerate(zip(each, changes, strict=True)):
        write_sip(tmp_path, f"SIP-{number}.md", **fields, **{**first, **change})
    synced = hub.viva("sync", str(tmp_path))

    assert synced.returncode == 2
    for number, fields in enumerate(each):
        told = next(line for line in synced.stderr.splitlines() if f"SIP-{number}.md" in line)
        assert f"What {fields['id']} grades has changed, but its version is still 1.0.0" in told
    assert [hub.anybody().get(f"/evaluations/{fields['id']}").json() for fields in each] == before


def test_changed_words_need_no_bump_and_every_server_process_shows_them_at_once(hub: Hub, tmp_path: Path, fields):
    evaluation = hub.evaluation(tmp_path, **fields, version="1.0.0", name="Manners")

    hub.evaluation(tmp_path, **fields, version="1.0.0", name="Table manners", author="Ada")

    for _ in range(20):  # each over a connection of its own
        shown = hub.anybody().get(f"/evaluations/{evaluation}").json()["evaluation"]
        assert (shown["name"], shown["author"], shown["versions"]) == ("Table manners", "Ada", ["1.0.0"])


def test_a_refused_file_keeps_no_other_out(hub: Hub, tmp_path: Path, fields):
    (tmp_path / "SIP-2.md").write_text("no front matter")
    write_sip(tmp_path, **fields, version="1.0.0")

    synced = hub.viva("sync", str(tmp_path))

    assert synced.returncode == 2
    assert "SIP-2.md" in synced.stderr
    assert hub.anybody().get(f"/evaluations/{fields['id']}").status_code == 200


def test_a_retired_evaluation_takes_nobody_new_and_lets_attempts_finish(hub: Hub, tmp_path: Path, fields):
    evaluation = hub.evaluation(tmp_path, **fields)
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start(evaluation)

    hub.evaluation(tmp_path, **fields, status="retired")
    refused = hub.agent("abe").post(f"/evaluations/{evaluation}/register")
    talk(paul.claim(registration_id, evaluation), evaluation, ada, paul)
    decided = paul.submit(registration_id, evaluation=evaluation)

    assert (refused.status_code, refused.json()["code"]) == (409, "not_active")
    assert decided.status_code == 201


def test_points_of_an_evaluation_count_once_and_the_best(hub: Hub, tmp_path: Path, fields):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    for version, points, verdicts in (("1.0.0", 30, [True, True]), ("2.0.0", 10, [True, False])):
        evaluation = hub.evaluation(tmp_path, **fields, version=version, points=points)
        for passed in verdicts:
            registration_id = ada.start(evaluation)
            talk(paul.claim(registration_id, evaluation), evaluation, ada, paul)
            assert paul.submit(registration_id, passed=passed, evaluation=evaluation).status_code == 201

    profile = hub.anybody().get(f"/agents/{ada.name}").json()["agent"]

    assert (profile["points"], profile["results"]) == (30, 4)
