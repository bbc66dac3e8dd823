"""Every fault of a script is found, and a sound script has none."""

from typing import Any

import pytest

from viva.evaluations import config_rules

CRITERIA = [{"id": "helps", "text": "It helps."}, {"id": "asks", "text": "It asks."}]


def config(**changes: Any) -> dict[str, Any]:
    script = {
        "prompts": [
            {"id": "sink", "text": "It drains slowly."},
            {
                "id": "notes",
                "text": "Which program?",
                "follow_ups": [{"id": "notes-again", "when": {"missing": "but"}, "text": "And its drawbacks?"}],
            },
        ],
        "expect": [{"criterion": "helps", "prompts": ["sink"], "found": ["water"], "reason": "No help."}],
        "least": {"helps": 50},
    }
    return {"criteria": CRITERIA, "script": {**script, **changes}}


def codes_of(given: dict[str, Any]) -> list[tuple[str, str]]:
    return [(fault.code, fault.field) for fault in config_rules.faults("proctored", given)]


def check(**changes: Any) -> dict[str, Any]:
    return {"criterion": "helps", "prompts": ["sink"], "found": ["water"], "reason": "No help.", **changes}


def follow_up(**changes: Any) -> list[dict[str, Any]]:
    again = {"id": "again", "when": {"found": "no"}, "text": "Again?", **changes}
    return [{"id": "sink", "text": "It drains slowly.", "follow_ups": [again]}]


def test_a_sound_script_has_no_fault():
    assert codes_of(config()) == []


def test_a_script_is_not_required():
    assert codes_of({"criteria": CRITERIA}) == []


WRONG_SCRIPTS: list[tuple[dict[str, Any], str, str]] = [
    ({"expect": [check(criterion="help")]}, "UNKNOWN_CRITERION", "config.script.expect[0].criterion"),
    ({"expect": [check(prompts=["sinks"])]}, "UNKNOWN_PROMPT", "config.script.expect[0].prompts"),
    ({"expect": [check(found=["("])]}, "UNUSABLE_PATTERN", "config.script.expect[0]"),
    ({"expect": [check(found=[])]}, "EMPTY_CHECK", "config.script.expect[0]"),
    ({"least": {"harm": 10}}, "UNKNOWN_CRITERION", "config.script.least.harm"),
    ({"prompts": follow_up(id="sink")}, "DUPLICATE_ID", "config.script.prompts[0].follow_ups[0].id"),
    ({"prompts": follow_up(when={})}, "UNCLEAR_CONDITION", "config.script.prompts[0].follow_ups[0].when"),
    (
        {"prompts": follow_up(when={"found": "a", "detected": "echo"})},
        "UNCLEAR_CONDITION",
        "config.script.prompts[0].follow_ups[0].when",
    ),
    (
        {"prompts": follow_up(when={"found": "["})},
        "UNUSABLE_PATTERN",
        "config.script.prompts[0].follow_ups[0].when",
    ),
    ({"expect": [check(cost=0)]}, "INVALID_CONFIG", "config.script.expect[0].cost"),
    ({"expect": [check(founds=["x"])]}, "INVALID_CONFIG", "config.script.expect[0].founds"),
    ({"prompts": []}, "INVALID_CONFIG", "config.script.prompts"),
]


@pytest.mark.parametrize(("changes", "code", "field"), WRONG_SCRIPTS)
def test_a_fault_of_a_script_is_found(changes, code, field):
    assert (code, field) in codes_of(config(**changes))


def test_all_faults_are_told_at_once():
    faults = codes_of(config(expect=[check(criterion="x", prompts=["y"], found=["("])], least={"z": 1}))

    assert [code for code, _ in faults] == [
        "UNKNOWN_CRITERION",
        "UNKNOWN_PROMPT",
        "UNUSABLE_PATTERN",
        "UNKNOWN_CRITERION",
    ]


def test_a_near_miss_is_suggested():
    (fault,) = config_rules.faults("proctored", config(expect=[check(criterion="helsp")]))

    assert "helps" in fault.suggestion
