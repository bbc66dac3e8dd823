"""Lenient reading of SIPs from other hubs: an invalid field gets a default and a warning."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from viva.evaluations import config_rules
from viva.evaluations.sip_fields import (
    HANDLER_OF_TYPE,
    HANDLERS_OF_TYPE,
    MAX_LINE_CHARACTERS,
    Front,
    config_faults,
    faults,
    is_date,
    is_free_id,
    is_number,
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
    repairs = list(faults(repaired))
    repaired |= {field: FIELD_DEFAULTS[field](front) for field in {root_field(fault) for fault in repairs}}
    if any(config_faults(repaired)):  # an unfinished config is allowed in a draft
        repaired["status"] = "draft"
    warnings = [fault._replace(message=f"{fault.message} {describe_repair(fault, repaired)}") for fault in repairs]
    return RepairedFront(repaired, [*warnings, *handler_warnings(front, handler), *certification_warnings(repaired)])


def root_field(fault: Fault) -> str:
    return re.split(r"[.\[]", fault.field)[0]


def describe_repair(fault: Fault, repaired: Front) -> str:
    if fault.code in config_rules.CONFIG_FAULT_CODES:
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
}


def named_handler(front: Front) -> Any:
    named = front.get("executable")
    return named.get("handler") if isinstance(named, dict) else None


# A word in the name of an unknown handler, and the built-in handler with the same purpose. Without this table a
# verification would fall back to a puzzle, which verifies nothing.
NEAREST_HANDLERS = {"verification": "account_verification", "identity": "identity_check"}


def choose_handler(front: Front) -> str:
    """The named handler, which other hubs may write with `_handler` at its end; else the nearest, else the type's first."""
    named = str(named_handler(front)).removesuffix("_handler")
    nearest = (handler for word, handler in NEAREST_HANDLERS.items() if word in named)
    allowed = HANDLERS_OF_TYPE[front["type"]]
    return next((handler for handler in (named, *nearest) if handler in allowed), HANDLER_OF_TYPE[front["type"]])


def handler_warnings(front: Front, handler: str) -> Iterator[Fault]:
    named = front.get("executable")
    if named_handler(front) != handler:
        unknown = f"{named_handler(front)} is not a handler for {front['type']} here"
        message = f"{unknown if named_handler(front) else 'No handler is named'}; {handler} decides instead."
        yield Fault("executable.handler", "UNKNOWN_HANDLER", message)
    if isinstance(named, dict) and named.get("script_path") is not None:
        message = f"{named['script_path']} is not imported: imported SIPs use built-in handlers only."
        yield Fault("executable.script_path", "SCRIPT_NOT_IMPORTED", message)


def certification_warnings(front: Front) -> Iterator[Fault]:
    """Warnings about weights that do not sum to 100, rows without rationale, and unfinished probes."""
    if front["type"] == "agent_certification":
        rubric = rows_of(front["config"], "rubric")
        yield from odd_weights(rubric)
        yield from missing_rationales(rubric)
        for at, prompt in enumerate(rows_of(front["config"], "prompts")):
            yield from unfinished_probe(f"config.prompts[{at}].messages", prompt)


def rows_of(holder: Front, key: str) -> list[Front]:
    rows = holder.get(key)
    return [row if isinstance(row, dict) else {} for row in rows] if isinstance(rows, list) else []


def odd_weights(rubric: list[Front]) -> Iterator[Fault]:
    weights = [row["weight"] for row in rubric if is_number(row.get("weight"))]
    marks = sum(row["maxScore"] for row in rubric if is_number(row.get("maxScore")))
    if weights and marks == 100 and all(weight == 1 for weight in weights):
        message = "Every weight is 1 and the maxScores sum to 100: the maxScores are the weights."
        yield Fault("config.rubric", "RUBRIC_WEIGHTS_ALL_ONE", message)
    elif sum(weights) != 100:
        message = f"The weights sum to {sum(weights):g} and the maxScores to {marks:g}; the weights should sum to 100."
        yield Fault("config.rubric", "RUBRIC_SUM_NOT_100", message)


def missing_rationales(rubric: list[Front]) -> Iterator[Fault]:
    missing = [str(row.get("promptId", at)) for at, row in enumerate(rubric) if not row.get("rationale")]
    if missing:
        message = f"{len(missing)} of {len(rubric)} rubric rows have no rationale: {', '.join(missing)}."
        yield Fault("config.rubric", "RUBRIC_WITHOUT_RATIONALE", message)


def unfinished_probe(field: str, prompt: Front) -> Iterator[Fault]:
    turns = [message.get("role") for message in rows_of(prompt, "messages") if message.get("role") != "system"]
    name = prompt.get("id", field)
    if not turns or turns[-1] != "user":
        yield Fault(field, "PROBE_NOT_ENDING_ON_USER", f"The messages of {name} do not end on a user turn.")
    if any(turn == following == "user" for turn, following in pairwise(turns)):
        message = f"The messages of {name} have user turns with no assistant turn between them."
        yield Fault(field, "PROBE_WITHOUT_ASSISTANT_TURN", message)
