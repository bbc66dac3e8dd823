"""The contribution form: fields become a proposal, and a proposal becomes fields."""

from typing import Any

import msgspec
import pytest

from viva.contributions.model import Proposal
from viva.contributions.templates import blank_proposal, load_example, outline_of
from viva.evaluations.sip_fields import EVALUATION_TYPES
from viva.web.contribute_view import slot_of
from viva.web.contribution_fields import STEP_FIELDS, fields_of, pattern_of
from viva.web.contribution_form import UnreadableFields, read_step
from viva.web.contribution_rows import ChangedRows, change_rows, row_action_in
from viva.web.contribution_sections import join_body, split_body
from viva.web.contribution_values import text_of_value, values_of


def written(proposal: Proposal, step: int) -> dict[str, str]:
    """The fields that a browser sends for the proposal."""
    kinds = fields_of(step, proposal.type)
    sent: dict[str, str] = {}

    def walk(path: str, value: Any) -> None:
        kind = kinds.get(pattern_of(path))
        if kind == "row":
            sent[path] = "1"
        elif kind:
            sent[path] = text_of_value(value)
            return
        for key, child in (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        ):
            walk(f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}" if path else key, child)

    walk("", values_of(proposal))
    return sent


@pytest.mark.parametrize("step", STEP_FIELDS)
@pytest.mark.parametrize("type_", EVALUATION_TYPES)
@pytest.mark.parametrize("make", [load_example, outline_of, blank_proposal])
def test_a_step_that_is_saved_unchanged_changes_nothing(make, type_, step):
    proposal = with_ordered_sections(make(type_))

    assert read_step(written(proposal, step), proposal, step) == proposal


def with_ordered_sections(proposal: Proposal) -> Proposal:
    """The form writes the sections of a proctored exam first."""
    body = join_body(split_body(proposal.body, with_sections=True)) if proposal.type == "proctored" else proposal.body
    assert sorted(body.split()) == sorted(proposal.body.split())
    return msgspec.structs.replace(proposal, body=body)


def press(proposal: Proposal, button: str) -> ChangedRows:
    action = row_action_in(button)
    assert action
    return change_rows(proposal, 2, action)


def test_keys_without_a_field_are_shown_as_yaml_and_kept():
    config = {
        "questions": [{"id": "a", "kind": "choice", "topic": "sums", "options": ["1", "2"], "answer": "1"}],
        "draw": {"count": 1},
        "passing_score": 70,
    }
    proposal = Proposal(type="complex_benchmark", config=config)

    fields = written(proposal, 2)

    assert fields["config.more"] == "draw:\n  count: 1"
    assert fields["config.questions[0].more"] == "topic: sums"
    assert read_step(fields, proposal, 2).config == config


@pytest.mark.parametrize(
    "config",
    [
        {"prompts": "none"},
        {"prompts": [1, {"id": "a"}]},
        {"prompts": [{"id": "a", "messages": [{"role": "user", "name": "x"}]}]},
        {"prompts": [{"id": "a", "should": ["two\nlines", " spaced "]}]},
        {"rubric": {"a": 1}, "passingScore": "many"},
        {"prompts": [{"id": f"p{at}"} for at in range(201)]},
    ],
)
def test_a_draft_may_hold_anything_and_the_form_keeps_it(config):
    proposal = Proposal(type="agent_certification", config=config)

    assert read_step(written(proposal, 2), proposal, 2).config == config


def test_more_rows_than_a_form_can_show_are_shown_as_yaml():
    config = {"criteria": [{"id": f"c{at}"} for at in range(201)], "max_score": 5}

    fields = written(Proposal(type="proctored", config=config), 2)

    assert [path for path in fields if "[" in path] == []
    assert "- id: c200" in fields["config.more"]


def test_a_row_without_any_text_stays():
    proposal = blank_proposal("agent_certification")

    changed = press(proposal, "add config.prompts").proposal
    saved = read_step({**written(changed, 2), "config.prompts[1].messages[0].role": ""}, changed, 2)

    assert saved.config["prompts"][1] == {"messages": [{}]}


def test_rows_are_read_in_the_order_of_their_numbers():
    fields = {f"config.criteria[{at}].id": name for at, name in ((10, "c"), (2, "b"), (0, "a"))}

    saved = read_step(fields, Proposal(type="proctored"), 2)

    assert [row["id"] for row in saved.config["criteria"]] == ["a", "b", "c"]


