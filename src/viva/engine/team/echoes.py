"""Echoes: how far an agent says what it has said before."""

from collections import deque
from typing import NamedTuple

from viva.engine.reading import Reading

SAME = 0.9  # share of common words from which on two texts are one
RECENT = 3  # earlier texts compared by their words; older ones only word for word


class Echo(NamedTuple):
    """Whether a text was said before word for word, and its likeness to the likest of the recent ones."""

    exact: bool
    alike: float


class SpeechMemory:
    """What one agent has said so far."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.texts: set[str] = set()
        self.recent: deque[frozenset[str]] = deque(maxlen=RECENT)

    def echo(self, text: str) -> Echo:
        """How far a text says what was said before; from then on it counts as said."""
        key, stems = " ".join(text.lower().split()), self.reading.stems(text)
        found = Echo(key in self.texts, max((overlap(stems, old) for old in self.recent), default=0.0))
        self.texts.add(key)
        self.recent.append(stems)
        return found


def overlap(one: frozenset[str], two: frozenset[str]) -> float:
    """The share of two texts' words that are common to both."""
    return len(one & two) / len(one | two) if one or two else 0.0
