"""Every fault of an input is found at once, and each says what is expected."""

from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from viva.kit import forms
from viva.kit.errors import Fault, Invalid
from viva.kit.expectations import describe
from viva.kit.faults import MAX_FAULTS, MAX_FIELD_CHARACTERS, find_faults

Count = Annotated[int, Meta(ge=1, le=200, description="How many.")]


class Mark(Struct, forbid_unknown_fields=True):
    row_id: Annotated[str, Meta(min_length=1, max_length=10)]
    mark: float


class Form(Struct, forbid_unknown_fields=True):
    name: str
    count: Count
    status: Literal["draft", "active"] | None = None
    marks: Annotated[list[Mark], Meta(max_length=3)] = []
    by_id: dict[str, Mark] = {}


def faults(given: Any, kind: Any = Form, strict: bool = True) -> list[tuple[str, str, str]]:
    return [(fault.field, fault.code, fault.message) for fault in find_faults(given, kind, strict)]


def test_what_fits_has_no_faults():
    assert faults({"name": "ada", "count": 3, "status": None, "marks": [{"row_id": "a", "mark": 1}]}) == []


def test_every_fault_is_found_at_once():
    given = {
        "count": 0,
        "status": "open",
        "marks": [{"row_id": "a", "mark": 1}, {"row_id": "", "mark": "much", "colour": "red"}],
        "by_id": {"one": {"mark": 1}},
        "size": 3,
    }

    assert faults(given) == [
        ("name", "missing", "This is missing; expected text."),
        ("count", "out_of_range", "Expected a whole number from 1 to 200."),
        ("status", "not_a_choice", "Expected one of: active, draft or null."),
        ("marks[1].row_id", "out_of_range", "Expected text of 1 to 10 characters."),
        ("marks[1].mark", "wrong_type", "Expected a number."),
        ("marks[1].colour", "unknown", "There is no such field; there are: row_id, mark."),
        ("by_id.one.row_id", "missing", "This is missing; expected text of 1 to 10 characters."),
        ("size", "unknown", "There is no such field; there are: name, count, status, marks, by_id."),
    ]


@pytest.mark.parametrize("given", [3, "text", None, True, [], [1]])
def test_what_is_no_object_is_wrong_as_a_whole(given: Any):
    assert faults(given) == [("", "wrong_type", "Expected an object.")]


def test_a_list_that_is_too_long_is_one_fault():
    marks = [{"row_id": "a", "mark": 1}] * 4

    assert faults({"name": "ada", "count": 1, "marks": marks}) == [
        ("marks", "out_of_range", "Expected a list of at most 3 items.")
    ]


def test_a_query_is_text_and_never_null():
    assert faults({"name": "ada", "count": "3", "status": "draft"}, strict=False) == []
    assert faults({"name": "ada", "count": "many", "status": "open"}, strict=False) == [
        ("count", "wrong_type", "Expected a whole number from 1 to 200."),
        ("status", "not_a_choice", "Expected one of: active, draft."),
    ]


def test_so_many_faults_are_told_and_no_more_of_a_name():
    many = {f"field {number}": number for number in range(10_000)} | {"x" * 1_000: 1}

    found = find_faults(many, Form)
    (long,) = find_faults({"name": "a", "count": 1, "x" * 1_000: 1}, Form)

    assert len(found) == MAX_FAULTS
    assert len(long.field) == MAX_FIELD_CHARACTERS


def test_a_fault_behind_more_parts_than_are_looked_at_is_still_told():
    class Numbers(Struct):
        numbers: list[int]

    with pytest.raises(Invalid) as refused:
        forms.read({"numbers": [1] * 20_000 + ["many"]}, Numbers)

    assert refused.value.faults == (Fault("numbers[20000]", "invalid", "Expected a whole number, got text."),)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (int, "a whole number"),
        (Annotated[int, Meta(ge=0)], "a whole number of at least 0"),
        (Annotated[float, Meta(gt=0, lt=1)], "a number above 0 below 1"),
        (Annotated[str, Meta(max_length=4_000)], "text of at most 4,000 characters"),
        (Annotated[str, Meta(min_length=1)] | None, "text of at least 1 characters or null"),
        (bool, "true or false"),
        (dict[str, Any], "an object"),
        (msgspec.Raw, "another kind of value"),
    ],
)
def test_a_type_is_described_in_words(kind: Any, words: str):
    assert describe(kind) == words


def test_the_error_says_the_first_fault_and_how_many_more():
    with pytest.raises(Invalid, match=r"^The input is not valid: name: This is missing; expected text\. 1 more is in"):
        forms.read({}, Form)
