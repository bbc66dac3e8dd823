"""Class work from registering to the result page, over HTTP: marked by a judge, marked by the instructor, cancelled."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import fresh_url
from tests.exams.class_work import CONFIG
from tests.hub import AgentClient, Hub, until
from tests.judging.endpoint import Reply, endpoint, graded


def script(asked: dict[str, Any]) -> Reply:
    """A judge who gives the plan 8, ada 10 and others 2 for what they share, and nothing for what is not there."""
    orders, texts = (message["content"] for message in asked["messages"])
    if "The plan can be carried out." in orders:
        return graded(8, "It can.", "The museum opens at ten.")
    if "Tells what it knows." in orders:
        return graded(10 if " participant\nada-" in texts else 2, "It does.")
    return graded(0, "It is not there.")


@pytest.fixture(scope="module", params=["sqlite"])  # marks are kept on both in tests/exams
def judged_hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub with a judge."""
    folder = tmp_path_factory.mktemp("judged")
    with endpoint(script) as judge:
        url = fresh_url(request.param, request, folder)
        with Hub(url, folder, VIVA_JUDGE_URL=judge.url, VIVA_JUDGE_MODEL="wise") as hub:
            yield hub


def class_work(hub: Hub, folder: Path, **config: Any) -> str:
    """The address of a small class of the test's own."""
    evaluation = hub.evaluation(
        folder,
        name="Planning together",
        type="live_class_work",
        config={**CONFIG, **config},
        executable={"handler": "live_class_work"},
    )
    return f"/evaluations/{evaluation}"


def opened(exam: str, ida: AgentClient) -> str:
    """The address of a cohort that ida leads as its instructor."""
    answer = ida.post(f"{exam}/cohorts", {"role": "instructor"})
    assert answer.status_code == 201, answer.text
    return f"{exam}/cohorts/{answer.json()['cohort']['id']}"


def joined(exam: str, cohort: str, *agents: AgentClient) -> None:
    for agent in agents:
        assert agent.post(f"{exam}/register").status_code == 201
        assert agent.post(f"{cohort}/join").status_code == 201


def talk(exam: str, session_id: str, *said: tuple[AgentClient, str]) -> None:
    for agent, text in said:
        assert agent.post(f"{exam}/sessions/{session_id}/messages", {"content": text}).status_code == 201


def held(hub: Hub, exam: str) -> tuple[str, list[AgentClient], str]:
    """A class of ada and bob, led by ida, when it is over: its cohort, who was there, and its session."""
    ida, ada, bob = people = [hub.agent(name) for name in ("ida", "ada", "bob")]
    cohort = opened(exam, ida)
    joined(exam, cohort, ada, bob)
    started = ida.post(f"{cohort}/start")
    assert started.status_code == 200, started.text
    session_id = started.json()["session_id"]
    talk(
        exam,
        session_id,
        (ida, "Begin, please."),
        (ada, "The museum opens at ten. <b>Mind</b> the stairs."),
        (bob, "The bus leaves at nine."),
    )
    assert ida.post(f"{cohort}/finish").json()["cohort"]["status"] == "finished"
    return cohort, people, session_id


def test_a_class_is_marked_by_a_judge(judged_hub: Hub, tmp_path: Path):
    exam = class_work(judged_hub, tmp_path)

    cohort, (_, ada, bob), session_id = held(judged_hub, exam)
    job_id = ada.get(cohort).json()["job_id"]
    result_id = until(lambda: ada.get(f"{exam}/job/{job_id}").json()["job"]["result_id"])

    result = ada.get(f"/evaluations/results/{result_id}").json()["result"]
    assert (result["score"], result["max_score"], result["passed"], result["points_earned"]) == (90, 100, True, 10)
    assert (result["session_id"], result["proctor_agent_id"]) == (session_id, None)
    data = result["result_data"]
    assert [(line["id"], line["mark"]) for line in data["criteria"]] == [("group/plan", 8), ("1/share", 10)]
    assert (data["group"]["score"], data["own"]["score"], data["participants"]) == (80, 100, 2)
    assert data["agent"]["interactions_count"] == 1
    assert data["coordination"]["score"].keys() == {"value", "evidence"}
    (other,) = bob.get("/agents/me/evaluation-results").json()["results"]
    assert (other["score"], other["passed"], other["cohort_id"]) == (50, False, result["cohort_id"])


def test_a_class_is_marked_by_its_instructor(hub: Hub, tmp_path: Path):
    exam = class_work(hub, tmp_path)
    cohort, (ida, ada, bob), session_id = held(hub, exam)
    cohort_id = cohort.rpartition("/")[2]

    mara = hub.agent("mara")
    until(lambda: mara.get(f"{exam}/proctor/pending").json()["pending"])
    for involved in (ida, bob):
        refused = involved.post(f"{exam}/proctor/rubric/take", {"cohort_id": cohort_id})
        assert (refused.status_code, refused.json()["code"]) == (403, "own_class_work")
    form = mara.post(f"{exam}/proctor/rubric/take", {"cohort_id": cohort_id}).json()
    assert [row["row_id"] for row in form["rows"]] == ["group/plan", "1/share", "2/share"]
    assert f"{bob.name}: The bus leaves at nine." in form["rows"][0]["texts"]["transcript"]
    marks = [{"row_id": row_id, "mark": mark} for row_id, mark in (("group/plan", 8), ("1/share", 10), ("2/share", 2))]
    decided = mara.post(f"{exam}/proctor/rubric", {"cohort_id": cohort_id, "marks": marks, "feedback": "Good."})

    assert decided.status_code == 201, decided.text
    first, second = decided.json()["results"]
    assert (first["agent_name"], first["score"], first["proctor_feedback"]) == (ada.name, 90, "Good.")
    assert (second["agent_name"], second["score"]) == (bob.name, 50)
    page = hub.client.get(f"/evaluations/result/{first['id']}")
    assert page.status_code == 200
    for shown in (ida.name, ada.name, bob.name, "Instructor", "Participant", "Good."):
        assert shown in page.text
    for viewer in (ada, bob):  # they may take the class again, and its rubric is for those who mark
        assert "The plan can be carried out." not in hub.page_for(viewer, f"/evaluations/result/{first['id']}")
    assert "The plan can be carried out." not in page.text
    assert "The plan can be carried out." in hub.page_for(mara, f"/evaluations/result/{first['id']}")
    assert "<b>Mind</b>" not in page.text
    transcript = hub.anybody().get(f"{exam}/results/{first['id']}/transcript").json()
    assert [message["role"] for message in transcript["messages"]] == ["instructor", "participant", "participant"]
    assert hub.anybody().get(f"{exam}/sessions/{session_id}").status_code == 200


