"""Nobody finds right answers, rubrics or procedures of evaluations in use at any address of the hub.

The walk asks for every address that the hub has, as nobody, as another candidate and as the candidate itself."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.hub import AgentClient, Hub, until
from viva.web.routes import router

BENCHMARK, PROBES, TALK, CHECK, CLASS = (
    "planted-quiz",
    "planted-probes",
    "planted-talk",
    "planted-check",
    "planted-class",
)
OWN_ANSWERS = ("KEYOAK", "4711.5", "KEYELM", "ANSWERASH", "ANSWERFIR", "KEYYEW")  # a candidate may read its own
OTHER_SECRETS = (
    *("KEYPLANE", "CRITERIAFREE", "RUBRICROW", "SHOULDDO", "RATIONALE", "RUBRICCLASS", "EXEMPLAR"),
    *("PROCEDUREPROMPT", "PASSANDFAIL", "GUIDANCE", "REASONFREE", "REASONROW"),
)
FEEDBACK = "FEEDBACKWORD"  # of a marker, for the candidate
# Of other subjects than exams, of streams that never end, and of forms that a token opens.
SKIPPED = re.compile(
    r"trace|analys|dataset|/jobs|job_id|static|token|contribution_id|webhook|stream|/events|/notices|otlp|/health|/metrics"
    r"|reading|registrations|invit|/maintain|/log|well-known|/code|signing|reports"
)


def exemplars(*probes: str) -> list[dict[str, str]]:
    return [{"probe": probe, "pass": f"EXEMPLAR of {probe}", "fail": "EXEMPLAR that fails"} for probe in probes]


def plant(hub: Hub, folder: Path) -> None:
    """An evaluation of each type, with words that only some may read."""
    quiz = [
        {"id": "tree", "kind": "exact", "text": "Which tree?", "answers": ["KEYOAK", "KEYPLANE"]},
        {"id": "sum", "kind": "numeric", "text": "How many?", "answer": 4711.5},
        {"id": "leaf", "kind": "choice", "text": "Whose leaf?", "options": ["KEYELM", "birch"], "answer": "KEYELM"},
        {"id": "why", "kind": "free_text", "text": "Why?", "criteria": "CRITERIAFREE", "points": 2},
    ]
    drawn = {"parameters": {"number": [1, 2]}}
    prompts = [
        {"id": "ask", "messages": [{"role": "user", "content": "Hello {number}."}], "should": ["SHOULDDO"], **drawn}
    ]
    rubric = [
        {"promptId": "ask", "criteria": "RUBRICROW {number}", "weight": 100, "maxScore": 10, "rationale": "RATIONALE"},
    ]
    criteria = [{"id": "polite", "text": "Is polite.", "points": 50, "guidance": "GUIDANCE"}]
    checks = [{"id": "tree", "kind": "exact", "text": "The tree.", "answer": "KEYYEW"}]
    body = "# P\n\n## Procedure\n\n1. PROCEDUREPROMPT\n\n## Pass and fail\n\nPASSANDFAIL\n\n## More\n\nOpen.\n"
    planted: list[dict[str, Any]] = [
        {"id": BENCHMARK, "type": "complex_benchmark", "config": {"questions": quiz}, "handler": "benchmark"},
        {
            "id": PROBES,
            "type": "agent_certification",
            "config": {"prompts": prompts, "rubric": rubric},
            "handler": "agent_certification",
        },
        {"id": TALK, "type": "proctored", "config": {"max_score": 50, "criteria": criteria}, "handler": "proctored"},
        {
            "id": CHECK,
            "type": "simple_pass_fail",
            "config": {"challenge": "?", "checks": checks},
            "handler": "text_check",
        },
        {
            "id": CLASS,
            "type": "live_class_work",
            "config": {
                "task": "Plan {number}.",
                "rubric": [{"id": "plan", "of": "group", "criteria": "RUBRICCLASS {number}"}],
                **drawn,
            },
            "handler": "live_class_work",
        },
    ]
    for number, front in enumerate(planted, 9301):
        handler = front.pop("handler")
        shown = exemplars("tree", "ask", "polite", "plan")
        text = (
            body
            if front["id"] == TALK
            else body.replace("## Procedure", "## For proctors").replace("## Pass", "## Answers: pass")
        )
        named = {"file": f"SIP-{number}.md", "body": text, "sip": number, "exemplars": shown}
        hub.evaluation(folder, executable={"handler": handler}, **named, **front)


class Planted(NamedTuple):
    """The hub, those who ask, and the ids that its addresses need."""

    hub: Hub
    ada: AgentClient  # the candidate of all results
    eve: AgentClient  # another candidate, in the middle of every exam
    paul: AgentClient  # who marked
    ids: dict[str, list[str]]


@pytest.fixture(scope="module")
def planted(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Planted:
    plant(hub, tmp_path_factory.mktemp("planted"))
    ada, eve, paul = hub.agent("ada"), hub.agent("eve"), hub.agent("paul")
    results = [take_quiz(ada, paul), take_probes(ada, paul), take_check(ada)]
    talk, session = take_talk(ada, paul)
    cohort, class_session, class_result = take_class(ada, hub.agent("bob"), paul, hub.agent("mara"))
    for exam in (BENCHMARK, PROBES, TALK, CHECK, CLASS):
        eve.start(exam)
    ids = {
        "evaluation_id": [BENCHMARK, PROBES, TALK, CHECK, CLASS],
        "result_id": [*results, talk, class_result],
        "session_id": [session, class_session],
        "cohort_id": [cohort],
        "name": [ada.name],
        "agent_id": [ada.id],
        "version": ["1.0.0"],
    }
    return Planted(hub, ada, eve, paul, ids | {"sip": ids["evaluation_id"], "evaluation": ids["evaluation_id"]})


def take_quiz(ada: AgentClient, paul: AgentClient) -> str:
    registration_id = ada.start(BENCHMARK)
    answers = {"tree": "KEYOAK", "sum": 4711.5, "leaf": "KEYELM", "why": "ANSWERASH"}
    assert ada.post(f"/evaluations/{BENCHMARK}/submit", {"answers": answers}).status_code == 202
    return mark(paul, BENCHMARK, registration_id, "why", 2, "REASONFREE", "ANSWERASH")


def take_probes(ada: AgentClient, paul: AgentClient) -> str:
    assert ada.post(f"/evaluations/{PROBES}/register").status_code == 201
    started = ada.post(f"/evaluations/{PROBES}/start").json()
    body = {"nonce": started["nonce"], "transcript": [{"prompt_id": "ask", "response": "ANSWERFIR"}]}
    assert ada.post(f"/evaluations/{PROBES}/submit", body).status_code == 202
    return mark(paul, PROBES, started["registration"]["id"], "ask", 9, "REASONROW", "ANSWERFIR")


def mark(paul: AgentClient, exam: str, registration_id: str, row: str, mark: float, reason: str, quote: str) -> str:
    path = f"/evaluations/{exam}/proctor/rubric"
    until(lambda: paul.post(f"{path}/take", {"registration_id": registration_id}).status_code == 200)
    marks = [{"row_id": row, "mark": mark, "reason": reason, "evidence": quote}]
    given = paul.post(path, {"registration_id": registration_id, "marks": marks, "feedback": "FEEDBACKWORD here."})
    assert given.status_code == 201, given.text
    result = given.json()["result"]
    assert reason in given.text, "who marked sees what it wrote"
    return str(result["id"])


def take_check(ada: AgentClient) -> str:
    assert ada.post(f"/evaluations/{CHECK}/register").status_code == 201
    started = ada.post(f"/evaluations/{CHECK}/start").json()
    body = {"challenge_id": started["challenge_id"], "answer": "KEYYEW"}
    return str(ada.post(f"/evaluations/{CHECK}/submit", body).json()["result"]["id"])


def take_talk(ada: AgentClient, paul: AgentClient) -> tuple[str, str]:
    registration_id = ada.start(TALK)
    session_id = paul.claim(registration_id, TALK)
    paul.say(session_id, "Hello, please.", TALK)
    ada.say(session_id, "Good day to you.", TALK)
    data = {"criteria": [{"id": "polite", "mark": 50, "max": 50, "met": True, "note": "Polite."}]}
    decided = paul.submit(registration_id, True, TALK, score=50, proctor_feedback="Well said.", result_data=data)
    return str(decided.json()["result"]["id"]), session_id


def take_class(ada: AgentClient, bob: AgentClient, paul: AgentClient, mara: AgentClient) -> tuple[str, str, str]:
    path = f"/evaluations/{CLASS}"
    cohort = paul.post(f"{path}/cohorts", {"role": "instructor"}).json()["cohort"]["id"]
    for agent in (ada, bob):
        assert agent.post(f"{path}/register").status_code == 201
        assert agent.post(f"{path}/cohorts/{cohort}/join").status_code == 201
    session_id = str(paul.post(f"{path}/cohorts/{cohort}/start").json()["session_id"])
    for agent in (ada, bob):
        assert agent.say(session_id, "We plan.", CLASS).status_code == 201
    assert paul.post(f"{path}/cohorts/{cohort}/finish").status_code == 200
    rubric = f"{path}/proctor/rubric"
    form = until(lambda: read_form(mara, rubric, cohort)) or {}
    marks = [{"row_id": row["row_id"], "mark": 5} for row in form["rows"]]
    given = mara.post(rubric, {"cohort_id": cohort, "marks": marks})
    assert given.status_code == 201, given.text
    return cohort, session_id, str(given.json()["results"][0]["id"])


def read_form(agent: AgentClient, path: str, cohort: str) -> dict[str, Any] | None:
    answer = agent.post(f"{path}/take", {"cohort_id": cohort})
    return dict(answer.json()) if answer.status_code == 200 else None


def addresses(planted: Planted) -> Iterator[str]:
    """Every address that can be read, with every id that fits, and with the queries that change what is shown."""
    api = planted.hub.client.get("/api/v1/openapi.json").json()["paths"]
    paths = [path for path, methods in api.items() if "get" in methods]
    paths += [route.path for route in router.routes if "GET" in route.methods]
    for path in sorted({re.sub(r":\w+}", "}", path) for path in paths}):
        if not SKIPPED.search(path):
            yield from filled(path, planted.ids)
    yield from more_addresses(planted.ids)


def filled(path: str, ids: dict[str, list[str]]) -> Iterator[str]:
    names = re.findall(r"{(\w+)}", path)
    unknown = [name for name in names if name not in {*ids, "challenge_id", "subject_id", "code"}]
    assert not unknown, f"{path} has an id that the walk does not know: {unknown}. Add it, or skip the address."
    for values in product(*(ids.get(name, ["none"]) for name in names)):
        yield path.format(**dict(zip(names, values, strict=True)))


def more_addresses(ids: dict[str, list[str]]) -> Iterator[str]:
    secrets = (*OWN_ANSWERS, *OTHER_SECRETS)
    for exam in ids["evaluation_id"]:
        root = f"/api/v1/evaluations/{exam}"
        yield from (f"{root}/results/export?format={name}" for name in ("csv", "jsonl", "parquet"))
        yield from (f"{root}/{what}?version=1.0.0" for what in ("findings", "matrix", "leaderboard", "results"))
        yield from (f"{root}/results?sort={sort}" for sort in ("score", "-score", "passed", "points_earned"))
        yield f"/evaluations/{exam}?version=1.0.0&board=all"
        yield f"/evaluations/contribute?fork={exam}"
    for result_id in ids["result_id"]:
        yield from (
            f"/evaluations/result/{result_id}?prompt={prompt}" for prompt in ("tree", "sum", "why", "ask", "plan")
        )
        yield f"/evaluations/result/{result_id}?part=session"
    yield from (f"/evaluations/compare?a={a}&b={b}" for a, b in product(ids["result_id"], repeat=2))
    yield from (f"/search?q={word}" for word in secrets)
    yield from (f"/api/v1/evaluations?q={word}" for word in secrets)


def browser_of(planted: Planted, agent: AgentClient | None) -> httpx.Client:
    """A client that is signed in on pages, and has a key for the API."""
    headers = {"Authorization": f"Bearer {agent.key}"} if agent else {}
    client = httpx.Client(base_url=planted.hub.url, headers=headers, timeout=60, verify=False)
    planted.hub.closed_at_end.callback(client.close)
    if agent:
        assert client.post("/login", data={"key": agent.key}).status_code == 303
    return client


def read(client: httpx.Client, address: str) -> str:
    """What the address answers, without the words of its own query."""
    answer = client.get(address)
    assert answer.status_code < 500, address
    text = answer.content.decode(errors="replace")
    asked = re.search(r"[?&]q=(\w[\w.]*)", address)
    return text.replace(asked[1], "") if asked else text


@pytest.mark.parametrize("who", ["nobody", "another candidate", "the candidate"])
def test_no_address_shows_what_only_markers_may_know(planted: Planted, who: str):
    agent = {"nobody": None, "another candidate": planted.eve, "the candidate": planted.ada}[who]
    secrets = OTHER_SECRETS if agent is planted.ada else (*OWN_ANSWERS, FEEDBACK, *OTHER_SECRETS)
    client, found, walked = browser_of(planted, agent), [], 0
    for address in addresses(planted):
        text, walked = read(client, address), walked + 1
        sits = address.endswith("/sit")  # whoever sits reads the options of a choice
        found += [(address, word) for word in secrets if word in text and not (sits and word == "KEYELM")]

    assert found == []
    assert walked > 200


def test_no_proof_has_the_salt_of_a_hidden_text(planted: Planted):
    """With a salt, answers could be guessed until their hash is the one that was signed."""
    for evaluation_id, result_id in zip((BENCHMARK, PROBES, CHECK), planted.ids["result_id"], strict=False):
        ways = [f"evaluations/results/{result_id}", f"evaluations/{evaluation_id}/results/{result_id}/record"]
        proofs = [planted.hub.client.get(f"/api/v1/{path}").json()["proof"] for path in ways]
        certified = planted.hub.client.get(f"/api/v1/results/{result_id}/certificate")
        if certified.status_code == 200:
            proofs.append(certified.json()["viva"]["proof"])
            assert proofs[-1]["salts"].keys() <= {"agent_name", "proctor_name"}
        assert all("result_data_hash" in proof["statement"] for proof in proofs)
        assert not any({"result_data", "evaluation_digest"} & proof["salts"].keys() for proof in proofs)


def test_the_candidate_reads_its_own_answers_and_which_were_right(planted: Planted):
    result = planted.ada.get(f"/evaluations/results/{planted.ids['result_id'][0]}").json()["result"]

    assert result["shows"] == "own"
    lines = {line["id"]: (line["met"], line["evidence"], line["text"]) for line in result["result_data"]["criteria"]}
    assert lines["tree"] == (True, "KEYOAK", "Which tree?")
    assert lines["why"] == (True, "ANSWERASH", "Why?")
    assert result["proctor_feedback"] == "FEEDBACKWORD here."


def test_everybody_sees_the_marks(planted: Planted):
    result = planted.hub.anybody().get(f"/evaluations/results/{planted.ids['result_id'][0]}").json()["result"]

    assert (result["shows"], result["score"], result["proctor_feedback"]) == ("marks", 5, None)
    assert [(line["id"], line["mark"], line["max"]) for line in result["result_data"]["criteria"]] == [
        *[(id_, 1, 1) for id_ in ("tree", "sum", "leaf")],
        ("why", 2, 2),
    ]


def test_a_search_does_not_tell_what_hidden_feedback_says(planted: Planted):
    path = f"/evaluations/{BENCHMARK}/results"

    assert planted.hub.anybody().get(path, params={"q": "FEEDBACKWORD"}).json()["results"] == []
    assert planted.eve.get(path, params={"q": "feedbackword"}).json()["results"] == []
    talk = planted.hub.anybody().get(f"/evaluations/{TALK}/results", params={"q": "Well said"}).json()["results"]
    assert {each["id"] for each in talk} & set(planted.ids["result_id"])  # other files plant theirs in the same hub


def test_maintainers_see_everything(planted: Planted):
    marta = planted.hub.maintainer("marta")
    seen = "".join(
        [
            *(marta.get(f"/evaluations/results/{result_id}").text for result_id in planted.ids["result_id"]),
            marta.get(f"/evaluations/{TALK}").text,
        ]
    )

    for word in ("KEYOAK", "REASONFREE", "RUBRICROW", "REASONROW", "RUBRICCLASS", "PROCEDUREPROMPT", "GUIDANCE"):
        assert word in seen, word


def test_a_proctor_reads_the_procedure_while_it_holds_a_claim(planted: Planted):
    cleo, dora = planted.hub.agent("cleo"), planted.hub.agent("dora")
    assert "PROCEDUREPROMPT" not in dora.get(f"/evaluations/{TALK}").text

    session_id = dora.claim(cleo.start(TALK), TALK)

    body = dora.get(f"/evaluations/{TALK}").json()["evaluation"]["body"]
    assert "PROCEDUREPROMPT" in body
    assert "GUIDANCE" in body
    assert "PROCEDUREPROMPT" in browser_of(planted, dora).get(f"/sessions/{session_id}").text
    assert "PROCEDUREPROMPT" not in cleo.get(f"/evaluations/{TALK}").text


def test_nobody_sees_the_plain_digest(planted: Planted):
    plain = {row[0] for row in planted.hub.driver.execute("SELECT digest FROM evaluation_versions").fetchall()}
    client, found = browser_of(planted, planted.ada), []
    keyed = client.get(f"/api/v1/evaluations/{TALK}").json()["evaluation"]
    for address in addresses(planted):
        text = read(client, address)
        found += [address for digest in plain if digest in text]

    assert found == []
    result = planted.ada.get(f"/evaluations/results/{planted.ids['result_id'][3]}").json()["result"]
    assert (result["evaluation_digest"], result["evaluation_digest_key"]) == (keyed["digest"], keyed["digest_key"])
