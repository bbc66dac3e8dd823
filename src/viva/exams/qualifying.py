"""Whose verdict is official: who is qualified for an evaluation, and independent of its candidate."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.exams.model import ProctorPolicy
from viva.exams.proctor_facts import ExamPair, ProctorFacts, read_facts
from viva.kit.db import Connection
from viva.kit.deleted import HIDDEN_LINE_START
from viva.results.official import PracticeReason, Worth, worth_of

SAME_ADDRESS_HOURS = 24  # between two registrations from one address


def assess(
    db: Connection, policy: ProctorPolicy, evaluation_id: str, proctor: Agent, candidate_id: str | None
) -> Worth:
    """What the verdict of `proctor` on the candidate would be worth, if the exam is complete.

    Without a candidate: what its verdict on any other account would be worth at best."""
    return assess_each(db, policy, proctor, [ExamPair(evaluation_id, candidate_id)])[0]


def assess_each(db: Connection, policy: ProctorPolicy, proctor: Agent, asked: Sequence[ExamPair]) -> list[Worth]:
    """The same for many candidates, with one read."""
    if not asked:
        return []
    if policy == "anyone":
        return [worth_of(own_exam(proctor, pair)) for pair in asked]
    facts = read_facts(db, proctor.id, asked)
    return [
        worth_of([*own_exam(proctor, pair), *reasons_against(each)]) for pair, each in zip(asked, facts, strict=True)
    ]


def is_qualified(db: Connection, evaluation_id: str, proctor: Agent) -> bool:
    """Whether the proctor is qualified for the evaluation on a hub where not everybody is."""
    return "not_qualified" not in assess(db, "qualified", evaluation_id, proctor, None).reasons


def own_exam(proctor: Agent, pair: ExamPair) -> Iterator[PracticeReason]:
    if pair.candidate_id == proctor.id:
        yield "same_account"


def reasons_against(facts: ProctorFacts) -> Iterator[PracticeReason]:
    """Why the verdict would not be official. The last two rules bind those who qualified by a pass."""
    is_chosen = facts.is_maintainer or facts.is_appointed
    if not is_chosen and not (facts.accepts_passed and facts.has_passed and facts.is_verified):
        yield "not_qualified"
    if names_of(facts.owners) & names_of(facts.candidate_owners):
        yield "same_owner"
    if facts.has_open_attempt:
        yield "open_attempt"
    if not is_chosen and is_same_address(facts):
        yield "same_address"
    if not is_chosen and facts.was_examined:
        yield "examined_in_return"


def names_of(owners: Sequence[str | None]) -> set[str]:
    """The owners, without the differences that people overlook. A hidden owner is no owner."""
    said = (owner for owner in owners if owner and owner.strip() and not owner.startswith(HIDDEN_LINE_START))
    return {" ".join(owner.split()).casefold() for owner in said}


def is_same_address(facts: ProctorFacts) -> bool:
    """Whether both accounts came from one address within a day."""
    first, second = facts.registered_at, facts.candidate_registered_at
    if facts.address is None or facts.address != facts.candidate_address or first is None or second is None:
        return False
    return abs(first - second) <= timedelta(hours=SAME_ADDRESS_HOURS)


def find_incomplete(
    policy: ProctorPolicy, evaluation: Evaluation, said: Sequence[int], marked: set[str]
) -> Iterator[PracticeReason]:
    """What an exam lacks: messages of a side, or marks of criteria. `anyone` asks only that both sides have written."""
    min_messages = evaluation.min_messages if policy == "qualified" else 1
    if any(messages < min_messages for messages in said):
        yield "too_few_messages"
    if policy == "qualified" and not marked.issuperset(evaluation.criterion_ids):
        yield "criteria_unmarked"
