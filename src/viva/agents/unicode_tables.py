"""The Unicode tables for names: scripts, look-alikes and invisible characters. `scripts/unicode_tables.py` writes them."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

TABLES_FOLDER = Path(__file__).parent / "unicode"


class ScriptRange(NamedTuple):
    """Neighbouring characters that are used in the same scripts."""

    first: int
    last: int
    scripts: frozenset[str]


def read_lines(name: str) -> Iterator[list[str]]:
    """The fields of each line of a table, without its comments."""
    for line in (TABLES_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split(";")


@cache
def load_confusables() -> dict[int, str]:
    """What each character is replaced by in a skeleton. The ignorable ones are left out."""
    prototypes: dict[int, str] = {}
    for prototype, sources in read_lines("confusables"):
        text = "".join(chr(int(code, 16)) for code in prototype.split())
        prototypes |= dict.fromkeys((int(code, 16) for code in sources.split()), text)
    return prototypes | dict.fromkeys(load_ignorables(), "")


@cache
def load_ignorables() -> frozenset[int]:
    """The characters that no font shows: Default_Ignorable_Code_Point."""
    return frozenset(
        code
        for first, last in read_lines("ignorables")
        if int(first, 16) < 0xE0000  # beyond are tags and private selectors: 4,096 codes that are never printable
        for code in range(int(first, 16), int(last, 16) + 1)
    )


@cache
def load_scripts() -> list[ScriptRange]:
    return [
        ScriptRange(int(first, 16), int(last, 16), frozenset(scripts.split()))
        for first, last, scripts in read_lines("scripts")
    ]


def scripts_of(character: str) -> frozenset[str]:
    """The scripts that the character is used in. There are none for a character that goes with every script."""
    ranges = load_scripts()
    index = bisect_right(ranges, ord(character), key=lambda found: found.first) - 1
    return ranges[index].scripts if index >= 0 and ord(character) <= ranges[index].last else frozenset()
