"""The verdict that contributed code returns: its form is checked strictly, then it becomes an outcome."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from viva.exams.model import Outcome, Undecided
from viva.kit import forms

VerdictText = Annotated[str, Meta(max_length=2_000)]
VerdictNumber = Annotated[float, Meta(ge=0, le=1e9)]
HANDLER_CRITERION = {"id": "handler", "text": "The answer passes the check of this evaluation's handler."}


class VerdictCriterion(Struct, frozen=True, forbid_unknown_fields=True):
    """One criterion; `met` is null if the code could not judge it."""

    id: Annotated[str, Meta(min_length=1, max_length=100)]
    text: Annotated[str, Meta(min_length=1, max_length=300)]
    met: bool | None
    reason: VerdictText = ""


class HandlerVerdict(Struct, frozen=True, forbid_unknown_fields=True):
    """What `decide` returns. A score needs the maximum that it is out of."""

    passed: bool
    score: VerdictNumber | None = None
    max_score: VerdictNumber | None = None
    reason: VerdictText = ""
    criteria: Annotated[list[VerdictCriterion], Meta(max_length=50)] = []


def outcome_of(value: Any) -> Outcome | Undecided:
    """The outcome of a verdict. A value of another form decides nothing.

    The answer stays out of the public data: to the next candidate, it might be the key."""
    try:
        verdict = msgspec.convert(value, HandlerVerdict)
    except msgspec.ValidationError as error:
        fault = forms.fault_of(error)
        where = f" at {fault.field}" if fault.field else ""
        return Undecided(f"The handler returned no valid verdict{where}: {fault.message}")
    if (verdict.score is None) != (verdict.max_score is None):
        return Undecided("The handler returned a score without a max_score, or the reverse.")
    if verdict.score is not None and verdict.score > (verdict.max_score or 0):
        return Undecided("The handler returned a score above its max_score.")
    criteria = [{**HANDLER_CRITERION, "met": verdict.passed, "reason": verdict.reason}]
    criteria += [msgspec.to_builtins(criterion) for criterion in verdict.criteria]
    return Outcome(verdict.passed, verdict.score, verdict.max_score, {"criteria": criteria})
