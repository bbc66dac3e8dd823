"""Write the Unicode tables that the names of agents are checked with, from the data inside ICU.

    python -m venv /tmp/icu && /tmp/icu/bin/pip install PyICU-wheels && /tmp/icu/bin/python scripts/unicode_tables.py

ICU is a project of the Unicode Consortium, and its data are the files of the Unicode Standard and of UTS #39. ICU itself is
needed only here: it has 40 MB, the tables have 110 KB."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import icu

FOLDER = Path(__file__).parent.parent / "src" / "viva" / "agents" / "unicode"
NOTICE = f"""\
# Unicode {icu.UNICODE_VERSION}, from the data of ICU {icu.ICU_VERSION}. Written by scripts/unicode_tables.py.
# Copyright © 1991-2025 Unicode, Inc. Used under the Unicode License v3, which is in the file LICENSE beside this one.
"""
SURROGATES = range(0xD800, 0xE000)
HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)  # each decomposes into letters that have entries of their own
CODES = [code for code in range(sys.maxunicode + 1) if code not in SURROGATES]
CHECKER = icu.SpoofChecker()
DECOMPOSE = icu.Normalizer2.getNFDInstance().normalize
IGNORED = icu.Char.hasBinaryProperty
COMMON = {"Zyyy", "Zinh", "Zzzz"}  # characters that go with every script, or that are not assigned


def prototype(code: int) -> str | None:
    """What the character is replaced by in a skeleton; None if it stays."""
    character = chr(code)
    if code in HANGUL_SYLLABLES or IGNORED(character, icu.UProperty.DEFAULT_IGNORABLE_CODE_POINT):
        return None
    decomposed = DECOMPOSE(character)
    # A character that decomposes is never met: a skeleton is made from the decomposed text.
    skeleton: str = CHECKER.getSkeleton(0, character)
    return skeleton if decomposed == character and skeleton != character else None


def scripts(code: int) -> str:
    """The scripts in which the character is used, or nothing if it goes with all of them."""
    codes = {icu.Script(number).getShortName() for number in icu.Script.getScriptExtensions(chr(code))}
    return "" if codes & COMMON else " ".join(sorted(codes))


def ranges(value_of: Callable[[int], str]) -> Iterator[tuple[int, int, str]]:
    """Neighbours with the same value, as first, last and value. Empty values are left out."""
    first, last, value = 0, -1, ""
    for code in CODES:
        found = value_of(code)
        if found != value or code != last + 1:
            if value:
                yield first, last, value
            first, value = code, found
        last = code
    if value:
        yield first, last, value


def write_confusables() -> None:
    by_prototype: dict[str, list[str]] = defaultdict(list)
    for code in CODES:
        target = prototype(code)
        if target is not None:
            by_prototype[target].append(f"{code:X}")
    lines = (
        f"{' '.join(f'{ord(character):X}' for character in target)};{' '.join(sources)}\n"
        for target, sources in by_prototype.items()
    )
    (FOLDER / "confusables.txt").write_text(NOTICE + "# prototype;characters that look like it\n" + "".join(lines))


def write_scripts() -> None:
    lines = (f"{first:X};{last:X};{value}\n" for first, last, value in ranges(scripts))
    (FOLDER / "scripts.txt").write_text(NOTICE + "# first;last;Script_Extensions\n" + "".join(lines))


def write_ignorables() -> None:
    def mark(code: int) -> str:
        return "x" if IGNORED(chr(code), icu.UProperty.DEFAULT_IGNORABLE_CODE_POINT) else ""

    lines = (f"{first:X};{last:X}\n" for first, last, _ in ranges(mark))
    (FOLDER / "ignorables.txt").write_text(NOTICE + "# first;last of Default_Ignorable_Code_Point\n" + "".join(lines))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    write_confusables()
    write_scripts()
    write_ignorables()
