"""Where agents hinder each other."""

import pytest

from tests.engine.refund import EXECUTOR, refund
from tests.values import require
from viva.engine.evidence import Coordination
from viva.engine.measures.coordination import measure
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn
from viva.engine.reading import Reading


def measured(*interactions: Interaction, agents: tuple[TraceAgent, ...] = (), user: str = "Do it") -> Coordination:
    return of(Trace("t", (Turn(0, user, None, interactions),), agents))


def of(trace: Trace) -> Coordination:
    reading = Reading(trace, sentence_model=False)
    return measure(reading)


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

    assert [piece.interaction_index for piece in measured(*stuck).ping_pong] == [0]
    assert measured(*moving).ping_pong == ()


def test_agents_who_wait_for_each_other_are_in_a_deadlock():
    found = measured(
        Interaction("a", "Please provide the label."),
        Interaction("b", "I am waiting for the label from you."),
        Interaction("a", "Could you provide the label?"),
    )

    assert [piece.interaction_index for piece in found.deadlock] == [2]
    assert require(found.score.value) < 0.7


def test_who_brings_the_task_to_the_team_does_not_wait_in_vain():
    briefing = "How long is the shelf? Wait for me to give you the results."
    parts = [
        Interaction("a", briefing),
        Interaction("b", "Could you give the results?"),
        Interaction("a", "Wait for the results."),
    ]

    assert measured(*parts, user="How long is the shelf?").deadlock == ()
    assert len(measured(*parts, user="How long is the table?").deadlock) == 1


LEAD = TraceAgent("lead", "Lead", "coordinator", tools_available=())
STORE = TraceAgent("store", "Store", "stock keeper", tools_available=(Tool("count_stock"),))
CREW = TraceAgent("crew", "Crew", "builder", tools_available=(Tool("build_stand"),))
TEAM = (LEAD, STORE, CREW)
ASK = Interaction("lead", "Store, please count the 40 mm beams.")
COUNT = Interaction(
    "store", "There are 75 beams.", (Step(tool_call=ToolCall("count_stock", {"item": "beam"}, "75 beams")),)
)
GIVE = Interaction("lead", "Crew, please build the stand for hall 9 with 75 beams.")
BUILD = Interaction("crew", "Stand S-118 is built.", (Step(tool_call=ToolCall("build_stand", {"hall": "9"}, "S-118")),))
TELL = Interaction("lead", "The stand S-118 in hall 9 is ready.")


def team(*parts: Interaction) -> Coordination:
    return measured(*parts, agents=TEAM, user="Build a stand in hall 9 from the beams we have.")


def test_a_team_that_works_well_scores_one():
    assert team(ASK, COUNT, GIVE, BUILD, TELL).score.value == 1.0


def test_work_asked_for_twice_is_the_fault_of_who_asks():
    found = team(ASK, COUNT, ASK, COUNT, GIVE, BUILD, TELL)

    assert [piece.interaction_index for piece in found.duplicate_work] == [2]
    assert require(found.score.value) < 0.7


def test_work_given_to_an_agent_without_the_tool_is_the_fault_of_the_giver():
    wrong = Interaction("lead", "Store, please build the stand for hall 9 with 75 beams.")
    found = team(ASK, COUNT, wrong, Interaction("store", "Stand S-118 is built.", BUILD.agent_steps), TELL)

    assert [(piece.why, piece.interaction_index) for piece in found.role_breaches] == [
        ("store calls build_stand, which only crew has.", 2)
    ]
    assert require(found.score.value) < 0.7


def test_work_that_is_refused_and_then_given_to_another_went_to_the_wrong_agent():
    wrong = Interaction("lead", "Store, please build the stand for hall 9 with 75 beams.")
    found = team(ASK, COUNT, wrong, Interaction("store", "Building is not what I do."), GIVE, BUILD, TELL)

    assert [(piece.why, piece.interaction_index) for piece in found.role_breaches] == [
        ("Given to store, who did nothing with it, and then to crew.", 2)
    ]


def test_an_agent_that_speaks_to_itself_by_name_says_anothers_words():
    swapped = [
        Interaction({"lead": "store", "store": "lead"}.get(one.agent_id, one.agent_id), one.agent_response)
        for one in (ASK, COUNT)
    ]

    assert [piece.interaction_index for piece in team(*swapped, GIVE, BUILD, TELL).role_breaches] == [0]


def test_an_agent_that_says_who_it_is_speaks_its_own_words():
    assert team(ASK, Interaction("store", "As Store, I count 75 beams."), GIVE, BUILD, TELL).role_breaches == ()
    assert team(ASK, Interaction("store", "Store: there are 75 beams."), GIVE, BUILD, TELL).role_breaches == ()


def test_an_agent_that_reports_for_a_silent_one_speaks_for_it():
    found = team(ASK, COUNT, Interaction("lead", "Crew reports: stand S-118 in hall 9 is built."))

    assert [piece.why for piece in found.role_breaches] == ["Speaks for crew, who has said and done nothing."]
    assert require(found.score.value) < 0.7


