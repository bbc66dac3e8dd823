"""An agent takes an exam alone: it is asked item by item, and the hub or its judges decide."""

from collections.abc import Mapping
from typing import Any

from viva.adapters.model import AgentFault
from viva.client.proving import prove_identity
from viva.client.retrying import HubError
from viva.contributions.exam_items import ANSWER_FIELD, items_of
from viva.sittings.candidates import SittingCandidate
from viva.sittings.model import SittingOutcome, outcome_of_result
from viva.sittings.pausing import Pauses
from viva.sittings.questions import challenge_messages, probe_messages, question_messages, read_answer

NEEDS_OWNER = "Somebody has to confirm it: open {url} in a browser."
UNPROCESSABLE = 422


def sit_alone(candidate: SittingCandidate) -> SittingOutcome:
    started = candidate.start()
    registration_id = started["registration"]["id"]
    if "claim_url" in started:
        return SittingOutcome("undecided", [NEEDS_OWNER.format(url=started["claim_url"])])
    if handed_in := wait_if_handed_in(candidate, registration_id):
        return handed_in
    try:
        body = answer_all(candidate, started)
        submitted = submit(candidate, body)
    except AgentFault as fault:
        return candidate.withdraw(fault)
    if submitted.get("result"):
        return outcome_of_result(submitted["result"])
    outcome = wait_for_marks(candidate, submitted["job_id"], registration_id)
    if outcome.state in ("undecided", "waiting") and "questions" in started:
        return outcome._replace(reasons=[*describe_unmarked(started, body["answers"]), *outcome.reasons])
    return outcome


def wait_if_handed_in(candidate: SittingCandidate, registration_id: str) -> SittingOutcome | None:
    """The outcome of work that an earlier command has handed in, so that the agent is not asked again."""
    found = candidate.find_registration(registration_id)
    if found is None or not found["job_id"]:
        return None
    return wait_for_marks(candidate, found["job_id"], registration_id)


def answer_all(candidate: SittingCandidate, started: Mapping[str, Any]) -> dict[str, Any]:
    """What the candidate hands in."""
    if "questions" in started:
        return {"answers": answer_questions(candidate, started)}
    if "prompts" in started:
        return {"nonce": started["nonce"], "transcript": answer_probes(candidate, started)}
    body = {"challenge_id": started["challenge_id"]}
    if "min_description" in started:  # an identity check: the account's key proves who it is, and the agent has no part
        return body | {"name": candidate.account.name, "proof": prove(candidate, started["nonce"])}
    conversation_id = started["registration"]["id"]
    return body | {ANSWER_FIELD: candidate.ask(challenge_messages(started), conversation_id).strip()}


def answer_questions(candidate: SittingCandidate, started: Mapping[str, Any]) -> dict[str, Any]:
    """The answers by question. A reply from which no answer can be read leaves its question out."""
    answers = {}
    items = items_of(started)
    for number, item in enumerate(items, 1):
        candidate.watcher.report(f"Question {number} of {len(items)}")
        reply = candidate.ask(question_messages(item), f"{started['registration']['id']}/{item.id}")
        answers[item.id] = read_answer(item, reply)
    return {id_: answer for id_, answer in answers.items() if answer is not None}


def answer_probes(candidate: SittingCandidate, started: Mapping[str, Any]) -> list[dict[str, str]]:
    transcript = []
    for number, probe in enumerate(started["prompts"], 1):
        candidate.watcher.report(f"Probe {number} of {len(started['prompts'])}")
        reply = candidate.ask(probe_messages(probe), f"{started['registration']['id']}/{probe['id']}")
        transcript.append({"prompt_id": probe["id"], "response": reply})
    return transcript


def prove(candidate: SittingCandidate, nonce: str) -> str:
    """The proof of an identity check, made with the key that this command holds."""
    return prove_identity(candidate.account.key, candidate.account.name, nonce)


def submit(candidate: SittingCandidate, body: dict[str, Any]) -> dict[str, Any]:
    """Hand in. Answers of a wrong form are left out; what else the hub refuses is the agent's fault."""
    path = f"{candidate.path}/submit"
    try:
        return candidate.account.post(path, body)
    except HubError as error:
        faulty = {fault["field"].removeprefix("answers.") for fault in error.errors}
        if "answers" in body and faulty & body["answers"].keys():
            kept = {id_: answer for id_, answer in body["answers"].items() if id_ not in faulty}
            return candidate.account.post(path, {"answers": kept})
        if error.status == UNPROCESSABLE:
            raise AgentFault(f"The hub refuses the answer: {error.detail}") from None
        raise


def describe_unmarked(started: Mapping[str, Any], answers: Mapping[str, Any]) -> list[str]:
    """How much of a benchmark checks have marked, and which answers they could not."""
    items = items_of(started)
    unmarked = [item for item in items if item.is_judged and item.id in answers]
    if not unmarked:
        return []
    points = sum(item.points for item in items)
    checked = points - sum(item.points for item in unmarked)
    waiting = "1 free text waits" if len(unmarked) == 1 else f"{len(unmarked)} free texts wait"
    return [f"Checks have marked answers worth {checked:g} of the {points:g} points. {waiting} for a marker."]


def wait_for_marks(candidate: SittingCandidate, job_id: str, registration_id: str) -> SittingOutcome:
    """The outcome of the job. One that waits for somebody to mark it is not waited for: people take hours."""
    candidate.watcher.report("Waiting for the marks")
    for _ in Pauses():
        job = candidate.account.get(f"{candidate.path}/job/{job_id}")["job"]
        if job["result_id"]:
            return outcome_of_result(candidate.account.get(f"/evaluations/results/{job['result_id']}")["result"])
        if job["waiting_for"] == "proctor" or job["status"] in ("done", "failed"):
            result = candidate.find_result(registration_id)
            return outcome_of_result(result) if result else candidate.outcome_without_marks()
    return candidate.outcome_without_marks()
