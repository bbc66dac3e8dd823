"""What a run cost."""

from tests.engine.refund import refund
from tests.values import require
from viva.engine.measures.spending import Cost, measure_cost
from viva.engine.model import Trace, Turn

TURNS = (Turn(0, "a"), Turn(1, "b"))


def test_the_total_is_shared_out_over_the_turns():
    assert measure_cost(refund()) == Cost(0.042, 0.0105)


def test_parts_told_in_the_metadata_are_kept_and_make_up_a_missing_total():
    told = Trace("t", TURNS, session_metadata={"extra": {"cost_by_agent": {"a": 0.5, "b": 1, "c": "free", "d": True}}})

    assert measure_cost(told) == Cost(1.5, 0.75, {"a": 0.5, "b": 1.0})


def test_costs_of_turns_may_be_a_list():
    told = Trace("t", TURNS, total_cost=4.0, session_metadata={"extra": {"cost_by_turn": [1.0, 3.0]}})

    assert require(measure_cost(told)).by_turn == {"0": 1.0, "1": 3.0}


def test_a_trace_that_tells_nothing_has_no_cost():
    assert measure_cost(Trace("t", TURNS, session_metadata={"extra": ["odd"]})) is None
