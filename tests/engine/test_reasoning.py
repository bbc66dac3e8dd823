"""When a thought is good reasoning."""

from tests.engine.refund import refund
from tests.values import require
from viva.engine.evidence import Score
from viva.engine.measures import reasoning
from viva.engine.model import Interaction, Step, ToolCall, Trace, Turn
from viva.engine.reading import Reading

PLAN = "I should search the flights from Oslo to Rome on Friday."
SEARCH = ToolCall("search_flights", {"origin": "Oslo", "destination": "Rome"}, "Two flights: SK481 and DY1872")


def measured(*steps: Step, response: str | None = None, user: str = "Get me to Rome") -> Score:
    trace = Trace("t", (Turn(0, user, None, (Interaction("agent", response, steps),)),))
    return reasoning.measure(Reading(trace, sentence_model=False))[0, 0]


def test_a_thought_that_leads_to_its_call_is_good():
    assert measured(Step(thought=PLAN), Step(tool_call=SEARCH)) == Score(1.0)


def test_a_thought_that_leads_elsewhere_is_not():
    mail = ToolCall("send_email", {"to": "boss@example.com", "body": "The quarterly report is attached."})
    score = measured(Step(thought=PLAN), Step(tool_call=mail))

    assert require(score.value) < 0.8
    deed = "send email boss@example.com The quarterly report is attached."
    assert score.evidence[0].why == f"The thought does not lead to what is done next: “{deed}”."
    assert score.evidence[0].quote == PLAN
    assert score.evidence[0].step_index == 0


def test_a_thought_had_before_word_for_word_is_not_new():
    score = measured(Step(thought=PLAN, tool_call=SEARCH), Step(thought=PLAN, tool_call=SEARCH))

    assert require(score.value) < 0.95
    assert "repeats an earlier one" in score.evidence[0].why
    assert score.evidence[0].step_index == 1


def test_a_thought_after_an_error_should_notice_it():
    failed = Step(tool_call=ToolCall("search_flights", {"origin": "Oslo"}, error="missing destination"))
    blind = measured(
        failed, Step(thought="The flights to Rome look great for the customer."), response="Flights to Rome"
    )
    seeing = measured(
        failed, Step(thought="The flights search failed: missing destination Rome."), response="Flights to Rome"
    )

    assert require(blind.value) < require(seeing.value)
    assert "does not notice" in blind.evidence[0].why


def test_a_thought_with_another_number_than_the_deed_is_against_it():
    refund = ToolCall("pay_refund", {"order": "A-118", "amount": "48.20"}, "paid")
    right = measured(Step(thought="The amount of order A-118 is 48.20, so I pay that.", tool_call=refund))
    wrong = measured(Step(thought="The amount of order A-118 is 12.90, so I pay that.", tool_call=refund))

    assert right == Score(1.0)
    assert require(wrong.value) < 0.7
    assert wrong.evidence[0].why == "The thought has 12.90, but what is done has 48.20."


def test_a_thought_about_something_else_is_beside_the_point():
    score = measured(Step(thought="Tulips and daffodils bloom early when winters are mild.", tool_call=SEARCH))

    assert require(score.value) < 0.7
    assert "nothing to do with the task" in score.evidence[0].why


def test_a_sum_that_does_not_hold_is_found_in_thoughts_and_answers():
    thought = measured(Step(thought="Two flights to Rome cost 120 + 95 = 235 in all, so I search.", tool_call=SEARCH))
    answer = measured(response="Both flights together cost 120 + 95 = 235.")
    right = measured(Step(thought="Two flights to Rome cost 120 + 95 = 215 in all, so I search.", tool_call=SEARCH))

    assert thought.evidence[0].why == answer.evidence[0].why == "The sum does not hold: 120 + 95 = 235."
    assert right == Score(1.0)


def test_many_thoughts_are_no_better_than_one():
    more = measured(
        Step(thought=PLAN),
        Step(tool_call=SEARCH),
        Step(thought="Both SK481 and DY1872 fit, so I answer with flights to choose."),
        response="Flights SK481 and DY1872 fit: choose one.",
    )

    assert more.value == measured(Step(thought=PLAN), Step(tool_call=SEARCH)).value == 1.0


def test_no_thoughts_and_mere_notes_have_no_score():
    trace = Trace(
        "t", (Turn(0, "Hi", None, (Interaction("agent", "Hello"), Interaction("agent", "", (Step("Next: b"),)))),)
    )

    assert reasoning.measure(Reading(trace, sentence_model=False)) == {}


def test_the_planner_of_the_refund_reasons_and_the_executor_does_not():
    assert set(reasoning.measure(Reading(refund(), sentence_model=False))) == {(0, 0), (1, 0), (2, 0)}
