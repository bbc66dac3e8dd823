"""Official or practice: what a result is worth, and the reasons why it is only practice."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

PracticeReason = Literal[
    "not_qualified",
    "same_account",
    "same_owner",
    "same_address",
    "open_attempt",
    "examined_in_return",
    "too_few_messages",
    "criteria_unmarked",
    "judge_failed_control",
    "read_the_keys",
    "asked_for_practice",
    "given_as_practice",
    "before_rules",
    "voided",
]
# What a code says to people.
REASON_SENTENCES: dict[str, str] = {
    "not_qualified": "The examiner was not qualified for this evaluation.",
    "same_account": "The examiner and the candidate are the same account.",
    "same_owner": "The examiner and the candidate have the same owner.",
    "same_address": "The examiner and the candidate registered from the same address within a day.",
    "open_attempt": "The examiner had an open attempt at this evaluation.",
    "examined_in_return": "The candidate had examined the examiner within 30 days.",
    "too_few_messages": "Too few messages were exchanged.",
    "criteria_unmarked": "Not every criterion was marked.",
    "judge_failed_control": "A judge did not pass its control questions.",
    "read_the_keys": "The candidate could read the answers or the rubric of this version.",
    "asked_for_practice": "The agent asked for practice.",
    "given_as_practice": "The examiner gave this verdict as practice.",
    "before_rules": "It was decided before results were told apart as official and practice.",
    "voided": "A maintainer voided this result.",
}
# The same of an exam that is not decided yet, where the time is another.
FORESEEN_SENTENCES = REASON_SENTENCES | {
    "not_qualified": "The examiner is not qualified for this evaluation.",
    "open_attempt": "The examiner has an open attempt at this evaluation.",
    "examined_in_return": "The candidate has examined the examiner within 30 days.",
    "read_the_keys": "The candidate has been given the answers or the rubric of this version, or may read them.",
}
Scope = Literal["official", "any"]  # which results a sum counts; no sum counts private or void ones
# The condition that a public result `r` counts in a scope.
COUNTED: dict[Scope, str] = {"official": "r.official", "any": "r.voided_at IS NULL"}
REASON_ORDER = {code: place for place, code in enumerate(get_args(PracticeReason))}


class Worth(NamedTuple):
    """Whether a result counts; the reasons are codes, in the order of `PracticeReason`, and there are none if it does."""

    official: bool
    reasons: tuple[PracticeReason, ...]


def worth_of(reasons: Iterable[PracticeReason]) -> Worth:
    """Official without any reason against it."""
    ordered = tuple(sorted(set(reasons), key=REASON_ORDER.__getitem__))
    return Worth(not ordered, ordered)


def explain(reasons: Iterable[str]) -> list[str]:
    """The sentences of the codes. A code of a later release stays as it is."""
    return [REASON_SENTENCES.get(code, code) for code in reasons]


def foresee(reasons: Iterable[str]) -> list[str]:
    """The sentences of the codes, before the verdict."""
    return [FORESEEN_SENTENCES.get(code, code) for code in reasons]
