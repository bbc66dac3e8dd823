"""SIP documents: parse() reads one, render() writes it; each is the inverse of the other."""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from viva.evaluations import sip_fields, sip_lenient
from viva.evaluations.public_text import without_marker_sections
from viva.evaluations.sip_yaml import Document, read, write
from viva.evaluations.sip_yaml import InvalidSip as InvalidSip  # callers of parse() catch it
from viva.kit.errors import Fault

# Config keys that do not affect a grade.
UNGRADED_CONFIG_KEYS = {
    "summary",
    "findings",
    "reveal",
    "claim_minutes",
    "observable",
    "max_tries",
    "cooldown_minutes",
    "assignment",
    "second_reading",
    "proctors",
    "min_messages",
}
# Sections that say what a proctor asks and how the proctor decides.
GRADED_SECTIONS = ("Procedure", "Pass and fail", "Scoring", "Criteria")


@dataclass(frozen=True)
class Executable:
    handler: str
    script_path: str | None


@dataclass(frozen=True)
class Sip:
    sip: int  # 0 while it has no number
    id: str
    name: str
    title: str | None
    module: str
    department: str | None
    type: str
    status: str
    version: str
    points: float
    prerequisites: tuple[str, ...]
    author: str
    created_at: str
    updated_at: str
    config: dict[str, Any]
    executable: Executable
    extra: dict[str, Any]  # front-matter keys that Viva does not know, unchanged
    body: str
    research_basis: str | None = None  # this and the next two are not graded
    research_mapping: list[dict[str, str]] | None = None  # of {research, probe}
    exemplars: list[dict[str, str]] | None = None  # of {probe, pass, fail}; they show answers, so not for everybody


class ParsedSip(NamedTuple):
    sip: Sip | None
    warnings: list[Fault]


def parse(text: str) -> Sip:
    """Parse a SIP, or raise InvalidSip with everything that is wrong with it."""
    document = read(text)
    if faults := list(sip_fields.faults(document.front)):
        raise InvalidSip(faults)
    return build(document)


def parse_leniently(text: str) -> ParsedSip:
    """Parse a SIP of another hub. Each fault that parse() refuses is repaired and gives a warning."""
    front, body = read(text)
    if not sip_lenient.slug(front.get("id")):
        raise InvalidSip([Fault("id", "MISSING_FIELD", "id is missing.")])
    if front.get("type") not in sip_fields.EVALUATION_TYPES:
        message = f"{front['id']} is not an evaluation (its type is {front.get('type')}) and is not imported."
        return ParsedSip(None, [Fault("type", "NOT_AN_EVALUATION", message)])
    repaired = sip_lenient.repair(front)
    return ParsedSip(build(Document(repaired.front, body)), repaired.warnings)


def build(document: Document) -> Sip:
    known: dict[str, Any] = {field: document.front.get(field) for field in sip_fields.FIELD_RULES}
    known["prerequisites"] = tuple(known["prerequisites"])
    known["executable"] = Executable(known["executable"]["handler"], known["executable"].get("script_path"))
    extra = {key: value for key, value in document.front.items() if key not in known}
    return Sip(**known, extra=extra, body=document.body)


def render(sip: Sip) -> str:
    """The canonical text of a SIP."""
    return write(Document(front_of(sip), sip.body))


def front_of(sip: Sip) -> dict[str, Any]:
    """The front matter of a SIP."""
    executable = {"handler": sip.executable.handler, "script_path": sip.executable.script_path}
    known = {field: getattr(sip, field) for field in sip_fields.FIELD_RULES}
    known |= {"prerequisites": list(sip.prerequisites), "executable": without_none(executable)}
    return without_none(known) | sip.extra


def without_none(mapping: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if value is not None}


def digest(sip: Sip, code: str | None = None) -> str:
    """A hash of everything that affects a grade. It changes if the same work could get another result.

    `code` is that of a contributed handler."""
    graded = {
        "type": sip.type,
        "points": float(sip.points),  # 10 and 10.0 are the same points
        "handler": sip.executable.handler,
        "config": {key: value for key, value in sip.config.items() if key not in UNGRADED_CONFIG_KEYS},
    }
    if sip.type == "proctored":
        graded["sections"] = {heading: section(sip.body, heading) for heading in GRADED_SECTIONS}
    if code is not None:
        graded["code"] = code
    canonical = json.dumps(graded, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def purpose_of(sip: Sip) -> str:
    """What the evaluation tests for, in a paragraph."""
    return find_purpose(sip.config, sip.body)


def find_purpose(config: dict[str, Any], body: str) -> str:
    summary = config.get("summary")
    if isinstance(summary, str) and summary.strip():
        return summary.strip()
    public = without_marker_sections(body)  # the first words of a procedure are no purpose
    sources = (section(body, "What this evaluation tests"), section(body, "Description"), public)
    return next(filter(None, map(first_paragraph, sources)), "")


def section(body: str, heading: str) -> str:
    """The text under a `## ` heading, up to the next one. Lines of a fenced block are never headings."""
    lines: list[str] = []
    inside = fenced = False
    for line in body.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if line.startswith("## ") and not fenced:
            if inside:
                break
            inside = re.match(rf"## +{re.escape(heading)}\b", line) is not None
        elif inside:
            lines.append(line.rstrip())
    return "\n".join(lines).strip()


def first_paragraph(text: str) -> str:
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in block.splitlines() if line.strip() and not line.startswith("#")]
        if lines:
            return " ".join(lines)
    return ""
