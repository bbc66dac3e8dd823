"""Messages and memories that agent libraries wrote themselves, about the same visit to a workshop."""

from typing import Any

import pytest

from tests.engine.intake.runs import FRIDAY, MONDAY, read_run, tell

BICYCLE = {"model": "Tourer", "wheel": "28 inch"}
FULL = "no slot is free on Friday"
ANSWER = "Friday is full. I can repair the Tourer on Monday."
BOOKED = ("assistant", "book_slot", {"day": "Monday"}, "slot 12 on Monday")
SECOND = [("user", MONDAY), BOOKED, ("assistant", "says", "Your Tourer is booked for Monday, slot 12.")]


def visit(found: Any, *failed: Any, plugin: str = "") -> list[tuple]:
    """The first question, with what the library says the tools gave."""
    looked = ("assistant", f"{plugin}find_bicycle", {"number": "4711"}, found)
    tried = ("assistant", f"{plugin}book_slot", {"day": "Friday"}, *failed)
    return [("user", FRIDAY), looked, tried, ("assistant", "says", ANSWER)]


HAYSTACK_ERROR = f"Failed to invoke Tool `book_slot` with parameters {{'day': 'Friday'}}. Error: {FULL}"
KERNEL_ERROR = f"An error occurred while invoking the function shop-book_slot: {FULL}"
SMOLAGENTS_ERROR = (
    f"Error executing tool 'book_slot' with arguments {{'day': 'Friday'}}: ValueError: {FULL}\n"
    "Please try again or use another tool"
)
RUNS = {
    "pydantic_ai": ("pydantic-ai", [*visit(BICYCLE, None, FULL), *SECOND]),
    "haystack": ("chat", [*visit('{"model": "Tourer", "wheel": "28 inch"}', HAYSTACK_ERROR, HAYSTACK_ERROR), *SECOND]),
    "llama_index": ("chat", [*visit(str(BICYCLE), FULL), *SECOND]),
    "semantic_kernel": (
        "chat",
        [
            *visit(str(BICYCLE), KERNEL_ERROR, plugin="shop-"),
            SECOND[0],
            ("assistant", "shop-book_slot", *BOOKED[2:]),
            SECOND[2],
        ],
    ),
    "strands": (
        "chat",
        [*visit('{"model": "Tourer", "wheel": "28 inch"}', f"Error: {FULL}", f"Error: {FULL}"), *SECOND],
    ),
    "smolagents": ("smolagents", visit(str(BICYCLE), None, SMOLAGENTS_ERROR)),
    "vercel_ui": ("ui-messages", [*visit(BICYCLE, None, FULL), *SECOND]),
}


@pytest.mark.parametrize("library", RUNS)
def test_a_library_s_own_record_tells_what_happened(library):
    form, told = RUNS[library]
    trace = read_run(f"messages/{library}.json")

    assert tell(trace) == told
    assert (trace.form, trace.dropped) == (form, ())


def test_a_module_of_dspy_answers_in_fields():
    trace = read_run("messages/dspy.json")

    asked, answered = tell(trace)
    assert FRIDAY in asked[1]
    assert ANSWER in answered[2]
    assert trace.form == "dspy"
