"""Faults in how a benchmark draws its questions and the values of their parameters."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from keyword import iskeyword
from typing import Any

import msgspec

from viva.evaluations.configs import (
    BenchmarkConfig,
    BenchmarkQuestion,
    CertificationConfig,
    ClassConfig,
    NumericQuestion,
)
from viva.evaluations.item_filling import UnusableValues, fill
from viva.evaluations.item_parameters import ParameterValues, ParametrisedItem, sample_values, size_of
from viva.evaluations.item_pools import NO_TOPIC, count_by_topic, topic_sizes
from viva.evaluations.text_filling import list_text_items
from viva.kit.errors import Fault
from viva.sandbox.model import SandboxUnavailable

DRAW_FIELD = "config.draw"
MAX_QUESTIONS_WITH_PARAMETERS = 200  # the sandbox computes each when an attempt starts, in about a millisecond
MAX_EXPRESSION_FAULTS = 20  # reported at once; a bad expression can take a tenth of a second
NAME_PATTERN = re.compile(r"[a-z][a-z0-9_]{0,29}")
RESERVED_NAMES = frozenset({"math"})  # what expressions have besides the parameters


def pool_faults(given: dict[str, Any]) -> Iterator[Fault]:
    """Every topic is drawn, none has too few questions, and every attempt has the same maximum score."""
    try:
        config = msgspec.convert(given, BenchmarkConfig)
    except msgspec.ValidationError:
        return  # what would be drawn is known only of a sound config
    total = len(config.questions)
    if config.draw is None:
        return
    if isinstance(config.draw, int) and config.draw > total:
        message = f"{DRAW_FIELD} is {config.draw}, but there are only {total} questions."
        yield Fault(DRAW_FIELD, "DRAW_TOO_LARGE", message)
        return
    counts, sizes = count_by_topic(config), topic_sizes(config)
    for topic in counts.keys() - sizes.keys():
        yield Fault(f"{DRAW_FIELD}.{topic}", "UNKNOWN_TOPIC", f"{DRAW_FIELD}: no question has the topic {topic}.")
    for topic, size in sizes.items():
        yield from topic_faults(config, topic, counts.get(topic, 0), size)


def topic_faults(config: BenchmarkConfig, topic: str, count: int, size: int) -> Iterator[Fault]:
    questions = f"questions with the topic {topic}" if topic != NO_TOPIC else "questions without a topic"
    if count == 0:
        yield Fault(DRAW_FIELD, "TOPIC_NOT_DRAWN", f"{DRAW_FIELD} never draws the {questions}.")
    elif count > size:
        message = f"{DRAW_FIELD} asks for {count} {questions}, but there are only {size}."
        yield Fault(DRAW_FIELD, "DRAW_TOO_LARGE", message)
    elif count < size and len({each.points for each in config.questions if (each.topic or NO_TOPIC) == topic}) > 1:
        message = f"The {questions} must have the same points, so that all attempts have the same maximum."
        yield Fault(DRAW_FIELD, "UNEQUAL_POINTS", message)


def parameter_faults(questions: Sequence[BenchmarkQuestion | None]) -> Iterator[Fault]:
    """Every expression gives what its place needs, for all values of its parameters or for a sample of them.

    None stands for a question that has other faults."""
    asked = [(f"config.questions[{at}]", question) for at, question in enumerate(questions) if question]
    with_parameters = [(field, question) for field, question in asked if question.parameters]
    if len(with_parameters) > MAX_QUESTIONS_WITH_PARAMETERS:
        message = f"{len(with_parameters)} questions have parameters; at most {MAX_QUESTIONS_WITH_PARAMETERS} may."
        yield Fault("config.questions", "TOO_MANY_PARAMETERS", message)
        return
    for field, question in asked:
        if isinstance(question, NumericQuestion) and isinstance(question.answer, str) and not question.parameters:
            place = f"{field}.answer"
            yield Fault(place, "INVALID_CONFIG", f"{place}: Expected a number, because there are no parameters.")
    found = (fault for field, question in with_parameters if (fault := fault_of_parameters(field, question)))
    yield from islice(found, MAX_EXPRESSION_FAULTS)


def text_faults(config: dict[str, Any], kind: type[CertificationConfig | ClassConfig]) -> Iterator[Fault]:
    """The same of probes and of a class's task."""
    try:
        msgspec.convert(config, kind)
    except msgspec.ValidationError:
        return  # the texts are known only of a sound config
    ids = [probe["id"] for probe in config.get("prompts", ())]
    found = (
        fault_of_parameters(f"config.prompts[{ids.index(item.id)}]" if item.id in ids else "config", item)
        for item in list_text_items(config)
    )
    yield from islice((fault for fault in found if fault), MAX_EXPRESSION_FAULTS)


def fault_of_parameters(field: str, question: ParametrisedItem) -> Fault | None:
    for name, parameter in question.parameters.items():
        if not NAME_PATTERN.fullmatch(name) or iskeyword(name) or name in RESERVED_NAMES:
            message = f"A parameter of {question.id} cannot have the name {name}. Use small letters, digits and _."
            return Fault(f"{field}.parameters", "INVALID_PARAMETER", message)
        if not size_of(parameter):
            message = f"The parameter {name} of {question.id} has no value: its max is below its min."
            return Fault(f"{field}.parameters.{name}", "INVALID_PARAMETER", message)
    try:
        check_samples(msgspec.json.encode(question))
    except UnusableValues as error:
        return Fault(field, "UNUSABLE_EXPRESSION", f"{question.id} cannot be made {str(error).rstrip('.')}.")
    except SandboxUnavailable as error:  # a hub has to start without a sandbox too
        return Fault(field, "UNUSABLE_EXPRESSION", f"{question.id} cannot be tried. {error}")
    return None


@lru_cache(MAX_QUESTIONS_WITH_PARAMETERS * 5)  # every registration asks again; only a question without fault is kept
def check_samples(encoded: bytes) -> None:
    question: ParametrisedItem = msgspec.json.decode(encoded, type=ParametrisedItem)
    rows = sample_values(question)
    try:
        fill(question, rows)
    except UnusableValues as error:
        raise UnusableValues(find_failure(question, rows) or f"with several values at once: {error}") from None


def find_failure(question: ParametrisedItem, rows: list[ParameterValues]) -> str | None:
    """The first row that does not fit, and why. Each step tries half of the rows."""
    try:
        fill(question, rows)
    except UnusableValues as error:
        if len(rows) == 1:
            return f"with {', '.join(f'{name} = {value}' for name, value in rows[0].items())}: {error}"
        half = len(rows) // 2
        return find_failure(question, rows[:half]) or find_failure(question, rows[half:])
    return None
