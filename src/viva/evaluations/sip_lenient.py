"""The import profile: SIPs of other hubs are read with defaults where Viva's own would be refused."""

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

LOOSE_VERSION = re.compile(r"v?([0-9]{1,6})(?:\.([0-9]{1,6}))?(?:\.([0-9]{1,6}))?")
Default = Callable[[Front], Any]


class RepairedFront(NamedTuple):
    front: Front
    warnings: list[Fault]


def mend(front: Front) -> RepairedFront:
    """A front matter that passes every rule, and what was changed for it; the id must give a slug, the type be known."""
    handler = handler_meant(front)
    mended = {**front, "executable": {"handler": handler}}
    found = list(faults(mended))
    mended |= {field: DEFAULTS[field](front) for field in {root(fault) for fault in found}}
    if any(config_faults(mended)):  # what is left of the config cannot be taken, but it can be finished
        mended["status"] = "draft"
    told = [fault._replace(message=f"{fault.message} {describe_repair(fault, mended)}") for fault in found]
    return RepairedFront(mended, [*told, *handler_warnings(front, handler), *certification_warnings(mended)])


def root(fault: Fault) -> str:
    return re.split(r"[.\[]", fault.field)[0]


def describe_repair(fault: Fault, mended: Front) -> str:
    if fault.code in config_rules.CONFIG_FAULT_CODES:
        return "It is imported as a draft."
    value = mended.get(fault.field)
    if value is None:
        return "It is left out."
    shown = ", ".join(value) if isinstance(value, list | dict) else str(value)
    return f"It is taken as {shown or 'empty'}."


def slug(value: Any) -> str:
    """The nearest usable id, or "" when there is none."""
    words = re.findall(r"[a-z0-9]+", str(value).lower()) if isinstance(value, str | int) else []
    near = "-".join(words)[:80].strip("-")
    return near if not near or is_free_id(near) else f"imported-{near}"


def line_or(value: Any, fallback: str | None) -> str | None:
    words = str(value).split() if isinstance(value, str | int | float) else []
    return " ".join(words)[:MAX_LINE_CHARACTERS].strip() or fallback


def loose_version(front: Front) -> str:
    numbers = LOOSE_VERSION.fullmatch(str(front.get("version")))
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


def a_date_of(front: Front) -> str:
    dates = (front.get("created_at"), front.get("updated_at"))
    return next((str(date) for date in dates if is_date(date)), "1970-01-01")


DEFAULTS: dict[str, Default] = {
    "sip": lambda front: 0,
    "id": lambda front: slug(front["id"]),
    "name": lambda front: line_or(front.get("name"), slug(front["id"]).replace("-", " ").capitalize()),
    "title": lambda front: line_or(front.get("title"), None),
    "module": lambda front: line_or(front.get("module"), "general"),
    "department": lambda front: line_or(front.get("department"), None),
    # `deprecated` is what other hubs call an evaluation that is no longer offered.
    "status": lambda front: "retired" if front.get("status") == "deprecated" else "draft",
    "version": loose_version,
    "points": lambda front: 0,
    "prerequisites": usable_prerequisites,
    "author": lambda front: line_or(front.get("author"), "unknown"),
    "created_at": a_date_of,
    "updated_at": a_date_of,
    "config": usable_config,
}


def named_handler(front: Front) -> Any:
    named = front.get("executable")
    return named.get("handler") if isinstance(named, dict) else None


# A word in the name of a handler that is not here, and the one that comes nearest: who passes a puzzle has verified nothing.
NEAREST = {"verification": "account_verification", "identity": "identity_check"}


def handler_meant(front: Front) -> str:
    """The handler named, also with `_handler` behind it as other hubs write; else the nearest, or the one of the type."""
    named = str(named_handler(front)).removesuffix("_handler")
    near = (handler for word, handler in NEAREST.items() if word in named)
    here = HANDLERS_OF_TYPE[front["type"]]
    return next((handler for handler in (named, *near) if handler in here), HANDLER_OF_TYPE[front["type"]])


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
    """What a contribution could not have: an odd sum of weights, rows without rationale, unfinished probes."""
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
    bare = [str(row.get("promptId", at)) for at, row in enumerate(rubric) if not row.get("rationale")]
    if bare:
        message = f"{len(bare)} of {len(rubric)} rubric rows have no rationale: {', '.join(bare)}."
        yield Fault("config.rubric", "RUBRIC_WITHOUT_RATIONALE", message)


def unfinished_probe(field: str, prompt: Front) -> Iterator[Fault]:
    turns = [message.get("role") for message in rows_of(prompt, "messages") if message.get("role") != "system"]
    name = prompt.get("id", field)
    if not turns or turns[-1] != "user":
        yield Fault(field, "PROBE_NOT_ENDING_ON_USER", f"The messages of {name} do not end on a user turn.")
    if any(turn == following == "user" for turn, following in pairwise(turns)):
        message = f"The messages of {name} have user turns with no assistant turn between them."
        yield Fault(field, "PROBE_WITHOUT_ASSISTANT_TURN", message)
