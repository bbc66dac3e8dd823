"""One agent sits an evaluation over HTTP, as any agent would: it registers, starts, submits and waits for its result."""

import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import httpx

from viva.contributions.exam_items import ExamItem, items_of, submission_of
from viva.evaluations.model import CONTRIBUTED_PREFIX
from viva.evaluations.sip import Sip

MAX_POLL_SECONDS = 0.2
FIRST_POLL_SECONDS = 0.01  # most jobs end at once
AGENT_DESCRIPTION = "An agent of the gate. It sits a proposed evaluation in a scratch hub."
NO_MARKER = "Its answers need a marker, and this hub has no judge."

AnswerItems = Callable[[list[ExamItem]], dict[str, Any]]


class GateStopped(Exception):
    """No further agent can sit. The message says why."""


class SatExam(NamedTuple):
    """What a sitting led to. `undecided` says why there is no verdict on it."""

    passed: bool
    items: list[ExamItem]
    score: float | None = None
    max_score: float | None = None
    data: Mapping[str, Any] = {}
    undecided: str | None = None
    refusal: str | None = None  # the hub's reason not to take the submission

    @property
    def summary(self) -> str:
        """What it reached, as a sentence."""
        if self.refusal:
            return f"Its submission was refused: {self.refusal}"
        if self.score is not None:
            return f"It reached {self.score:g} of {self.max_score:g} points."
        return next((each["reason"] for each in self.data.get("criteria", ()) if not each["met"]), "")


class ExamRoom:
    """An evaluation in a scratch hub, in which new agents sit until the time is over."""

    def __init__(self, client: httpx.Client, sip: Sip, seconds: float) -> None:
        self.sip = sip
        self._client = client
        self._until = time.monotonic() + seconds

    def sit(self, answer: AnswerItems) -> SatExam:
        key, name = self.register_agent()
        path = f"/evaluations/{self.sip.id}"
        self.call(key, "POST", f"{path}/register")
        started = self.call(key, "POST", f"{path}/start")
        items = items_of(started)
        body = submission_of(started, name, answer(items))
        return self.submit(key, items, body)

    def register_agent(self) -> tuple[str, str]:
        """The key and the name of a new agent."""
        self.check_time()
        name = f"gate-{secrets.token_hex(8)}"
        body = {"name": name, "description": AGENT_DESCRIPTION}
        return self.call(None, "POST", "/agents/register", body)["api_key"], name

    def submit(self, key: str, items: list[ExamItem], body: dict[str, Any]) -> SatExam:
        """Submit; answers of a wrong form are left out, and the rest is submitted again."""
        answer = self.send(key, "POST", f"/evaluations/{self.sip.id}/submit", body)
        if answer.is_client_error and (rest := without_faulty_answers(body, answer.json())) != body:
            answer = self.send(key, "POST", f"/evaluations/{self.sip.id}/submit", rest)
        if answer.is_client_error:
            return SatExam(False, items, refusal=answer.json()["detail"])
        submitted = answer.json()
        if result := submitted.get("result"):
            return sat_exam(items, result)
        return self.wait_for_result(key, items, submitted["job_id"])

    def wait_for_result(self, key: str, items: list[ExamItem], job_id: str) -> SatExam:
        """What the job led to. Code that failed has not passed the agent. Without judges that can decide, nobody marks it here."""
        pause = FIRST_POLL_SECONDS
        while True:
            job = self.call(key, "GET", f"/evaluations/{self.sip.id}/job/{job_id}")["job"]
            if job["result_id"]:
                return sat_exam(items, self.call(key, "GET", f"/evaluations/results/{job['result_id']}")["result"])
            if job["waiting_for"] == "proctor" and self.sip.executable.handler.startswith(CONTRIBUTED_PREFIX):
                return SatExam(
                    False, items, data={"criteria": [{"id": "handler", "met": None, "reason": job["reason"]}]}
                )
            if job["waiting_for"] == "proctor" or job["status"] in ("done", "failed"):
                return SatExam(False, items, undecided=job["reason"] or NO_MARKER)
            self.check_time()
            time.sleep(pause)
            pause = min(2 * pause, MAX_POLL_SECONDS)

    def check_time(self) -> None:
        if time.monotonic() > self._until:
            raise GateStopped("The time of the gate was over before all agents had sat.")

    def call(self, key: str | None, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """The answer to a request that has to succeed."""
        answer = self.send(key, method, path, body)
        if answer.is_error:
            raise GateStopped(f"The evaluation cannot be taken: {answer.json()['detail']}")
        found: dict[str, Any] = answer.json()
        return found

    def send(self, key: str | None, method: str, path: str, body: Any = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        answer = self._client.request(method, f"/api/v1{path}", headers=headers, json=body)
        if answer.is_server_error:
            raise GateStopped(f"The scratch hub failed: {answer.json()['detail']}")
        return answer


def without_faulty_answers(body: dict[str, Any], problem: Mapping[str, Any]) -> dict[str, Any]:
    faulty = {fault["field"].removeprefix("answers.") for fault in problem.get("errors", ())}
    if "answers" not in body:
        return body
    return {"answers": {id_: answer for id_, answer in body["answers"].items() if id_ not in faulty}}


def sat_exam(items: list[ExamItem], result: Mapping[str, Any]) -> SatExam:
    return SatExam(result["passed"], items, result["score"], result["max_score"], result["result_data"] or {})
