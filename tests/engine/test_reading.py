"""A reading works out each thing once and shares it."""

from tests.engine.test_response_failure import chat
from viva.engine import meaning
from viva.engine.analyze import run_detectors
from viva.engine.model import Interaction, Trace, Turn
from viva.engine.reading import MAX_SENTENCE_TEXTS, MAX_SENTENCE_TURNS, Reading, once


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


def long_talk(turns: int) -> Trace:
    """Small talk with knowledge, in which every text is another one and in doubt."""
    lines = chat(turns)
    knowledge = "The {0} is far away. Some people say that the {0} is calming. Two cats live in the {0}."
    return Trace(
        "long",
        tuple(
            Turn(n, lines[2 * n], knowledge.format(lines[2 * n][11:30]), (Interaction("a", lines[2 * n + 1]),))
            for n in range(turns)
        ),
    )


def test_the_sentence_model_is_off_from_the_start_for_a_long_trace():
    assert Reading(long_talk(MAX_SENTENCE_TURNS)).sentence_model
    assert not Reading(long_talk(MAX_SENTENCE_TURNS + 1)).sentence_model
    assert not Reading(long_talk(1), False).sentence_model


def test_the_choice_of_the_model_stays_for_the_whole_trace_and_has_its_bound(monkeypatch):
    embedded: list[str] = []

    def embed(texts: list[str]) -> meaning.Vector:
        embedded.extend(texts)
        return meaning.static()(texts)

    monkeypatch.setattr(meaning, "sentence", lambda: embed)  # the real one takes ten seconds for so many
    read = Reading(long_talk(MAX_SENTENCE_TURNS))

    run_detectors(read, None)

    assert read.sentence_model
    assert MAX_SENTENCE_TURNS <= len(embedded) <= MAX_SENTENCE_TEXTS
