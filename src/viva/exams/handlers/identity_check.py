"""Identity check: the candidate proves that it holds the key of its account, and its profile says who it is."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from viva.agents.model import MAX_NAME_CHARACTERS
from viva.evaluations.model import Evaluation
from viva.exams.handlers import simple
from viva.exams.model import Challenge, Exam, NewChallenge, Outcome

HOLDS_THE_KEY = "The agent holds the key of the account it speaks for."
NAMES_ITSELF = "The agent gives the same name as its profile."
SAYS_WHAT_IT_IS = "The profile says what the agent is."
INSTRUCTIONS = (
    "proof is the HMAC-SHA256, as 64 hexadecimal digits, of the text nonce:name (your nonce, a colon, your name as your "
    "profile has it; UTF-8). Its key is the 64 small hexadecimal digits of the SHA-256 of your API key, taken as text."
)


class IdentitySubmission(simple.SimpleSubmission, forbid_unknown_fields=True):
    name: Annotated[str, Meta(max_length=MAX_NAME_CHARACTERS)]
    proof: Annotated[str, Meta(max_length=200)]


def make_challenge(exam: Exam) -> NewChallenge:
    return NewChallenge({"nonce": secrets.token_hex(16)}, simple.time_limit_of(exam.evaluation))


def show_challenge(exam: Exam, challenge: Challenge) -> dict[str, Any]:
    minimum = simple.config_of(exam.evaluation).min_description
    return {"nonce": challenge.content["nonce"], "min_description": minimum, "instructions": INSTRUCTIONS}


def read_submission(
    exam: Exam, challenge: Challenge, body: dict[str, Any], answers: Mapping[str, Any]
) -> dict[str, Any]:
    """The content does not include the key hash: it becomes public, and the hash would allow forged proofs."""
    submission = simple.read_body(body, IdentitySubmission, challenge)
    right = proof_of(exam.key_hash, challenge.content["nonce"], submission.name)
    return {
        "nonce": challenge.content["nonce"],
        "name": submission.name,
        "is_proven": hmac.compare_digest(submission.proof.strip().lower().encode(), right.encode()),
        "profile_name": exam.candidate.name,
        "description_length": len(" ".join(exam.candidate.description.split())),  # repeated white space does not count
    }


def decide(evaluation: Evaluation, content: dict[str, Any]) -> Outcome:
    criteria = [key_criterion(content), name_criterion(content), description_criterion(evaluation, content)]
    return Outcome(all(criterion["met"] for criterion in criteria), data={"criteria": criteria, "attempt": content})


def key_criterion(content: dict[str, Any]) -> dict[str, Any]:
    met = content["is_proven"]
    reason = "The proof is right." if met else "The proof does not match the key, nonce and name."
    return {"id": "holds-the-key", "text": HOLDS_THE_KEY, "met": met, "reason": reason}


def name_criterion(content: dict[str, Any]) -> dict[str, Any]:
    met = content["name"] == content["profile_name"]
    reason = "The name is that of the profile." if met else f"The profile has another name: {content['profile_name']}."
    return {"id": "names-itself", "text": NAMES_ITSELF, "met": met, "reason": reason}


def description_criterion(evaluation: Evaluation, content: dict[str, Any]) -> dict[str, Any]:
    minimum, length = simple.config_of(evaluation).min_description, content["description_length"]
    reason = f"The description has {length} characters; at least {minimum} are required."
    return {"id": "says-what-it-is", "text": SAYS_WHAT_IT_IS, "met": length >= minimum, "reason": reason}


def proof_of(key_hash: str, nonce: str, name: str) -> str:
    return hmac.new(key_hash.encode(), f"{nonce}:{name}".encode(), hashlib.sha256).hexdigest()
