"""Contributed handlers: code that came with the SIP makes the challenge and decides the attempt, in the sandbox."""

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from viva.evaluations.model import Evaluation
from viva.exams.criteria import criteria_of, shorten_criteria
from viva.exams.handlers import simple
from viva.exams.handlers.verdicts import HANDLER_CRITERION, outcome_of
from viva.exams.model import Challenge, Exam, Mark, NewChallenge, Outcome, SheetRow, ToRun, Undecided
from viva.kit import forms
from viva.kit.errors import Conflict
from viva.kit.nesting import MAX_JSON_DEPTH, is_too_deep, json_size
from viva.sandbox.model import SandboxFailure, SandboxLimits, SandboxResult, SandboxUnavailable
from viva.sandbox.running import run_function

MAX_SEED = 2**31  # exclusive; every language can hold such a number
MAX_SUBMITTED_BYTES = 64 * 1024  # of the answer as JSON
MIB = 2**20
# Short, because the candidate waits for the challenge, and so does every other writer of a SQLite hub.
CHALLENGE_LIMITS = SandboxLimits(
    cpu_seconds=0.25, wall_seconds=1, memory_bytes=32 * MIB, printed_characters=10_000, value_bytes=64 * 1024
)
# Runs in the background. A checker of texts takes a millisecond.
DECIDING_LIMITS = SandboxLimits(
    cpu_seconds=2, wall_seconds=10, memory_bytes=64 * MIB, printed_characters=10_000, value_bytes=64 * 1024
)

FAILURE_KEY = "failure"  # in the content of an attempt: why the code could not decide
FULL_MARK = 1.0  # of the only row that proctors mark: the answer passes, or it does not
PROCTOR_GUIDANCE = "The code of this evaluation could not decide, so you do. Full marks pass."


class HandlerFailed(Conflict):
    """The handler of this evaluation failed, so the attempt cannot start."""


class SandboxCrashed(SandboxUnavailable):
    """The process that ran the handler died; the attempt is decided again."""


class ContributedSubmission(simple.SimpleSubmission, forbid_unknown_fields=True):
    answer: Any


def make_challenge(exam: Exam) -> NewChallenge:
    evaluation = exam.evaluation
    content = new_challenge(evaluation.handler_code or "", evaluation.config, secrets.randbelow(MAX_SEED))
    return NewChallenge(content, simple.time_limit_of(evaluation))


def new_challenge(code: str, config: dict[str, Any], seed: int) -> dict[str, Any]:
    """The prompt and the secret that the code makes of the seed. Without its own, the prompt is `config.challenge`."""
    result = run_function(code, "make_challenge", [seed, config], CHALLENGE_LIMITS)
    if result.failure and result.failure.kind == "missing":
        return {"prompt": config.get("challenge"), "secret": None}
    if result.failure:
        raise HandlerFailed(f"The handler of this evaluation made no challenge. {describe_failure(result.failure)}")
    made = result.value
    if not isinstance(made, dict) or "prompt" not in made or made.keys() - {"prompt", "secret"}:
        raise HandlerFailed(
            "The handler of this evaluation made no challenge: it must have a prompt, and may have a secret."
        )
    return {"prompt": made["prompt"], "secret": made.get("secret")}


def show_challenge(exam: Exam, challenge: Challenge) -> dict[str, Any]:
    return {"prompt": challenge.content["prompt"]}


def read_submission(
    exam: Exam, challenge: Challenge, body: dict[str, Any], answers: Mapping[str, Any]
) -> dict[str, Any]:
    answer = simple.read_body(body, ContributedSubmission, challenge).answer
    size = json_size(answer)
    if size is None or size > MAX_SUBMITTED_BYTES:
        raise forms.fault("answer", f"The answer may have at most {MAX_SUBMITTED_BYTES} bytes as JSON.")
    if is_too_deep(answer):
        raise forms.fault("answer", f"The answer may be nested at most {MAX_JSON_DEPTH} levels deep.")
    return {"answer": answer, "challenge": challenge.content}


def decide(evaluation: Evaluation, content: dict[str, Any]) -> ToRun:
    return ToRun(evaluation.handler)


def run_decide(code: str, config: dict[str, Any], content: Mapping[str, Any]) -> SandboxResult:
    return run_function(code, "decide", [content["answer"], content["challenge"], config], DECIDING_LIMITS)


def find_outcome(evaluation: Evaluation, content: dict[str, Any]) -> Outcome | Undecided:
    """What the code decides. A failure of the code decides nothing."""
    result = run_decide(evaluation.handler_code or "", evaluation.config, content)
    if result.failure and result.failure.kind == "crashed":
        raise SandboxCrashed()
    return outcome_of_run(result)


def outcome_of_run(result: SandboxResult) -> Outcome | Undecided:
    return Undecided(describe_failure(result.failure)) if result.failure else outcome_of(result.value)


def make_rows(content: Mapping[str, Any], reason: str) -> list[SheetRow]:
    """What proctors mark if the code could not decide."""
    prompt, secret = content["challenge"]["prompt"], content["challenge"]["secret"]
    guidance = f"{PROCTOR_GUIDANCE} {reason}"
    if secret is not None:
        guidance += f"\nThe code kept this for its decision: {show_value(secret)}"
    texts = {} if prompt is None else {"challenge": show_value(prompt)}
    texts["answer"] = show_value(content["answer"])
    return [SheetRow(HANDLER_CRITERION["id"], HANDLER_CRITERION["text"], FULL_MARK, texts, guidance=guidance)]


def show_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def conclude(
    evaluation: Evaluation, content: dict[str, Any], rows: Sequence[SheetRow], marks: Sequence[Mark]
) -> Outcome:
    """What proctors decided. It has no score, because the scale is that of the code."""
    criteria = criteria_of(rows, marks, passing=100)
    return Outcome(all(each.met for each in criteria), data={"criteria": to_builtins(shorten_criteria(criteria))})


def describe_failure(failure: SandboxFailure) -> str:
    place = f" (line {failure.line} of its code)" if failure.line else ""
    return f"The handler failed with the kind {failure.kind}{place}: {failure.message}"
