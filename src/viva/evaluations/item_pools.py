"""The pool of a benchmark: which of its questions an attempt gets."""

from collections import Counter

from viva.evaluations.configs import BenchmarkConfig
from viva.kit import seeded

NO_TOPIC = ""  # questions without a topic are drawn as one topic


def draw_questions(config: BenchmarkConfig, seed: str) -> list[str]:
    """The ids of an attempt's questions, in the order of the SIP. They depend only on the config and the seed."""
    if config.draw is None:
        return [question.id for question in config.questions]
    drawn: set[str] = set()
    for topic, count in count_by_topic(config).items():
        ids = [question.id for question in config.questions if (question.topic or NO_TOPIC) == topic]
        drawn.update(seeded.shuffle(ids, f"{seed}:draw")[:count])
    return [question.id for question in config.questions if question.id in drawn]


def count_by_topic(config: BenchmarkConfig) -> dict[str, int]:
    """How many questions of each topic an attempt gets. The counts are the same for every attempt.

    A topic gets its share of `draw`, rounded down. The topics that lost most by this get one more, the first of the SIP
    if they lost the same."""
    sizes, draw = topic_sizes(config), config.draw
    if not isinstance(draw, int):
        return draw or sizes
    total = len(config.questions)
    counts = {topic: draw * size // total for topic, size in sizes.items()}
    by_loss = sorted(sizes, key=lambda topic: draw * sizes[topic] % total, reverse=True)  # equal ones stay in order
    for topic in by_loss[: draw - sum(counts.values())]:
        counts[topic] += 1
    return counts


def topic_sizes(config: BenchmarkConfig) -> dict[str, int]:
    """How many questions each topic has, in the order of the SIP."""
    return Counter(question.topic or NO_TOPIC for question in config.questions)
