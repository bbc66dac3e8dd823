"""Where agents hinder each other."""

from tests.engine.refund import EXECUTOR, PLANNER, refund
from tests.values import require
from viva.engine.measures import handoff
from viva.engine.measures.coordination import Coordination, measure
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn
from viva.engine.reading import Reading


def measured(*interactions: Interaction, agents: tuple[TraceAgent, ...] = (), user: str = "Do it") -> Coordination:
    return of(Trace("t", (Turn(0, user, None, interactions),), agents))


def of(trace: Trace) -> Coordination:
    reading = Reading(trace, sentence_model=False)
    return measure(reading, handoff.measure(reading))


def call(agent: str, tool: str, **parameters: str) -> Interaction:
    return Interaction(agent, None, (Step(tool_call=ToolCall(tool, parameters, "ok")),))


def test_a_single_agent_has_no_coordination():
    assert measured(Interaction("a", "Hello"), Interaction("a", "Bye")) == Coordination()


def test_agents_who_get_on_score_one():
    found = measured(Interaction("a", "Weigh the parcel."), Interaction("b", "It weighs two kilos."))

    assert found.score.value == 1.0
    assert found.score.evidence == ()


def test_the_same_call_by_two_agents_is_duplicate_work():
    found = measured(call("a", "weigh", parcel="7"), call("b", "weigh", parcel="7"), call("b", "weigh", parcel="8"))

    assert [(piece.interaction_index, piece.step_index) for piece in found.duplicate_work] == [(1, 0)]
    assert require(found.score.value) < 1


def test_a_call_made_again_after_it_failed_is_no_duplicate():
    failed = Interaction("a", None, (Step(tool_call=ToolCall("weigh", {}, error="scale is off")),))

    assert measured(failed, call("b", "weigh")).duplicate_work == ()


def test_the_same_answer_by_two_agents_is_duplicate_work():
    words = "The parcel weighs seven kilos, needs two stamps and leaves with the noon train to Porto."

    assert len(measured(Interaction("a", words), Interaction("b", words)).duplicate_work) == 1


def test_a_call_of_a_tool_that_only_another_has_is_a_role_breach():
    agents = (TraceAgent("a", tools_available=()), TraceAgent("b", tools_available=(Tool("weigh"),)))
    found = measured(call("a", "weigh"), Interaction("b", "Fine."), agents=agents)

    assert [piece.why for piece in found.role_breaches] == ["a calls weigh, which only b has."]


def test_a_planner_that_executes_is_a_role_breach():
    planner = TraceAgent("planner", role="planner", tools_available=EXECUTOR.tools_available)
    found = measured(call("planner", "send_email"), Interaction("executor", "Fine."), agents=(planner, EXECUTOR))

    assert [piece.why for piece in found.role_breaches] == ["planner is to lead, but calls send_email itself."]


def test_to_and_fro_with_nothing_new_is_ping_pong_and_with_news_is_not():
    stuck = [Interaction("ab"[n % 2], "Please check the parcel label again.") for n in range(6)]
    words = ("Weigh the parcel.", "Two kilos.", "Print a label.", "Label printed, stamp missing.")
    moving = [Interaction("ab"[n % 2], text) for n, text in enumerate(words)]

    assert [piece.interaction_index for piece in measured(*stuck).ping_pong] == [3, 4]
    assert measured(*moving).ping_pong == ()


def test_agents_who_wait_for_each_other_are_in_a_deadlock():
    found = measured(
        Interaction("a", "Please provide the label."),
        Interaction("b", "I am waiting for the label from you."),
        Interaction("a", "Could you provide the label?"),
    )

    assert [piece.interaction_index for piece in found.deadlock] == [2]
    assert require(found.score.value) < 0.95


def test_the_refund_lost_context_once_and_nothing_else():
    found = of(refund())

    assert [(piece.turn_index, piece.interaction_index) for piece in found.context_lost] == [(2, 0)]
    assert found.duplicate_work == found.role_breaches == found.ping_pong == found.deadlock == ()
    assert 0.85 < require(found.score.value) < 1
    assert PLANNER.id == "planner"
