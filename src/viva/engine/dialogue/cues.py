"""Cues: what users say when an answer did not serve them, and what answers do, by meaning and language.

Each row of cues.tsv has a language, who speaks, a family, in what way the phrase counts, and the phrase as an expression:
`anywhere` at the beginning of any word, `first` only where a sentence begins. Of a whole family, `unless` names words after
which no phrase counts, and `stated` says that none counts in a question: "Is it wrong to …?" rejects nothing.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache

from viva.engine.text.words import lines

LOOKED_AT = 600  # characters of a message in which its tone shows; what follows is material
Cues = Mapping[str, re.Pattern[str]]


@cache
def cues(language: str, speaker: str) -> Cues:
    """The families of cues of one language, of a user or of an answer."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in lines("cues.tsv", "viva.engine.dialogue"):
        tongue, who, family, way, *phrase = row.split("\t")
        if (tongue, who) == (language, speaker):
            found[family][way] += phrase or [""]
    return {family: cue(ways) for family, ways in found.items()}


def cue(ways: Mapping[str, list[str]]) -> re.Pattern[str]:
    """One expression for a family, in a text with a space before it.

    A gap is found faster than a border, which is looked for at every letter.
    """
    not_after = "".join(rf"(?<!\b{word}\W)" for word in " ".join(ways.get("unless", ())).split())
    ends = r"(?!\w)" + (r"(?![^.!?\n]{0,300}\?)" if "stated" in ways else "")
    anywhere = [rf"{not_after}(?:{'|'.join(ways['anywhere'])}){ends}"] if "anywhere" in ways else []
    begins = [rf"(?:(?<=[.!?,;]\s)|(?<![\s\S]\W))(?:{'|'.join(ways['first'])}){ends}"] if "first" in ways else []
    return re.compile(rf"\W(?:{'|'.join(anywhere + begins)})")


@lru_cache(maxsize=256)
def shows(text: str, language: str, of_answer: bool = False) -> dict[str, float]:
    """Which families of cues a text shows: 1.0 or 0.0 for each."""
    plain = " " + text[:LOOKED_AT].lower().replace("’", "'")
    table = cues(language, "answer" if of_answer else "user")
    return {name: float(found.search(plain) is not None) for name, found in table.items()}
