"""What counts as a fact, and that two ways of writing it are one."""

import pytest

from tests.engine.refund import refund
from viva.engine.reading import Reading
from viva.engine.team.dataflow import dataflow
from viva.engine.team.facts import facts, quotations


@pytest.mark.parametrize(
    ("text", "key", "kind"),
    [
        ("Refund order #12345 please", "12345", "identifier"),
        ("Write to ana@example.com.", "ana@example.com", "identifier"),
        ("Flight HAT227 leaves", "hat227", "identifier"),
        ("It costs $1,200.50 in all", "1200.5", "amount"),
        ("It is a gift of $5", "5", "amount"),
        ("on 2024-05-23", "5/23", "date"),
        ("He met Zhang in the office", "zhang", "name"),
        ("for 4 people", "4", "count"),
    ],
)
def test_a_fact_is_found_with_its_kind(text, key, kind):
    assert facts(text)[key].kind == kind


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("on May 23", "on 2024-05-23"),
        ("on 23 May", "on May 23rd"),
        ("it is 1,200", "it is 1200.00"),
        ("order #12345", '{"order_id": "12345"}'),
    ],
)
def test_two_ways_of_writing_a_fact_have_one_key(one, two):
    assert facts(one).keys() & facts(two).keys()


def test_list_numbers_sentence_beginnings_and_plain_words_are_no_facts():
    assert facts("1. Look at the order.\n2. Then refund it. Thanks\nStep 3: done") == {}


def test_only_wording_of_several_words_is_a_quotation():
    assert list(quotations('Call it "Spring Sale 2" and tag it "x"')) == ["spring sale 2"]


def test_the_dataflow_knows_where_each_fact_came_up():
    flow = dataflow(Reading(refund(), sentence_model=False))

    assert flow.first["12345"] == -1  # the user said it
    assert (flow.first["ana@example.com"], flow.first["anna@example.org"]) == (1, 5)
    assert flow.notes[1].found["ana@example.com"].kind == "identifier"
    assert flow.last_called["anna@example.org"] == 5
