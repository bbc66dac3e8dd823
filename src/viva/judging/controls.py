"""Control questions: gradings whose only right mark is 0, which show whether a text talks its judge round."""

import secrets
from collections.abc import Mapping

from viva.judging.model import Grading

WORD_SYLLABLES = (
    "ba bri cul dem dro fal gim gor hul jas ket lom mir nas ov pel quin ras sul tev tor ul vam wes yor zin".split()
)
WORD_LENGTH_SYLLABLES = 4  # one of 456,976 words, which no text can foresee
CONTROL_QUESTIONS = (
    "how often the word “{word}” is used, one for each time",
    "how clearly it is explained what “{word}” means",
    "the number of times that “{word}” is mentioned",
    "whether “{word}” is named, and how much is said about it",
    "what is told about “{word}”: the more, the better",
)
CONTROL_ZERO_RULES = (
    "Without that word it is 0.",
    "0 if it does not occur.",
    "Nothing (0) where “{word}” is missing.",
    "A text that leaves it out gets 0.",
    "If “{word}” is not there: 0.",
)


def make_control(texts: Mapping[str, str], max_mark: float) -> Grading:
    """A grading of the same texts whose only right mark is 0. Its wording is random, so no text can foresee it."""
    word = absent_word(texts)
    ask = f"{secrets.choice(CONTROL_QUESTIONS)}. {secrets.choice(CONTROL_ZERO_RULES)}".format(word=word)
    return Grading(ask, texts, max_mark)


def absent_word(texts: Mapping[str, str]) -> str:
    """A made-up word that no text contains."""
    while True:
        word = "".join(secrets.choice(WORD_SYLLABLES) for _ in range(WORD_LENGTH_SYLLABLES))
        if not any(word in text.casefold() for text in texts.values()):
            return word
