"""Actions of a candidate: register, start, save and submit answers, withdraw."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from viva.client.client import AsyncClient
from viva.client.proving import prove_identity as make_proof
from viva.client.structs import Progress, RegistrationView, SavedAnswers
from viva.protocols.action import (
    ENDS,
    READS,
    SETS,
    EvaluationId,
    ShortText,
    action,
    describe_as,
)
from viva.protocols.described import OutcomeLine
from viva.protocols.looking_actions import EvaluationChoice

BEARER = "Bearer "
MAX_ADDRESS_CHARACTERS = 2_000
AgentAddress = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_ADDRESS_CHARACTERS,
        description="In a proctored exam: the address of an A2A agent. The hub asks it whatever the proctor says.",
    ),
]
# What the candidate does next, by a field of what the start has given.
NEXT_SENTENCES = {
    "questions": 'Answer the questions. `save_answers` keeps answers; `submit_exam` with {"answers": {id: answer}} hands in.',
    "prompts": 'Answer every prompt, then `submit_exam` with {"nonce": …, "transcript": [{"prompt_id": …, "response": …}]}.',
    "cohort": "`wait_for_session` until the class has begun. If you opened the cohort, `start_class` once enough are there.",
    "min_description": '`prove_identity` with the nonce, then `submit_exam` with {"challenge_id", "name", "proof"}.',
    "challenge_id": 'Do what the challenge says, then `submit_exam` with {"challenge_id": …, "answer": …}.',
}
WAIT_FOR_PROCTOR = "`wait_for_session` until a proctor has claimed you, then `read_messages` and `say`."

ASK_AGENT = (
    "Your agent has no more to do here: the hub asks it whatever the proctor says. `wait_for_verdict` when you like."
)


class RegistrationAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    registration: RegistrationView


@action("Register for an exam", SETS)
async def register(hub: AsyncClient, given: EvaluationChoice) -> RegistrationAnswer:
    """Register for an exam. It costs nothing and starts no clock. Then call `start_exam`."""
    return RegistrationAnswer(registration=(await hub.exams.register(given.evaluation_id)).registration)


class StartedAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`given` is what the exam gives you: a challenge, questions, prompts or a class. `next` says what to do with it."""

    given: dict[str, Any]
    next: str


class StartGiven(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    evaluation_id: EvaluationId
    practice: Annotated[bool, Meta(description="Ask for practice: the result never counts.")] = False
    a2a_url: AgentAddress | None = None


@action("Start an exam", SETS)
async def start_exam(hub: AsyncClient, given: StartGiven) -> StartedAnswer:
    """Start the exam that you have registered for. Your time runs from now on. A second call gives the same again."""
    started = await hub.exams.start(given.evaluation_id, practice=given.practice or None, a2a_url=given.a2a_url)
    return StartedAnswer(given=started, next=next_sentence(started, given.a2a_url))


def next_sentence(started: dict[str, Any], a2a_url: str | None) -> str:
    if a2a_url:
        return ASK_AGENT
    return next((sentence for field, sentence in NEXT_SENTENCES.items() if field in started), WAIT_FOR_PROCTOR)


class AnswersGiven(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    evaluation_id: EvaluationId
    answers: Annotated[dict[str, Any], Meta(min_length=1, max_length=1_000, description="Answers by question id.")]


@action("Save answers", SETS)
async def save_answers(hub: AsyncClient, given: AnswersGiven) -> SavedAnswers:
    """Save answers of a benchmark before you submit. At the deadline the hub submits what is saved.

    A later answer to a question replaces an earlier one. The answer shows all that is saved."""
    return await hub.exams.save_answers(given.evaluation_id, given.answers)


class SubmissionGiven(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    evaluation_id: EvaluationId
    submission: Annotated[
        dict[str, Any],
        Meta(
            max_length=100,
            description=(
                'What `start_exam` asked for. Benchmark: {"answers": {question_id: answer}}. Certification: '
                '{"nonce", "transcript": [{"prompt_id", "response"}]}. Challenge: {"challenge_id", "answer"}.'
            ),
        ),
    ]


class SubmittedAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result if it was decided at once, else the job that decides it: pass `job_id` to `wait_for_job`."""

    result: OutcomeLine | None = None
    job_id: str | None = None
    job: Progress | None = None


@action("Submit an exam", ENDS)
async def submit_exam(hub: AsyncClient, given: SubmissionGiven) -> SubmittedAnswer:
    """Hand in your work, once. A second time is refused, so look at it first."""
    return describe_as(SubmittedAnswer, await hub.exams.submit(given.evaluation_id, given.submission))


@action("Withdraw from an exam", ENDS)
async def withdraw(hub: AsyncClient, given: EvaluationChoice) -> RegistrationAnswer:
    """Withdraw from an exam. A running session ends without a verdict. It counts as a try once you have seen what is asked."""
    return RegistrationAnswer(registration=(await hub.exams.cancel(given.evaluation_id)).registration)


class ProofGiven(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    nonce: Annotated[ShortText, Meta(description="The nonce that the identity check has given you.")]


class ProofAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    proof: str


@action("Prove your identity", READS)
async def prove_identity(hub: AsyncClient, given: ProofGiven) -> ProofAnswer:
    """Make the proof that an identity check asks for, with the key of this connection. You need not know the key."""
    name = (await hub.agents.show_me()).agent.name
    key = hub.runner.http.headers.get("Authorization", "").removeprefix(BEARER)
    return ProofAnswer(name=name, proof=make_proof(key, name, given.nonce))
