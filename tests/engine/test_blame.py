"""Who made the decisive mistake of a failed run, and what it is told by."""

import pytest

from tests.engine.refund import refund
from tests.values import require
from viva.engine.attribution.acts import Run, gave_nothing
from viva.engine.attribution.blame import attribute
from viva.engine.attribution.mistakes import suspicions
from viva.engine.evidence import Evidence
from viva.engine.faults import RunFault
from viva.engine.model import Interaction, Step, ToolCall, Trace, TraceAgent, Turn
from viva.engine.reading import Reading

TASK = "What was the average rainfall in Lisbon in March 2019, in millimetres?"
PLAN = f"Our task: {TASK} The analyst finds the rainfall of Lisbon in March 2019, the checker verifies the average."
LOADS = "I load the rainfall of Lisbon.\n```python\nprint(rain('Lisbon', 'March 2019'))\n```"
INVENTS = "The file is missing, so let us assume sample data for Lisbon in March 2019.\n```python\nprint(sum([40, 44]) / 2)\n```"


def said(agent_id: str, text: str) -> Interaction:
    return Interaction(agent_id, text)


def output(text: str, agent_id: str = "terminal") -> Interaction:
    return Interaction(agent_id, None, (Step(observation=text),))


def order(text: str, receiver: str) -> Interaction:
    return Interaction("lead", text, (Step(action=f"hand over to {receiver}"),))


def reading(*acts: Interaction, turn_index: int = 0) -> Reading:
    agents = tuple(TraceAgent(agent_id) for agent_id in dict.fromkeys(act.agent_id for act in acts))
    return Reading(Trace("t", (Turn(turn_index, TASK, None, acts),), agents, TASK), sentence_model=False)


def blamed(*acts: Interaction) -> tuple[str, int]:
    found = require(attribute(reading(*acts), 0.9).attribution)
    return found.agent_id, found.interaction_index


def test_the_author_of_failing_code_is_blamed_and_not_the_terminal():
    acts = (
        said("planner", PLAN),
        said("analyst", LOADS),
        output("Traceback: NameError: rain"),
        said("checker", "DONE"),
    )

    assert blamed(*acts) == ("analyst", 1)


def test_a_failed_try_that_a_later_one_mends_is_no_mistake():
    failed = (said("analyst", LOADS), output("Traceback: NameError: rain"))
    mended = (said("analyst", LOADS), output("exitcode: 0\n17.5"))
    checks = said("checker", "The mean is 17.5 millimetres, as the table of rain shows.")
    alone, both = (reading(said("planner", PLAN), *acts, checks) for acts in (failed, (*failed, *mended)))

    assert suspicions(alone, Run(alone), [])[1]["try_failed"] == 1.0
    assert suspicions(both, Run(both), [])[1]["try_failed"] == 0.0


def test_whoever_states_results_is_told_from_whoever_repeats_them():
    run = reading(
        said("planner", PLAN), said("analyst", "Here are the means: 17.5 and 12."), said("checker", "I see both.")
    )

    assert [act["presents"] for act in suspicions(run, Run(run), [])] == [0.0, 1.0, 0.0]


def test_whoever_makes_up_data_is_blamed_rather_than_whoever_confirms_the_result():
    acts = (
        said("planner", PLAN),
        said("analyst", "I will look for the file first and report back to all of you soon."),
        said("helper", INVENTS),
        output("exitcode: 0\n42.0"),
        said("checker", "The result 42 looks right to me, we can finish the conversation here."),
        said("planner", "DONE"),
    )

    assert blamed(*acts) == ("helper", 2)


def test_an_opening_that_leaves_out_the_task_is_blamed():
    acts = (
        said("planner", "We have to debug a program that ended with an unknown language. Please share its source."),
        output("There is nothing for me to execute."),
        said("analyst", "Please send the program, so that we can begin to look for its fault."),
        output("There is nothing for me to execute."),
        said("planner", "We are waiting for the program that someone wanted us to look at."),
    )

    assert blamed(*acts) == ("planner", 0)


def test_an_opening_that_sets_the_task_is_not_blamed_for_what_follows():
    acts = (said("planner", PLAN), said("analyst", INVENTS), output("exitcode: 0\n42.0"), said("checker", "DONE"))

    assert blamed(*acts) == ("analyst", 1)


def test_in_a_short_directed_run_the_last_worker_is_blamed_and_not_the_director():
    acts = (
        order("Please search for the rainfall in Lisbon in March 2019.", "surfer"),
        said("surfer", "I typed 'rainfall Lisbon March 2019' and see a page of results about the weather."),
        order("Please open the records of the weather station and read the value.", "surfer"),
        said("surfer", "I clicked an advertisement for umbrellas. The page shows prices and colours of umbrellas."),
        Interaction("lead", "FINAL ANSWER: 40", (Step(action="end"),)),
    )

    assert blamed(*acts) == ("surfer", 3)


def test_names_of_agents_do_not_matter():
    acts = (said("x1", PLAN), said("x2", INVENTS), output("exitcode: 0\n42.0", "x3"), said("x4", "DONE"))

    assert blamed(*acts) == ("x2", 1)


def test_a_call_that_failed_inside_an_interaction_counts_as_tried_and_failed():
    call = Step(tool_call=ToolCall("rain", {"city": "Lisbon"}, error="station not found"))
    there = reading(said("planner", PLAN), Interaction("analyst", "It rained 40 mm.", (call,)))

    assert suspicions(there, Run(there), ())[1]["try_failed"] == 1


