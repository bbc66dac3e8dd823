"""Faults in an evaluation's config: first in its form, then between its parts."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from viva.evaluations.configs import (
    CONFIGS,
    BenchmarkQuestion,
    CertificationConfig,
    ChoiceQuestion,
    ClassConfig,
    JsonSchemaQuestion,
    RegexQuestion,
    TextCheck,
)
from viva.evaluations.item_rules import parameter_faults, pool_faults, text_faults
from viva.evaluations.patterns import validator_for
from viva.evaluations.script_rules import script_faults
from viva.kit import forms
from viva.kit.errors import Fault
from viva.kit.faults import find_faults
from viva.kit.spelling import suggest_spelling

if TYPE_CHECKING:
    import jsonschema_rs

MAX_CLASS_ROWS = 400  # a judge answers at most about 1,000 questions, and many rows are asked twice
MAX_CHECKED_ROWS = 1_000  # as many as a benchmark may have questions; a longer list is refused for its length

CONFIG_FAULT_CODES = frozenset(
    {
        "MISSING_FIELD",
        "INVALID_CONFIG",
        "DUPLICATE_ID",
        "ANSWER_NOT_OFFERED",
        "UNUSABLE_PATTERN",
        "UNKNOWN_PROBE",
        "MIN_ABOVE_MAX",
        "TOO_MANY_ROWS",
        "POINTS_NOT_MAX_SCORE",
        "CHECKS_INCOMPLETE",
        "DRAW_TOO_LARGE",
        "UNKNOWN_TOPIC",
        "TOPIC_NOT_DRAWN",
        "UNEQUAL_POINTS",
        "TOO_MANY_PARAMETERS",
        "INVALID_PARAMETER",
        "UNUSABLE_EXPRESSION",
        "UNKNOWN_CRITERION",
        "UNKNOWN_PROMPT",
        "UNCLEAR_CONDITION",
        "EMPTY_CHECK",
    }
)
ConfigDict = dict[str, Any]


def faults(type_: str, config: ConfigDict) -> Iterator[Fault]:
    """All faults of a config. The rules between its parts also see the sound parts of a config with faults."""
    yield from form_faults(type_, config)
    for rule in CONFIG_RULES.get(type_, ()):
        yield from rule(config)


def form_faults(type_: str, config: ConfigDict) -> Iterator[Fault]:
    try:
        msgspec.convert(config, CONFIGS[type_])
    except msgspec.ValidationError as error:
        for fault in find_faults(config, CONFIGS[type_]) or [forms.fault_of(error)]:
            field = f"config.{fault.field}".rstrip(".")
            code = "MISSING_FIELD" if fault.code == "missing" else "INVALID_CONFIG"
            yield Fault(field, code, f"{field}: {fault.message}")


def rows_of(holder: ConfigDict, key: str) -> list[ConfigDict]:
    """The rows of a list. What is no row counts as an empty one, so that the others keep their places."""
    rows = holder.get(key)
    return [row if isinstance(row, dict) else {} for row in rows[:MAX_CHECKED_ROWS]] if isinstance(rows, list) else []


def ids_in(holder: ConfigDict, key: str) -> list[str | None]:
    """The id of each row; None where it has none."""
    ids = (row.get("id") for row in rows_of(holder, key))
    return [id_ if isinstance(id_, str) else None for id_ in ids]


def duplicate_ids(field: str, ids: Iterable[str | None]) -> Iterator[Fault]:
    seen: set[str] = set()
    for at, id_ in enumerate(ids):
        if id_ in seen:
            yield Fault(f"config.{field}[{at}].id", "DUPLICATE_ID", f"Two of config.{field} have the id {id_}.")
        if id_:
            seen.add(id_)


def simple_faults(config: ConfigDict) -> Iterator[Fault]:
    if "checks" in config and "challenge" not in config:
        message = "config.challenge is missing: a text check needs a challenge and checks."
        yield Fault("config.challenge", "CHECKS_INCOMPLETE", message)
    yield from duplicate_ids("checks", ids_in(config, "checks"))
    for at, check in enumerate(parse_rows(config, "checks", TextCheck)):
        if check and (reason := schema_error(check.as_question())):
            yield Fault(f"config.checks[{at}]", "UNUSABLE_PATTERN", f"{check.id} cannot be checked: {reason}.")


def benchmark_faults(config: ConfigDict) -> Iterator[Fault]:
    yield from duplicate_ids("questions", ids_in(config, "questions"))
    questions = parse_rows(config, "questions", BenchmarkQuestion)
    for at, question in enumerate(questions):
        if question:
            yield from question_faults(f"config.questions[{at}]", question)
    yield from parameter_faults(questions)


def parse_rows(config: ConfigDict, key: str, kind: Any) -> list[Any]:
    """The rows of a list; None where a row has faults, which form_faults has told."""
    return [parse_row(row, kind) for row in rows_of(config, key)]


def parse_row(row: ConfigDict, kind: Any) -> Any:
    try:
        return msgspec.convert(row, kind)
    except msgspec.ValidationError:
        return None


def question_faults(field: str, question: BenchmarkQuestion) -> Iterator[Fault]:
    answers = [question.answer] if isinstance(question, ChoiceQuestion) else getattr(question, "answers", [])
    options = getattr(question, "options", answers)
    for answer in answers if not question.parameters else ():  # with parameters, samples are checked
        if answer not in options:
            message = f"The answer {answer} of {question.id} is not among its options."
            yield Fault(field, "ANSWER_NOT_OFFERED", message)
    if reason := schema_error(question):
        yield Fault(field, "UNUSABLE_PATTERN", f"{question.id} cannot be checked: {reason}.")


def schema_error(question: BenchmarkQuestion) -> str | None:
    """Why the question's schema or pattern cannot be used."""
    try:
        validator_of(question)
    except ValueError as error:
        return str(error).splitlines()[0]
    return None


