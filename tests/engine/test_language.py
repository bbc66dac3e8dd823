"""Which language users write in, told from their small words."""

import pytest

from viva.engine.dialogue.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Can you book a table for two tonight?", "en"),
        ("refund order 1182", "en"),
        ("", "en"),
        ("Ich brauche bis morgen einen Termin beim Arzt.", "de"),
        ("Wo ist mein Paket?", "de"),
        ("¿Dónde está mi paquete? No lo encuentro.", "es"),
        ("Quiero cambiar la fecha de mi vuelo", "es"),
        ("Je voudrais réserver une table pour deux personnes.", "other"),
        ("Vorrei prenotare un tavolo per due, grazie.", "other"),
        ("Ik wil graag een tafel voor twee, dank je", "other"),
        ("我想订一张两人桌", "other"),
        ("Я хочу забронировать столик", "other"),
    ],
)
def test_the_small_words_and_the_script_tell_the_language(text, language):
    assert language_of(text) == language


def test_a_long_text_is_read_as_far_as_its_beginning():
    assert language_of("the house is on the hill " * 200_000) == "en"
