"""The fields of a SIP's front matter, and the rule for each."""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from typing import Any

from viva.evaluations import config_rules
from viva.evaluations.model import CONTRIBUTED_PREFIX
from viva.kit.errors import Fault

Front = dict[str, Any]
FieldRule = Callable[[str, Any], Iterator[Fault]]

HANDLERS_OF_TYPE = {
    "simple_pass_fail": ("proof_of_agentic_work", "identity_check", "account_verification", "text_check"),
    "complex_benchmark": ("benchmark",),
    "agent_certification": ("agent_certification",),
    "proctored": ("proctored",),
    "live_class_work": ("live_class_work",),
}
# The handler of a new evaluation. A text check needs no code.
DEFAULT_HANDLERS = {type_: handlers[0] for type_, handlers in HANDLERS_OF_TYPE.items()} | {
    "simple_pass_fail": "text_check"
}
BUILT_IN_HANDLERS = frozenset(handler for handlers in HANDLERS_OF_TYPE.values() for handler in handlers)
CONTRIBUTED_TYPE = "simple_pass_fail"  # of evaluations whose handler is contributed code
EVALUATION_TYPES = tuple(HANDLERS_OF_TYPE)
EVALUATION_STATUSES = ("draft", "active", "retired")
# Each is a page under /evaluations.
RESERVED_IDS = frozenset({"result", "results", "contribute", "drafts", "queue", "review", "new", "compare"})

MAX_LINE_CHARACTERS = 200
MAX_ID_CHARACTERS = 100
ID_PATTERN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SIP_NUMBER_PATTERN = re.compile(r"(sip-)?[0-9]+")  # /evaluations/SIP-5 finds by number
MAX_SIP_NUMBER = 2**31 - 1  # the largest a PostgreSQL INTEGER holds
MAX_MIN_MESSAGES = 1_000
MAX_CLAIM_MINUTES = 366 * 24 * 60  # one year; a longer time can overflow a datetime
VERSION_PATTERN = re.compile(r"(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5})){2}")
DATE_PATTERN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})?)?")
HANDLER_PATTERN = re.compile(r"[a-z][a-z0-9_]{0,99}|contributed\.[A-Za-z_][A-Za-z0-9_]{0,99}")
MAX_RESEARCH_CHARACTERS = 20_000  # of the research basis, and of one exemplar
MAX_RESEARCH_ROWS = 1_000  # as many as a benchmark may have questions
# No absolute path and no `..`: the script stays below the hub's folder.
SCRIPT_PATH_PATTERN = re.compile(r"(?!.*(^|/)\.\.?(/|$))(?=.{1,200}$)[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*")


