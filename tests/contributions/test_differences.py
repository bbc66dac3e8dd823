"""Diffs between revisions: by field, in lines, and never slow."""

import pytest

from tests.contributions.proposals import proposal
from viva.contributions import differences
from viva.contributions.differences import FieldChange


def test_a_changed_line_is_shown_with_its_neighbours():
    before = proposal(description="\n".join("abcdefghij"))
    after = proposal(description="\n".join("abcdeFghij"))

    (change,) = differences.list_changes(before, after)

    assert change == FieldChange("description", "@@ -1,7 +1,7 @@\n c\n d\n e\n-f\n+F\n g\n h\n i")


def test_a_config_is_compared_value_by_value():
    before, after = proposal(config={"a": 1, "b": [1, 2]}), proposal(config={"a": 1, "b": [1, 3]})

    (change,) = differences.list_changes(before, after)

    assert change.field == "config"
    assert [line for line in change.diff.splitlines() if line[0] in "-+"] == ["-    2", "+    3"]


def test_what_was_empty_is_only_added():
    (change,) = differences.list_changes(proposal(executable_code=None), proposal(executable_code="a\nb"))

    assert change == FieldChange("executable_code", "@@ -0,0 +1,2 @@\n+a\n+b")


def test_equal_proposals_have_no_changes():
    assert differences.list_changes(proposal(), proposal()) == []


@pytest.mark.parametrize("number", [999, 1_500])
def test_many_changed_lines_are_shown_as_replaced(number):
    old, new = [["same", *(f"{word} {at}" for at in range(number)), "end"] for word in ("old", "new")]

    lines = differences.diff(old, new).splitlines()

    assert lines[0].startswith("@@") == (number < 1_000)
    assert sum(line.startswith("-old") for line in lines) == sum(line.startswith("+new") for line in lines) == number
