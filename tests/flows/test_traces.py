"""Traces over HTTP: upload, read, analyse, share, mark and delete them."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from jsonschema_rs import validator_for

from bench.sample_traces import make_trace
from tests.engine.refund import refund
from tests.engine.test_response_shape import SESSION_ANALYSIS
from tests.hub import AgentClient, Hub
from tests.traces.runs import raw, run

FIXTURES = Path(__file__).parent.parent / "fixtures"
LINES = {"Content-Type": "application/x-ndjson"}


@pytest.fixture(scope="module")
def ada(hub: Hub) -> AgentClient:
    return hub.agent("ada")


@pytest.fixture
def bob(hub: Hub) -> AgentClient:
    return hub.agent("bob")


def upload(caller: AgentClient, document: Any, **parameters: Any) -> dict[str, Any]:
    answer = caller.post("/traces", document, params=parameters)
    assert answer.status_code == 202, answer.text
    return answer.json()["traces"][0]


def upload_lines(caller: AgentClient, lines: bytes | Iterator[bytes], **options: Any) -> httpx.Response:
    headers = LINES | options.pop("headers", {})
    return caller.http.post("/traces", content=lines, headers=headers, **options)


def analysed(caller: AgentClient, analysis_id: str) -> dict[str, Any]:
    """The analysis, once it is done."""
    deadline = time.monotonic() + 120
    while True:
        found = caller.get(f"/analyses/{analysis_id}").json()
        if found["status"] in ("done", "failed") or time.monotonic() > deadline:
            assert found["status"] == "done", found
            return found
        time.sleep(0.05)


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_the_refund_session_is_stored_as_it_was_read_and_analysed(ada: AgentClient):
    taken = upload(ada, msgspec.to_builtins(refund()))

    trace = ada.get(f"/traces/{taken['id']}").json()
    analysis = analysed(ada, taken["analysis_id"])

    assert taken["id"].startswith("trace_")
    assert taken["analysis_id"].startswith("analysis_")
    assert (trace["id"], trace["name"], trace["initial_task"]) == (
        taken["id"],
        "refund",
        "Process refund for order #12345",
    )
    assert [agent["id"] for agent in trace["agents"]] == ["planner", "executor"]
    assert len(trace["turns"]) == 4
    counts = {"agents": 2, "turns": 4, "interactions": 6, "calls": 4}
    assert trace["intake"] == {"form": "native", "version": None, "dropped": [], **counts}
    assert trace["analyses"][0]["id"] == taken["analysis_id"]
    assert [fault.message for fault in validator_for(SESSION_ANALYSIS).iter_errors(analysis)] == []
    assert set(analysis["per_agent_scores"]) == {"planner", "executor"}
    assert analysis["turn_results"][2]["detection_type"] == "rdm"
    assert {issue["severity"] for issue in analysis["issues"]} <= {"HIGH", "MEDIUM", "LOW"}
    assert ada.get("/traces").json()["traces"][0]["overall_score"] == analysis["overall_score"]


def test_a_long_trace_is_opened_whole(bob: AgentClient):
    text = "Where is my order? " * 10_000
    (taken,) = bob.http.post("/traces", json={"turns": [{"user_message": text}]}).json()["traces"]

    assert bob.get(f"/traces/{taken['id']}").json()["turns"][0]["user_message"] == text


def test_a_list_is_stored_whole_or_not_at_all(ada: AgentClient):
    answer = ada.post("/traces", [run("first"), run("second", turns="none"), run("third")])

    assert code_of(answer) == (422, "bad_trace")
    assert answer.json()["errors"][0]["field"].startswith("line 2: ")
    assert ada.get("/traces", params={"q": "first"}).json()["traces"] == []


def test_several_megabytes_of_lines_are_stored_while_they_arrive(hub: Hub):
    eve = hub.agent("eve")
    filler = "All is well with this order. " * 400

    def lines() -> Iterator[bytes]:
        for number in range(400):
            yield raw(f"run-{number}", initial_task=filler) + b"\n"
            if number == 200:
                yield b"\n{broken\n"

    answer = upload_lines(eve, lines(), params={"dataset": "many", "tags": "bulk, night", "fast": "true"})

    assert answer.status_code == 202, answer.text
    found = answer.json()
    assert len(found["traces"]) == 400
    assert found["refused"] == 1
    assert [(fault["line"], fault["code"]) for fault in found["errors"]] == [(203, "not_json")]
    assert found["traces"][-1]["line"] == 402
    listed = eve.get("/traces", params={"dataset": "many", "tag": "night", "limit": 200}).json()
    assert len(listed["traces"]) == 200
    assert listed["next_cursor"]


def test_a_repeated_upload_stores_nothing_twice(bob: AgentClient):
    lines = b"\n".join(raw(f"run-{number}") for number in range(100))
    key = {"Idempotency-Key": "upload-1"}

    first = upload_lines(bob, lines, headers=key, params={"fast": "true"}).json()
    second = upload_lines(bob, lines, headers=key).json()
    other = upload_lines(bob, raw("another"), headers=key)

    assert first == second
    assert code_of(other) == (409, "key_reused")
    assert len(bob.get("/traces", params={"limit": 200}).json()["traces"]) == 100


def test_a_line_that_is_too_long_is_named_and_the_others_are_stored(bob: AgentClient):
    long_line = b'{"turns": "' + b"x" * (9 * 1024 * 1024) + b'"}'

    answer = upload_lines(bob, raw("one") + b"\n" + long_line + b"\n" + raw("two")).json()

    assert [trace["name"] for trace in answer["traces"]] == ["one", "two"]
    assert [(fault["line"], fault["code"]) for fault in answer["errors"]] == [(2, "too_large")]


@pytest.mark.parametrize(
    ("body", "headers", "expected"),
    [
        (b"{}", {"Content-Type": "application/json"}, (422, "bad_trace")),
        (b"nonsense", {"Content-Type": "application/json"}, (422, "bad_trace")),
        (b"", {"Content-Type": "application/json"}, (422, "bad_trace")),
        (b"nonsense", LINES, (422, "bad_trace")),
        (b"", LINES, (422, "bad_trace")),
        (b"a,b", {"Content-Type": "text/csv"}, (415, "wrong_media_type")),
        (b"\x1f\x8b", LINES | {"Content-Encoding": "gzip"}, (415, "wrong_media_type")),
        (raw(), LINES | {"Idempotency-Key": "x" * 256}, (422, "bad_idempotency_key")),
    ],
)
def test_what_is_no_trace_is_refused(bob: AgentClient, body, headers, expected):
    assert code_of(bob.http.post("/traces", content=body, headers=headers)) == expected
    assert bob.get("/traces").json()["traces"] == []


@pytest.mark.parametrize("parameters", [{"dataset": "a b"}, {"tags": "x" * 60}, {"judge": "true"}, {"colour": "red"}])
def test_bad_parameters_are_refused(bob: AgentClient, parameters):
    assert bob.post("/traces", run(), params=parameters).status_code in (409, 422)
    assert bob.get("/traces").json()["traces"] == []


def test_a_trace_of_somebody_else_cannot_be_seen_or_changed(ada: AgentClient, bob: AgentClient, hub: Hub):
    taken = upload(ada, run("mine"))
    anybody = hub.anybody()

    for path in (f"/traces/{taken['id']}", f"/traces/{taken['id']}/analyses", f"/analyses/{taken['analysis_id']}"):
        assert code_of(bob.get(path)) == (403, "not_your_trace")
        assert code_of(anybody.get(path)) == (403, "not_your_trace")
    assert code_of(bob.get(f"/traces/{taken['id']}/marks")) == (403, "owners_only")
    assert code_of(bob.post(f"/traces/{taken['id']}/share")) == (403, "owners_only")
    assert code_of(bob.post(f"/traces/{taken['id']}/analyses", {})) == (403, "owners_only")
    assert code_of(bob.http.delete(f"/traces/{taken['id']}")) == (403, "owners_only")
    assert code_of(bob.get("/traces/trace_unknown")) == (404, "no_such_trace")
    assert anybody.get("/traces").status_code == 401


def test_a_share_link_opens_the_trace_and_its_analyses_until_it_is_revoked(ada: AgentClient, hub: Hub):
    taken = upload(ada, run("shared"))
    link = ada.post(f"/traces/{taken['id']}/share").json()
    anybody, share = hub.anybody(), {"share": link["token"]}
    paths = (f"/traces/{taken['id']}", f"/traces/{taken['id']}/analyses", f"/analyses/{taken['analysis_id']}")

    opened = [anybody.get(path, params=share).status_code for path in paths]
    ada.http.delete(f"/traces/{taken['id']}/share")
    revoked = [anybody.get(path, params=share).status_code for path in paths]

    assert link["url"].endswith(f"/traces/{taken['id']}?share={link['token']}")
    assert (opened, revoked) == ([200] * 3, [403] * 3)


def test_analyses_can_be_repeated_and_compared(ada: AgentClient):
    taken = upload(ada, run("again"))
    analysed(ada, taken["analysis_id"])

    answer = ada.post(f"/traces/{taken['id']}/analyses", {"parts": ["tool_use"], "fast": True})
    again = analysed(ada, answer.json()["analysis"]["id"])
    compared = ada.get(f"/analyses/{taken['analysis_id']}/compare/{again['id']}").json()

    assert answer.status_code == 202
    assert again["options"] == {"parts": ["tool_use"], "fast": True}
    assert again["overall_score"] == again["tool_use_score"]
    assert again["conversation_score"] is None
    assert compared["scores"]["conversation_score"]["second"] is None
    assert compared["agents"]["executor"]["tool_use"]["change"] == 0
    assert (compared["new"], compared["gone"]) == ([], [])
    assert [one["id"] for one in ada.get(f"/traces/{taken['id']}/analyses").json()["analyses"]] == [
        again["id"],
        taken["analysis_id"],
    ]


def test_the_events_of_an_analysis_end_with_its_turns_and_can_be_resumed(ada: AgentClient):
    taken = upload(ada, run("streamed"))
    path = f"/analyses/{taken['analysis_id']}/events"

    events = read_events(ada.get(path).text)
    resumed = read_events(ada.get(path, headers={"Last-Event-ID": "1"}).text)

    assert [event["event"] for event in events if event["event"] != "progress"] == ["turn", "turn", "end"]
    turn = json.loads(next(event for event in events if event["event"] == "turn")["data"])
    assert turn["turn_index"] == 0
    assert [one["agent_id"] for one in turn["interactions"]] == ["planner", "executor"]
    assert [event.get("id") for event in resumed] == ["2", None]
    assert code_of(ada.get(path, headers={"Last-Event-ID": "x"})) == (422, "bad_event_id")


def test_the_events_of_a_long_analysis_count_its_turns_while_it_runs(ada: AgentClient):
    """No judge is asked: the engine itself says how far it is."""
    taken = upload(ada, json.loads(make_trace(0, turns=300)))

    events = read_events(ada.get(f"/analyses/{taken['analysis_id']}/events").text)

    done = [json.loads(event["data"])["turns_done"] for event in events if event["event"] == "progress"]
    assert done == sorted(done)
    assert any(0 < turns_done < 300 for turns_done in done)


def read_events(text: str) -> list[dict[str, str]]:
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    return [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]


def test_analyze_answers_at_once_and_stores_nothing(bob: AgentClient):
    answer = bob.post("/analyze", run("once"), params={"fast": "true"})

    assert answer.status_code == 200
    assert answer.json()["id"] == "once"
    assert [issue["type"] for issue in answer.json()["issues"]] == ["UNAUTHORIZED_TOOL"]
    assert bob.get("/traces").json()["traces"] == []
    assert code_of(bob.post("/analyze", {"no": "trace"})) == (422, "bad_trace")
    assert code_of(bob.post("/analyze", run(initial_task="x" * 2_000_000))) == (413, "too_large")


def test_an_upload_of_bad_lines_without_end_is_not_read_to_its_end(ada: AgentClient):
    body = json.dumps(run("good")).encode() + b"\n" + b"x\n" * 12_000 + json.dumps(run("late")).encode()

    answer = ada.http.post("/traces", content=body, headers=LINES).json()

    assert [trace["name"] for trace in answer["traces"]] == ["good"]
    assert answer["errors"][-1]["code"] == "too_many_faults"
    assert answer["refused"] < 12_000


def test_one_caller_leaves_room_for_others_in_the_engine(ada: AgentClient, bob: AgentClient):
    with ThreadPoolExecutor(24) as threads:
        sent = [threads.submit(ada.post, "/analyze", run("once")) for _ in range(24)]
        other = bob.post("/analyze", run("other"))
        answers = [each.result() for each in sent]

    assert other.status_code == 200
    assert {answer.status_code for answer in answers} == {200, 503}
    assert {code_of(answer) for answer in answers if answer.status_code == 503} == {(503, "engine_busy")}


def test_a_dataset_sums_up_its_traces_and_the_marks_of_their_owner(bob: AgentClient):
    first, second = (upload(bob, run(name), dataset="support") for name in ("one", "two"))
    for taken in (first, second):
        analysed(bob, taken["analysis_id"])
    breach = {"kind": "UNAUTHORIZED_TOOL", "turn_index": 0, "interaction_index": 1, "step_index": 0}

    marked = bob.post(f"/traces/{first['id']}/marks", {**breach, "right": True})
    bob.post(f"/traces/{second['id']}/marks", {**breach, "right": True})
    bob.post(f"/traces/{second['id']}/marks", {**breach, "right": False})
    unknown = bob.post(f"/traces/{first['id']}/marks", {**breach, "turn_index": 1, "right": True})
    found = bob.get("/datasets/support").json()
    labels = bob.get("/datasets/support/labels").json()["labels"]

    assert marked.json()["mark"]["is_right"] is True
    assert code_of(unknown) == (404, "no_such_detection")
    assert found["dataset"]["traces"] == found["dataset"]["analysed"] == 2
    assert {agent["name"]: agent["traces"] for agent in found["agents"]} == {"planner": 2, "executor": 2}
    assert {role["name"] for role in found["roles"]} == {"lead", "worker"}
    assert found["weakest_agent"] in ("planner", "executor")
    assert [day["traces"] for day in found["days"]] == [2]
    frequent = {finding["kind"]: finding["occurrences"] for finding in found["findings"]}
    assert frequent["UNAUTHORIZED_TOOL"] == 2
    assert found["precision"] == [{"kind": "UNAUTHORIZED_TOOL", "marked": 2, "right": 1, "precision": 0.5}]
    assert [(label["name"], label["is_right"]) for label in labels] == [("one", True), ("two", False)]
    assert [line["name"] for line in bob.get("/datasets").json()["datasets"]] == ["support"]
    for path in ("/datasets/unknown", "/datasets/unknown/labels"):
        assert code_of(bob.get(path)) == (404, "no_such_dataset")


def test_a_mark_can_be_taken_back(bob: AgentClient):
    taken = upload(bob, run("one"))
    analysed(bob, taken["analysis_id"])
    breach = {"kind": "UNAUTHORIZED_TOOL", "turn_index": 0, "interaction_index": 1, "step_index": 0}

    bob.post(f"/traces/{taken['id']}/marks", {**breach, "right": False})
    before = bob.get(f"/traces/{taken['id']}/marks").json()["marks"]
    bob.post(f"/traces/{taken['id']}/marks", {**breach, "right": None})

    assert [mark["is_right"] for mark in before] == [False]
    assert bob.get(f"/traces/{taken['id']}/marks").json()["marks"] == []


def test_tags_and_dataset_can_be_changed(bob: AgentClient):
    taken = upload(bob, run("one"), tags="old")

    changed = bob.http.patch(f"/traces/{taken['id']}", json={"tags": ["new", "b"], "dataset": "later"}).json()["trace"]

    assert (changed["tags"], changed["dataset"]) == (["b", "new"], "later")
    assert bob.get("/traces", params={"tag": "old"}).json()["traces"] == []


def test_a_deleted_trace_is_gone_with_its_analyses(bob: AgentClient):
    taken = upload(bob, run("one"))

    assert bob.http.delete(f"/traces/{taken['id']}").status_code == 204

    assert code_of(bob.get(f"/traces/{taken['id']}")) == (404, "no_such_trace")
    assert code_of(bob.get(f"/analyses/{taken['analysis_id']}")) == (404, "no_such_analysis")


@pytest.mark.parametrize(
    ("path", "media_type", "form"),
    [
        ("inspect/deflated.eval", "application/octet-stream", "inspect"),
        ("claude-code/session.jsonl", "application/octet-stream", "claude-code"),
        ("claude-code/session.jsonl", "application/x-ndjson", "claude-code"),
        ("spans/vercel.json", "application/json", "spans"),
        ("spans/mlflow-langgraph.json.gz", "application/octet-stream", "mlflow"),
    ],
)
def test_a_file_of_another_tool_is_uploaded_as_it_is(ada: AgentClient, path, media_type, form):
    body = (FIXTURES / path).read_bytes()

    answer = ada.http.post("/traces", content=body, headers={"Content-Type": media_type})

    assert answer.status_code == 202, answer.text
    forms = {ada.get(f"/traces/{taken['id']}").json()["intake"]["form"] for taken in answer.json()["traces"]}
    assert forms == {form}


def test_a_trace_says_which_version_of_its_form_was_read(ada: AgentClient):
    body = (FIXTURES / "spans/vercel.json").read_bytes()
    (taken,) = ada.http.post("/traces", content=body, headers={"Content-Type": "application/json"}).json()["traces"]

    intake = ada.get(f"/traces/{taken['id']}").json()["intake"]

    assert (intake["form"], intake["version"]) == ("spans", "Vercel AI SDK")


@pytest.mark.parametrize("body", [b"[]", b"", b"\n\n"])
def test_an_upload_without_traces_says_so(ada: AgentClient, body):
    whole = ada.http.post("/traces", content=body, headers={"Content-Type": "application/octet-stream"})
    lines = upload_lines(ada, body)

    assert (whole.status_code, lines.status_code) == (422, 422)
