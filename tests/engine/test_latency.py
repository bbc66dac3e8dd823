"""Times of a run."""

from tests.engine.refund import refund
from tests.values import require
from viva.engine.measures.spending import Latency, Slowest, measure_latency
from viva.engine.model import Interaction, Trace, Turn


def test_times_are_summed_by_agent_and_by_tool():
    found = measure_latency(refund())

    assert found == Latency(
        total_ms=4980.0,
        by_agent={"planner": 1450.0, "executor": 3530.0},
        by_tool={"db_query": 175.0, "issue_refund": 140.0, "send_email": 210.0},
        p50=520.0,
        p95=1400.0,
        slowest=Slowest("executor", 2, 1, 1400.0),
    )


def test_without_a_total_it_is_the_sum_of_the_interactions():
    turn = Turn(
        0, "Hi", None, (Interaction("a", "x", (), 10.0), Interaction("b", "y"), Interaction("a", "z", (), 30.0))
    )

    assert require(measure_latency(Trace("t", (turn,)))).total_ms == 40.0


def test_a_trace_without_times_has_no_latency():
    assert measure_latency(Trace("t", (Turn(0, "Hi", None, (Interaction("a", "x"),)),))) is None
