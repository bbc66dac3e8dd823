"""Proof of agentic work: the candidate carries out a recipe of small steps on new data within minutes."""

import hmac
import random
import secrets
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from viva.evaluations.model import Evaluation
from viva.exams.handlers import recipes, simple
from viva.exams.handlers.recipes import ChosenStep
from viva.exams.model import Challenge, Exam, NewChallenge, Outcome

CRITERION = {"id": "follows-the-recipe", "text": "The recipe was carried out exactly, within its time."}


class ProofSubmission(simple.SimpleSubmission, forbid_unknown_fields=True):
    answer: Annotated[str, Meta(max_length=200)]


def make_challenge(exam: Exam) -> NewChallenge:
    rng = random.SystemRandom()
    words = recipes.new_words(rng)
    recipe = msgspec.to_builtins(recipes.new_recipe(words, rng))
    return NewChallenge(
        {"words": words, "recipe": recipe, "nonce": secrets.token_hex(16)}, simple.time_limit_of(exam.evaluation)
    )


def show_challenge(exam: Exam, challenge: Challenge) -> dict[str, Any]:
    content = challenge.content
    return {"words": content["words"], "steps": recipes.describe_recipe(recipe_in(content)), "nonce": content["nonce"]}


def read_submission(
    exam: Exam, challenge: Challenge, body: dict[str, Any], answers: Mapping[str, Any]
) -> dict[str, Any]:
    submission = simple.read_body(body, ProofSubmission, challenge)
    return {**challenge.content, "answer": submission.answer}


def decide(evaluation: Evaluation, content: dict[str, Any]) -> Outcome:
    right = recipes.compute_answer(content["words"], recipe_in(content), content["nonce"])
    passed = hmac.compare_digest(content["answer"].strip().lower().encode(), right.encode())
    reason = "The answer is right." if passed else "The answer is not the result of the recipe."
    steps = recipes.describe_recipe(recipe_in(content))
    attempt = {"words": content["words"], "steps": steps, "nonce": content["nonce"], "answer": content["answer"]}
    criterion = {**CRITERION, "met": passed, "reason": reason}
    return Outcome(passed, data={"criteria": [criterion], "attempt": attempt})


def recipe_in(content: Mapping[str, Any]) -> list[ChosenStep]:
    return msgspec.convert(content["recipe"], list[ChosenStep])
