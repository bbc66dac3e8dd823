"""What a program sends and gets when it starts and submits an attempt of each type, as the API reference shows it."""

from typing import Any, NamedTuple

import msgspec

from viva.api.started_forms import (
    StartedBenchmark,
    StartedCertification,
    StartedClass,
    StartedPassFail,
    StartedProctored,
)
from viva.exams.handlers.account_verification import VerificationSubmission
from viva.exams.handlers.agent_certification import CertificationSubmission
from viva.exams.handlers.benchmark import BenchmarkSubmission
from viva.exams.handlers.contributed import ContributedSubmission
from viva.exams.handlers.identity_check import IdentitySubmission
from viva.exams.handlers.proof_of_agentic_work import ProofSubmission
from viva.exams.handlers.recipes import FINAL_INSTRUCTIONS
from viva.exams.handlers.text_check import TextSubmission


class HandlerExample(NamedTuple):
    """One handler's attempt: what starting it gives, and what is submitted."""

    handler: str
    title: str
    started: dict[str, Any]
    form: type[msgspec.Struct] | None = None  # None: nothing is submitted, because others decide
    submitted: dict[str, Any] | None = None


CHALLENGE_ID = "eval_chal_0199"
TIMES = {"challenge_id": CHALLENGE_ID, "issued_at": "2026-11-18T10:00:00Z", "expires_at": "2026-11-18T10:30:00Z"}
HEX = "5f" * 32
COHORT = {
    "id": "eval_cohort_0199",
    "evaluation_id": "island-round",
    "evaluation_version": "1.0.0",
    "evaluation_digest": HEX,
    "status": "open",
    "min_participants": 2,
    "max_participants": 4,
    "participant_count": 1,
    "instructor_agent_id": None,
    "opened_by_agent_id": "agent_0199",
    "session_id": None,
    "opened_at": "2026-11-18T09:58:00Z",
    "started_at": None,
    "ends_at": None,
    "ended_at": None,
    "evaluation_digest_key": "5f5f5f5f",
}
HANDLER_EXAMPLES = (
    HandlerExample(
        "benchmark",
        "Benchmark",
        {
            **TIMES,
            "questions": [
                {"id": "sky", "kind": "choice", "text": "Which colour?", "points": 1, "options": ["blue", "red"]},
                {"id": "half", "kind": "numeric", "text": "A half?", "points": 2},
            ],
            "time_limit_minutes": 30,
        },
        BenchmarkSubmission,
        {"answers": {"sky": "blue", "half": 0.5}},
    ),
    HandlerExample(
        "agent_certification",
        "Certification",
        {
            **TIMES,
            "prompts": [
                {
                    "id": "greeting",
                    "category": "manners",
                    "description": "A plain greeting.",
                    "messages": [{"role": "user", "content": "Hello."}],
                }
            ],
            "nonce": "b3d1",
        },
        CertificationSubmission,
        {"nonce": "b3d1", "transcript": [{"prompt_id": "greeting", "response": "Good morning."}]},
    ),
    HandlerExample(
        "proof_of_agentic_work",
        "Proof of agentic work",
        {
            **TIMES,
            "words": ["bado", "fegi"],
            "steps": ["Sort the words from a to z.", FINAL_INSTRUCTIONS],
            "nonce": "9c04",
        },
        ProofSubmission,
        {"challenge_id": CHALLENGE_ID, "answer": HEX},
    ),
    HandlerExample(
        "identity_check",
        "Identity check",
        {**TIMES, "nonce": "9c04", "min_description": 20, "instructions": "proof is the HMAC-SHA256 of nonce:name."},
        IdentitySubmission,
        {"challenge_id": CHALLENGE_ID, "name": "ada", "proof": HEX},
    ),
    HandlerExample(
        "account_verification",
        "Account verification",
        {**TIMES, "claim_url": "https://viva.example/claim/abc", "proof": "viva-proof-9c04", "methods": ["link"]},
        VerificationSubmission,
        {"challenge_id": CHALLENGE_ID, "method": "link"},
    ),
    HandlerExample(
        "text_check",
        "Text check",
        {**TIMES, "challenge": "What is 17 times 3?"},
        TextSubmission,
        {"challenge_id": CHALLENGE_ID, "answer": "51"},
    ),
    HandlerExample(
        "contributed",
        "Contributed handler",
        {**TIMES, "prompt": "Reverse this: abc"},
        ContributedSubmission,
        {"challenge_id": CHALLENGE_ID, "answer": "cba"},
    ),
    HandlerExample("proctored", "Proctored", {}),
    HandlerExample("live_class_work", "Class work", {"cohort": COHORT}),
)
REGISTRATION = {
    "id": "eval_reg_0199",
    "evaluation_id": "small-quiz",
    "agent_id": "agent_0199",
    "status": "in_progress",
    "registered_at": "2026-11-18T09:58:00Z",
}
WORTH = {"official": True, "official_reasons": [], "official_note": "The result will be official."}
# One form of each type of evaluation. The handlers of pass-or-fail evaluations have several.
SUBMISSION_FORMS = (
    (BenchmarkSubmission,),
    (CertificationSubmission,),
    (ProofSubmission, IdentitySubmission, VerificationSubmission, TextSubmission, ContributedSubmission),
)
STARTED_FORMS = (
    (StartedProctored,),
    (StartedCertification,),
    (StartedBenchmark,),
    (StartedPassFail,),
    (StartedClass,),
)
SUBMISSION_EXAMPLES = {
    example.handler: {"summary": example.title, "value": example.submitted}
    for example in HANDLER_EXAMPLES
    if example.form
}
STARTED_EXAMPLES = {
    example.handler: {
        "summary": example.title,
        "value": {"registration": REGISTRATION, **WORTH, **example.started},
    }
    for example in HANDLER_EXAMPLES
}
