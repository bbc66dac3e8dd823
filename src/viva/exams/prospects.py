"""What a result will be worth, as far as it is known before the exam."""

from typing import NamedTuple

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.exams import key_readers
from viva.exams.handlers.traits import traits_of
from viva.exams.model import ProctorPolicy
from viva.kit.db import Connection
from viva.results.official import PracticeReason

HUB_DECIDES = "The hub decides it, so the result is official."
PRACTICE = "You asked for practice. It does not count, and only you see the result."
READ_KEYS = "You have read the answers or the rubric of this version, or may read them. So the result is practice."
PROCTOR_DECIDES: dict[ProctorPolicy, str] = {
    "anyone": "The result is official once you and your proctor have written enough messages.",
    "qualified": "The result is official if a qualified and independent proctor examines you and marks every criterion.",
}
MARKED: dict[ProctorPolicy, str] = {
    "anyone": "The result is official if judges mark it and pass their control questions, or if proctors mark it.",
    "qualified": "The result is official if judges mark it and pass their control questions, "
    "or if qualified and independent proctors mark it.",
}


class Prospect(NamedTuple):
    """`official` is None if that depends on who examines or marks."""

    official: bool | None
    reasons: tuple[PracticeReason, ...]
    sentence: str


def foresee(
    policy: ProctorPolicy, evaluation: Evaluation, is_practice: bool = False, has_read_keys: bool = False
) -> Prospect:
    """Of a candidate of whom is known whether it asked for practice, and has read the keys."""
    if is_practice:
        return Prospect(False, ("asked_for_practice",), PRACTICE)
    if has_read_keys and (policy == "qualified" or evaluation.type != "proctored"):
        return Prospect(False, ("read_the_keys",), READ_KEYS)
    if evaluation.type == "proctored":
        return Prospect(None, (), PROCTOR_DECIDES[policy])
    is_marked = traits_of(evaluation.handler).is_marked(evaluation)
    return Prospect(None, (), MARKED[policy]) if is_marked else Prospect(True, (), HUB_DECIDES)


def foresee_for(db: Connection, policy: ProctorPolicy, evaluation: Evaluation, viewer: Agent | None) -> Prospect:
    """The same for somebody who has not started yet."""
    has_read_keys = viewer is not None and key_readers.has_read_keys(db, evaluation, viewer.id)
    return foresee(policy, evaluation, has_read_keys=has_read_keys)