def validator_of(question: BenchmarkQuestion) -> "jsonschema_rs.Validator":
    """The validator of answers to the question, or ValueError if its schema or pattern is unusable."""
    return validator_for(msgspec.json.encode(schema_of(question)))


def schema_of(question: BenchmarkQuestion) -> Any:
    """The JSON schema of an answer. The validator checks every pattern in linear time."""
    if isinstance(question, JsonSchemaQuestion):
        return question.schema
    if isinstance(question, RegexQuestion):
        return {"type": "string", "pattern": f"^(?:{question.pattern})$"}
    return True


def certification_faults(config: ConfigDict) -> Iterator[Fault]:
    yield from duplicate_ids("prompts", ids_in(config, "prompts"))
    known = [id_ for id_ in ids_in(config, "prompts") if id_]
    for at, row in enumerate(rows_of(config, "rubric")):
        named = row.get("promptId")
        if isinstance(named, str) and named and named not in known:
            field = f"config.rubric[{at}].promptId"
            message = f"{field}: no prompt has the id {named}."
            yield Fault(field, "UNKNOWN_PROBE", message, suggest_spelling(named, known))
    yield from text_faults(config, CertificationConfig)


def class_faults(config: ConfigDict) -> Iterator[Fault]:
    yield from duplicate_ids("rubric", ids_in(config, "rubric"))
    least, most = (number_in(config, key) for key in ("min_participants", "max_participants"))
    if least > most:
        message = "config.min_participants is larger than config.max_participants."
        yield Fault("config.min_participants", "MIN_ABOVE_MAX", message)
    owners = [row.get("of") for row in rows_of(config, "rubric")]
    rows = owners.count("group") + owners.count("participant") * most
    if rows > MAX_CLASS_ROWS:
        message = f"A full class would have {rows:,} rows to mark; at most {MAX_CLASS_ROWS} are allowed."
        yield Fault("config.rubric", "TOO_MANY_ROWS", message)
    yield from text_faults(config, ClassConfig)


def number_in(config: ConfigDict, key: str) -> int:
    """The number of participants under the key, or its default."""
    defaults: dict[str, int] = {field.name: field.default for field in structs.fields(ClassConfig)}
    return config[key] if type(config.get(key)) is int else defaults[key]


def proctored_faults(config: ConfigDict) -> Iterator[Fault]:
    """Where criteria have points, all of them have, and the points sum to the maximum score."""
    points: list[Any] = [row.get("points") for row in rows_of(config, "criteria")]
    if not any(points):
        return
    given: list[float] = [each for each in points if type(each) in (int, float)]
    if len(given) < len(points) or abs(sum(given) - (config.get("max_score") or 0)) > 1e-9:
        message = (
            f"The points of the criteria sum to {sum(given):g}; they must sum to config.max_score, for every criterion."
        )
        yield Fault("config.criteria", "POINTS_NOT_MAX_SCORE", message)


CONFIG_RULES: dict[str, tuple[Callable[[ConfigDict], Iterator[Fault]], ...]] = {
    "simple_pass_fail": (simple_faults,),
    "complex_benchmark": (benchmark_faults, pool_faults),
    "agent_certification": (certification_faults,),
    "proctored": (proctored_faults, script_faults),
    "live_class_work": (class_faults,),
}
