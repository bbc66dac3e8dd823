"""Words, identifiers and short forms are found the same way whichever road a text takes."""

import pytest

from viva.engine.text.names import identifiers
from viva.engine.text.sentences import sentences
from viva.engine.text.words import WORD, content, split_words, words

TEXTS = [
    "",
    "It's the users' o'clock, isn't it? 'Quoted' and ''twice''",
    "a'b'c'd ends' 'begins",
    "snake_case kebab-case 3.14 #12_3 x\ty\nz\r\x1cq",
    "plain",
    "’tis l’été — naïve “words” ٣٤",
]


@pytest.mark.parametrize("text", TEXTS)
def test_words_cut_at_gaps_are_those_of_the_pattern(text: str):
    assert split_words(text) == WORD.findall(text)


def test_words_are_in_small_letters_with_one_kind_of_apostrophe():
    assert words("Don’t STOP_now") == ["don't", "stop", "now"]


def test_content_leaves_out_words_that_carry_no_meaning():
    assert content("The orders were cancelled by you") == ["order", "cancel"]


def test_identifiers_are_found_in_their_order_among_plain_words():
    text = "Mail ann.lee@x.org about #42, order AB and see https://x.org/a?b, user_id 20240501."
    assert identifiers(text) == ["ann.lee@x.org", "#42", "https://x.org/a?b", "user_id", "20240501"]


def test_a_short_form_ends_no_sentence_and_a_word_that_ends_like_one_does():
    assert sentences("Ask Dr. Lee. He took approx. 5 minutes. We sat in the disco. Then left.") == [
        "Ask Dr. Lee.",
        "He took approx. 5 minutes.",
        "We sat in the disco.",
        "Then left.",
    ]
