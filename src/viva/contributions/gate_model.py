"""The gate of a proposal: what agents that know nothing reach in it, and what a reference agent reaches."""

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from viva.contributions.model import Validation, ValidationProblem

GateStatus = Literal["running", "passed", "failed", "not_checked"]
GateVerdict = Literal["ok", "error", "warning", "not_checked"]
# Agents that cannot pass a sound evaluation, in the order in which they sit.
NullAgentName = Literal["nothing", "constant", "random", "prompt", "orders"]
GateAgentName = NullAgentName | Literal["reference", "fail_exemplars", "all"]

GATE_FIELDS: dict[GateAgentName, str] = {"reference": "exemplars", "fail_exemplars": "exemplars"}
PROBLEM_CODES: dict[GateAgentName, str] = {
    "nothing": "GAMED_BY_NOTHING",
    "constant": "GAMED_BY_CONSTANT",
    "random": "GAMED_BY_RANDOM",
    "prompt": "GAMED_BY_PROMPT",
    "orders": "GAMED_BY_ORDERS",
    "reference": "REFERENCE_FAILED",
    "fail_exemplars": "FAIL_EXEMPLARS_PASS",
}
NOT_CHECKED_CODE = "GATE_NOT_CHECKED"


class GateOutcome(Struct, frozen=True):
    """What one agent reached, or why none could sit (`all`). `detail` is for people."""

    agent: GateAgentName
    runs: int
    passes: int
    verdict: GateVerdict
    detail: str


class Gate(Struct, frozen=True):
    """The gate of one revision of a contribution."""

    contribution_id: str
    revision: int
    status: GateStatus
    outcomes: list[GateOutcome]
    checked_at: datetime

    @property
    def problems(self) -> Validation:
        """Errors and warnings, as a validation lists them."""
        errors = [problem_of(each) for each in self.outcomes if each.verdict == "error"]
        warnings = [problem_of(each) for each in self.outcomes if each.verdict == "warning"]
        if self.status == "not_checked":
            warnings.append(ValidationProblem("config", NOT_CHECKED_CODE, unchecked_reason(self.outcomes)))
        return Validation(not errors, errors, warnings)


class GateTask(Struct, frozen=True):
    """What the gate's process reads: the document to sit, the code of its handler, and the exemplars."""

    document: str
    code: str | None
    exemplars: list[Any]
    seconds: float  # after which no further agent sits


def problem_of(outcome: GateOutcome) -> ValidationProblem:
    field = GATE_FIELDS.get(outcome.agent, "config")
    return ValidationProblem(field, PROBLEM_CODES[outcome.agent], outcome.detail)


def unchecked_reason(outcomes: list[GateOutcome]) -> str:
    return next((each.detail for each in outcomes if each.verdict == "not_checked"), "")


def status_of(outcomes: list[GateOutcome]) -> GateStatus:
    """An error fails the gate. Without one, anything that could not be checked leaves it unchecked."""
    verdicts = {outcome.verdict for outcome in outcomes}
    if "error" in verdicts:
        return "failed"
    return "not_checked" if "not_checked" in verdicts else "passed"


def unchecked(reason: str) -> list[GateOutcome]:
    """The outcomes of a gate in which nobody could sit."""
    return [GateOutcome("all", 0, 0, "not_checked", reason)]
