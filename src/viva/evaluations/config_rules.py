"""Faults in an evaluation's config: first in its form, then between its parts."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from viva.evaluations.configs import (
    CONFIGS,
    BenchmarkConfig,
    BenchmarkQuestion,
    CertificationConfig,
    ChoiceQuestion,
    ClassConfig,
    CommonConfig,
    JsonSchemaQuestion,
    RegexQuestion,
    SimpleConfig,
)
from viva.evaluations.item_rules import pool_faults
from viva.kit import forms
from viva.kit.errors import Fault

if TYPE_CHECKING:
    import jsonschema_rs

MAX_CLASS_ROWS = 400  # a judge answers at most about 1,000 questions, and many rows are asked twice
MAX_PATTERN_BYTES = 1024 * 1024  # when compiled; a larger pattern takes more than 0.1 seconds to compile
MAX_VALIDATORS_CACHED = 1_000  # as many as a benchmark may have questions

CONFIG_FAULT_CODES = frozenset(
    {
        "INVALID_CONFIG",
        "DUPLICATE_ID",
        "ANSWER_NOT_OFFERED",
        "UNUSABLE_PATTERN",
        "UNKNOWN_PROBE",
        "MIN_ABOVE_MAX",
        "TOO_MANY_ROWS",
        "CHECKS_INCOMPLETE",
        "DRAW_TOO_LARGE",
        "UNKNOWN_TOPIC",
        "TOPIC_NOT_DRAWN",
        "UNEQUAL_POINTS",
    }
)


def faults(type_: str, config: dict[str, Any]) -> Iterator[Fault]:
    try:
        parsed = msgspec.convert(config, CONFIGS[type_])
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        field = f"config{place.removesuffix('`')}"
        yield Fault(field, "INVALID_CONFIG", f"{field}: {forms.simplify_message(message)}")
        return
    for rule in CONFIG_RULES.get(type(parsed), ()):
        yield from rule(parsed)


def duplicate_ids(field: str, ids: Iterable[str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for at, id_ in enumerate(ids):
        if id_ in seen:
            yield Fault(f"config.{field}[{at}].id", "DUPLICATE_ID", f"Two of config.{field} have the id {id_}.")
        seen.add(id_)


def simple_faults(config: SimpleConfig) -> Iterator[Fault]:
    if (config.challenge is None) != (config.checks is None):
        field = "config.challenge" if config.challenge is None else "config.checks"
        yield Fault(field, "CHECKS_INCOMPLETE", f"{field} is missing: a text check needs a challenge and checks.")
    checks = config.checks or []
    yield from duplicate_ids("checks", (check.id for check in checks))
    for at, check in enumerate(checks):
        if reason := schema_error(check.as_question()):
            yield Fault(f"config.checks[{at}]", "UNUSABLE_PATTERN", f"{check.id} cannot be checked: {reason}.")


def benchmark_faults(config: BenchmarkConfig) -> Iterator[Fault]:
    yield from duplicate_ids("questions", (question.id for question in config.questions))
    for at, question in enumerate(config.questions):
        answers = [question.answer] if isinstance(question, ChoiceQuestion) else getattr(question, "answers", [])
        options = getattr(question, "options", answers)
        for answer in answers:
            if answer not in options:
                message = f"The answer {answer} of {question.id} is not among its options."
                yield Fault(f"config.questions[{at}]", "ANSWER_NOT_OFFERED", message)
        if reason := schema_error(question):
            yield Fault(f"config.questions[{at}]", "UNUSABLE_PATTERN", f"{question.id} cannot be checked: {reason}.")


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


@lru_cache(MAX_VALIDATORS_CACHED)
def validator_for(schema: bytes) -> "jsonschema_rs.Validator":
    import jsonschema_rs  # imported here because most commands never need it

    return jsonschema_rs.validator_for(
        msgspec.json.decode(schema),
        pattern_options=jsonschema_rs.RegexOptions(size_limit=MAX_PATTERN_BYTES),
        validate_formats=True,
        offline=True,  # a schema is untrusted and may name any address or file; none is read
    )


def schema_of(question: BenchmarkQuestion) -> Any:
    """The JSON schema of an answer. The validator checks every pattern in linear time."""
    if isinstance(question, JsonSchemaQuestion):
        return question.schema
    if isinstance(question, RegexQuestion):
        return {"type": "string", "pattern": f"^(?:{question.pattern})$"}
    return True


def certification_faults(config: CertificationConfig) -> Iterator[Fault]:
    yield from duplicate_ids("prompts", (probe.id for probe in config.prompts))
    known = {probe.id for probe in config.prompts}
    for at, row in enumerate(config.rubric):
        if row.prompt_id not in known:
            field = f"config.rubric[{at}].promptId"
            yield Fault(field, "UNKNOWN_PROBE", f"{field}: no prompt has the id {row.prompt_id}.")


def class_faults(config: ClassConfig) -> Iterator[Fault]:
    yield from duplicate_ids("rubric", (row.id for row in config.rubric))
    if config.min_participants > config.max_participants:
        message = "config.min_participants is larger than config.max_participants."
        yield Fault("config.min_participants", "MIN_ABOVE_MAX", message)
    per_participant = sum(row.of == "participant" for row in config.rubric)
    rows = len(config.rubric) - per_participant + per_participant * config.max_participants
    if rows > MAX_CLASS_ROWS:
        message = f"A full class would have {rows:,} rows to mark; at most {MAX_CLASS_ROWS} are allowed."
        yield Fault("config.rubric", "TOO_MANY_ROWS", message)


CONFIG_RULES: dict[type[CommonConfig], tuple[Callable[[Any], Iterator[Fault]], ...]] = {
    SimpleConfig: (simple_faults,),
    BenchmarkConfig: (benchmark_faults, pool_faults),
    CertificationConfig: (certification_faults,),
    ClassConfig: (class_faults,),
}
