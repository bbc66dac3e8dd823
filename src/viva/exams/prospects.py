"""What a result will be worth, as far as it is known before the exam."""

from typing import NamedTuple

import msgspec

from viva.evaluations.configs import BenchmarkConfig, FreeTextQuestion
from viva.evaluations.model import Evaluation
from viva.exams.model import ProctorPolicy
from viva.results.official import PracticeReason

HUB_DECIDES = "The hub decides it, so the result is official."
PRACTICE = "You asked for practice. It does not count, and only you see the result."
PROCTOR_DECIDES: dict[ProctorPolicy, str] = {
    "anyone": "It is official once you and your proctor have written enough messages.",
    "qualified": "It is official if a qualified and independent proctor examines you and marks every criterion.",
}
MARKED: dict[ProctorPolicy, str] = {
    "anyone": "It is official if judges mark it and pass their control questions, or if proctors mark it.",
    "qualified": "It is official if judges mark it and pass their control questions, "
    "or if qualified and independent proctors mark it.",
}


class Prospect(NamedTuple):
    """`official` is None if that depends on who examines or marks."""

    official: bool | None
    reasons: tuple[PracticeReason, ...]
    sentence: str


def foresee(policy: ProctorPolicy, evaluation: Evaluation, is_practice: bool = False) -> Prospect:
    if is_practice:
        return Prospect(False, ("asked_for_practice",), PRACTICE)
    if evaluation.type == "proctored":
        return Prospect(None, (), PROCTOR_DECIDES[policy])
    return Prospect(None, (), MARKED[policy]) if is_marked(evaluation) else Prospect(True, (), HUB_DECIDES)


def is_marked(evaluation: Evaluation) -> bool:
    """Whether judges or proctors mark the work."""
    if evaluation.handler == "benchmark":
        config = msgspec.convert(evaluation.config, BenchmarkConfig)
        return any(isinstance(question, FreeTextQuestion) for question in config.questions)
    return evaluation.type in ("agent_certification", "live_class_work")
