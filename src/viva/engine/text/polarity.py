"""Which way a text points: negation, opposites and rivals of words, and what kind of word each is."""

from functools import cache

from viva.engine.text.remembering import remember
from viva.engine.text.words import KEPT, lines, stem

NONE: frozenset[str] = frozenset()
NEGATIONS = frozenset(
    "not no never none nobody nothing nowhere neither nor without cannot unable hardly barely scarcely lack lacks"
    " lacking lacked fail fails failed failing refuse refuses refused deny denies denied avoid avoids avoided".split()
)


def negates(word: str) -> bool:
    """Whether a word, in lower case, turns what it stands with into its opposite."""
    return word in NEGATIONS or word.endswith("n't")


@cache
def opposites() -> dict[str, frozenset[str]]:
    """For each stem the stems of its opposites: increase, decrease."""
    return others([line.split("\t") for line in lines("antonyms.tsv")])


@cache
def rivals() -> dict[str, frozenset[str]]:
    """For each stem those of which only one is usually true of a thing: Monday, Tuesday; brother, sister."""
    return others([line.split() for line in lines("rivals.txt")])


@remember(KEPT)
def contraries(root: str) -> frozenset[str]:
    """The stems of its opposites and rivals."""
    return opposites().get(root, NONE) | rivals().get(root, NONE)


def others(families: list[list[str]]) -> dict[str, frozenset[str]]:
    """Each member's stem with the stems of the rest of its families."""
    found: dict[str, set[str]] = {}
    for family in families:
        stems = {stem(word) for word in family}
        for root in stems:
            found.setdefault(root, set()).update(stems - {root})
    return {root: frozenset(rest) for root, rest in found.items() if rest}


@cache
def kinds() -> dict[str, str]:
    """For each stem its usual kind: n, v, a or r (noun, verb, adjective, adverb)."""
    found: dict[str, tuple[int, str]] = {}
    for word, kind, count in (line.split("\t") for line in lines("kinds.tsv")):
        root = stem(word)
        found[root] = max(found.get(root, (0, "n")), (int(count), kind))
    return {root: kind for root, (_, kind) in found.items()}
