"""Which sum of an evaluation a row belongs to, and how SQL names it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from viva.results.official import Scope

# The version under which the sums over all versions are stored. It stands in SQL where a partial index needs it.
ALL_VERSIONS = ""
SUM_KEY = ("evaluation_id", "evaluation_version", "scope")


class SumKey(NamedTuple):
    """Which sum of an evaluation: of all public results or the official ones, of one version or of all."""

    scope: Scope
    version: str


def is_one_of(keys: Sequence[SumKey]) -> str:
    """The condition that a row has one of the keys. Its parameters are the scope and the version of each."""
    return f"({' OR '.join('(scope = ? AND evaluation_version = ?)' for _ in keys)})"


def placeholders(values: Sequence[Any]) -> str:
    return ", ".join("?" for _ in values)
