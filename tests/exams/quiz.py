"""A small benchmark with a question of each kind, and answers to it."""

from datetime import timedelta
from typing import Any

from tests import make
from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import Executable
from viva.exams.handlers import benchmark
from viva.exams.model import Challenge
from viva.kit.clock import now

ID = "small-quiz"
QUESTIONS: list[dict[str, Any]] = [
    {"id": "sky", "kind": "choice", "text": "Which colour?", "options": ["blue", "green", "red"], "answer": "blue"},
    {
        "id": "primes",
        "kind": "multiple_choice",
        "text": "Which are prime?",
        "points": 2,
        "options": ["2", "3", "4", "6"],
        "answers": ["2", "3"],
    },
    {"id": "capital", "kind": "exact", "text": "The capital of France?", "answers": ["Paris", "City of Paris"]},
    {"id": "half", "kind": "numeric", "text": "A half?", "answer": 0.5, "tolerance": 0.01},
    {"id": "code", "kind": "regex", "text": "Two letters and a digit?", "pattern": "[a-z]{2}[0-9]"},
    {
        "id": "point",
        "kind": "json_schema",
        "text": "A point?",
        "schema": {"type": "object", "required": ["x"], "properties": {"x": {"const": 7}}},
    },
    {"id": "essay", "kind": "free_text", "text": "Why test?", "points": 3, "criteria": "It names a reason."},
]
RIGHT: dict[str, Any] = {
    "sky": "blue",
    "primes": ["3", "2"],
    "capital": "paris",
    "half": 0.5,
    "code": "ab1",
    "point": {"x": 7},
}
ESSAY = "To find out early."


def config(questions: list[dict[str, Any]] = QUESTIONS, **more: Any) -> dict[str, Any]:
    return {"questions": questions, "passing_score": 70, "time_limit_minutes": 30, **more}


def fields(**more: Any) -> dict[str, Any]:
    """What a SIP of it has of its own."""
    return {
        "sip": 70,
        "id": ID,
        "name": "Small quiz",
        "type": "complex_benchmark",
        "config": config(**more),
        "executable": Executable("benchmark", None),
    }


def evaluation(questions: list[dict[str, Any]] = QUESTIONS, **more: Any) -> Evaluation:
    return catalogue.evaluation_of(make.sip(**fields(questions=questions, **more)))


def challenge(questions: list[dict[str, Any]] = QUESTIONS, seed: str = "5eed") -> Challenge:
    content = {"seed": seed, "order": [question["id"] for question in questions]}
    return Challenge("eval_chal_1", "eval_reg_1", content, now(), now() + timedelta(minutes=30), None)


def content(answers: dict[str, Any], questions: list[dict[str, Any]] = QUESTIONS) -> dict[str, Any]:
    return benchmark.make_content(evaluation(questions), challenge(questions), answers)
