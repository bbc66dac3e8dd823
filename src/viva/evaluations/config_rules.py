"""What is wrong with an evaluation's config: its form, and once that is right, what does not fit together."""

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
)
from viva.kit import forms
from viva.kit.errors import Fault

if TYPE_CHECKING:
    import jsonschema_rs

MAX_CLASS_ROWS = 400  # of a class: a judge is asked some 1,000 questions at most, of many rows twice
MAX_PATTERN_BYTES = 1024 * 1024  # bytes when compiled; one that takes more takes a tenth of a second to compile
MAX_CACHED_CHECKERS = 1_000  # kept ready: as many as a benchmark has questions

CONFIG_FAULT_CODES = frozenset(
    {
        "INVALID_CONFIG",
        "DUPLICATE_ID",
        "ANSWER_NOT_OFFERED",
        "UNUSABLE_PATTERN",
        "UNKNOWN_PROBE",
        "MIN_ABOVE_MAX",
        "TOO_MANY_ROWS",
    }
)


def faults(type_: str, config: dict[str, Any]) -> Iterator[Fault]:
    try:
        found = msgspec.convert(config, CONFIGS[type_])
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        field = f"config{place.removesuffix('`')}"
        yield Fault(field, "INVALID_CONFIG", f"{field}: {forms.simplify_message(message)}")
        return
    for rule in CONFIG_RULES.get(type(found), ()):
        yield from rule(found)


def ids_differ(field: str, ids: Iterable[str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for at, id_ in enumerate(ids):
        if id_ in seen:
            yield Fault(f"config.{field}[{at}].id", "DUPLICATE_ID", f"Two of config.{field} have the id {id_}.")
        seen.add(id_)


def questions_can_be_answered(config: BenchmarkConfig) -> Iterator[Fault]:
    yield from ids_differ("questions", (question.id for question in config.questions))
    for at, question in enumerate(config.questions):
        wanted = [question.answer] if isinstance(question, ChoiceQuestion) else getattr(question, "answers", [])
        offered = getattr(question, "options", wanted)
        for answer in wanted:
            if answer not in offered:
                message = f"The answer {answer} of {question.id} is not among its options."
                yield Fault(f"config.questions[{at}]", "ANSWER_NOT_OFFERED", message)
        if told := schema_error(question):
            yield Fault(f"config.questions[{at}]", "UNUSABLE_PATTERN", f"{question.id} cannot be checked: {told}.")


def schema_error(question: BenchmarkQuestion) -> str | None:
    """Why the question's schema or pattern cannot be used."""
    try:
        validator_of(question)
    except ValueError as error:
        return str(error).splitlines()[0]
    return None


def validator_of(question: BenchmarkQuestion) -> "jsonschema_rs.Validator":
    """What tells whether an answer has the question's form, or ValueError where it cannot be made."""
    return validator_for(msgspec.json.encode(schema_of(question)))


@lru_cache(MAX_CACHED_CHECKERS)
def validator_for(schema: bytes) -> "jsonschema_rs.Validator":
    import jsonschema_rs  # late: most commands never see a benchmark

    return jsonschema_rs.validator_for(
        msgspec.json.decode(schema),
        pattern_options=jsonschema_rs.RegexOptions(size_limit=MAX_PATTERN_BYTES),
        validate_formats=True,
        offline=True,  # a stranger's schema may name any address or file; none is read
    )


def schema_of(question: BenchmarkQuestion) -> Any:
    """What a schema can say about an answer; a pattern is checked in linear time this way, whatever it is."""
    if isinstance(question, JsonSchemaQuestion):
        return question.schema
    if isinstance(question, RegexQuestion):
        return {"type": "string", "pattern": f"^(?:{question.pattern})$"}
    return True


def rubric_fits(config: CertificationConfig) -> Iterator[Fault]:
    yield from ids_differ("prompts", (probe.id for probe in config.prompts))
    known = {probe.id for probe in config.prompts}
    for at, row in enumerate(config.rubric):
        if row.prompt_id not in known:
            field = f"config.rubric[{at}].promptId"
            yield Fault(field, "UNKNOWN_PROBE", f"{field}: no prompt has the id {row.prompt_id}.")


def class_fits(config: ClassConfig) -> Iterator[Fault]:
    yield from ids_differ("rubric", (row.id for row in config.rubric))
    if config.min_participants > config.max_participants:
        message = "config.min_participants is larger than config.max_participants."
        yield Fault("config.min_participants", "MIN_ABOVE_MAX", message)
    own = sum(row.of == "participant" for row in config.rubric)
    rows = len(config.rubric) - own + own * config.max_participants
    if rows > MAX_CLASS_ROWS:
        message = f"A full class would have {rows:,} rows to be marked; at most {MAX_CLASS_ROWS} can be."
        yield Fault("config.rubric", "TOO_MANY_ROWS", message)


CONFIG_RULES: dict[type[CommonConfig], tuple[Callable[[Any], Iterator[Fault]], ...]] = {
    BenchmarkConfig: (questions_can_be_answered,),
    CertificationConfig: (rubric_fits,),
    ClassConfig: (class_fits,),
}
