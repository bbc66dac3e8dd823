"""Weighted averages, where a part that does not apply gives its weight to the others."""

import pytest

from tests.values import require
from viva.engine.scoring import AGENT_WEIGHTS, SESSION_WEIGHTS, average, share, weighted_mean


def test_a_session_is_weighted_as_specified():
    scores = {"conversation": 1.0, "tool_use": 0.0, "coordination": 0.5, "reasoning": 1.0, "on_task": 0.0}

    assert weighted_mean(scores, SESSION_WEIGHTS) == pytest.approx(0.30 + 0.10 + 0.15)


def test_an_agent_is_weighted_as_specified():
    scores = {"tool_use": 1.0, "reasoning": 0.0, "handoff": 1.0, "response_quality": 0.5}

    assert weighted_mean(scores, AGENT_WEIGHTS) == pytest.approx(0.35 + 0.20 + 0.10)


@pytest.mark.parametrize("weights", [SESSION_WEIGHTS, AGENT_WEIGHTS])
def test_weights_sum_to_one(weights):
    assert sum(weights.values()) == pytest.approx(1)


def test_a_part_that_does_not_apply_gives_its_weight_to_the_others():
    scores = {"tool_use": None, "reasoning": None, "handoff": 1.0, "response_quality": 0.5}

    assert weighted_mean(scores, AGENT_WEIGHTS) == pytest.approx(0.75)


def test_no_part_at_all_is_no_score():
    assert weighted_mean({"tool_use": None}, AGENT_WEIGHTS) is None
    assert average([None, None]) is None


def test_what_is_to_be_gained_is_the_rise_of_the_whole():
    scores = {"tool_use": 0.4, "reasoning": None, "handoff": 1.0, "response_quality": 0.5}

    gained = share("tool_use", scores, AGENT_WEIGHTS)

    assert weighted_mean(scores | {"tool_use": 1.0}, AGENT_WEIGHTS) == pytest.approx(
        require(weighted_mean(scores, AGENT_WEIGHTS)) + gained
    )
    assert share("reasoning", scores, AGENT_WEIGHTS) == 0
