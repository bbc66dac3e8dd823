"""Practice that an agent asks for itself: it never counts, and its result is private to the agent."""

from typing import Any

from viva.evaluations.model import Evaluation
from viva.exams.handlers.traits import traits_of
from viva.exams.model import Outcome, Registration
from viva.kit.errors import Conflict

SHOWN_DATA = ("questions", "answered", "passing_score", "judges", "markers")  # says nothing of a single item


class StartedOtherwise(Conflict):
    """This attempt has started already, and it counts. Withdraw and register again to practise."""


class NoPractice(Conflict):
    """Class work is done with others, so it cannot be practised alone."""


def has_new_items(evaluation: Evaluation) -> bool:
    return traits_of(evaluation.handler).has_new_items(evaluation)


def is_try(evaluation: Evaluation, registration: Registration) -> bool:
    """Whether an attempt counts towards the limit of tries. Practice does where it shows the items of a real attempt."""
    return not (registration.is_practice and has_new_items(evaluation))


def is_decided_try(evaluation: Evaluation, registration: Registration, counts: bool) -> bool:
    """Whether a decided attempt uses a try. `counts` says that the verdict is official, or that it could have been.

    Other verdicts use none: anybody can give them, so anybody could use up the tries of others. Practice that nobody
    examines shows the items of a real attempt, so it is a try of its own."""
    if registration.is_practice and evaluation.type != "proctored":
        return is_try(evaluation, registration)
    return counts


def hide_items(evaluation: Evaluation, outcome: Outcome) -> Outcome:
    """The outcome without what it says of single items, if these are the same in a real attempt."""
    if traits_of(evaluation.handler).is_in_session or has_new_items(evaluation):
        return outcome
    data: dict[str, Any] = {name: value for name, value in (outcome.data or {}).items() if name in SHOWN_DATA}
    return outcome._replace(data=data, feedback=None)
