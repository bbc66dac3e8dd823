"""A benchmark from registering to the result page, over HTTP: checked at once, marked by a judge, marked by a proctor."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import fresh_url
from tests.exams import quiz
from tests.hub import AgentClient, Hub, at_once, until
from tests.judging.endpoint import Reply, endpoint, graded
from viva.demo.files import DEMO_FOLDER
from viva.evaluations import sip as sips

EXAM = "/evaluations/twelve-questions"
# The first version of careful-work: twelve fixed questions, one or two of each kind. Here its answers are for everybody.
FIXED = sips.parse((DEMO_FOLDER / "careful-work-1.0.0.md").read_text())
REPLY = "Let us look first at what changed yesterday. Deleting it is right if that behaviour is no longer wanted."
ANSWERS: dict[str, Any] = {
    "holiday": "At 14:00",
    "proctors": "Some agents in the room are not proctors",
    "dates": ["31 August 2026", "29 February 2024", "29 February 2000"],
    "same-moment": ["16:30 at UTC+02:00", "09:30 at UTC-05:00", "20:00 at UTC+05:30", "11:00 at UTC-03:30"],
    "weekday": "tuesday",
    "backwards": "DOG-LAZY-THE-OVER-JUMPS-FOX-BROWN-QUICK-THE",
    "tank": "9.375",
    "train": 78,
    "timestamp": "2027-03-07T12:30:00Z",
    "code": "BD-1204.rev7",
    "order": {
        "items": [
            {"name": "A4 paper", "count": 3, "urgent": True},
            {"name": "stapler", "count": 1, "urgent": False},
        ],
        "room": 12,
    },
}


def offer(hub: Hub, folder: Path) -> None:
    front = {"id": "twelve-questions", "sip": 712, "type": FIXED.type, "executable": {"handler": "benchmark"}}
    hub.evaluation(folder, body=FIXED.body, config={**FIXED.config, "reveal": "always"}, points=15, **front)


@pytest.fixture(scope="module", autouse=True)
def benchmark(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> None:
    offer(hub, tmp_path_factory.mktemp("benchmark"))


def begin(agent: AgentClient) -> dict[str, Any]:
    agent.start("twelve-questions")
    return agent.post(f"{EXAM}/start").json()


def page_of(hub: Hub, result_id: str) -> str:
    answer = hub.client.get(f"/evaluations/result/{result_id}")
    assert answer.status_code == 200
    return answer.text


def script(asked: dict[str, Any]) -> Reply:
    """A judge who gives 3 for the reply, and nothing for what is not in it."""
    is_reply = "what changed since yesterday" in asked["messages"][0]["content"]
    return graded(3, "It could be kinder.", "what changed yesterday") if is_reply else graded(0, "It is not there.")


@pytest.fixture(scope="module", params=["sqlite"])  # marks are kept on both in tests/exams
def judged_hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub with a judge."""
    folder = tmp_path_factory.mktemp("judged")
    with endpoint(script) as judge:
        url = fresh_url(request.param, request, folder)
        with Hub(url, folder, VIVA_JUDGE_URL=judge.url, VIVA_JUDGE_MODEL="wise") as hub:
            offer(hub, tmp_path_factory.mktemp("judged-benchmark"))
            yield hub


def test_what_code_can_check_is_decided_at_once(hub: Hub):
    ada = hub.agent("ada")
    given = begin(ada)
    assert len(given["questions"]) == 12
    assert given["time_limit_minutes"] == 30
    assert given["expires_at"] > given["issued_at"]

    decided = ada.post(f"{EXAM}/submit", {"answers": ANSWERS})

    assert decided.status_code == 201
    result = decided.json()["result"]
    assert (result["passed"], result["score"], result["max_score"], result["points_earned"]) == (True, 21, 25, 15)
    lines = {line["id"]: (line["met"], line["mark"]) for line in result["result_data"]["criteria"]}
    assert lines.pop("red-test") == (False, 0)
    assert all(met for met, _ in lines.values())
    page = page_of(hub, result["id"])
    assert "A tank holds 1.8 cubic metres" in page
    assert "There is no answer." in page


def test_an_answer_is_text_on_the_result_page_whatever_it_is(hub: Hub):
    ada = hub.agent("ada")
    begin(ada)

    hostile = "<script>alert(1)</script>"
    result = ada.post(f"{EXAM}/submit", {"answers": {"weekday": hostile, "order": {"room": hostile}}}).json()["result"]

    page = page_of(hub, result["id"])
    assert hostile not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_the_evaluation_has_its_page(hub: Hub):
    page = hub.client.get("/evaluations/SIP-7")

    assert page.status_code == 200
    assert "Most questions are made with values of their own for each attempt" in page.text


