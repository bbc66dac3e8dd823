"""Handing in what a candidate of the demo answers, in the form that each handler takes."""

from collections.abc import Callable
from typing import Any

from viva.demo import dating
from viva.demo.dating import Times
from viva.demo.model import DemoAttempt, DemoPage
from viva.demo.room import HALL, KEY_HASH
from viva.evaluations.sip import Sip
from viva.exams import challenges, claiming, proving
from viva.exams.handlers import identity_check, proof_of_agentic_work, recipes
from viva.exams.model import StartedAttempt
from viva.kit.db import Connection
from viva.kit.fetching import Fetched

SubmitBodyDict = dict[str, Any]


def recipe(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: Times) -> SubmitBodyDict:
    """The right answer, where it gives no other."""
    content = challenges.of(db, started.registration.id).content
    right = recipes.answer(content["words"], proof_of_agentic_work.recipe_in(content), content["nonce"])
    return {"challenge_id": started.given["challenge_id"], "answer": right} | exam.answers


def identity(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: Times) -> SubmitBodyDict:
    """The candidate's own name, where it gives no other, and the proof for it."""
    name = exam.answers.get("name", exam.candidate)
    proof = identity_check.proof_of(KEY_HASH, started.given["nonce"], name)
    return {"challenge_id": started.given["challenge_id"], "name": name, "proof": proof}


def account(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: Times) -> SubmitBodyDict:
    """A page with the proof, or the link, which the owner has confirmed by then."""
    challenge_id = started.given["challenge_id"]
    if exam.page:
        return {"challenge_id": challenge_id, "method": "url", "url": exam.page.url}
    claiming.confirm(db, HALL.secret, started.given["claim_url"].rpartition("/")[2])
    dating.date_claim(db, started.registration.id, times)
    return {"challenge_id": challenge_id, "method": "link"}


def look_at(db: Connection, page: DemoPage, registration_id: str) -> None:
    """Decide by the page, as the background work does that fetches one."""
    errand = proving.read(db, {"registration_id": registration_id})
    if errand:
        proof = errand.page.proof
        found = proving.mark_of(Fetched(page.status, page.text.replace("{proof}", proof)), proof)
        proving.keep(db, errand, found, is_last=True)


def quiz(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: Times) -> SubmitBodyDict:
    return {"answers": exam.answers}


def transcript(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: Times) -> SubmitBodyDict:
    answered = [{"prompt_id": name, "response": said} for name, said in exam.answers.items()]
    return {"nonce": started.given["nonce"], "transcript": answered}


BODIES: dict[str, Callable[[Connection, DemoAttempt, StartedAttempt, Times], SubmitBodyDict]] = {
    "proof_of_agentic_work": recipe,
    "identity_check": identity,
    "account_verification": account,
    "benchmark": quiz,
    "agent_certification": transcript,
}


def body_of(db: Connection, exam: DemoAttempt, sip: Sip, started: StartedAttempt, times: Times) -> SubmitBodyDict:
    return BODIES[sip.executable.handler](db, exam, started, times)
