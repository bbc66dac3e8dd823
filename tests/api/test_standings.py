"""Leaderboard, findings and matrix over HTTP: with the promised fields, by version, by page, and for anybody."""

from typing import Any, NamedTuple

import pytest

from tests.api.problem import problem
from tests.hub import AgentClient, Hub

STANDING = {
    *("rank", "agent_id", "agent_name", "result_id", "passed", "score", "max_score", "points_earned", "completed_at"),
    *("evaluation_version", "attempts", "agent_model", "agent_framework", "agent_version", "passes"),
}
RATE = {"passed", "attempts", "share", "low", "high"}
EVALUATION = "tidy-desk"
ROOT = f"/evaluations/{EVALUATION}"
CONFIG = {"summary": "Whether a desk is left tidy.", "max_score": 100, "findings": ["Drawers are forgotten."]}


class Crowd(NamedTuple):
    anybody: AgentClient
    paul: AgentClient
    best: AgentClient
    others: list[AgentClient]


@pytest.fixture(scope="module")
def crowd(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Crowd:
    """Three agents in version 1.0.0, the best of them once more in 2.0.0."""
    folder = tmp_path_factory.mktemp("sips")
    hub.evaluation(folder, id=EVALUATION, sip=901, config=CONFIG, version="1.0.0")
    paul, people = hub.agent("paul"), [hub.agent(name) for name in ("ada", "abe", "ann")]
    for agent, score in zip(people, (90, 50, 50), strict=True):
        decide(agent, paul, score)
    hub.evaluation(folder, id=EVALUATION, sip=901, config=CONFIG, version="2.0.0")
    decide(people[0], paul, 70)
    return Crowd(hub.anybody(), paul, people[0], people[1:])


def decide(agent: AgentClient, proctor: AgentClient, score: int) -> None:
    registration_id = agent.start(EVALUATION)
    session_id = proctor.claim(registration_id, EVALUATION)
    proctor.say(session_id, "Tidy up.", EVALUATION)
    agent.say(session_id, "Gladly.", EVALUATION)
    criteria = [
        {"id": "top", "text": "The top is clear", "met": score > 60, "mark": score, "max": 100, "prompt_id": "desk"}
    ]
    decided = proctor.submit(
        registration_id, passed=score > 40, evaluation=EVALUATION, score=score, result_data={"criteria": criteria}
    )
    assert decided.status_code == 201, decided.text


def answer(crowd: Crowd, what: str, **query: Any) -> dict[str, Any]:
    response = crowd.anybody.get(f"{ROOT}/{what}", params=query)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


def test_a_leaderboard_has_each_agents_best_result(crowd: Crowd):
    found = answer(crowd, "leaderboard")

    assert found.keys() == {"leaderboard", "next_cursor"}
    assert {frozenset(standing) for standing in found["leaderboard"]} == {frozenset(STANDING)}
    assert [(each["rank"], each["agent_name"], each["score"], each["attempts"]) for each in found["leaderboard"]] == [
        (1, crowd.best.name, 90, 2),
        (2, crowd.others[1].name, 50, 1),  # equal, and newer
        (2, crowd.others[0].name, 50, 1),
    ]


def test_a_leaderboard_is_of_one_version_where_one_is_named(crowd: Crowd):
    found = answer(crowd, "leaderboard", version="2.0.0")

    assert [(each["agent_id"], each["score"], each["evaluation_version"]) for each in found["leaderboard"]] == [
        (crowd.best.id, 70, "2.0.0")
    ]


@pytest.mark.parametrize("limit", [1, 2])
def test_pages_of_the_leaderboard_put_together_are_the_whole(crowd: Crowd, limit: int):
    whole = answer(crowd, "leaderboard")["leaderboard"]

    found: list[Any] = []
    query: dict[str, Any] = {"limit": limit}
    while True:
        page = answer(crowd, "leaderboard", **query)
        found += page["leaderboard"]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]

    assert found == whole


