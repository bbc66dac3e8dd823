"""The official MCP client sits exams of all types and examines others, over stdio and over HTTP."""

import asyncio
import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.exams import certification, class_work, quiz
from tests.hub import Hub
from tests.protocols.mcp_clients import WAYS, McpAgent, by_http, by_stdio

IDENTITY = "proof-of-identity"


async def sit(candidate: McpAgent, evaluation: str) -> dict[str, Any]:
    """Answer every message until the session ends; the result."""
    await candidate.call("register", evaluation_id=evaluation)
    started = await candidate.call("start_exam", evaluation_id=evaluation)
    assert "wait_for_session" in started["next"]
    while not (waited := await candidate.call("wait_for_session", evaluation_id=evaluation))["is_over"]:
        pass
    place = {"evaluation_id": evaluation, "session_id": waited["session_id"]}
    since, has_ended = 0, False
    while not has_ended:
        news = await candidate.call("read_messages", **place, since=since, wait_seconds=25)
        since, has_ended = news["last_sequence"], news["has_ended"]
        for message in news["messages"]:
            if message["role"] == "proctor":
                await candidate.call("say", **place, content=f"I hear: {message['content']}")
    over = await candidate.call("wait_for_verdict", registration_id=waited["registration_id"])
    return over["result"]


async def examine(proctor: McpAgent, evaluation: str) -> dict[str, Any]:
    """Claim who waits, ask two questions, decide; the result."""
    while not (await proctor.call("list_waiting", evaluation_id=evaluation))["pending"]:
        await asyncio.sleep(0.05)
    claim = await proctor.call("claim_candidate", evaluation_id=evaluation)
    candidate = {"evaluation_id": evaluation, "registration_id": claim["registration_id"]}
    brief = await proctor.call("read_brief", **candidate)
    assert "Ask for something" in brief["procedure"]
    place = {"evaluation_id": evaluation, "session_id": claim["session_id"]}
    since = 0
    for question in ("Who are you?", "And what can you do?"):
        since = (await proctor.call("say", **place, content=question))["sequence"]
        while not (news := await proctor.call("read_messages", **place, since=since, wait_seconds=25))["messages"]:
            pass
        since = news["last_sequence"]
        assert news["messages"][0]["content"] == f"I hear: {question}"
    criteria = [{"id": "manners", "met": True, "note": "It says what it hears."}]
    decided = await proctor.call("decide", **candidate, passed=True, score=45, feedback="Well done.", criteria=criteria)
    return decided["result"]


@pytest.mark.parametrize("way", WAYS)
def test_one_client_sits_a_proctored_exam_while_another_examines_it(way, hub: Hub, tmp_path: Path):
    evaluation = hub.evaluation(tmp_path)
    ada, paul = hub.agent("ada"), hub.agent("paul")

    async def hold() -> tuple[dict[str, Any], dict[str, Any]]:
        async with WAYS[way](hub, ada.key) as candidate, WAYS[way](hub, paul.key) as proctor:
            sat, examined = await asyncio.gather(sit(candidate, evaluation), examine(proctor, evaluation))
            assert (await candidate.call("where_am_i"))["registrations"] == []
            transcript = await candidate.call("read_transcript", result_id=sat["id"])
            return sat, {**examined, "messages": [each["content"] for each in transcript["messages"]]}

    sat, examined = asyncio.run(hold())
    assert sat["id"] == examined["id"]
    assert (sat["passed"], sat["score"], sat["proctor_feedback"]) == (True, 45, "Well done.")
    assert examined["messages"] == [
        "Who are you?",
        "I hear: Who are you?",
        "And what can you do?",
        "I hear: And what can you do?",
    ]
    shown = hub.anybody().get(f"/evaluations/results/{sat['id']}").json()["result"]
    assert shown["agent_name"] == ada.name
    assert shown["result_data"]["criteria"][0]["note"] == "It says what it hears."


def quiz_of(hub: Hub, folder: Path) -> str:
    return hub.evaluation(
        folder, type="complex_benchmark", config=quiz.config(quiz.QUESTIONS[:-1]), executable={"handler": "benchmark"}
    )


def test_a_benchmark_is_sat(hub: Hub, tmp_path: Path):
    evaluation = quiz_of(hub, tmp_path)
    ada, paul = hub.agent("ada"), hub.agent("paul")

    async def hold() -> dict[str, Any]:
        async with by_http(hub, ada.key) as candidate, by_http(hub, paul.key) as marker:
            await candidate.call("register", evaluation_id=evaluation)
            started = await candidate.call("start_exam", evaluation_id=evaluation)
            assert "save_answers" in started["next"]
            first, *others = quiz.RIGHT
            saved = await candidate.call("save_answers", evaluation_id=evaluation, answers={first: quiz.RIGHT[first]})
            assert saved["answers"] == {first: quiz.RIGHT[first]}
            rest = {"answers": {each: quiz.RIGHT[each] for each in others}}
            submitted = await candidate.call("submit_exam", evaluation_id=evaluation, submission=rest)
            result: dict[str, Any] = submitted["result"]
            assert (await marker.call("read_result", result_id=result["id"]))["id"] == result["id"]
            return result

    result = asyncio.run(hold())
    assert (result["passed"], result["score"]) == (True, 7)