def test_an_agent_that_is_waited_for_and_never_comes_is_a_dead_end():
    found = team(ASK, COUNT, GIVE, Interaction("lead", "I am waiting for Crew."))

    assert [piece.interaction_index for piece in found.deadlock] == [2]
    assert require(found.score.value) < 0.7


def test_a_figure_told_otherwise_than_the_tool_had_it_is_a_contradiction():
    found = team(ASK, Interaction("store", "There are 58 beams.", COUNT.agent_steps), GIVE, BUILD, TELL)

    assert [piece.why for piece in found.contradictions] == ["Says 58 where “75” was given."]
    assert require(found.score.value) < 0.7


def test_a_figure_that_can_be_computed_is_no_contradiction():
    added = Interaction("crew", "Together that makes 84 beams.", BUILD.agent_steps)  # 75 and 9

    assert team(ASK, COUNT, GIVE, added, TELL).contradictions == ()


def test_an_agent_that_answers_itself_among_agents_who_take_turns_lowers_the_score_a_little():
    found = team(ASK, GIVE, BUILD, TELL)

    assert found.context_lost == ()
    assert "lead answers itself; a part seems to be missing." in [piece.why for piece in found.score.evidence]


def test_code_written_by_who_runs_it_and_run_by_who_writes_it_is_a_role_breach():
    code, output = "Here it is:\n```python\nprint(6 * 7)\n```", "42"
    agents = (TraceAgent("dev", role="programmer"), TraceAgent("shell", role="code runner"))

    def run(writer: str, runner: str) -> Coordination:
        parts = (Interaction(writer, code), Interaction(runner, output), Interaction(writer, "The answer is 42."))
        return measured(*parts, agents=agents, user="What is six times seven?")

    assert run("dev", "shell").score.value == 1.0
    assert [piece.interaction_index for piece in run("shell", "dev").role_breaches] == [0]


def test_courtesies_and_the_next_request_change_nothing():
    polite = Interaction("store", "Sure! There are 75 beams.", COUNT.agent_steps)
    turns = (
        Turn(0, "Build a stand in hall 9 from the beams we have.", None, (ASK, polite, GIVE, BUILD, TELL)),
        Turn(1, "Then send me a photo, please.", None, (Interaction("lead", "The photo is on its way."),)),
    )

    assert of(Trace("t", turns, TEAM)).score.value == 1.0


def test_the_refund_lost_context_once_and_nothing_else():
    found = of(refund())

    assert [(piece.turn_index, piece.interaction_index) for piece in found.context_lost] == [(2, 0)]
    assert found.duplicate_work == found.role_breaches == found.ping_pong == found.deadlock == ()
    assert require(found.score.value) == 0.64


@pytest.mark.parametrize(
    ("second", "again"),
    [
        ("I typed Oak Road 9 into the second field. The map shows both places and a way of 2 km between them.", False),
        ("I clicked the field. The page asks for a street and a town and has a button to begin.", True),
    ],
)
def test_an_order_given_again_is_duplicate_work_unless_it_brings_the_work_on(second, again):
    text = "Please put Elm Street 4 and Oak Road 9 into the two fields of the map and tell me how far apart they are."
    order = Interaction("lead", text, (Step(action="hand over to surfer"),))
    silent = Interaction("lead", None, (Step(thought="Surfer is next."),))
    first = Interaction(
        "surfer", "I clicked the field. The page asks for a street and a town and has a button to begin."
    )

    found = measured(order, silent, first, silent, order, silent, Interaction("surfer", second))

    assert (4 in [piece.interaction_index for piece in found.duplicate_work]) is again


@pytest.mark.parametrize(("output", "faults"), [("Error: search is not imported", 1), ("Three pages on elm trees", 0)])
def test_a_terminal_that_speaks_by_its_output_goes_in_a_circle_only_if_that_is_the_same(output, faults):
    code = Interaction("coder", "There was an error. Let us import the search and try it again.")
    shell = [
        Interaction("shell", None, (Step(observation=text),)) for text in ("Error: search is not imported", output)
    ]

    assert len(measured(code, shell[0], code, shell[1]).ping_pong) == faults


def test_a_loop_is_listed_once_and_the_output_of_a_program_not_at_all():
    order = Interaction("lead", "Please count the beams in hall 9 once more, and mind the ones behind the stage.")
    page = Interaction("terminal", "Output: 75 beams of pine wood, length 4 m, stored in hall 9 behind the big stage.")
    found = team(order, page, order, page, Interaction("lead", "Noted."), order, page)

    assert len((*found.duplicate_work, *found.ping_pong)) == 1


def test_an_introduction_is_not_another_agents_words():
    assert not team(ASK, COUNT, Interaction("crew", "As a Crew member, I agree with the count."), TELL).role_breaches


def test_who_answers_and_asks_has_not_been_kept_in_the_dark():
    reply = Interaction("store", "There are 75 beams in hall 9. Shall I send them?")
    again = Interaction("lead", "Yes, send the 75 beams for the 14 stands.")

    assert not team(ASK, reply, again, BUILD, TELL).context_lost
