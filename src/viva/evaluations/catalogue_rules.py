"""Rules between a SIP and the catalogue: number, id, version, prerequisites, module, department, handler, status."""

from collections.abc import Iterator
from typing import Any

from viva.evaluations import sip_fields
from viva.evaluations.known_catalogue import KnownCatalogue
from viva.evaluations.sip_fields import VERSION_PATTERN, matches
from viva.evaluations.sip_yaml import Document
from viva.evaluations.store import version_order
from viva.kit.errors import Fault
from viva.kit.spelling import suggest_spelling


def text_in(document: Document, field: str) -> str:
    value = document.front.get(field)
    return value if isinstance(value, str) else ""


def find_taken_number(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """The SIP number is not that of another evaluation."""
    number: Any = document.front.get("sip")
    holder = known.numbers.get(number) if type(number) is int and number else None
    if holder is not None and holder != text_in(document, "id"):
        suggestion = f"The next free number is {max(known.numbers) + 1}."
        yield Fault("sip", "NUMBER_TAKEN", f"SIP-{number} is already {holder}.", suggestion)


def find_taken_id(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """The id is not that of another evaluation."""
    id_ = text_in(document, "id")
    number = known.number_of(id_)
    if number is not None and number != document.front.get("sip"):
        yield Fault("id", "ID_TAKEN", f"{id_} is already SIP-{number}.", f"Choose another id, such as {id_}-2.")


def find_older_version(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """A version only goes upwards."""
    id_, version = text_in(document, "id"), text_in(document, "version")
    present = known.versions.get(id_)
    if present and matches(VERSION_PATTERN, version) and version_order(version) < version_order(present):
        message = f"{id_} is already in version {present}; {version} is older."
        yield Fault("version", "OLDER_VERSION", message, f"Give it a version above {present}.")


def find_unknown_prerequisites(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """Prerequisites are evaluations of the catalogue."""
    named = document.front.get("prerequisites")
    for at, id_ in enumerate(named if isinstance(named, list) else []):
        if isinstance(id_, str) and id_ not in known.versions and id_ != text_in(document, "id"):
            message = f"There is no evaluation {id_}, so nobody could meet this prerequisite."
            yield Fault(f"prerequisites[{at}]", "UNKNOWN_PREREQUISITE", message, suggest_spelling(id_, known.versions))


def find_unknown_module(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """The module is one that the hub has."""
    yield from unknown_name("module", text_in(document, "module"), known.modules)


def find_unknown_department(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """The department is one that the hub has."""
    yield from unknown_name("department", text_in(document, "department"), known.departments)


def unknown_name(field: str, name: str, known: frozenset[str]) -> Iterator[Fault]:
    if name.strip() and name.casefold() not in {each.casefold() for each in known}:
        suggestion = suggest_spelling(name, known) or f"There are: {', '.join(sorted(known)[:20])}."
        yield Fault(field, f"UNKNOWN_{field.upper()}", f"No evaluation has the {field} {name} yet.", suggestion)


def find_finished_status(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """What is submitted is a draft."""
    status = text_in(document, "status")
    is_new = known.number_of(text_in(document, "id")) is None
    if is_new and status in sip_fields.EVALUATION_STATUSES and status != "draft":
        message = f"A new evaluation is submitted as a draft, not as {status}."
        yield Fault("status", "NOT_A_DRAFT", message, "Use status: draft; the reviewers make it active.")


def find_unknown_handler(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """The handler is known, or its code is given."""
    return sip_fields.handler_faults(document.front, known.handlers, code_may_be_beside=False)


def find_handler_without_script(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """The handler is known, or `script_path` names its code."""
    return sip_fields.handler_faults(document.front, known.handlers)
