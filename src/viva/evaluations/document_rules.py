"""Rules for a whole document: required fields, description, research, exemplars, and the spelling of keys."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any, get_args

import msgspec

from viva.evaluations.config_rules import rows_of
from viva.evaluations.configs import CONFIGS
from viva.evaluations.content_rules import config_of, is_blank
from viva.evaluations.known_catalogue import KnownCatalogue
from viva.evaluations.sip import find_purpose
from viva.evaluations.sip_fields import FIELD_RULES
from viva.evaluations.sip_yaml import Document
from viva.kit import faults
from viva.kit.errors import Fault
from viva.kit.spelling import suggest_spelling

REQUIRED_FIELDS = ("id", "name", "module", "department", "type", "author", "research_basis")
REQUIRED_CONFIG_KEYS = {
    "simple_pass_fail": (),
    "complex_benchmark": ("questions", "passing_score"),
    "agent_certification": ("prompts", "rubric", "passingScore"),
    "proctored": ("criteria",),
    "live_class_work": ("task", "rubric", "passing_score"),
}
# The list in the config whose items exemplars and research are about.
ITEM_LISTS = {
    "simple_pass_fail": "checks",
    "complex_benchmark": "questions",
    "agent_certification": "prompts",
    "proctored": "criteria",
    "live_class_work": "rubric",
}
MIN_EXEMPLARS = 2
MAX_DESCRIPTION_SENTENCES = 2
MAX_UNKNOWN_KEYS = 100  # for which a spelling is suggested, since that takes time
SENTENCE_END = re.compile(r"(?<!\b[A-Za-z])[.!?…](?=\s|$)")  # the last full stop of "e.g." ends no sentence


def find_missing_fields(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """A name, a module, a department, a type, an author, a handler and a research basis are required."""
    for field in REQUIRED_FIELDS:
        if is_blank(document.front.get(field)):
            yield Fault(field, "MISSING_FIELD", f"{field} is missing.")
    executable = document.front.get("executable")
    if isinstance(executable, dict) and is_blank(executable.get("handler")):
        yield Fault("executable.handler", "MISSING_FIELD", "executable.handler is missing.")


def find_missing_config(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """The config has its questions or prompts, its rubric and its passing score, as its type needs them."""
    for key in REQUIRED_CONFIG_KEYS.get(str(document.front.get("type")), ()):
        if is_blank(config_of(document).get(key)):
            yield Fault(f"config.{key}", "MISSING_FIELD", f"config.{key} is missing.")


def find_missing_description(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """There is a description: `config.summary`, or the section "What this evaluation tests"."""
    if not find_purpose(config_of(document), document.body):
        yield Fault(
            "description", "MISSING_FIELD", "description is missing.", "Say in one or two sentences what is tested."
        )


def find_long_description(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """The description has one or two sentences."""
    sentences = len(SENTENCE_END.findall(find_purpose(config_of(document), document.body)))
    if sentences > MAX_DESCRIPTION_SENTENCES:
        message = f"The description has {sentences} sentences; one or two are enough."
        suggestion = "Put the short form into config.summary, and the details into the text."
        yield Fault("description", "LONG_DESCRIPTION", message, suggestion)


def find_few_exemplars(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """There are exemplars for at least two probes, questions or criteria."""
    rows, items = rows_of(document.front, "exemplars"), item_ids(document)
    if not rows:
        yield Fault("exemplars", "MISSING_FIELD", f"exemplars is missing; at least {MIN_EXEMPLARS} are needed.")
        return
    needed = MIN_EXEMPLARS if items is None else min(MIN_EXEMPLARS, max(1, len(items)))
    if len(rows) < MIN_EXEMPLARS or len({str(row.get("probe")) for row in rows}) < needed:
        message = f"Exemplars are needed for at least {MIN_EXEMPLARS} probes."
        suggestion = "For another probe, give an answer that passes and one that fails."
        yield Fault("exemplars", "TOO_FEW_EXEMPLARS", message, suggestion)


def find_unknown_items(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """Exemplars and research name probes, questions or criteria that there are."""
    items = item_ids(document)
    if not items:  # a simple challenge has no items, and missing ones are told already
        return
    for field in ("exemplars", "research_mapping"):
        for at, row in enumerate(rows_of(document.front, field)):
            named = row.get("probe")
            if isinstance(named, str) and named and named not in items:
                place = f"{field}[{at}].probe"
                suggestion = suggest_spelling(named, items) or f"There are: {', '.join(items[:20])}."
                yield Fault(place, "UNKNOWN_PROBE", f"{place}: nothing has the id {named}.", suggestion)


def item_ids(document: Document) -> list[str] | None:
    """The ids of probes, questions, criteria or rubric rows; None if this evaluation has no such list."""
    key = ITEM_LISTS.get(str(document.front.get("type")))
    if key is None or not isinstance(config_of(document).get(key), list):
        return None
    return [row["id"] for row in rows_of(config_of(document), key) if isinstance(row.get("id"), str) and row["id"]]


def find_misspelt_keys(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """No key is a misspelt one, as `sumary` is."""
    return (fault for fault in unknown_keys(document) if fault.suggestion)


def find_unknown_keys(document: Document, known: KnownCatalogue) -> Iterator[Fault]:
    """Every key is one that Viva knows."""
    return (fault for fault in unknown_keys(document) if not fault.suggestion)


def unknown_keys(document: Document) -> Iterator[Fault]:
    return islice(all_unknown_keys(document), MAX_UNKNOWN_KEYS)


def all_unknown_keys(document: Document) -> Iterator[Fault]:
    yield from unknown_among(document.front, list(FIELD_RULES), "")
    config = CONFIGS.get(str(document.front.get("type")))
    if config:
        yield from unknown_inside(document.front.get("config"), config, "config")


def unknown_inside(value: Any, kind: Any, field: str) -> Iterator[Fault]:
    """The unknown keys of a value and its parts, as far as their types say which keys they have."""
    container = faults.container_for(value, kind)
    if container is None:
        return
    if not faults.is_struct(container):
        inner = (get_args(container) or (Any,))[-1]
        for at, part in enumerate(value) if isinstance(value, list) else ():
            yield from unknown_inside(part, inner, f"{field}[{at}]")
        return
    known, tag = field_types(container), container.__struct_config__.tag_field
    yield from unknown_among(value, [*known, *([tag] if tag else [])], field)
    for name, inner in known.items():
        if name in value:
            yield from unknown_inside(value[name], inner, f"{field}.{name}")


@cache
def field_types(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The type of each key. msgspec resolves them anew each time, which is slow."""
    return {info.encode_name: info.type for info in msgspec.structs.fields(struct)}


def unknown_among(value: dict[str, Any], known: list[str], field: str) -> Iterator[Fault]:
    for key in value:
        if key not in known:
            place = f"{field}.{key[: faults.MAX_FIELD_CHARACTERS]}".lstrip(".")
            yield Fault(
                place, "UNKNOWN_KEY", f"There is no key {place}; it has no effect.", suggest_spelling(key, known)
            )
