"""What a proctor's verdict on those who wait would be worth, told before a claim."""

from collections.abc import Sequence

from viva.agents.model import Agent
from viva.exams import key_readers, qualifying, store
from viva.exams.model import ProctorPolicy
from viva.exams.proctor_facts import ExamPair
from viva.exams.waiting_list import Candidate, UnmarkedSheet, WaitingCandidate
from viva.kit.db import Connection
from viva.results.official import PracticeReason, Worth, worth_of


def assess_waiting(
    db: Connection,
    policy: ProctorPolicy,
    evaluation_id: str,
    proctor: Agent,
    waiting: Sequence[WaitingCandidate | UnmarkedSheet],
) -> list[Worth]:
    """For each that waits at one evaluation. The work of a class has no single candidate."""
    pairs = [ExamPair(evaluation_id, each.candidate_agent_id) for each in waiting]
    worths = qualifying.assess_each(db, policy, proctor, pairs)
    return add_reasons(db, policy, worths, waiting)


def assess_candidates(
    db: Connection, policy: ProctorPolicy, proctor: Agent, waiting: Sequence[Candidate]
) -> list[Worth]:
    """For candidates of any evaluation."""
    pairs = [ExamPair(each.evaluation_id, each.candidate_agent_id) for each in waiting]
    worths = qualifying.assess_each(db, policy, proctor, pairs)
    return add_reasons(db, policy, worths, waiting)


def assess_registration(db: Connection, policy: ProctorPolicy, registration_id: str, proctor: Agent) -> Worth:
    """For one registration, such as the one that the proctor has claimed."""
    registration = store.get(db, registration_id)
    worth = qualifying.assess(db, policy, registration.evaluation_id, proctor, registration.agent_id)
    is_informed = policy == "qualified" and key_readers.is_informed(db, registration)
    return add_own_reasons(worth, registration.is_practice, is_informed)


def add_reasons(
    db: Connection,
    policy: ProctorPolicy,
    worths: Sequence[Worth],
    waiting: Sequence[WaitingCandidate | UnmarkedSheet],
) -> list[Worth]:
    """What the candidates' own parts make practice."""
    bound = [each for each in waiting if policy == "qualified" or isinstance(each, UnmarkedSheet)]
    informed = key_readers.list_informed(db, [each.registration_id for each in bound if each.registration_id])
    return [
        add_own_reasons(worth, each.is_practice, each.registration_id in informed)
        for worth, each in zip(worths, waiting, strict=True)
    ]


def add_own_reasons(worth: Worth, is_practice: bool, is_informed: bool) -> Worth:
    asked: tuple[PracticeReason, ...] = ("asked_for_practice",) if is_practice else ()
    read: tuple[PracticeReason, ...] = ("read_the_keys",) if is_informed else ()
    return worth_of([*worth.reasons, *asked, *read])
