"""Validating a contribution: the rules of SIPs in the strict profile, and moderation. The outcome is kept for its review."""

from collections.abc import Iterable

from viva.contributions import documents, moderation, store
from viva.contributions.model import Contribution, Proposal, Validation, ValidationProblem
from viva.evaluations import validation
from viva.evaluations.known_catalogue import read_catalogue
from viva.kit.db import Connection
from viva.kit.errors import Fault

# The columns that front-matter fields come from. Other fields have the same name in both.
COLUMN_OF_FIELD = {
    "id": "evaluation_id",
    "sip": "sip_number",
    "executable": "executable_handler",
    "executable.handler": "executable_handler",
    "executable.script_path": "executable_script_path",
}
MAX_PROBLEMS = 200  # kept of each kind; a config may have thousands of faults


def validate(db: Connection, contribution: Contribution) -> Validation:
    """Validate the contribution and keep what was found."""
    outcome = validate_proposal(db, contribution.proposal)
    store.put_validation(db, contribution.id, outcome)
    return outcome


def validate_proposal(db: Connection, proposal: Proposal) -> Validation:
    errors, warnings = check_rules(db, proposal)
    moderated = moderation.moderate(proposal)
    found = [*problems_of(errors), *problems_of(moderated.errors)]
    notes = [*problems_of(warnings), *problems_of(moderated.warnings)]
    return Validation(not found, found[:MAX_PROBLEMS], notes[:MAX_PROBLEMS])


def check_rules(db: Connection, proposal: Proposal) -> tuple[list[Fault], list[Fault]]:
    """Errors and warnings of the rules for SIPs."""
    known = read_catalogue(db)
    if proposal.executable_code:
        known = known.with_handler(documents.handler_of(proposal))
    found = validation.validate(documents.front_of(proposal), documents.body_of(proposal), "contribution", known)
    return found.errors, found.warnings


def problems_of(faults: Iterable[Fault]) -> list[ValidationProblem]:
    return [
        ValidationProblem(
            COLUMN_OF_FIELD.get(fault.field, fault.field), fault.code, fault.message, getattr(fault, "suggestion", None)
        )
        for fault in faults
    ]