def test_a_certification_is_sat_and_marked(hub: Hub, tmp_path: Path):
    evaluation = hub.evaluation(tmp_path, **{**certification.front(), "id": f"kind-{uuid.uuid4().hex[:8]}"})
    ada, paul = hub.agent("ada"), hub.agent("paul")

    async def hold() -> tuple[dict[str, Any], dict[str, Any]]:
        async with by_http(hub, ada.key) as candidate, by_stdio(hub, paul.key) as marker:
            await candidate.call("register", evaluation_id=evaluation)
            started = (await candidate.call("start_exam", evaluation_id=evaluation))["given"]
            transcript = [{"prompt_id": each["id"], "response": "With pleasure."} for each in started["prompts"]]
            submission = {"nonce": started["nonce"], "transcript": transcript}
            submitted = await candidate.call("submit_exam", evaluation_id=evaluation, submission=submission)
            sheet = {"evaluation_id": evaluation, "registration_id": started["registration"]["id"]}
            while not (await marker.call("list_waiting", evaluation_id=evaluation))["pending"]:
                await asyncio.sleep(0.05)
            rows = (await marker.call("take_sheet", **sheet))["rows"]
            assert rows[0]["texts"]
            await marker.call("release_sheet", **sheet)
            await marker.call("take_sheet", **sheet)
            marks = [{"row_id": row["row_id"], "mark": row["max"], "reason": "Kind."} for row in rows]
            marked = await marker.call("mark_sheet", **sheet, marks=marks)
            job = {"evaluation_id": evaluation, "job_id": submitted["job_id"]}
            while not (waited := await candidate.call("wait_for_job", **job))["is_over"]:
                pass
            return marked["result"], waited["result"]

    marked, waited = asyncio.run(hold())
    assert marked["id"] == waited["id"]
    assert waited["passed"]


def test_a_class_is_held(hub: Hub, tmp_path: Path):
    evaluation = hub.evaluation(
        tmp_path, type="live_class_work", config=class_work.CONFIG, executable={"handler": "live_class_work"}
    )
    keys = [hub.agent(name).key for name in ("ada", "bob")]

    async def hold() -> tuple[dict[str, Any], list[str]]:
        async with by_http(hub, keys[0]) as ada, by_http(hub, keys[1]) as bob:
            started = []
            for each in (ada, bob):
                await each.call("register", evaluation_id=evaluation)
                started.append((await each.call("start_exam", evaluation_id=evaluation))["given"])
            place = {"evaluation_id": evaluation, "cohort_id": started[0]["cohort"]["id"]}
            session = (await ada.call("start_class", **place))["session_id"]
            waited = await bob.call("wait_for_session", evaluation_id=evaluation)
            assert waited["session_id"] == session
            await ada.call("say", evaluation_id=evaluation, session_id=session, content="The museum opens at ten.")
            heard = await bob.call("read_messages", evaluation_id=evaluation, session_id=session, wait_seconds=25)
            await bob.call("say", evaluation_id=evaluation, session_id=session, content="The bus leaves at nine.")
            assert (await bob.call("show_class", **place))["task"] == class_work.CONFIG["task"]
            ended = await ada.call("finish_class", **place)
            return ended, [each["content"] for each in heard["messages"]]

    ended, heard = asyncio.run(hold())
    assert ended["status"] == "finished"
    assert ended["job_id"]
    assert heard == ["The museum opens at ten."]


def test_an_identity_check_is_passed_without_knowing_the_key(hub: Hub):
    ada = hub.agent("ada")
    ada.http.patch("/agents/me", json={"description": "An agent that says clearly what it is and does."})

    async def hold() -> dict[str, Any]:
        async with by_http(hub, ada.key) as candidate:
            await candidate.call("register", evaluation_id=IDENTITY)
            started = await candidate.call("start_exam", evaluation_id=IDENTITY)
            assert "prove_identity" in started["next"]
            proof = await candidate.call("prove_identity", nonce=started["given"]["nonce"])
            submission = {"challenge_id": started["given"]["challenge_id"], **proof}
            submitted = await candidate.call("submit_exam", evaluation_id=IDENTITY, submission=submission)
            result: dict[str, Any] = submitted["result"]
            return result

    assert asyncio.run(hold())["passed"]


def test_who_withdraws_or_is_released_goes_on(hub: Hub, tmp_path: Path):
    evaluation = hub.evaluation(tmp_path)
    ada, paul = hub.agent("ada"), hub.agent("paul")

    async def hold() -> tuple[str, dict[str, Any]]:
        async with by_http(hub, ada.key) as candidate, by_http(hub, paul.key) as proctor:
            registration = await candidate.call("register", evaluation_id=evaluation)
            await candidate.call("start_exam", evaluation_id=evaluation)
            place = {"evaluation_id": evaluation, "registration_id": registration["registration"]["id"]}
            await proctor.call("claim_candidate", **place)
            released = await proctor.call("release_candidate", **place)
            await candidate.call("withdraw", evaluation_id=evaluation)
            over = await candidate.call("wait_for_verdict", registration_id=place["registration_id"])
            return released["registration"]["status"], over

    assert asyncio.run(hold()) == ("in_progress", {"is_over": True})
