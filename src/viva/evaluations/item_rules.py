"""Faults in how a benchmark draws its questions."""

from collections.abc import Iterator

from viva.evaluations.configs import BenchmarkConfig
from viva.evaluations.item_pools import NO_TOPIC, count_by_topic, topic_sizes
from viva.kit.errors import Fault

DRAW_FIELD = "config.draw"


def pool_faults(config: BenchmarkConfig) -> Iterator[Fault]:
    """Every topic is drawn, none has too few questions, and every attempt has the same maximum score."""
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