def test_findings_have_figures_with_their_counts_and_sentences(crowd: Crowd):
    found = answer(crowd, "findings")["findings"]

    assert (found["attempts"], found["agents"]) == (4, 3)
    assert found["pass_rate"].keys() == RATE
    assert (found["pass_rate"]["passed"], found["pass_rate"]["attempts"]) == (4, 4)
    assert found["mean_score"] == {"share": pytest.approx(0.65), "low": None, "high": None, "scored": 4}
    assert found["histogram"] == [0, 0, 0, 0, 0, 2, 0, 1, 0, 1]
    assert {each["version"]: each["rate"]["attempts"] for each in found["by_version"]} == {"1.0.0": 3, "2.0.0": 1}
    assert sum(each["rate"]["attempts"] for each in found["by_month"]) == 4
    assert [(each["messages"], each["rate"]["attempts"]) for each in found["by_length"]] == [(2, 4)]
    assert [(each["text"], each["met"], each["judged"]) for each in found["criteria"]] == [("The top is clear", 2, 4)]
    assert (found["strengths"], found["weaknesses"], found["pattern"]) == ([], [], None)
    assert found["sentences"][:2] == ["Drawers are forgotten.", "4 attempts at 2 versions are taken together."]


def test_findings_of_one_version_count_it_alone(crowd: Crowd):
    found = answer(crowd, "findings", version="1.0.0")["findings"]

    assert (found["attempts"], found["agents"]) == (3, 3)
    assert found["sentences"][1].startswith("3 of 3 attempts by 3 agents were passed: 100%")


def test_a_matrix_has_prompts_agents_and_a_cell_for_each_pair(crowd: Crowd):
    found = answer(crowd, "matrix")

    assert found.keys() == {"matrix", "next_cursor"}
    assert found["matrix"].keys() == {"prompts", "agents", "cells"}
    assert found["matrix"]["prompts"] == [{"id": "desk", "text": "The top is clear"}]
    assert found["matrix"]["agents"] == answer(crowd, "leaderboard")["leaderboard"]
    assert [[cell["share"] for cell in row] for row in found["matrix"]["cells"]] == [[0.9, 0.5, 0.5]]
    assert found["matrix"]["cells"][0][0] == {
        "result_id": found["matrix"]["agents"][0]["result_id"],
        "mark": 90,
        "max": 100,
        "share": 0.9,
        "met": True,
    }


def test_an_evaluation_that_nobody_took_has_all_three_empty(crowd: Crowd):
    root = "/evaluations/honest-uncertainty"

    assert crowd.anybody.get(f"{root}/leaderboard").json() == {"leaderboard": [], "next_cursor": None}
    assert crowd.anybody.get(f"{root}/matrix").json()["matrix"] == {"prompts": [], "agents": [], "cells": []}
    found = crowd.anybody.get(f"{root}/findings").json()["findings"]
    assert (found["attempts"], found["pass_rate"], found["sentences"]) == (0, None, [])


@pytest.mark.parametrize("what", ["leaderboard", "findings", "matrix"])
def test_what_is_not_there_is_not_found(crowd: Crowd, what: str):
    problem(crowd.anybody.get(f"{ROOT}/{what}", params={"version": "9.9.9"}), 404, "no_such_version")
    problem(crowd.anybody.get(f"/evaluations/nothing/{what}"), 404, "no_such_evaluation")


@pytest.mark.parametrize("what", ["leaderboard", "matrix"])
def test_a_cursor_that_the_hub_did_not_give_out_is_refused(crowd: Crowd, what: str):
    of_results = crowd.anybody.get(f"{ROOT}/results", params={"limit": 1}).json()["next_cursor"]

    for cursor in ("abc", "e30", of_results):
        problem(crowd.anybody.get(f"{ROOT}/{what}", params={"cursor": cursor}), 422, "bad_cursor", "cursor")
