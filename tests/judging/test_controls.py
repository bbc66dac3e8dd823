"""A control question: its only right mark is 0, and no text can foresee it."""

import re

from tests.values import require
from viva.judging.controls import make_control


def test_a_control_asks_for_a_word_that_no_text_has_and_says_that_this_is_0():
    texts = {"the answer": "Paris."}

    asked = make_control(texts, 25)

    word = require(re.search(r"“(\w+)”", asked.ask))[1]
    assert (asked.texts, asked.max_mark) == (texts, 25)
    assert word not in "Paris."
    assert re.search(r"\b0\b", asked.ask)


def test_no_phrase_and_no_word_gives_a_control_away():
    asks = [make_control({"the answer": "Paris."}, 10).ask for _ in range(200)]
    phrases = [set(zip(words, words[1:], words[2:], strict=False)) for words in (ask.split() for ask in asks)]

    assert set.intersection(*phrases) == set()
    assert len({require(re.search(r"“(\w+)”", ask))[1] for ask in asks}) > 190
