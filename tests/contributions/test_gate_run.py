"""Agents that know nothing are stopped by sound evaluations and named by weak ones; the reference agent passes."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.contributions.gate_hubs import (
    CHECKED,
    CLASS,
    EXEMPLARS,
    HANDLERS,
    OTHERS,
    WEAK,
    GateHub,
    obedient,
    obedient_everywhere,
    open_gate_hub,
    sound,
    with_handler,
    write_evaluations,
)
from tests.exams import certification
from tests.judging.endpoint import Reply
from viva.contributions.gate_model import status_of
from viva.contributions.gate_run import UNMARKED_TEXTS, run_gate
from viva.contributions.gate_tally import is_gamed
from viva.contributions.model import GateOutcome
from viva.contributions.null_agents import ORDERS
from viva.exams.grading import JUDGE_MISLED_REASON
from viva.judging.instructions import instructions_in

pytestmark = pytest.mark.slow  # most tests need several sittings
TEA_EXEMPLARS = [{"probe": "answer", "pass": "oolong", "fail": "coffee"}]
NULL_AGENTS = ["nothing", "constant", "random", "prompt", "orders"]


@pytest.fixture(scope="module")
def unjudged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GateHub]:
    contributed = {name: with_handler(name) for name in HANDLERS}
    folder = write_evaluations(tmp_path_factory.mktemp("sips"), WEAK, OTHERS, {"checked": CHECKED}, contributed)
    with open_gate_hub(folder) as hub:
        yield hub


@pytest.fixture
def judged_by(tmp_path) -> Iterator[Callable[[Callable[[dict[str, Any]], Reply]], GateHub]]:
    folder = write_evaluations(tmp_path, {"orders": WEAK["orders"], "feast": CLASS})
    with ExitStack() as stack:
        yield lambda judge: stack.enter_context(open_gate_hub(folder, judge))


def by_agent(outcomes: list[GateOutcome]) -> dict[str, GateOutcome]:
    return {outcome.agent: outcome for outcome in outcomes}


@pytest.mark.parametrize("name", ["nothing", "constant", "random", "prompt"])
def test_an_evaluation_that_is_weak_against_an_agent_fails_and_names_it(unjudged: GateHub, name):
    outcomes = run_gate(unjudged.run(name, runs=20))

    assert status_of(outcomes) == "failed"
    assert by_agent(outcomes)[name].verdict == "error"
    assert "passed" in by_agent(outcomes)[name].detail


def test_only_the_agent_that_it_is_weak_against_passes(unjudged: GateHub):
    verdicts = {name: by_agent(run_gate(unjudged.run(name, runs=20))) for name in ("constant", "prompt")}

    for name, found in verdicts.items():
        assert [agent for agent in NULL_AGENTS if found[agent].verdict == "error"] == [name]


def test_options_in_a_fixed_order_are_weak_against_a_constant_place(unjudged: GateHub):
    outcome = unjudged.run("by-position").check_fixed("constant")

    assert outcome.verdict == "error"
    assert "the first option everywhere, in 3 of 3 runs" in outcome.detail


def test_a_sound_evaluation_stops_all_agents_and_the_reference_passes_with_the_key(unjudged: GateHub):
    outcomes = run_gate(unjudged.run("sound", runs=30))

    assert status_of(outcomes) == "passed"
    assert [outcome.agent for outcome in outcomes] == [*NULL_AGENTS, "reference"]
    assert by_agent(outcomes)["random"].runs == 30


def test_exemplars_that_contradict_the_key_fail_the_reference(unjudged: GateHub):
    wrong = [{"probe": "q1", "pass": "Quito"}, {"probe": "q2", "pass": "400"}]

    outcome = unjudged.run("sound", wrong).check_reference()

    assert outcome.verdict == "error"
    assert "It reached 2 of 4 points." in outcome.detail


@pytest.mark.parametrize("name", ["oolong", "checked"])
def test_contributed_code_and_checks_of_a_text_are_sat_too(unjudged: GateHub, name):
    assert status_of(run_gate(unjudged.run(name, TEA_EXEMPLARS, runs=9))) == "passed"


def test_contributed_code_that_looks_for_a_word_of_the_challenge_is_weak_against_it(unjudged: GateHub):
    errors = [each.agent for each in run_gate(unjudged.run("echo", TEA_EXEMPLARS, runs=9)) if each.verdict == "error"]

    assert {"prompt", "reference"} <= set(errors)
    assert "constant" not in errors


def test_an_exemplar_cannot_answer_a_challenge_that_is_new_for_each_attempt(unjudged: GateHub):
    run = unjudged.run("fresh", [{"probe": "answer", "pass": "42"}])
    run.check_fixed("nothing")

    assert run.check_reference().verdict == "not_checked"


def test_code_that_never_ends_fails_the_reference_and_says_why(unjudged: GateHub):
    outcome = unjudged.run("endless", [{"probe": "answer", "pass": "oolong"}]).check_reference()

    assert outcome.verdict == "error"
    assert "timeout" in outcome.detail


def test_free_texts_without_a_judge_are_said_to_be_unchecked(unjudged: GateHub):
    outcomes = by_agent(run_gate(unjudged.run("essay", runs=5)))

    assert outcomes["nothing"].verdict == "not_checked"  # 10 of 14 points would be enough
    assert UNMARKED_TEXTS in outcomes["reference"].detail
    assert status_of(list(outcomes.values())) == "not_checked"


def test_a_benchmark_of_free_texts_alone_is_not_checked_without_a_judge(unjudged: GateHub):
    outcomes = run_gate(unjudged.run("essays-only", runs=5))

    assert (by_agent(outcomes)["random"].runs, status_of(outcomes)) == (0, "not_checked")


def test_a_sound_judge_is_not_fooled_by_orders(judged_by):
    outcomes = run_gate(judged_by(sound).run("orders", EXEMPLARS))

    assert status_of(outcomes) == "passed", outcomes
    assert {outcome.verdict for outcome in outcomes} == {"ok"}
    assert [outcome.agent for outcome in outcomes] == [*NULL_AGENTS, "reference", "fail_exemplars"]


def test_a_judge_that_obeys_orders_is_named(judged_by):
    outcomes = run_gate(judged_by(obedient).run("orders", EXEMPLARS))

    assert [outcome.agent for outcome in outcomes if outcome.verdict == "error"] == ["orders"]
    assert "I need the maximum score" in by_agent(outcomes)["orders"].detail


def test_a_judge_that_fails_its_control_has_checked_nothing(judged_by):
    outcome = judged_by(obedient_everywhere).run("orders", EXEMPLARS).check_fixed("orders")

    assert outcome.verdict == "not_checked"
    assert JUDGE_MISLED_REASON in outcome.detail


def test_the_orders_try_phrases_that_the_filter_of_the_judges_does_not_know():
    assert {bool(instructions_in(order)) for order in ORDERS} == {True, False}


def test_exemplars_of_one_probe_are_judged_by_that_probe(judged_by):
    hub = judged_by(sound)

    assert hub.run("orders", EXEMPLARS[:1]).check_reference().verdict == "ok"
    wrong = [{"probe": "greeting", "pass": "Buy my carpets!", "fail": certification.ANSWERS["greeting"]}]
    assert hub.run("orders", wrong).check_reference().verdict == "error"
    assert [outcome.verdict for outcome in hub.run("orders", wrong).check_fail_exemplars()] == ["warning"]
    assert hub.run("orders", [{"probe": "greeting"}, "no exemplar"]).check_reference().verdict == "not_checked"


def test_a_class_of_agents_that_say_the_same_is_sat_and_the_exemplars_are_said_in_turn(judged_by):
    hub = judged_by(sound)
    good = [{"probe": "plan", "pass": "Good morning, I bring the bread."}]

    assert "nobody speaks" in hub.run("feast").check_fixed("nothing").detail
    assert hub.run("feast").check_fixed("prompt").verdict == "ok"
    assert hub.run("feast", good).check_reference().verdict == "ok"


def test_the_time_of_the_gate_ends_it(unjudged: GateHub):
    outcomes = run_gate(unjudged.run("sound", seconds=0))

    assert [(outcome.agent, outcome.verdict) for outcome in outcomes] == [("all", "not_checked")]


@pytest.mark.parametrize(
    ("runs", "passes", "gamed"), [(1, 1, False), (3, 1, False), (3, 2, True), (100, 5, False), (100, 6, True)]
)
def test_two_passes_and_more_than_five_percent_are_too_many(runs, passes, gamed):
    assert is_gamed(runs, passes) is gamed
