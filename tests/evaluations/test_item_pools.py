"""Which questions of a pool an attempt gets: by its seed alone, and always so many of each topic."""

from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.evaluations.configs import BenchmarkConfig
from viva.evaluations.item_pools import count_by_topic, draw_questions


def pool(draw: Any, topics: str) -> BenchmarkConfig:
    """A pool with a question for each letter, which is its topic; a dot is none."""
    questions = [
        {"id": f"q{at}", "kind": "exact", "text": "?", "answers": ["x"]} | ({} if topic == "." else {"topic": topic})
        for at, topic in enumerate(topics)
    ]
    return msgspec.convert({"questions": questions, "draw": draw}, BenchmarkConfig)


@pytest.mark.parametrize(
    ("draw", "topics", "counts"),
    [
        (None, "aab", {"a": 2, "b": 1}),
        (4, "aaaabbbb", {"a": 2, "b": 2}),
        (3, "aaaabbbb", {"a": 2, "b": 1}),  # 1.5 each: the first of the SIP gets the rest
        (3, "aaaaaabbcc", {"a": 2, "b": 1, "c": 0}),  # 1.8, 0.6 and 0.6
        (5, "aaabbbccc.", {"a": 2, "b": 2, "c": 1, "": 0}),  # 1.5, 1.5, 1.5 and 0.5
        ({"a": 1, "b": 3}, "aabbb", {"a": 1, "b": 3}),
    ],
)
def test_topics_share_what_is_drawn_by_their_size_and_the_largest_remainders_get_the_rest(draw, topics, counts):
    assert count_by_topic(pool(draw, topics)) == counts


def test_a_seed_draws_the_same_questions_in_every_release():
    assert draw_questions(pool(4, "aaaabbbbcc"), "5eed") == ["q1", "q2", "q7", "q8"]


def test_seeds_draw_every_question_about_as_often():
    times = Counter(id_ for seed in range(400) for id_ in draw_questions(pool(3, "aaaaaa"), str(seed)))

    assert set(times) == {f"q{at}" for at in range(6)}
    assert min(times.values()) > 150  # of 200 expected; fewer than this has a chance of one in a million


@settings(deadline=None, max_examples=50)
@given(st.text("abc.", min_size=1, max_size=30), st.integers(1, 30), st.text(max_size=5))
def test_drawing_depends_on_seed_and_config_alone_and_respects_the_topics(topics, draw, seed):
    config = pool(min(draw, len(topics)), topics)

    drawn = draw_questions(config, seed)

    assert drawn == draw_questions(pool(min(draw, len(topics)), topics), seed)
    assert len(drawn) == len(set(drawn)) == min(draw, len(topics))
    topic_of = {question.id: question.topic or "" for question in config.questions}
    counts = {topic: count for topic, count in count_by_topic(config).items() if count}
    assert Counter(topic_of[id_] for id_ in drawn) == counts
    sizes = Counter(topic_of.values())
    shares = {topic: min(draw, len(topics)) * size / len(topics) for topic, size in sizes.items()}
    assert all(abs(counts.get(topic, 0) - share) < 1 for topic, share in shares.items())
