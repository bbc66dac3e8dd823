"""Lenient reading of SIPs from other hubs: an invalid field gets a default and a warning."""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from viva.evaluations.config_rules import CONFIG_FAULT_CODES
from viva.evaluations.model import CONTRIBUTED_PREFIX
from viva.evaluations.sip_fields import (
    FIELD_RULES,
    HANDLER_PATTERN,
    HANDLERS_OF_TYPE,
    MAX_ID_CHARACTERS,
    MAX_LINE_CHARACTERS,
    Front,
    config_faults,
    faults,
    is_date,
    is_free_id,
    matches,
    proctored_faults,
)
from viva.kit.errors import Fault

LOOSE_VERSION_PATTERN = re.compile(r"v?([0-9]{1,6})(?:\.([0-9]{1,6}))?(?:\.([0-9]{1,6}))?")
Default = Callable[[Front], Any]


class RepairedFront(NamedTuple):
    front: Front
    warnings: list[Fault]


def repair(front: Front) -> RepairedFront:
    """A front matter without faults, and a warning for each change.

    The caller has checked that the id gives a slug and that the type is known."""
    handler = choose_handler(front)
    repaired = {**front, "executable": {"handler": handler}}
    repairs = [fault for fault in faults(repaired) if root_field(fault) != "executable"]
    repaired |= {field: FIELD_DEFAULTS[field](front) for field in {root_field(fault) for fault in repairs}}
    if any(config_faults(repaired)) or handler not in HANDLERS_OF_TYPE[front["type"]]:
        repaired["status"] = "draft"  # which may be unfinished
    warnings = [fault._replace(message=f"{fault.message} {describe_repair(fault, repaired)}") for fault in repairs]
    return RepairedFront(repaired, [*warnings, *handler_warnings(front, handler)])


def root_field(fault: Fault) -> str:
    return re.split(r"[.\[]", fault.field)[0]


def describe_repair(fault: Fault, repaired: Front) -> str:
    if fault.field.startswith("config.") and fault.code in CONFIG_FAULT_CODES:
        return "It is imported as a draft."
    value = repaired.get(fault.field)
    if value is None:
        return "It is left out."
    text = ", ".join(value) if isinstance(value, list | dict) else str(value)
    return f"It is read as {text or 'empty'}."


def slug(value: Any) -> str:
    """The value as a usable id, or "" if it has no letter or digit."""
    words = re.findall(r"[a-z0-9]+", str(value).lower()) if isinstance(value, str | int) else []
    id_ = "-".join(words)[:80].strip("-")
    return id_ if not id_ or is_free_id(id_) else f"imported-{id_}"


def one_line(value: Any, fallback: str | None) -> str | None:
    words = str(value).split() if isinstance(value, str | int | float) else []
    return " ".join(words)[:MAX_LINE_CHARACTERS].strip() or fallback


def loose_version(front: Front) -> str:
    numbers = LOOSE_VERSION_PATTERN.fullmatch(str(front.get("version")))
    return ".".join(str(int(number or 0)) for number in numbers.groups()) if numbers else "1.0.0"


def usable_prerequisites(front: Front) -> list[str]:
    named = front.get("prerequisites")
    items = named if isinstance(named, list) else [named]
    usable = [str(item) for item in items if is_free_id(item) and item != slug(front["id"])]
    return list(dict.fromkeys(usable))


def usable_config(front: Front) -> Front:
    config = front.get("config")
    if not isinstance(config, dict):
        return {}
    if front["type"] != "proctored":
        return config
    broken = {fault.field.removeprefix("config.").split("[")[0] for fault in proctored_faults(config)}
    return {key: value for key, value in config.items() if key not in broken}


def first_valid_date(front: Front) -> str:
    dates = (front.get("created_at"), front.get("updated_at"))
    return next((str(date) for date in dates if is_date(date)), "1970-01-01")


def usable_rows(field: str) -> Default:
    """The rows without faults, or nothing."""

    def usable(front: Front) -> list[Any] | None:
        rows = front.get(field)
        return [row for row in rows if not any(FIELD_RULES[field](field, [row]))] if isinstance(rows, list) else None

    return usable


FIELD_DEFAULTS: dict[str, Default] = {
    "sip": lambda front: 0,
    "id": lambda front: slug(front["id"]),
    "name": lambda front: one_line(front.get("name"), slug(front["id"]).replace("-", " ").capitalize()),
    "title": lambda front: one_line(front.get("title"), None),
    "module": lambda front: one_line(front.get("module"), "general"),
    "department": lambda front: one_line(front.get("department"), None),
    # Other hubs say `deprecated` for an evaluation that is no longer offered.
    "status": lambda front: "retired" if front.get("status") == "deprecated" else "draft",
    "version": loose_version,
    "points": lambda front: 0,
    "prerequisites": usable_prerequisites,
    "author": lambda front: one_line(front.get("author"), "unknown"),
    "created_at": first_valid_date,
    "updated_at": first_valid_date,
    "config": usable_config,
    "research_basis": lambda front: None,
    "research_mapping": usable_rows("research_mapping"),
    "exemplars": usable_rows("exemplars"),
}


def named_handler(front: Front) -> Any:
    named = front.get("executable")
    return named.get("handler") if isinstance(named, dict) else None


def choose_handler(front: Front) -> str:
    """The named handler, or the only one of the type if none is named. An unknown one keeps its name.

    Other hubs may write `_handler` at the end of the same name."""
    allowed = HANDLERS_OF_TYPE[front["type"]]
    named = str(named_handler(front) or (allowed[0] if len(allowed) == 1 else "unknown"))
    if named.startswith(CONTRIBUTED_PREFIX) and matches(HANDLER_PATTERN, named):
        return named
    short = named.removesuffix("_handler")
    if short in allowed:
        return short
    identifier = re.sub(r"[^a-z0-9]+", "_", named.lower()).strip("_")[:MAX_ID_CHARACTERS]
    return identifier if matches(HANDLER_PATTERN, identifier) else f"handler_{identifier}"[:MAX_ID_CHARACTERS]


def handler_warnings(front: Front, handler: str) -> Iterator[Fault]:
    named, executable = named_handler(front), front.get("executable")
    if handler not in HANDLERS_OF_TYPE[front["type"]]:
        there_is = f"{named} is not a handler for {front['type']} here" if named else "No handler is named"
        suggestion = f"Name one of: {', '.join(HANDLERS_OF_TYPE[front['type']])}."
        yield Fault("executable.handler", "UNKNOWN_HANDLER", f"{there_is}. It is imported as a draft.", suggestion)
    elif named != handler:
        message = f"{named} is called {handler} here." if named else f"No handler is named; {handler} decides."
        yield Fault("executable.handler", "HANDLER_RENAMED", message)
    if isinstance(executable, dict) and executable.get("script_path") is not None:
        message = f"{executable['script_path']} is not imported: imported SIPs use built-in handlers only."
        yield Fault("executable.script_path", "SCRIPT_NOT_IMPORTED", message)
