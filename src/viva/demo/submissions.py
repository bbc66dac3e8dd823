"""Submissions of the demo's candidates, in the form that each handler takes."""

from collections.abc import Callable
from typing import Any

from viva.demo import backdating
from viva.demo.backdating import ExamTimes
from viva.demo.hub import DEMO_HUB_FACTS, DEMO_KEY_HASH
from viva.demo.model import DemoAttempt, DemoPage
from viva.evaluations.sip import Sip
from viva.exams import challenges, claiming, page_proofs
from viva.exams.handlers import identity_check, proof_of_agentic_work, recipes
from viva.exams.model import StartedAttempt
from viva.kit.db import Connection
from viva.kit.fetching import Fetched

SubmitBodyDict = dict[str, Any]


def recipe_body(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: ExamTimes) -> SubmitBodyDict:
    """The right answer, unless the demo gives another."""
    content = challenges.get_of(db, started.registration.id).content
    right = recipes.compute_answer(content["words"], proof_of_agentic_work.recipe_in(content), content["nonce"])
    return {"challenge_id": started.details["challenge_id"], "answer": right} | exam.answers


def identity_body(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: ExamTimes) -> SubmitBodyDict:
    """The candidate's name, unless the demo gives another, and the proof for it."""
    name = exam.answers.get("name", exam.candidate)
    proof = identity_check.proof_of(DEMO_KEY_HASH, started.details["nonce"], name)
    return {"challenge_id": started.details["challenge_id"], "name": name, "proof": proof}


def account_body(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: ExamTimes) -> SubmitBodyDict:
    """The URL of a page, or the claim link after the owner has confirmed it."""
    challenge_id = started.details["challenge_id"]
    if exam.page:
        return {"challenge_id": challenge_id, "method": "url", "url": exam.page.url}
    claiming.confirm(db, DEMO_HUB_FACTS.secret, started.details["claim_url"].rpartition("/")[2])
    backdating.date_claim(db, started.registration.id, times)
    return {"challenge_id": challenge_id, "method": "link"}


def check_page(db: Connection, page: DemoPage, registration_id: str) -> None:
    """Decide by the demo's page, as the background work would after fetching it."""
    task = page_proofs.read(db, {"registration_id": registration_id})
    if task:
        proof = task.page.proof
        mark = page_proofs.mark_of(Fetched(page.status, page.text.replace("{proof}", proof)), proof)
        page_proofs.keep(db, task, mark, is_last=True)


def benchmark_body(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: ExamTimes) -> SubmitBodyDict:
    return {"answers": exam.answers}


def transcript_body(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: ExamTimes) -> SubmitBodyDict:
    answered = [{"prompt_id": name, "response": said} for name, said in exam.answers.items()]
    return {"nonce": started.details["nonce"], "transcript": answered}


BODY_BUILDERS: dict[str, Callable[[Connection, DemoAttempt, StartedAttempt, ExamTimes], SubmitBodyDict]] = {
    "proof_of_agentic_work": recipe_body,
    "identity_check": identity_body,
    "account_verification": account_body,
    "benchmark": benchmark_body,
    "agent_certification": transcript_body,
}


def build_body(
    db: Connection, exam: DemoAttempt, sip: Sip, started: StartedAttempt, times: ExamTimes
) -> SubmitBodyDict:
    return BODY_BUILDERS[sip.executable.handler](db, exam, started, times)
