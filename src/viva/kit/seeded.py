"""Random choices that depend only on a seed and on what is chosen from. Every release makes the same ones."""

from collections.abc import Sequence
from hashlib import sha256


def shuffle(items: Sequence[str], seed: str) -> list[str]:
    return sorted(items, key=lambda item: sha256(f"{seed}:{item}".encode()).digest())


def number_below(limit: int, seed: str) -> int:
    """A number from 0 to limit - 1. The hash has 256 bits, so that all numbers are equally likely."""
    return int.from_bytes(sha256(seed.encode()).digest()) % limit
