"""The meanings of single words, kept for the next trace."""

from itertools import count
from threading import Lock

import numpy as np

from viva.engine import meaning
from viva.engine.meaning import Vector

KEPT = 20_000  # word vectors: 20 MB
DIMENSIONS = 256  # of the static model


class WordVectors:
    """The meanings of single words, of length 1: rows of one table, filled as words come."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._rows: dict[str, int] = {}
        self._table = np.zeros((KEPT, DIMENSIONS), np.float32)

    def __call__(self, words: list[str]) -> Vector:
        with self._lock:
            if len(self._rows) + len(words) > KEPT:
                self._rows.clear()
            missing = [word for word in dict.fromkeys(words) if word not in self._rows]
            if missing:
                self._keep(missing)
            return self._table.take([self._rows[word] for word in words], axis=0)

    def _keep(self, words: list[str]) -> None:
        start = len(self._rows)
        self._table[start : start + len(words)] = meaning.static().of_words(words)
        self._rows.update(zip(words, count(start)))


vectors = WordVectors()
