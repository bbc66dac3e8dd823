"""Which figures count as facts, and that two ways of writing one are the same."""

import pytest

from tests.engine.refund import refund
from viva.engine.reading import Reading
from viva.engine.team.figures import figures, is_computed, told_otherwise, values_of
from viva.engine.team.needs import dataflow, facts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Refund order #12345 please", 12345.0),
        ("Write to ana@example.com.", "ana@example.com"),
        ("Flight HAT227 leaves", "hat227"),
        ("It costs $1,200.50 in all", 1200.5),
        ("Es kostet 44,49 EUR", 44.49),
        ("on 2024-05-23", "2024-05-23"),
        ("at 09:40", "09:40"),
    ],
)
def test_a_fact_is_found_with_its_value(text, value):
    assert list(facts(text)) == [value]


@pytest.mark.parametrize(
    ("one", "two"), [("it is 1,200", "it is 1200.00"), ("order #12345", '{"order_id": "12345"}'), ("HAT227", "hat227")]
)
def test_two_ways_of_writing_a_fact_have_one_value(one, two):
    assert facts(one).keys() == facts(two).keys()


def test_list_numbers_and_plain_words_are_no_facts():
    assert facts("1. Look at the order.\n2. Then refund it. Thanks\nStep 3: done") == {}


def test_the_numbers_inside_a_code_are_known_with_it():
    assert values_of("in src/io.py:103") == {"src/io.py:103", 103.0}


def test_a_figure_with_the_same_words_beside_it_is_told_otherwise():
    source, known = (
        "The flat in Lane 4 costs 940 euros a month.",
        values_of("The flat in Lane 4 costs 940 euros a month."),
    )

    pair = told_otherwise("The flat in Lane 4 costs 815 euros a month.", source, known)
    assert pair is not None
    assert [figure.written for figure in pair] == ["815", "940"]
    assert told_otherwise("The flat in Lane 4 costs 940 euros a month.", source, known) is None
    assert told_otherwise("There are 12 trees in front of it.", source, known) is None


def test_what_can_be_computed_from_known_figures_is_told_apart():
    assert is_computed(3760.0, {940.0, 4.0})
    assert is_computed(47.0, {940.0, 5.0})  # five per cent
    assert not is_computed(815.0, {940.0, 4.0})


def test_the_words_beside_a_figure_say_what_it_counts():
    assert "beam" in figures("There are 75 steel beams in hall 9.")[0].beside


def test_the_dataflow_knows_where_each_fact_came_up():
    flow = dataflow(Reading(refund(), sentence_model=False))

    assert flow.first[12345.0] == -1  # the user said it
    assert (flow.first["ana@example.com"], flow.first["anna@example.org"]) == (1, 5)
    assert flow.last_called["anna@example.org"] == 5
