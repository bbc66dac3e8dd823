"""Text as it reads, whatever it is spelt with: no invisible signs, no accents, no look-alike letters, no case."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from viva.kit.unicode_text import normalize_text

# Letters of other scripts that look Latin, so that a word can be spelt with them and still be read.
LOOK_ALIKES = str.maketrans("аеорсухіјѕԁԛԝһӏοανρτικυ", "aeopcyxijsdqwhloavptiku")
INVISIBLE_CATEGORIES = frozenset({"Cf", "Mn", "Me", "Cs", "Co", "Cn"})
UNSEEN = "ᅟᅠㅤﾠ\N{BRAILLE PATTERN BLANK}"  # letters and symbols by category, yet nothing is seen of them
SPACED = re.compile(r"(?<![^\W_])[^\W_](?:[ .\-_*|][^\W_]){2,}(?![^\W_])")  # i g n o r e


class Folded(NamedTuple):
    """The folded text, and for each of its characters where that stood in the original."""

    text: str
    origins: list[int]


def fold_text(text: str) -> Folded:
    """A character may fold to none or to several; each of them comes from one place."""
    pairs = [(sign, place) for place, character in enumerate(text) for sign in fold(character)]
    plain = "".join(sign for sign, _ in pairs)
    dropped = {place for run in SPACED.finditer(plain) for place in range(run.start() + 1, run.end(), 2)}
    kept = [pair for place, pair in enumerate(pairs) if place not in dropped]
    return Folded("".join(sign for sign, _ in kept), [place for _, place in kept])


@lru_cache(maxsize=4096)
def fold(character: str) -> str:
    if character in UNSEEN:
        return ""
    # Twice, since what casefolding gives may come apart once more.
    opened = normalize_text("NFKD", normalize_text("NFKD", character).casefold())
    seen = "".join(sign for sign in opened if unicodedata.category(sign) not in INVISIBLE_CATEGORIES)
    return seen.translate(LOOK_ALIKES)
