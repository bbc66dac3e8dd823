"""Strict validation of SIP files, for authors. Nothing is written."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from viva.evaluations.companions import merge_companion
from viva.evaluations.sip_fields import SCRIPT_PATH_PATTERN, matches
from viva.evaluations.sip_folders import IGNORED_NAME, is_ignored, read_text
from viva.evaluations.sip_yaml import Document, InvalidSip, read
from viva.evaluations.validation import KnownCatalogue, SipFaults, validate
from viva.kit.errors import Fault


class ValidatedFile(NamedTuple):
    path: Path
    errors: list[Fault]
    warnings: list[Fault]

    @property
    def lines(self) -> list[str]:
        faults = [("error", fault) for fault in self.errors] + [("warning", fault) for fault in self.warnings]
        lines = [f"{self.path}: {'not valid' if self.errors else 'valid'}"]
        for severity, (field, code, message, suggestion) in faults:
            lines.append(f"  {severity} {code} {field}: {message} {suggestion}".rstrip())
        return lines

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "file": str(self.path),
            "is_valid": not self.errors,
            "errors": [fault.as_json for fault in self.errors],
            "warnings": [fault.as_json for fault in self.warnings],
        }


def validate_files(paths: Sequence[Path], known: KnownCatalogue) -> list[ValidatedFile]:
    """Validate files as contributions, one after the other. They may name each other as prerequisites."""
    read_files = [(path, read_document(path)) for path in paths]
    documents = [document for _, document in read_files if isinstance(document, Document)]
    known = known.with_ids({str(document.front.get("id")): "" for document in documents})
    validated, earlier = [], list[Document]()
    for path, document in read_files:
        if isinstance(document, InvalidSip):
            validated.append(ValidatedFile(path, list(document.faults), []))
            continue
        errors, warnings = validate_document(path, document, known)
        validated.append(ValidatedFile(path, errors + repetitions(document, earlier), warnings))
        earlier.append(document)
    return validated


def read_document(path: Path) -> Document | InvalidSip:
    try:
        return merge_companion(path, read(read_text(path)))
    except InvalidSip as error:
        return error


def validate_document(path: Path, document: Document, known: KnownCatalogue) -> SipFaults:
    named = document.front.get("executable")
    executable: dict[str, Any] = named if isinstance(named, dict) else {}
    script = executable.get("script_path")
    if matches(SCRIPT_PATH_PATTERN, script) and (path.parent / str(script)).is_file():
        known = known.with_handler(str(executable.get("handler")))
    errors, warnings = validate(document.front, document.body, "contribution", known)
    return SipFaults(errors, [*warnings, IGNORED_NAME] if is_ignored(path) else warnings)


def repetitions(document: Document, earlier: Sequence[Document]) -> list[Fault]:
    """Faults for an id or a number that an earlier file has too."""
    faults = []
    for field, code in (("id", "ID_TAKEN"), ("sip", "NUMBER_TAKEN")):
        value = document.front.get(field)
        if value and any(value == other.front.get(field) for other in earlier):
            faults.append(Fault(field, code, f"Another of these files has the {field} {value} too."))
    return faults
