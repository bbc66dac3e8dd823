"""A reading works out each thing once and shares it."""

import numpy as np

from viva.engine import meaning
from viva.engine.model import Interaction, Trace, Turn
from viva.engine.reading import SENTENCES, Reading, once


def reading() -> Reading:
    return Reading(Trace("t", (Turn(0, "Book a table", None, (Interaction("a", "Booked the table."),)),)), False)


def test_what_is_made_of_a_reading_is_made_once_and_shared():
    made: list[Reading] = []

    @once
    def places(read: Reading) -> list[str]:
        made.append(read)
        return [place.interaction.agent_id for place in read.places]

    one, two = reading(), reading()
    assert places(one) is places(one)
    assert places(two) == ["a"]
    assert made == [one, two]


def test_two_functions_of_one_reading_do_not_share():
    read = reading()
    assert read.once(lambda _: 1) == 1
    assert read.once(lambda _: 2) == 2


def test_stems_are_the_different_content_words():
    assert reading().stems("the tables, a table and booked tables") == {"tabl", "book"}


def test_the_sentence_model_is_turned_off_beyond_its_bound(monkeypatch):
    embedded: list[str] = []

    def embed(texts: list[str]) -> meaning.Vector:
        embedded.extend(texts)
        return np.ones((len(texts), 2), np.float32)

    monkeypatch.setattr(meaning, "sentence", lambda: embed)
    read = Reading(reading().trace)
    most = [f"text {n}" for n in range(SENTENCES)]

    assert read.sentence(most).shape == (SENTENCES, 2)
    assert read.sentence(most[:3]).shape == (3, 2)
    assert read.sentence(["one more", most[0]]).shape == read.static(["one more", most[0]]).shape
    assert not read.sentence_model
    assert embedded == most