def matches(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def is_id(value: Any) -> bool:
    return matches(ID_PATTERN, value) and not matches(SIP_NUMBER_PATTERN, value) and len(value) <= MAX_ID_CHARACTERS


def is_free_id(value: Any) -> bool:
    return is_id(value) and value not in RESERVED_IDS


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_above_zero(value: Any) -> bool:
    return is_number(value) and value > 0


def is_date(value: Any) -> bool:
    try:
        return matches(DATE_PATTERN, value) and bool(datetime.fromisoformat(value))
    except ValueError:  # the 31st of February
        return False


def is_criterion(value: Any) -> bool:
    return isinstance(value, dict) and is_text(value.get("text")) and matches(ID_PATTERN, value.get("id"))


def is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def must(is_valid: Callable[[Any], bool], code: str, expected: str) -> FieldRule:
    """The rule that `is_valid` is true for the value."""

    def rule(field: str, value: Any) -> Iterator[Fault]:
        if not is_valid(value):
            yield Fault(field, code, f"{field} must be {expected}.")

    return rule


def line(field: str, value: Any) -> Iterator[Fault]:
    if not isinstance(value, str) or not value.strip():
        yield Fault(field, "NOT_TEXT", f"{field} must be text.")
    elif len(value) > MAX_LINE_CHARACTERS:
        yield Fault(
            field, "TOO_LONG", f"{field} has {len(value)} characters; at most {MAX_LINE_CHARACTERS} are allowed."
        )
    elif value.splitlines() != [value]:
        yield Fault(field, "NOT_ONE_LINE", f"{field} must be a single line.")


def evaluation_id(field: str, value: Any) -> Iterator[Fault]:
    if not is_id(value):
        form = (
            f"lowercase letters, digits and single hyphens, at most {MAX_ID_CHARACTERS} characters, and not like sip-5"
        )
        yield Fault(field, "INVALID_ID", f"{field} must be {form}.")
    elif value in RESERVED_IDS:
        yield Fault(field, "RESERVED_ID", f"{field} cannot be {value}: that is the address of a page.")


def prerequisites(field: str, value: Any) -> Iterator[Fault]:
    if not isinstance(value, list):
        yield Fault(field, "NOT_A_LIST", f"{field} must be a list of evaluation ids.")
        return
    seen: set[str] = set()
    for at, item in enumerate(value):
        if not is_free_id(item):
            yield Fault(f"{field}[{at}]", "INVALID_PREREQUISITE", f"{field}[{at}] must be the id of an evaluation.")
        elif item in seen:
            yield Fault(f"{field}[{at}]", "DUPLICATE_PREREQUISITE", f"{item} is named twice in {field}.")
        else:
            seen.add(item)


def executable(field: str, value: Any) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(field, "NOT_A_MAPPING", f"{field} must be a mapping with the key handler.")
        return
    if not matches(HANDLER_PATTERN, value.get("handler")):
        yield Fault(f"{field}.handler", "INVALID_HANDLER", f"{field}.handler must name a handler, as in proctored.")
    if value.get("script_path") is not None and not matches(SCRIPT_PATH_PATTERN, value["script_path"]):
        yield Fault(f"{field}.script_path", "INVALID_SCRIPT_PATH", f"{field}.script_path must be a relative path.")
    for key in sorted(value.keys() - {"handler", "script_path"}):
        yield Fault(f"{field}.{key}", "UNKNOWN_KEY", f"{field} has no key {key}.")


def criteria(field: str, value: Any) -> Iterator[Fault]:
    rows = value if isinstance(value, list) else []
    if rows is not value:
        yield Fault(field, "NOT_A_LIST", f"{field} must be a list of criteria, each with id and text.")
    seen: set[str] = set()
    for at, row in enumerate(rows):
        if not is_criterion(row):
            yield Fault(f"{field}[{at}]", "INVALID_CRITERION", f"{field}[{at}] must have an id and a text.")
        elif row["id"] in seen:
            yield Fault(f"{field}[{at}].id", "DUPLICATE_CRITERION", f"Two criteria have the id {row['id']}.")
        elif row.get("points") is not None and not is_above_zero(row["points"]):
            yield Fault(f"{field}[{at}].points", "NOT_ABOVE_ZERO", f"{field}[{at}].points must be a number above 0.")
        else:
            seen.add(row["id"])
            yield from criterion_faults(f"{field}[{at}]", row)


def criterion_faults(field: str, row: Front) -> Iterator[Fault]:
    if row.get("points") is not None and not is_above_zero(row["points"]):
        yield Fault(f"{field}.points", "NOT_ABOVE_ZERO", f"{field}.points must be a number above 0.")
    if row.get("guidance") is not None and not is_text(row["guidance"]):
        yield Fault(f"{field}.guidance", "NOT_TEXT", f"{field}.guidance must be text.")


def research_text(field: str, value: Any) -> Iterator[Fault]:
    if not isinstance(value, str) or not value.strip():
        yield Fault(field, "NOT_TEXT", f"{field} must be text.")
    elif len(value) > MAX_RESEARCH_CHARACTERS:
        yield Fault(field, "TOO_LONG", f"{field} has more than {MAX_RESEARCH_CHARACTERS:,} characters.")


def rows_with(*keys: str) -> FieldRule:
    """The rule that the value is a list of rows, each with these keys and no others."""

    def rule(field: str, value: Any) -> Iterator[Fault]:
        rows = value if isinstance(value, list) else []
        if rows is not value:
            yield Fault(field, "NOT_A_LIST", f"{field} must be a list, each item with {', '.join(keys)}.")
        if len(rows) > MAX_RESEARCH_ROWS:
            yield Fault(field, "TOO_LONG", f"{field} has more than {MAX_RESEARCH_ROWS:,} items.")
        for at, row in enumerate(rows[:MAX_RESEARCH_ROWS]):
            yield from row_faults(f"{field}[{at}]", row, keys)

    return rule


def row_faults(field: str, row: Any, keys: tuple[str, ...]) -> Iterator[Fault]:
    if not isinstance(row, dict):
        yield Fault(field, "NOT_A_MAPPING", f"{field} must be a mapping with {', '.join(keys)}.")
        return
    for key in keys:
        if row.get(key) in (None, ""):
            yield Fault(f"{field}.{key}", "MISSING_FIELD", f"{field}.{key} is missing.")
        else:
            yield from research_text(f"{field}.{key}", row[key])
    for key in sorted(row.keys() - set(keys)):
        yield Fault(f"{field}.{key}", "UNKNOWN_KEY", f"{field} has no key {key}.")


date = must(is_date, "INVALID_DATE", "a date, as in 2026-11-15 or 2026-11-15T09:30:00Z")


def claim_minutes(field: str, value: Any) -> Iterator[Fault]:
    if not is_above_zero(value):
        yield Fault(field, "NOT_ABOVE_ZERO", f"{field} must be a number above 0.")
    elif value > MAX_CLAIM_MINUTES:
        yield Fault(field, "TOO_LONG", f"{field} must be at most {MAX_CLAIM_MINUTES}, the minutes of a year.")


# In the order in which render() writes them.
FIELD_RULES: dict[str, FieldRule] = {
    "sip": must(
        lambda value: type(value) is int and 0 <= value <= MAX_SIP_NUMBER,
        "INVALID_NUMBER",
        "a whole number, or 0 while the SIP has none",
    ),
    "id": evaluation_id,
    "name": line,
    "title": line,
    "module": line,
    "department": line,
    "type": must(lambda value: value in EVALUATION_TYPES, "UNKNOWN_TYPE", f"one of {', '.join(EVALUATION_TYPES)}"),
    "status": must(
        lambda value: value in EVALUATION_STATUSES, "UNKNOWN_STATUS", f"one of {', '.join(EVALUATION_STATUSES)}"
    ),
    "version": must(lambda value: matches(VERSION_PATTERN, value), "INVALID_VERSION", "three numbers, as in 1.0.0"),
    "points": must(lambda value: is_number(value) and value >= 0, "INVALID_POINTS", "a number, 0 or more"),
    "prerequisites": prerequisites,
    "author": line,
    "created_at": date,
    "updated_at": date,
    "config": must(lambda value: isinstance(value, dict), "NOT_A_MAPPING", "a mapping of keys to values"),
    "executable": executable,
    "research_basis": research_text,
    "research_mapping": rows_with("research", "probe"),
    "exemplars": rows_with("probe", "pass", "fail"),
}
RESEARCH_FIELDS = ("research_basis", "research_mapping", "exemplars")
OPTIONAL_FIELDS = {"title", "department", *RESEARCH_FIELDS}
PROCTORED_RULES: dict[str, FieldRule] = {
    "summary": must(lambda value: isinstance(value, str), "NOT_TEXT", "text"),
    "max_score": must(is_above_zero, "NOT_ABOVE_ZERO", "a number above 0"),
    "criteria": criteria,
    "claim_minutes": claim_minutes,
    "observable": must(lambda value: isinstance(value, bool), "NOT_TRUE_OR_FALSE", "true or false"),
    "proctors": must(lambda value: value in ("appointed", "passed"), "UNKNOWN_PROCTORS", "appointed or passed"),
    "min_messages": must(
        lambda value: type(value) is int and 1 <= value <= MAX_MIN_MESSAGES,
        "INVALID_NUMBER",
        f"a whole number from 1 to {MAX_MIN_MESSAGES:,}",
    ),
}


def faults(front: Front) -> Iterator[Fault]:
    """All faults of a front matter, field by field. A draft may be unfinished: its config and handler are not checked."""
    yield from field_faults(front)
    if front.get("status") != "draft":
        yield from handler_faults(front, BUILT_IN_HANDLERS)
    if front.get("status") == "active":
        yield from config_faults(front)


def field_faults(front: Front) -> Iterator[Fault]:
    for field, rule in FIELD_RULES.items():
        if front.get(field) is not None:
            yield from rule(field, front[field])
        elif field not in OPTIONAL_FIELDS:
            yield Fault(field, "MISSING_FIELD", f"{field} is missing.")
    yield from own_prerequisite_faults(front)
    if front.get("type") == "proctored" and isinstance(front.get("config"), dict):
        yield from proctored_faults(front["config"])


def own_prerequisite_faults(front: Front) -> Iterator[Fault]:
    id_, named = front.get("id"), front.get("prerequisites")
    if isinstance(named, list) and id_ in named:
        field = f"prerequisites[{named.index(id_)}]"
        yield Fault(field, "OWN_PREREQUISITE", f"{id_} cannot be its own prerequisite.")


def handler_faults(front: Front, known: Collection[str], code_may_be_beside: bool = True) -> Iterator[Fault]:
    """A handler has to be known, or its code may be in a file beside the SIP. A sync looks for the file."""
    type_, named = front.get("type"), front.get("executable")
    handler = named.get("handler") if isinstance(named, dict) else None
    if type_ not in EVALUATION_TYPES or not isinstance(named, dict) or not matches(HANDLER_PATTERN, handler):
        return
    if handler.startswith(CONTRIBUTED_PREFIX) and type_ != CONTRIBUTED_TYPE:  # type: ignore[union-attr]  # it matches
        message = f"Contributed handlers are only for {CONTRIBUTED_TYPE} evaluations."
        yield Fault("executable.handler", "HANDLER_OF_ANOTHER_TYPE", message)
    elif handler in BUILT_IN_HANDLERS and handler not in HANDLERS_OF_TYPE[type_]:
        message = f"The handler {handler} is not for {type_} evaluations."
        suggestion = f"Name one of: {', '.join(HANDLERS_OF_TYPE[type_])}."
        yield Fault("executable.handler", "HANDLER_OF_ANOTHER_TYPE", message, suggestion)
    elif handler not in known and not (code_may_be_beside and names_code(named)):
        message = f"There is no handler {handler}, and nothing says where its code is."
        suggestion = f"Name one of: {', '.join(HANDLERS_OF_TYPE[type_])}; or give the code of {handler}."
        yield Fault("executable.handler", "UNKNOWN_HANDLER", message, suggestion)


def names_code(executable: Front) -> bool:
    return bool(executable.get("script_path")) or executable["handler"].startswith(CONTRIBUTED_PREFIX)


def config_faults(front: Front) -> Iterator[Fault]:
    type_, config = front.get("type"), front.get("config")
    if type_ not in EVALUATION_TYPES or not isinstance(config, dict):
        return
    for fault in config_rules.faults(type_, config):
        is_told = fault.code == "INVALID_CONFIG" and root_key(fault.field) in PROCTORED_RULES  # by field_faults
        if type_ != "proctored" or not is_told:
            yield fault
    yield from text_check_faults(front)


def root_key(field: str) -> str:
    return re.split(r"[.\[]", field.removeprefix("config."))[0]


def text_check_faults(front: Front) -> Iterator[Fault]:
    """The handler text_check and the key `checks` go together. A contributed handler may give a challenge without checks."""
    named, config = front.get("executable"), front["config"]
    handler = named.get("handler") if isinstance(named, dict) else None
    if handler == "text_check" and "checks" not in config:
        message = "config.checks is missing: a text check needs a challenge and checks."
        yield Fault("config.checks", "CHECKS_INCOMPLETE", message)
    elif (
        handler in HANDLERS_OF_TYPE["simple_pass_fail"]
        and handler != "text_check"
        and ("checks" in config or "challenge" in config)
    ):
        message = f"The handler {handler} reads neither challenge nor checks."
        yield Fault("executable.handler", "CHECKS_INCOMPLETE", message, "Name the handler text_check.")


def proctored_faults(config: Front) -> Iterator[Fault]:
    for key, rule in PROCTORED_RULES.items():
        if key in config:
            yield from rule(f"config.{key}", config[key])
    yield from points_faults(config)


def points_faults(config: Front) -> Iterator[Fault]:
    """Points of criteria have to add up to the maximum score, if all criteria have them."""
    rows, max_score = config.get("criteria"), config.get("max_score")
    points: list[Any] = [row.get("points") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    if not points or not all(map(is_above_zero, points)) or max_score is None or not is_above_zero(max_score):
        return
    if abs(sum(points) - max_score) > 1e-6:
        message = f"The points of config.criteria add up to {sum(points):g}, and config.max_score is {max_score:g}."
        yield Fault("config.criteria", "POINTS_DO_NOT_ADD_UP", message)
