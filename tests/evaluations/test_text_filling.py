"""Parameters in the probes of a certification, and in the task of a class."""

from typing import Any

import pytest

from tests.exams.certification import CONFIG, PROMPTS, RUBRIC
from tests.exams.class_work import CONFIG as CLASS_CONFIG
from viva.evaluations import config_rules
from viva.evaluations.text_filling import fill_config, fill_texts

SUM: dict[str, Any] = {
    "id": "sum",
    "messages": [{"role": "user", "content": "What is {a} + {b}? Write {{x}}."}],
    "should": ["Give {a + b}, when asked, and not {a}."],
    "parameters": {"a": {"min": 1, "max": 9}, "b": [20, 30]},
}
SUM_ROW = {"promptId": "sum", "criteria": "It is {a + b}.", "weight": 10, "maxScore": 10}


def certification(probe: dict[str, Any]) -> dict[str, Any]:
    return {**CONFIG, "prompts": [PROMPTS[0], probe], "rubric": [RUBRIC[0], SUM_ROW]}


def test_each_seed_gives_a_probe_and_its_rubric_the_same_values():
    config = certification(SUM)
    found = set()
    for seed in map(str, range(30)):
        filled = fill_config(config, fill_texts(config, seed))
        probe, row = filled["prompts"][1], filled["rubric"][1]
        first, second = (int(word.strip("+?")) for word in probe["messages"][0]["content"].split()[2:5:2])
        assert row["criteria"] == f"It is {first + second}."
        assert probe["should"] == [f"Give {first + second}, when asked, and not {first}."]
        assert probe["messages"][0]["content"].endswith("Write {x}.")
        assert filled["prompts"][0] == PROMPTS[0]
        found.add((first, second))
    assert len(found) > 5
    assert fill_texts(config, "a") == fill_texts(config, "a")


def test_a_class_has_its_values_in_the_task_and_in_the_criteria():
    rubric = [{**CLASS_CONFIG["rubric"][0], "criteria": "For {count}."}, CLASS_CONFIG["rubric"][1]]
    config = {**CLASS_CONFIG, "task": "Plan for {count}.", "rubric": rubric, "parameters": {"count": [30]}}

    filled = fill_config(config, fill_texts(config, "a"))

    assert filled["task"] == "Plan for 30."
    assert [row["criteria"] for row in filled["rubric"]] == ["For 30.", "Tells what it knows."]


def test_texts_without_parameters_keep_their_braces():
    config = {**CLASS_CONFIG, "task": "Plan for {everybody}."}

    assert fill_texts(config, "a") == {}
    assert list(config_rules.faults("live_class_work", config)) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"should": ["Give {a +}, when asked, and not {a}."]}, "UNUSABLE_EXPRESSION"),
        ({"messages": [{"role": "user", "content": "What is {c}?"}]}, "UNUSABLE_EXPRESSION"),
        ({"messages": [{"role": "user", "content": "What is {10 // (a - 5)}?"}]}, "UNUSABLE_EXPRESSION"),
        ({"parameters": {"A": [1]}}, "INVALID_PARAMETER"),
        ({"parameters": {"a": {"min": 3, "max": 1}, "b": [1]}}, "INVALID_PARAMETER"),
    ],
)
def test_what_cannot_be_filled_for_every_value_is_a_fault_of_its_probe(change, code):
    (fault,) = config_rules.faults("agent_certification", certification(SUM | change))

    assert (fault.code, fault.field.startswith("config.prompts[1]")) == (code, True)


def test_what_cannot_be_filled_is_a_fault_of_a_class():
    config = {**CLASS_CONFIG, "task": "Plan for {count}.", "parameters": {"number": [30]}}

    (fault,) = config_rules.faults("live_class_work", config)

    assert (fault.field, fault.code) == ("config", "UNUSABLE_EXPRESSION")
