"""Folds text to how it reads: no invisible characters, accents, look-alike letters or upper case."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from viva.kit.unicode_text import normalize_text

# Letters of other scripts that look Latin, so a word spelt with them can still be read.
LOOK_ALIKES = str.maketrans("аеорсухіјѕԁԛԝһӏοανρτικυ", "aeopcyxijsdqwhloavptiku")
INVISIBLE_CATEGORIES = frozenset({"Cf", "Mn", "Me", "Cs", "Co", "Cn"})
INVISIBLE_LETTERS = "ᅟᅠㅤﾠ\N{BRAILLE PATTERN BLANK}"  # letters and symbols by category, but invisible
SPACED_WORD = re.compile(r"(?<![^\W_])[^\W_](?:[ .\-_*|][^\W_]){2,}(?![^\W_])")  # i g n o r e


class Folded(NamedTuple):
    """The folded text, and the original index of each of its characters."""

    text: str
    origins: list[int]


def fold_text(text: str) -> Folded:
    """Fold each character. One character may fold to none or to several."""
    pairs = [(sign, index) for index, character in enumerate(text) for sign in fold(character)]
    plain = "".join(sign for sign, _ in pairs)
    separators = {index for run in SPACED_WORD.finditer(plain) for index in range(run.start() + 1, run.end(), 2)}
    letters = [pair for index, pair in enumerate(pairs) if index not in separators]
    return Folded("".join(sign for sign, _ in letters), [index for _, index in letters])


@lru_cache(maxsize=4096)
def fold(character: str) -> str:
    if character in INVISIBLE_LETTERS:
        return ""
    # Twice, since the result of casefolding may decompose further.
    decomposed = normalize_text("NFKD", normalize_text("NFKD", character).casefold())
    visible = "".join(sign for sign in decomposed if unicodedata.category(sign) not in INVISIBLE_CATEGORIES)
    return visible.translate(LOOK_ALIKES)
