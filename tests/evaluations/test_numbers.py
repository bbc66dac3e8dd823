"""SIP numbers from 100 up: given once, whoever asks."""

from functools import partial

import pytest

from tests import make
from viva.evaluations import numbers
from viva.evaluations.catalogue import NumberTaken
from viva.evaluations.sip_fields import MAX_SIP_NUMBER


def test_numbers_begin_at_100_and_go_on_after_the_highest(db, tmp_path):
    make.evaluation(db, sip=7)

    first = numbers.take_number(db, "first", tmp_path)
    imported = numbers.take_number(db, "imported", tmp_path, preferred=300)
    after = numbers.take_number(db, "after", tmp_path)

    assert (first, imported, after) == (100, 300, 301)


def test_a_suggestion_takes_nothing(db, tmp_path):
    assert numbers.suggest_number(db) == numbers.suggest_number(db) == 100
    assert numbers.take_number(db, "first", tmp_path) == 100
    assert numbers.suggest_number(db) == 101


def test_after_the_largest_number_gaps_are_filled(db, tmp_path):
    make.evaluation(db, sip=MAX_SIP_NUMBER)
    make.evaluation(db, sip=100, id="first")

    assert numbers.suggest_number(db) == 101
    assert numbers.take_number(db, "second", tmp_path) == 101


def test_a_number_stays_with_its_evaluation_after_it_has_moved(db):
    make.evaluation(db, sip=100)
    make.evaluation(db, sip=120)

    with pytest.raises(NumberTaken, match="SIP-100 is already good-manners"):
        make.evaluation(db, sip=100, id="another")


def test_numbers_below_100_are_not_reserved(db):
    make.evaluation(db, sip=7)
    make.evaluation(db, sip=8)

    assert make.evaluation(db, sip=7, id="another").sip == 7


@pytest.mark.soak
def test_numbers_taken_and_synced_at_once_are_all_different(database, tmp_path):
    def take(name: str) -> int:
        return database.write_now(lambda db: numbers.take_number(db, name, tmp_path))

    def sync(name: str, number: int) -> int:
        return database.write_now(lambda db: make.evaluation(db, id=name, sip=number).sip)

    taking = [partial(take, f"taken-{place}") for place in range(8)]
    syncing = [partial(sync, f"synced-{place}", 100 + place) for place in range(8)]
    outcomes = make.together(*taking, *syncing)

    given = [outcome for outcome in outcomes if isinstance(outcome, int)]
    refused = [outcome for outcome in outcomes if not isinstance(outcome, int)]
    assert len(given) == len(set(given)) >= len(taking)
    assert {type(outcome) for outcome in refused} <= {NumberTaken}
