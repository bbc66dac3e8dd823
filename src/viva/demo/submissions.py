"""Submissions of the demo's candidates, in the form that each handler takes."""

from collections.abc import Callable
from typing import Any

from viva.contributions import exemplar_agents
from viva.demo import backdating
from viva.demo.backdating import ExamTimes
from viva.demo.hub import DEMO_HUB_FACTS, DEMO_KEY_HASH
from viva.demo.model import DemoAttempt, DemoPage
from viva.evaluations import catalogue, research
from viva.evaluations.configs import BenchmarkQuestion, ExactQuestion
from viva.evaluations.sip import Sip
from viva.exams import challenges, claiming, page_proofs
from viva.exams.handlers import benchmark, identity_check, proof_of_agentic_work, recipes
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


DEMO_OWNER = "The Viva demo"


def account_body(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: ExamTimes) -> SubmitBodyDict:
    """The URL of a page, or the claim link after the owner has been confirmed there."""
    challenge_id = started.details["challenge_id"]
    if exam.page:
        return {"challenge_id": challenge_id, "method": "url", "url": exam.page.url}
    claiming.confirm(db, DEMO_HUB_FACTS.secret, started.details["claim_url"].rpartition("/")[2], DEMO_OWNER)
    backdating.date_claim(db, started.registration.id, times)
    return {"challenge_id": challenge_id, "method": "link"}


def check_page(db: Connection, page: DemoPage, registration_id: str) -> None:
    """Decide by the demo's page, as the background work would after fetching it."""
    task = page_proofs.read(db, {"registration_id": registration_id})
    if task:
        proof = task.page.proof
        mark = page_proofs.mark_of(Fetched(page.status, page.text.replace("{proof}", proof)), proof)
        page_proofs.keep(DEMO_HUB_FACTS.proof_hosts, db, task, mark, is_last=True)


def benchmark_body(db: Connection, exam: DemoAttempt, started: StartedAttempt, times: ExamTimes) -> SubmitBodyDict:
    """The answers that the demo gives, or the right ones where questions are drawn."""
    registration = started.registration
    evaluation = catalogue.get(db, registration.evaluation_id, registration.evaluation_version)
    if not evaluation.config.get("draw"):
        return {"answers": exam.answers}
    exemplars = research.read_exemplars(db, evaluation, ids_in(evaluation.config))
    texts = exemplar_agents.texts_of(exemplars, "pass")
    asked = benchmark.questions_in(evaluation, challenges.get_of(db, registration.id).content).values()
    known = [question for question in asked if question.topic not in exam.leaves_out]
    return {"answers": {question.id: right_answer(question, texts) for question in known}}


def ids_in(config: dict[str, Any]) -> set[str]:
    return {question["id"] for question in config["questions"]}


def right_answer(question: BenchmarkQuestion, texts: dict[str, str]) -> Any:
    """The key of a question, or its exemplar if there are many right answers."""
    if isinstance(question, ExactQuestion):
        return question.answers[0]
    return getattr(question, "answer", None) or getattr(question, "answers", None) or texts[question.id]


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
