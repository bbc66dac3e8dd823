"""A reading works out each thing once and shares it."""

from viva.engine.model import Interaction, Trace, Turn
from viva.engine.reading import Reading, once


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
