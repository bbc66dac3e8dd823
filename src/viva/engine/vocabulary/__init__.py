"""The vocabularies of the two models, the word vectors, and what cuts texts by them; [SOURCES.md](SOURCES.md) says where they are from."""

from pathlib import Path

FOLDER = Path(__file__).parent
VECTORS = FOLDER / "word_vectors.f16"  # a row for each word part, of half floats with the lowest byte first
WORD_PARTS = FOLDER / "word_parts.txt"
SENTENCE_PARTS = FOLDER / "sentence_parts.txt"
LETTERS = FOLDER / "letters.txt"


def read_parts(path: Path) -> dict[str, int]:
    """The parts of a vocabulary and their numbers. A line each; characters that others take for the end of a line are parts too."""
    return {part: number for number, part in enumerate(path.read_bytes().decode().split("\n"))}