def test_the_shipped_benchmark_gives_each_attempt_twelve_questions_of_its_own(hub: Hub):
    attempts = []
    for name in ("ada", "bob", "cleo"):
        agent = hub.agent(name)
        agent.start("careful-work")
        questions = agent.post("/evaluations/careful-work/start").json()["questions"]
        assert (len(questions), sum(question["points"] for question in questions)) == (12, 25)
        attempts.append(frozenset(question["text"] for question in questions))

    assert len(set(attempts)) == 3


def test_nothing_that_is_shown_tells_an_answer(hub: Hub):
    ada = hub.agent("ada")

    shown = begin(ada)["questions"]

    keys = {key for question in shown for key in question}
    assert keys == {"id", "kind", "text", "points", "options", "partial", "strict"}


def test_the_order_is_the_attempts_own_and_stays(hub: Hub):
    orders = []
    for name in ("ada", "bob", "cleo"):
        agent = hub.agent(name)
        first = begin(agent)
        again = agent.get(f"{EXAM}/challenge/{first['challenge_id']}").json()
        assert again["questions"] == first["questions"]
        orders.append([question["id"] for question in first["questions"]])

    assert len({tuple(order) for order in orders}) == 3


def test_answers_are_saved_on_the_way_and_merged_when_handed_in(hub: Hub):
    ada = hub.agent("ada")
    begin(ada)

    assert ada.post(f"{EXAM}/answers", {"answers": {"weekday": "Monday", "tank": 1}}).status_code == 200
    saved = ada.post(f"{EXAM}/answers", {"answers": {"weekday": "Tuesday"}})
    assert saved.json() == ada.get(f"{EXAM}/answers").json() == {"answers": {"tank": 1, "weekday": "Tuesday"}}
    result = ada.post(f"{EXAM}/submit", {"answers": {"tank": 9.375}}).json()["result"]

    assert (result["score"], result["passed"]) == (4, False)
    assert result["result_data"]["answered"] == 2


@pytest.mark.parametrize("path", ["answers", "submit"])
def test_bad_answers_are_named(hub: Hub, path: str):
    ada = hub.agent("ada")
    begin(ada)

    refused = ada.post(f"{EXAM}/{path}", {"answers": {"train": True, "weekday": "x" * 20_001, "gone": 1}})

    assert refused.status_code == 422
    assert [error["field"] for error in refused.json()["errors"]] == [
        "answers.train",
        "answers.weekday",
        "answers.gone",
    ]
    assert ada.get(f"{EXAM}/answers").json() == {"answers": {}}


@pytest.mark.parametrize(
    "raw", ['{"answers":{"train":1e400}}', '{"answers":{"train":NaN}}', '{"answers":{"train":"\\u0000"}}']
)
def test_what_is_no_json_or_no_number_is_refused(hub: Hub, raw: str):
    ada = hub.agent("ada")
    begin(ada)

    refused = ada.post(f"{EXAM}/submit", content=raw, headers={"Content-Type": "application/json"})

    assert refused.status_code == 422


def test_of_two_who_hand_in_at_once_one_does(hub: Hub):
    ada = hub.agent("ada")
    begin(ada)

    answers = at_once([lambda: ada.post(f"{EXAM}/submit", {"answers": ANSWERS})] * 4)

    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]


def test_free_text_is_marked_by_a_judge(judged_hub: Hub):
    ada = judged_hub.agent("ada")
    begin(ada)

    handed_in = ada.post(f"{EXAM}/submit", {"answers": {**ANSWERS, "red-test": REPLY}})

    assert handed_in.status_code == 202
    job = f"{EXAM}/job/{handed_in.json()['job_id']}"
    result_id = until(lambda: ada.get(job).json()["job"]["result_id"])
    result = ada.get(f"/evaluations/results/{result_id}").json()["result"]
    assert (result["passed"], result["score"], result["max_score"]) == (True, 24, 25)
    line = result["result_data"]["criteria"][-1]
    assert (line["id"], line["mark"], line["max"], line["reason"]) == ("red-test", 3, 4, "It could be kinder.")
    assert (line["evidence"], line["marks"][0]["marker"]) == (REPLY, "wise")
    page = page_of(judged_hub, result_id)
    assert "It could be kinder." in page
    assert REPLY in page


