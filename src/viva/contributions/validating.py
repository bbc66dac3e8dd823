"""Validating a contribution: the rules of SIPs in the strict profile, and moderation. The outcome is kept for its review."""

import asyncio
import json
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from msgspec import structs

from viva.agents import store as agents
from viva.contributions import bounds, documents, kept_validations, moderation, store
from viva.contributions.gate_model import add_problems
from viva.contributions.model import Contribution, Proposal, Validation, ValidationProblem
from viva.contributions.outlines import PLACEHOLDER_OPENING
from viva.evaluations import sip as sips
from viva.evaluations import sip_yaml, validation
from viva.evaluations.handler_code import handler_code_faults
from viva.evaluations.sip import Sip
from viva.evaluations.validation import KnownCatalogue, SipFaults
from viva.kit.db import Connection, Database
from viva.kit.errors import Fault, VivaError

# The columns that front-matter fields come from. Other fields have the same name in both.
COLUMN_OF_FIELD = {
    "id": "evaluation_id",
    "sip": "sip_number",
    "executable": "executable_handler",
    "executable.handler": "executable_handler",
    "executable.script_path": "executable_script_path",
    "executable.code": "executable_code",
}
MAINTAINERS_CHOICE_CODES = frozenset({"UNKNOWN_MODULE", "UNKNOWN_DEPARTMENT"})
MAX_PROBLEMS = 200  # kept of each kind; a config may have thousands of faults
NO_NUMBER = 0  # a number is given at approval
# In JSON: control characters, characters that YAML escapes or refuses, and integers that may have more than 64 bits.
UNUSUAL_JSON = re.compile("\\\\u|[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]|[0-9]{19}")
LINE_IN_JSON = re.compile(r"[,:{\[]|\\[nr]")  # what may begin a line of the document
MAX_LINE_MARGIN = 64  # bytes before a line's text: 2 for each of at most 21 levels, dashes, quotes

# A large draft with many faults takes half a second. Because of the GIL, a second thread would not be faster.
VALIDATION_THREAD = ThreadPoolExecutor(1, "viva-validation")


async def validate_ahead(database: Database, read: Callable[[Connection], Contribution]) -> None:
    """Validate outside of the transaction that needs the outcome, so that nothing else waits for it.

    The transaction takes the outcome only if proposal and catalogue are the same. Otherwise it validates by itself."""
    try:
        contribution, known = await database.read(lambda db: (read(db), validation.read_catalogue(db)))
    except VivaError:
        return  # the transaction meets the same error, and answers it
    await asyncio.get_running_loop().run_in_executor(VALIDATION_THREAD, validate_with, known, contribution.proposal)


def validate(db: Connection, contribution: Contribution) -> Validation:
    """Validate the contribution and keep what was found. The gate has its own table; what it found is added."""
    found = validate_content(db, contribution)
    name_faults = list(moderation.text_faults("contributor_name", contribution.contributor_name))
    if name_faults:
        found = Validation(False, [*problems_of(name_faults), *found.errors][:MAX_PROBLEMS], found.warnings)
    store.put_validation(db, contribution.id, found)
    return add_problems(found, store.find_gate(db, contribution.id, contribution.revision))


def validate_proposal(db: Connection, proposal: Proposal) -> Validation:
    """Everything that is wrong with a proposal, at once."""
    return validate_with(validation.read_catalogue(db), proposal)


def validate_content(db: Connection, contribution: Contribution) -> Validation:
    """What is wrong with the content, for its contributor. Maintainers choose modules and departments as they like."""
    found = validate_proposal(db, contribution.proposal)
    warnings = [problem for problem in found.warnings if problem.code not in MAINTAINERS_CHOICE_CODES]
    if len(warnings) == len(found.warnings) or not is_of_maintainer(db, contribution):
        return found
    return structs.replace(found, warnings=warnings)


def is_of_maintainer(db: Connection, contribution: Contribution) -> bool:
    return bool(contribution.contributor_id) and agents.get(db, contribution.contributor_id or "").is_maintainer


def validate_with(known: KnownCatalogue, proposal: Proposal) -> Validation:
    outcome = kept_validations.find_kept(proposal, known)
    if outcome is None:
        outcome = find_problems(known, proposal)
        kept_validations.keep(proposal, known, outcome)
    return outcome


def find_problems(known: KnownCatalogue, proposal: Proposal) -> Validation:
    sip = documents.sip_of(proposal, NO_NUMBER, "draft")
    by_rules, moderated = check_rules(known, proposal, sip), moderation.moderate(proposal)
    code_faults = handler_code_faults(proposal.executable_code) if proposal.executable_code else ()
    faults = [*find_placeholders(proposal), *by_rules.errors, *code_faults, *moderated.errors]
    # Writing and reading the document takes longer than all the rest, so it is the last thing to be checked.
    errors = problems_of(faults or document_faults(sip))
    warnings = problems_of([*by_rules.warnings, *moderated.warnings])
    return Validation(not errors, errors[:MAX_PROBLEMS], warnings[:MAX_PROBLEMS])


def check_rules(known: KnownCatalogue, proposal: Proposal, sip: Sip) -> SipFaults:
    if proposal.executable_code:
        known = known.with_handler(sip.executable.handler)
    return validation.validate(sips.front_of(sip), sip.body, "contribution", known)


def document_faults(sip: Sip) -> Iterator[Fault]:
    """What keeps the document from being read again, such as its size."""
    if is_surely_readable(sip):
        return
    try:
        sip_yaml.read(sips.render(sip))
    except sip_yaml.InvalidSip as error:
        yield from (fault._replace(field="config") for fault in error.faults)


def is_surely_readable(sip: Sip) -> bool:
    """Whether the document is plain and small, so that writing and reading it would find nothing. That takes long."""
    front = sips.front_of(sip)
    if not bounds.has_few_values(front):
        return False
    try:
        text = json.dumps([front, sip.body], ensure_ascii=False, allow_nan=False)
    except ValueError:  # a number that is not finite
        return False
    if UNUSUAL_JSON.search(text):
        return False
    # YAML may write a character of 4 bytes as an escape of 10.
    return 3 * len(text.encode()) + MAX_LINE_MARGIN * len(LINE_IN_JSON.findall(text)) < sip_yaml.MAX_SIP_BYTES


def problems_of(faults: Iterable[Fault]) -> list[ValidationProblem]:
    return [
        ValidationProblem(
            COLUMN_OF_FIELD.get(fault.field, fault.field), fault.code, fault.message, fault.suggestion or None
        )
        for fault in faults
    ]


def find_placeholders(proposal: Proposal) -> Iterator[Fault]:
    """Texts of the template that the author has not replaced."""
    for field in ("config", "exemplars", "research_mapping"):
        for place, text in moderation.texts_in(field, getattr(proposal, field)):
            if text.startswith(PLACEHOLDER_OPENING):
                yield Fault(place, "PLACEHOLDER", f"{place} is still the text of the template. Replace it.")
