"""The course of a run: straight, in circles, back, standing still, recovered or adrift, and how much of it was useful."""

from tests.values import require
from viva.engine.measures.trajectory import measure
from viva.engine.model import Interaction, Step, ToolCall, Trace, Turn
from viva.engine.reading import Reading


def call(tool, result="ok", error=None, **values):
    return Step(tool_call=ToolCall(tool, values, result, error))


def run(*steps, response="All is done as you wished."):
    return reading(Turn(0, "Do it", None, (Interaction("a", response, steps),)))


def talk(*texts):
    return reading(Turn(0, "Solve it", None, tuple(Interaction(agent, text) for agent, text in texts)))


def reading(*turns):
    return Reading(Trace("t", turns), sentence_model=False)


def test_a_run_where_every_move_is_new_is_optimal():
    found = measure(run(call("search", "3 hits", q="tea"), call("get", "green", id=1), call("get", "black", id=2)))

    assert found.signal == "optimal"
    assert found.efficiency == 1
    assert found.loops == ()
    assert found.retries == 0


def test_the_same_call_with_the_same_result_again_and_again_is_circular():
    found = measure(run(*[call("search", "no hits", q="tea")] * 4))

    assert found.signal == "circular"
    assert [(loop.step_index, loop.first_interaction_index) for loop in found.loops] == [(1, 0), (2, 0), (3, 0)]
    assert found.efficiency == 0.4


def test_the_same_call_with_a_new_result_is_no_loop():
    found = measure(run(call("status", "waiting"), call("status", "running"), call("status", "finished")))

    assert found.signal == "optimal"
    assert found.loops == ()


def test_waiting_until_something_is_done_is_no_loop():
    found = measure(run(*[call("get_job", "still running", id=7)] * 4, call("get_job", "finished", id=7)))

    assert (found.signal, found.efficiency) == ("optimal", 1)


def test_going_through_pages_is_no_loop():
    pages = [call("next_page", "no hits on this page")] * 4

    assert measure(run(*pages)).signal == "optimal"


def test_one_retry_is_no_loop_but_a_third_try_is():
    down = call("get", None, "connection lost", id=1)

    assert measure(run(down, down, call("get", "green", id=1))).loops == ()
    assert [loop.step_index for loop in measure(run(down, down, down, call("get", "green", id=1))).loops] == [2]


def test_looking_again_after_a_deed_is_no_loop():
    found = measure(run(call("list_users", "Ann"), call("add_user", "ok", name="Bo"), call("list_users", "Ann")))

    assert found.loops == ()


def test_agents_that_repeat_their_words_go_in_circles():
    question = "Could you please share the specific code that caused the error you mentioned?"
    excuse = "There was no code in the previous message, so nothing could be executed here."

    found = measure(talk(("a", question), ("b", excuse), ("a", question), ("b", excuse), ("a", question)))

    assert found.signal == "circular"
    assert found.efficiency == 0.4


def test_short_courtesies_may_be_repeated():
    assert measure(talk(("a", "Thank you!"), ("b", "Thank you!"), ("a", "Thank you!"))).signal == "optimal"


def test_a_failure_that_is_put_right_is_a_recovery():
    found = measure(
        run(call("get", None, "no such id", id=1), call("get", "green", id=2), call("send", "sent", to="x"))
    )

    assert found.signal == "recovery"
    assert found.retries == 1
    assert found.efficiency == 0.75
    assert found.evidence[0].why == "Failed and was put right later"
    assert found.evidence[0].step_index == 0


def test_failures_that_are_never_put_right_are_a_stall():
    found = measure(run(call("get", None, "no such id", id=1), call("get", None, "no such id", id=2)))

    assert found.signal == "stall"


def test_undoing_what_was_done_is_a_regression():
    found = measure(run(call("add_user", "ok", name="Bo", group="x"), call("remove_user", "ok", name="Bo", group="x")))

    assert found.signal == "regression"
    assert found.evidence[0].why == "remove_user undoes what was done before"
    assert found.evidence[0].step_index == 1


def test_the_opposite_deed_to_another_thing_is_no_regression():
    found = measure(run(call("add_user", "ok", name="Bo", group="x"), call("remove_user", "ok", name="Cy", group="x")))

    assert found.signal == "optimal"


def test_undoing_what_the_user_wants_undone_is_no_regression():
    turns = (
        Turn(0, "Add Bo", None, (Interaction("a", "Bo is added.", (call("add_user", "ok", name="Bo"),)),)),
        Turn(1, "Remove Bo", None, (Interaction("a", "Bo is removed.", (call("remove_user", "ok", name="Bo"),)),)),
    )

    assert measure(reading(*turns)).signal == "optimal"


def test_doing_a_deed_twice_is_a_regression():
    found = measure(run(call("send_money", "sent", to="x", amount=5), call("send_money", "sent", to="x", amount=5)))

    assert found.signal == "regression"
    assert found.evidence[0].why == "send_money was already done"


def test_going_back_to_an_error_that_was_put_right_is_a_regression():
    wrong = call("get", None, "no such id", id=1)

    assert measure(run(wrong, call("get", "green", id=2), wrong)).signal == "regression"


def test_a_run_with_a_high_drift_score_is_adrift():
    assert measure(run(call("search", "3 hits", q="tea")), drift=0.8).signal == "drift"
    assert measure(run(call("search", "3 hits", q="tea")), drift=0.2).signal == "optimal"


def test_a_run_with_nothing_done_has_no_efficiency():
    assert measure(Reading(Trace("t", ()), sentence_model=False)).efficiency is None


def test_what_is_below_one_has_evidence():
    found = measure(run(*[call("search", "no hits", q="tea")] * 9))

    assert require(found.efficiency) < 1
    assert 1 <= len(found.evidence) <= 5


def test_many_agents_and_long_texts_are_read_in_good_time():
    texts = [(f"a{n}", "word " * 50) for n in range(5_000)]

    assert measure(talk(*texts, ("b", "x" * 1_000_000))).signal in {"optimal", "stall"}
