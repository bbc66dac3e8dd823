"""The refund on two levels: each agent in each turn, and what the turns tell about the agents together."""

import pytest

from tests.engine.refund import refund
from viva.engine.measures import coordination, handoff, reasoning, response
from viva.engine.model import Interaction, Step, ToolCall, Trace, TraceAgent, Turn
from viva.engine.reading import Reading


def picture(trace: Trace) -> dict[tuple[int, str], tuple[float | None, ...]]:
    """For each turn and agent: handoff, reasoning and response quality."""
    reading = Reading(trace, sentence_model=False)
    tables = [measure(reading) for measure in (handoff.measure, reasoning.measure, response.measure)]
    return {
        (place.turn, place.interaction.agent_id): tuple(
            table[place[:2]].value if place[:2] in table else None for table in tables
        )
        for place in reading.places
    }


def test_every_agent_has_its_own_scores_in_every_turn():
    assert picture(refund()) == {
        (0, "planner"): (1.0, 1.0, 1.0),
        (0, "executor"): (None, None, 1.0),
        (1, "planner"): (1.0, 1.0, 1.0),
        (1, "executor"): (None, None, 1.0),
        (2, "planner"): (0.19, 1.0, 1.0),
        (2, "executor"): (None, None, 1.0),
    }


def test_a_planner_that_passes_the_address_on_lifts_its_handoff_to_one():
    trace = refund()
    planner, executor = trace.turns[2].agent_interactions
    told = Interaction("planner", f"{planner.agent_response} The address is ana@example.com.", planner.agent_steps)
    better = Trace("t", (*trace.turns[:2], Turn(2, "Send email", None, (told, executor))), trace.agents)

    assert picture(better)[2, "planner"][0] == 1.0


LONG = "Zoë, מזל טוב 🎉 error I will @x 12345 ``` “quoted words” next speaker: y " * 4_000
ODD = (
    Trace("empty", ()),
    Trace("silent", (Turn(0), Turn(1, "", None, (Interaction(""), Interaction("b"))))),
    Trace(
        "long",
        (
            Turn(
                7,
                LONG,
                LONG,
                tuple(
                    Interaction(
                        name, LONG, (Step(LONG, LONG, LONG, ToolCall(LONG, {"a": LONG, "b": None}, LONG, LONG)),)
                    )
                    for name in ("a", "b", "a", "b")
                ),
            ),
        ),
    ),
    Trace(
        "many",
        (Turn(0, "Go", None, tuple(Interaction(f"a{n}", f"@a{n + 1} take order {n}") for n in range(2_000))),),
        tuple(TraceAgent(f"a{n}", description=f"does {n}") for n in range(2_000)),
    ),
)


@pytest.mark.parametrize("trace", ODD, ids=lambda trace: trace.id)
def test_odd_traces_are_measured_and_every_score_below_one_has_evidence(trace):
    reading = Reading(trace, sentence_model=False)
    handoffs = handoff.measure(reading)
    scores = [*handoffs.values(), *reasoning.measure(reading).values(), *response.measure(reading).values()]
    scores.append(coordination.measure(reading).score)

    assert all(score.value is None or 0 <= score.value <= 1 for score in scores)
    assert all(score.value in (None, 1.0) or 1 <= len(score.evidence) <= 5 for score in scores)