def test_agents_who_just_start_find_each_other(hub: Hub, tmp_path: Path):
    exam = class_work(hub, tmp_path, max_participants=4)
    agents = [hub.agent(name) for name in ("ada", "bob", "cyd")]

    answers = []
    for agent in agents:
        agent.post(f"{exam}/register")
        answers.append(agent.post(f"{exam}/start").json())

    (cohort_id,) = {answer["cohort"]["id"] for answer in answers}
    assert [answer["registration"]["status"] for answer in answers] == ["in_progress"] * 3
    assert answers[0]["cohort"]["task"].startswith(CONFIG["task"])
    listed = hub.anybody().get(f"{exam}/cohorts", params={"status": "open"}).json()["cohorts"]
    assert cohort_id in [cohort["id"] for cohort in listed]
    cohort = f"{exam}/cohorts/{cohort_id}"
    assert agents[1].post(f"{cohort}/start").json()["code"] == "not_your_cohort"
    assert agents[0].post(f"{cohort}/start").status_code == 200
    shown = hub.anybody().get(cohort).json()
    assert [(person["name"], person["role"]) for person in shown["participants"]] == [
        (agent.name, "participant") for agent in agents
    ]
    (own,) = agents[2].get("/agents/me/sessions").json()["sessions"]
    assert (own["id"], own["role"]) == (shown["session_id"], "participant")


def test_a_class_below_its_minimum_costs_a_try_only_who_left(hub: Hub, tmp_path: Path):
    exam = class_work(hub, tmp_path, max_tries=1)
    ida, ada, bob = (hub.agent(name) for name in ("ida", "ada", "bob"))
    cohort = opened(exam, ida)
    joined(exam, cohort, ada)
    assert ida.post(f"{cohort}/start").json()["code"] == "too_few"
    joined(exam, cohort, bob)
    session_id = ida.post(f"{cohort}/start").json()["session_id"]

    left = bob.post(f"{cohort}/leave")
    assert (left.status_code, left.json()["registration"]["status"]) == (200, "cancelled")
    refused = bob.post(f"{exam}/sessions/{session_id}/messages", {"content": "Wait."})
    assert (refused.status_code, refused.json()["code"]) == (409, "left_session")
    assert bob.get(f"{exam}/sessions/{session_id}/messages").status_code == 200
    ended = ida.post(f"{cohort}/finish").json()

    assert (ended["cohort"]["status"], ended["job_id"]) == ("cancelled", None)
    assert ada.get("/agents/me/evaluation-results").json()["results"] == []
    assert ada.post(f"{exam}/register").status_code == 201
    refused = bob.post(f"{exam}/register")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_tries_left")
    (shown,) = hub.anybody().get(f"{exam}/results").json()["withdrawn"]
    assert shown["agent_name"] == bob.name


def test_refusals_have_names(hub: Hub, tmp_path: Path):
    exam = class_work(hub, tmp_path, max_participants=2)
    ida, ada, bob, cyd = (hub.agent(name) for name in ("ida", "ada", "bob", "cyd"))
    cohort, other = opened(exam, ida), opened(exam, ida)

    def code(answer: Any) -> tuple[int, str]:
        return answer.status_code, answer.json()["code"]

    assert code(ada.post(f"{cohort}/join")) == (409, "not_registered")
    joined(exam, cohort, ada)
    assert ada.post(f"{cohort}/join").status_code == 200
    assert code(ada.post(f"{other}/join")) == (409, "already_in_a_cohort")
    assert code(cyd.post(f"{cohort}/leave")) == (409, "not_in_this_cohort")
    assert code(ada.post(f"{cohort}/finish")) == (403, "not_your_cohort")
    assert ida.post(f"{other}/finish").json()["cohort"]["status"] == "cancelled"
    assert code(ida.post(f"{other}/finish")) == (409, "cohort_not_running")
    joined(exam, cohort, bob)
    cyd.post(f"{exam}/register")
    assert code(cyd.post(f"{cohort}/join")) == (409, "cohort_not_open")
    assert code(ada.post(f"{exam}/submit", {})) == (409, "class_decides")
    assert code(ida.get(f"{exam}/cohorts/eval_cohort_none")) == (404, "no_such_cohort")
    assert code(ida.post("/evaluations/plain-dealing/cohorts", {})) == (409, "not_class_work")
    assert ida.post(f"{exam}/cohorts", {"role": "king"}).status_code == 422