def test_a_text_in_a_field_for_numbers_is_kept_for_validation():
    saved = read_step({"config.passingScore": "seventy", "points": "2,5"}, Proposal(type="agent_certification"), 2)

    assert (saved.config, saved.points) == ({"passingScore": "seventy"}, 2.5)


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"config.more": "a: [1"}, "config.more"),
        ({"config.more": "- a"}, "config.more"),
        ({"config.more": "a: &b 1"}, "config.more"),
        ({"points": "ten"}, "points"),
    ],
)
def test_fields_that_cannot_be_read_are_named(fields, wrong):
    with pytest.raises(UnreadableFields) as refused:
        read_step(fields, Proposal(type="proctored"), 2)

    assert [fault.field for fault in refused.value.faults] == [wrong]


def test_only_the_fields_of_the_kind_are_read():
    fields = {
        "config.questions[0].kind": "numeric",
        "config.questions[0].answer": "51",
        "config.questions[0].options": "a\nb",
        "config.questions[0].pattern": "x",
    }

    saved = read_step(fields, Proposal(type="complex_benchmark"), 2)

    assert saved.config["questions"] == [{"kind": "numeric", "answer": 51}]


def test_a_field_of_another_step_is_not_read():
    assert read_step({"name": "x", "author": "y", "status": "merged"}, Proposal(name="a"), 3).name == "a"


def test_another_type_begins_a_new_configuration_with_its_handler():
    proposal = load_example("agent_certification")

    changed = read_step({**written(proposal, 1), "type": "proctored"}, proposal, 1)

    assert changed.config == blank_proposal("proctored").config
    assert changed.executable_handler == "proctored"


def test_an_own_module_comes_before_the_chosen_one():
    fields = {"module": "core", "module_own": "law", "department": "Safety"}

    changed = read_step(fields, Proposal(), 1)

    assert (changed.module, changed.department) == ("law", "Safety")


def test_own_python_replaces_a_built_in_handler_and_back():
    proposal = blank_proposal("simple_pass_fail")
    own = read_step(
        {"handler": "own", "executable_handler": "mine", "executable_code": "def x():\n    pass\n"}, proposal, 3
    )

    assert (own.executable_handler, own.executable_code) == ("mine", "def x():\n    pass")
    assert read_step({"handler": "identity_check"}, own, 3).executable_code is None


@pytest.mark.parametrize(
    ("button", "order", "shown"),
    [
        ("up config.criteria[2]", "acb", "config.criteria[1]"),
        ("up config.criteria[0]", "abc", "config.criteria[0]"),
        ("down config.criteria[0]", "bac", "config.criteria[1]"),
        ("down config.criteria[2]", "abc", "config.criteria[2]"),
        ("remove config.criteria[1]", "ac", "config.criteria[1]"),
        ("remove config.criteria[2]", "ab", "config.criteria[1]"),
        ("remove config.criteria[9]", "abc", "config.criteria[2]"),
        ("remove config.max_score", "abc", "config.max_score"),
        ("remove config", "abc", "config"),
        ("add executable_code", "abc", "executable_code"),
    ],
)
def test_rows_are_moved_and_removed(button, order, shown):
    config = {"max_score": 10, "criteria": [{"id": name} for name in "abc"]}
    proposal = Proposal(type="proctored", config=config)

    changed = press(proposal, button)

    assert "".join(row["id"] for row in changed.proposal.config["criteria"]) == order
    assert changed.path == shown
    assert proposal.config["criteria"] == [{"id": name} for name in "abc"]


def test_a_message_is_added_inside_a_probe_with_the_next_role():
    proposal = blank_proposal("agent_certification")

    changed = press(proposal, "add config.prompts[0].messages")

    assert [row["role"] for row in changed.proposal.config["prompts"][0]["messages"]] == ["user", "assistant"]
    assert changed.path == "config.prompts[0].messages[1]"


def test_the_form_has_at_most_200_rows():
    config = {"criteria": [{"id": str(at)} for at in range(200)]}

    changed = press(Proposal(type="proctored", config=config), "add config.criteria")

    assert changed.proposal.config == config


@pytest.mark.parametrize("button", ["", "save", "add", "explode config.prompts", "add __class__.x!", "add a" * 500])
def test_other_buttons_are_no_row_actions(button):
    assert row_action_in(button) is None


@pytest.mark.parametrize("key", ["key1", "a-b-2", "<b>", "x]", "é", "..", "[", "1.", " "])
def test_a_problem_of_any_key_has_a_place_on_the_form(key):
    """A loop that goes up from the key has to end, since keys hold any character."""
    assert slot_of(f"config.{key}", 2, "proctored") == ""
    assert slot_of(f"config.criteria[3].{key}", 2, "proctored").startswith("config.criteria")
