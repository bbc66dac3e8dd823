"""Suggests the known word that a misspelt one stands for."""

from collections.abc import Iterable
from itertools import islice

MAX_COMPARED_WORDS = 200  # each takes about 10 microseconds, and the words may be a stranger's


def nearest_word(word: str, known: Iterable[str]) -> str | None:
    """The known word that is spelt nearly the same; case, hyphens and underscores do not matter."""
    from difflib import get_close_matches  # imported here because it is rarely needed

    plain = {fold_word(name): name for name in islice(known, MAX_COMPARED_WORDS)}
    found = get_close_matches(fold_word(word), plain, n=1, cutoff=0.75)  # one letter of four may be wrong
    return plain[found[0]] if found else None


def fold_word(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "")[:100]  # comparing takes the square of the length


def suggest_spelling(word: str, known: Iterable[str]) -> str:
    """A question such as `Did you mean summary?`, or an empty text."""
    meant = nearest_word(word, known)
    return f"Did you mean {meant}?" if meant else ""
