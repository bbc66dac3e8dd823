"""What the agents do, again and again until the soak is over: talk, mark, answer, upload, read."""

import asyncio
import json
import uuid
from typing import Any

from bench.sample_traces import make_trace
from bench.soak.callers import Caller, Soak
from bench.soak.ledger import SentMessage
from tests.exams.certification import ROWS, answers

QUESTIONS = 5  # of a proctored exam
WAIT_SECONDS = 10  # of one long poll
TALK, MARK, QUIZ = "soak-talk", "soak-mark", "soak-quiz"
QUIZ_QUESTIONS: list[dict[str, Any]] = [
    {"id": f"sum-{n}", "kind": "numeric", "text": f"How much is {n} and {n}?", "answer": 2 * n, "points": 1}
    for n in range(1, 6)
]


async def start_exam(candidate: Caller, evaluation: str) -> dict[str, Any]:
    await candidate.register("candidate")
    await candidate.post("register for an exam", f"/evaluations/{evaluation}/register")
    await candidate.soak.think()
    return await candidate.post("start an exam", f"/evaluations/{evaluation}/start")


async def talk(soak: Soak) -> None:
    """A proctor and two candidates: three agents."""
    async with Caller(soak) as proctor:
        await proctor.register("proctor")
        while not soak.is_over:
            await asyncio.gather(hold_exam(soak, proctor), hold_exam(soak, proctor))


async def hold_exam(soak: Soak, proctor: Caller) -> None:
    async with Caller(soak) as candidate:
        registration_id = (await start_exam(candidate, TALK))["registration"]["id"]
        body = {"registration_id": registration_id}
        session_id = (await proctor.post("claim", f"/evaluations/{TALK}/proctor/claim", body))["session_id"]
        soak.ledger.claims[registration_id] = session_id
        await asyncio.gather(ask(proctor, session_id), reply(candidate, session_id))
        verdict = {**body, "passed": True, "score": 40, "proctor_feedback": "It answered every question."}
        decided = await proctor.post("give a verdict", f"/evaluations/{TALK}/proctor/submit", verdict)
        soak.ledger.verdicts[registration_id] = decided["result"]["id"]


async def say(speaker: Caller, session_id: str, text: str) -> int:
    """Post a message of its own content; its sequence."""
    content = f"{text} {uuid.uuid4().hex}"
    speaker.soak.ledger.sent_texts.add(content)
    path = f"/evaluations/{TALK}/sessions/{session_id}/messages"
    said = await speaker.post("post a message", path, {"content": content})
    speaker.soak.ledger.messages[said["id"]] = SentMessage(session_id, said["sequence"], content)
    return int(said["sequence"])


async def hear(listener: Caller, session_id: str, since: int) -> int:
    """Wait for the next message of the other side; its sequence."""
    path = f"/evaluations/{TALK}/sessions/{session_id}/messages"
    while True:
        heard = await listener.get("wait for a message", path, since=since, wait=WAIT_SECONDS)
        for message in heard["messages"]:
            since = message["sequence"]
            if message["sender_agent_id"] != listener.id:
                return since


async def ask(proctor: Caller, session_id: str) -> None:
    for number in range(1, QUESTIONS + 1):
        await proctor.soak.think()
        sequence = await say(proctor, session_id, f"Question {number}: what would you do first?")
        await hear(proctor, session_id, sequence)


async def reply(candidate: Caller, session_id: str) -> None:
    sequence = 0
    for number in range(1, QUESTIONS + 1):
        sequence = await hear(candidate, session_id, sequence)
        await candidate.soak.think()
        sequence = await say(candidate, session_id, f"Answer {number}: I would read what is asked.")


async def mark(soak: Soak) -> None:
    """A candidate who hands in texts, and a marker: two agents."""
    path = f"/evaluations/{MARK}"
    async with Caller(soak) as marker:
        await marker.register("marker")
        while not soak.is_over:
            async with Caller(soak) as candidate:
                started = await start_exam(candidate, MARK)
                work = {"nonce": started["nonce"], "transcript": answers()}
                job_id = (await candidate.post("hand in texts", f"{path}/submit", work))["job_id"]
                await wait_for_marker(candidate, f"{path}/job/{job_id}")
            body = {"registration_id": started["registration"]["id"]}
            await marker.post("take a sheet", f"{path}/proctor/rubric/take", body)
            await soak.think()
            given = {**body, "marks": [{"row_id": row_id, "mark": 8} for row_id in ROWS]}
            marked = await marker.post("give marks", f"{path}/proctor/rubric", given)
            soak.ledger.marks[body["registration_id"]] = marked["result"]["id"]


async def wait_for_marker(candidate: Caller, path: str) -> None:
    """A job that has gone to the markers is not news for a long poll, so this asks again and again."""
    while (await candidate.get("look at a job", path))["job"]["waiting_for"] != "proctor":
        await candidate.soak.think()


async def answer_quiz(soak: Soak) -> None:
    while not soak.is_over:
        async with Caller(soak) as candidate:
            started = await start_exam(candidate, QUIZ)
            await soak.think()
            body = {"answers": {question["id"]: question["answer"] for question in QUIZ_QUESTIONS}}
            marked = await candidate.post("answer a benchmark", f"/evaluations/{QUIZ}/submit", body)
            soak.ledger.submissions[started["registration"]["id"]] = marked["result"]["id"]


async def upload(soak: Soak) -> None:
    async with Caller(soak) as owner:
        await owner.register("owner")
        while not soak.is_over:
            trace = json.loads(make_trace(soak.chance.randrange(1_000_000)))
            answer = await owner.post("upload a trace", "/traces", trace)
            (stored,) = answer["traces"]
            soak.ledger.analyses[stored["analysis_id"]] = stored["id"]
            while (await owner.get("look at an analysis", f"/analyses/{stored['analysis_id']}"))["status"] != "done":
                await soak.think()


READ_PATHS = (
    ("read results", f"/api/v1/evaluations/{TALK}/results?limit=50"),
    ("read a leaderboard", f"/api/v1/evaluations/{TALK}/leaderboard"),
    ("read findings", f"/api/v1/evaluations/{QUIZ}/findings"),
    ("read the page of an evaluation", f"/evaluations/{MARK}"),
    ("read the first page", "/"),
)


async def read(soak: Soak) -> None:
    async with Caller(soak) as reader:
        while not soak.is_over:
            for operation, path in READ_PATHS:
                await reader.read_page(operation, path)
                await soak.think()
            if soak.ledger.verdicts:
                result_id = soak.chance.choice(list(soak.ledger.verdicts.values()))
                await reader.read_page("read the page of a result", f"/evaluations/result/{result_id}")