def test_a_single_agent_may_be_blamed_for_its_first_interaction():
    turns = (
        Turn(4, TASK, None, (said("bot", "I assume simulated data: the rainfall in Lisbon in March 2019 was 40 mm."),)),
        Turn(5, "Thanks, bye", None, (said("bot", "You are welcome, have a good day and come back soon!"),)),
    )

    found = attribute(Reading(Trace("t", turns, (TraceAgent("bot"),), TASK), sentence_model=False), 1.0).attribution

    assert found is not None
    assert (found.turn_index, found.interaction_index, found.confidence) == (4, 0, 1.0)


def test_in_a_run_that_surely_failed_the_probabilities_sum_to_one_and_the_confidence_is_the_agents():
    there = reading(said("planner", PLAN), said("analyst", INVENTS), output("42.0"), said("checker", "DONE"))

    found = attribute(there, 1.0)

    assert sum(found.shares.values()) == pytest.approx(1)
    assert require(found.attribution).confidence == pytest.approx(found.shares[0, 1], abs=1e-4)
    assert found.shares[0, 1] > 0.5 > found.shares[0, 2]


def test_the_reason_is_a_sentence_and_the_evidence_quotes_the_words_and_their_place():
    there = reading(said("planner", PLAN), said("analyst", INVENTS), output("exitcode: 1 Timeout"), turn_index=7)

    found = attribute(there, 1.0).attribution

    assert found is not None
    assert found.reason == "analyst worked with assumed or made-up data and gave code or a call that failed."
    assert [(piece.turn_index, piece.interaction_index) for piece in found.evidence[:2]] == [(7, 1), (7, 2)]
    assert "let us assume sample data" in found.evidence[0].quote
    assert found.evidence[1].quote == "exitcode: 1 Timeout"


def test_without_a_fault_nobody_is_blamed_with_confidence():
    found = require(attribute(reading(said("bot", "It rained.")), 1.0).attribution)

    assert (found.agent_id, found.confidence, found.evidence[0].quote) == ("bot", 0.45, "It rained.")


def test_nobody_is_blamed_where_nobody_acted_or_nothing_failed():
    assert attribute(reading(), 0.9).attribution is None
    assert attribute(reading(said("bot", "It rained.")), 0.4).attribution is None
    assert attribute(reading(said("bot", "It rained.")), None).attribution is None


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        ('{"id": "A7", "bags": 2, "notes": []}', False),
        ("exitcode: 0 (execution succeeded)\nCode output: []", True),
        ("The longest word is:", True),
        ("Jersey number: None", True),
        ("Total: 10", False),
        ("", False),
        ("first line\nsecond line", False),
    ],
)
def test_an_output_without_a_value_gave_nothing(text: str, nothing: bool):
    assert gave_nothing(text) is nothing


def test_interactions_without_any_text_do_not_fail():
    shares = attribute(reading(Interaction("a"), Interaction("b", None, (Step(),)), Interaction("a", "")), 1.0).shares

    assert sum(shares.values()) == pytest.approx(1)


def test_a_run_of_thousands_of_agents_is_attributed_within_its_first_acts():
    there = reading(
        *(said(f"agent{k}", f"I found {k} things in Lisbon, therefore the answer is {k}.") for k in range(5000))
    )

    shares = attribute(there, 1.0).shares

    assert len(shares) == 400
    assert (0, 4999) not in shares


def fault(kind: str, turn: int, part: int, confidence: float = 0.9) -> RunFault:
    return RunFault(kind, "", turn, part, confidence, Evidence("it was wrong", "words", turn, part))


def test_the_mistake_is_looked_for_where_a_fault_was_found():
    session = Reading(refund(), sentence_model=False)

    found = require(attribute(session, 0.9, [fault("tool", 1, 1)]).attribution)

    assert (found.agent_id, found.turn_index, found.interaction_index) == ("executor", 1, 1)
    assert found.reason == "executor made a call at fault: it was wrong."
    assert found.evidence[0].quote == "words"


def test_of_two_faults_the_earlier_one_is_blamed():
    session = Reading(refund(), sentence_model=False)

    found = require(attribute(session, 0.9, [fault("tool", 1, 1), fault("tool", 0, 1)]).attribution)

    assert (found.turn_index, found.interaction_index) == (0, 1)


def test_a_concrete_fault_is_blamed_even_if_the_run_went_well():
    session = Reading(refund(), sentence_model=False)

    assert attribute(session, 0.2).attribution is None
    assert attribute(session, 0.2, [fault("tool", 1, 1, 0.4)]).attribution is None
    assert attribute(session, 0.2, [fault("minor_tool", 1, 1)]).attribution is None
    assert require(attribute(session, 0.2, [fault("tool", 1, 1)]).attribution).agent_id == "executor"


def test_made_up_data_is_blamed_and_not_its_telling_even_if_the_run_looks_well():
    acts = (
        said("planner", PLAN),
        said("analyst", INVENTS),
        output("exitcode: 0\n42.0"),
        said("checker", "The average was 42 mm."),
    )

    found = require(attribute(reading(*acts), 0.2, [fault("telling", 0, 3, 0.6)]).attribution)

    assert (found.agent_id, found.interaction_index) == ("analyst", 1)
