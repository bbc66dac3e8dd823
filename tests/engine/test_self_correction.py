"""Self-correction: errors that an agent met, and whether and how fast it put them right."""

from viva.engine.measures.self_correction import measure
from viva.engine.model import Interaction, Step, ToolCall, Trace, Turn
from viva.engine.reading import Reading


def call(tool, result="ok", error=None, **values):
    return Step(tool_call=ToolCall(tool, values, result, error))


def scores(*interactions):
    return measure(Reading(Trace("t", (Turn(0, "Do it", None, interactions),)), sentence_model=False))


def one(*steps, response="Here is your answer: green tea."):
    return scores(Interaction("a", response, steps))["a"]


WRONG = call("get", None, "no such id", id=1)


def test_an_agent_that_met_no_error_has_no_score():
    assert one(call("get", "green", id=2)).value is None


def test_an_error_put_right_at_once_is_worth_all():
    score = one(WRONG, call("get", "green", id=2))

    assert score.value == 1
    assert score.evidence == ()


def test_every_further_attempt_makes_a_repair_worth_less():
    score = one(WRONG, call("get", None, "no such id", id=3), call("get", "green", id=2))

    assert score.value == 0.925  # the first error took two attempts, the second one
    assert score.evidence[0].why == "An error put right after 2 attempts"


def test_an_error_that_is_only_spoken_of_is_worth_little():
    score = one(WRONG, response="Unfortunately I could not find that id.")

    assert score.value == 0.4
    assert score.evidence[0].why == "An error spoken of, but not put right"


def test_an_error_passed_over_in_silence_is_worth_nothing():
    score = one(WRONG)

    assert score.value == 0
    assert score.evidence[0].why == "An error neither put right nor spoken of"
    assert score.evidence[0].step_index == 0


def test_success_with_another_tool_does_not_put_it_right():
    assert one(WRONG, call("search", "3 hits", q="tea")).value == 0


def test_output_of_an_agent_that_only_runs_code_is_charged_to_its_author():
    found = scores(
        Interaction("author", "Run: print(1/0)"),
        Interaction("terminal", None, (Step(observation="exitcode: 1 (execution failed)\nZeroDivisionError"),)),
        Interaction("author", "Run: print(1/2)"),
        Interaction("terminal", None, (Step(observation="exitcode: 0 (execution succeeded)\n0.5"),)),
    )

    assert found["author"].value == 1
    assert found["terminal"].value is None


def test_a_terminal_that_fails_twice_in_a_row_still_charges_the_author():
    broke = (Step(observation="exitcode: 1 (execution failed)"),)
    found = scores(
        Interaction("author", "Run: print(1/0)"),
        Interaction("terminal", None, broke),
        Interaction("terminal", None, broke),
    )

    assert found["author"].value == 0
    assert found["terminal"].value is None


def test_each_agent_answers_for_its_own_errors():
    found = scores(
        Interaction("a", "The first part is ready.", (WRONG, call("get", "green", id=2))),
        Interaction("b", "The second part is ready.", (call("send", None, "denied", to="x"),)),
    )

    assert found["a"].value == 1
    assert found["b"].value == 0
