"""What the gate checks, and what its outcomes mean for the proposal."""

from typing import Any

from msgspec import Struct

from viva.contributions.model import (
    GateAgentName,
    GateOutcome,
    GateReport,
    GateStatus,
    Validation,
    ValidationProblem,
)

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
SCRATCH_NUMBER = 1  # the scratch hub has no other evaluation
SCRATCH_SCRIPT = f"SIP-{SCRATCH_NUMBER}.py"
NOT_CHECKED_CODE = "GATE_NOT_CHECKED"


class GateTask(Struct, frozen=True):
    """What the gate's process reads: the document to sit, the code of its handler, and the exemplars."""

    document: str
    code: str | None
    exemplars: list[Any]
    seconds: float  # after which no further agent sits


def add_problems(validation: Validation, report: GateReport | None) -> Validation:
    """The validation with what the gate of the same revision found."""
    if report is None:
        return validation
    errors = [*validation.errors, *(problem_of(each) for each in report.outcomes if each.verdict == "error")]
    warnings = [*validation.warnings, *(problem_of(each) for each in report.outcomes if each.verdict == "warning")]
    if report.status == "not_checked":
        warnings.append(ValidationProblem("config", NOT_CHECKED_CODE, unchecked_reason(report.outcomes)))
    return Validation(not errors, errors, warnings)


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


def make_unchecked(reason: str) -> list[GateOutcome]:
    """The outcomes of a gate in which nobody could sit."""
    return [GateOutcome("all", 0, 0, "not_checked", reason)]
