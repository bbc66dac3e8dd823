"""The rules of SIPs in one table, and the validation of a document by one of two profiles.

A `contribution` is new: what its rules refuse is an error. An `import` is a file of this hub or another one. It loads if it can
be read, and what a contribution could not have is a warning."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Literal, NamedTuple

from viva.evaluations import catalogue_rules, config_rules, content_rules, document_rules, sip_fields
from viva.evaluations.known_catalogue import KnownCatalogue as KnownCatalogue  # callers of validate() need both
from viva.evaluations.known_catalogue import read_catalogue as read_catalogue
from viva.evaluations.sip_yaml import Document
from viva.kit.errors import Fault

ValidationProfile = Literal["contribution", "import"]
RuleSeverity = Literal["error", "error unless draft", "error if active", "warning"]
RuleFunction = Callable[[Document, KnownCatalogue], Iterator[Fault]]
MAX_VALIDATION_FAULTS = 200  # of errors and of warnings; nobody reads more at once


class SipRule(NamedTuple):
    """`find` yields faults with these codes; its docstring is the rule. None means that a profile does not have the rule."""

    codes: tuple[str, ...]
    contribution: RuleSeverity | None
    imported: RuleSeverity | None
    find: RuleFunction


class SipFaults(NamedTuple):
    errors: list[Fault]
    warnings: list[Fault]


def find_malformed_fields(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """Every field of the front matter has its form."""
    return sip_fields.field_faults(document.front)


def find_malformed_config(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """Every key of the config has its form, and its parts fit together."""
    return sip_fields.config_faults(document.front)


FIELD_CODES = (
    "MISSING_FIELD NOT_TEXT TOO_LONG NOT_ONE_LINE INVALID_NUMBER INVALID_ID RESERVED_ID UNKNOWN_TYPE UNKNOWN_STATUS "
    "INVALID_VERSION INVALID_POINTS NOT_A_LIST INVALID_PREREQUISITE DUPLICATE_PREREQUISITE OWN_PREREQUISITE INVALID_DATE "
    "NOT_A_MAPPING INVALID_HANDLER INVALID_SCRIPT_PATH UNKNOWN_KEY NOT_ABOVE_ZERO INVALID_CRITERION DUPLICATE_CRITERION "
    "NOT_TRUE_OR_FALSE"
).split()
HANDLER_CODES = ("UNKNOWN_HANDLER", "HANDLER_OF_ANOTHER_TYPE")

RULES: tuple[SipRule, ...] = (
    SipRule(("MISSING_FIELD",), "error", "warning", document_rules.find_missing_fields),
    SipRule(("MISSING_FIELD",), "error", "warning", document_rules.find_missing_description),
    SipRule(("LONG_DESCRIPTION",), "warning", None, document_rules.find_long_description),
    SipRule(tuple(FIELD_CODES), "error", "error", find_malformed_fields),
    SipRule(("NUMBER_TAKEN",), "error", "error", catalogue_rules.find_taken_number),
    SipRule(("ID_TAKEN",), "error", None, catalogue_rules.find_taken_id),
    SipRule(("OLDER_VERSION",), "error", "error", catalogue_rules.find_older_version),
    SipRule(("UNKNOWN_MODULE",), "warning", None, catalogue_rules.find_unknown_module),
    SipRule(("UNKNOWN_DEPARTMENT",), "warning", None, catalogue_rules.find_unknown_department),
    SipRule(("NOT_A_DRAFT",), "warning", None, catalogue_rules.find_finished_status),
    SipRule(("UNKNOWN_PREREQUISITE",), "error", "warning", catalogue_rules.find_unknown_prerequisites),
    SipRule(("MISSING_FIELD",), "error", "warning", document_rules.find_missing_config),
    SipRule(tuple(sorted(config_rules.CONFIG_FAULT_CODES)), "error", "error if active", find_malformed_config),
    SipRule(("MISSING_FIELD",), "error", "warning", content_rules.find_unfinished_probes),
    SipRule(("PROBE_NOT_ENDING_ON_USER",), "error", "warning", content_rules.find_probes_not_ending_on_user),
    SipRule(
        ("PROBE_WITHOUT_ASSISTANT_TURN", "PROBE_WITHOUT_USER_TURN"),
        "error",
        "warning",
        content_rules.find_probes_without_turns,
    ),
    SipRule(("INVALID_FORMAT",), "error", "warning", content_rules.find_malformed_criteria),
    SipRule(("MISSING_FIELD",), "error", "warning", content_rules.find_unfinished_rows),
    SipRule(("RUBRIC_SUM_NOT_100",), "error", "warning", content_rules.find_wrong_sum),
    SipRule(HANDLER_CODES, "error", None, catalogue_rules.find_unknown_handler),
    SipRule(HANDLER_CODES, None, "error unless draft", catalogue_rules.find_handler_without_script),
    SipRule(("MISSING_FIELD", "TOO_FEW_EXEMPLARS"), "error", "warning", document_rules.find_few_exemplars),
    SipRule(("UNKNOWN_PROBE",), "error", "warning", document_rules.find_unknown_items),
    SipRule(("UNKNOWN_KEY",), "error", "warning", document_rules.find_misspelt_keys),
    SipRule(("UNKNOWN_KEY",), "warning", "warning", document_rules.find_unknown_keys),
)


def validate(front: dict[str, Any], body: str, profile: ValidationProfile, known: KnownCatalogue) -> SipFaults:
    """Every fault of a document at once. The caller adds to `known` a handler whose code was given."""
    document, status = Document(front, body), front.get("status")
    found: dict[bool, list[Fault]] = {True: [], False: []}
    for rule in RULES:
        severity = rule.contribution if profile == "contribution" else rule.imported
        if severity:
            found[is_error(severity, status)] += islice(rule.find(document, known), MAX_VALIDATION_FAULTS)
    errors = without_repetitions(found[True], [])
    return SipFaults(errors, without_repetitions(found[False], errors))


def is_error(severity: RuleSeverity, status: Any) -> bool:
    if severity == "error unless draft":
        return bool(status != "draft")
    return severity == "error" or (severity == "error if active" and status == "active")


def without_repetitions(faults: list[Fault], told: list[Fault]) -> list[Fault]:
    """Each fault once. Of a field that is missing, nothing else is told; two rules may find it missing."""
    missing = {fault.field for fault in faults if fault.code == "MISSING_FIELD"}
    seen = {key_of(fault) for fault in told} | {(fault.field, "MISSING_FIELD") for fault in told}
    kept = []
    for fault in faults:
        if key_of(fault) not in seen and (fault.code == "MISSING_FIELD" or fault.field not in missing):
            seen.add(key_of(fault))
            kept.append(fault)
    return kept[:MAX_VALIDATION_FAULTS]


def key_of(fault: Fault) -> tuple[str, ...]:
    return fault[:2] if fault.code == "MISSING_FIELD" else fault[:3]