def test_free_text_is_marked_by_a_proctor_where_there_is_no_judge(hub: Hub):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = begin(ada)["registration"]["id"]

    handed_in = ada.post(f"{EXAM}/submit", {"answers": {**ANSWERS, "red-test": REPLY}}).json()
    job = f"{EXAM}/job/{handed_in['job_id']}"
    until(lambda: ada.get(job).json()["job"]["waiting_for"] == "proctor")
    form = paul.post(f"{EXAM}/proctor/rubric/take", {"registration_id": registration_id}).json()
    assert [(row["row_id"], row["max"], row["texts"]["answer"]) for row in form["rows"]] == [("red-test", 4, REPLY)]
    marks = [{"row_id": "red-test", "mark": 4, "reason": "All four."}]
    body = {"registration_id": registration_id, "marks": marks}
    assert ada.post(f"{EXAM}/proctor/rubric", body).status_code == 403
    decided = paul.post(f"{EXAM}/proctor/rubric", body)

    assert decided.status_code == 201
    result = decided.json()["result"]
    assert (result["passed"], result["score"], result["proctor_name"]) == (True, 25, paul.name)
    assert ada.get(job).json()["job"]["result_id"] == result["id"]
    page = page_of(hub, result["id"])
    assert "All four." in page
    assert paul.name in page


def test_what_was_saved_counts_when_the_time_is_over(hub: Hub, tmp_path: Path):
    config = quiz.config(time_limit_minutes=0.05)
    front = {"type": "complex_benchmark", "config": config, "executable": {"handler": "benchmark"}}
    short = f"/evaluations/{hub.evaluation(tmp_path, **front)}"
    ada, bob = hub.agent("ada"), hub.agent("bob")
    for agent in (ada, bob):
        agent.start(short.rpartition("/")[2])
    assert ada.post(f"{short}/answers", {"answers": {"sky": "blue", "half": 0.5}}).status_code == 200

    until(lambda: ada.post(f"{short}/answers", {"answers": {"sky": "blue"}}).status_code in (409, 410))
    until(lambda: bob.post(f"{short}/answers", {"answers": {}}).status_code == 410)

    assert bob.post(f"{short}/submit", {"answers": quiz.RIGHT}).status_code == 410
    assert [agent.post(f"{short}/register").status_code for agent in (ada, bob)] == [201, 201]
    results = hub.anybody().get(f"{short}/results").json()["results"]
    assert [(result["agent_name"], result["score"]) for result in results] == [(ada.name, 2)]


def test_a_long_benchmark_is_taken_and_decided_in_the_background(hub: Hub, tmp_path: Path):
    questions = [{"id": f"q{number}", "kind": "exact", "text": "?", "answers": ["a"]} for number in range(300)]
    front = {"type": "complex_benchmark", "config": quiz.config(questions), "executable": {"handler": "benchmark"}}
    long = f"/evaluations/{hub.evaluation(tmp_path, **front)}"
    ada = hub.agent("ada")
    ada.start(long.rpartition("/")[2])

    taken = ada.post(f"{long}/submit", {"answers": {f"q{number}": "A" for number in range(250)}})

    assert taken.status_code == 202
    job = f"{long}/job/{taken.json()['job_id']}"
    result_id = until(lambda: ada.get(job).json()["job"]["result_id"])
    assert ada.get(job).json()["job"]["status"] == "done"
    result = hub.anybody().get(f"/evaluations/results/{result_id}").json()["result"]
    assert (result["score"], result["max_score"], result["passed"]) == (250, 300, True)
    assert "The answer is right." in hub.page_for(ada, f"/evaluations/result/{result_id}")
    assert "The answer is right." not in page_of(hub, result_id)


@pytest.mark.parametrize("path", ["answers", "submit"])
def test_answers_of_the_wrong_kind_use_nothing_up(hub: Hub, path: str):
    ada = hub.agent("ada")
    begin(ada)
    wrong = {
        "holiday": "never",
        "dates": "31 August 2026",
        "weekday": ["tuesday"],
        "train": "fast",
        "code": "x" * 1_001,
    }

    refused = ada.post(f"{EXAM}/{path}", {"answers": wrong})

    assert refused.status_code == 422
    told = {error["field"]: (error["code"], error["message"]) for error in refused.json()["errors"]}
    assert {field: code for field, (code, _) in told.items()} == {
        "answers.holiday": "unknown_option",
        "answers.dates": "wrong_kind",
        "answers.weekday": "wrong_kind",
        "answers.train": "wrong_kind",
        "answers.code": "too_long",
    }
    assert '"At 14:00"' in told["answers.holiday"][1]
    assert "1,000 characters" in told["answers.code"][1]
    assert ada.post(f"{EXAM}/submit", {"answers": ANSWERS}).status_code == 201
