"""The rules for names: one script, no invisible characters, few combining marks, no reserved word."""

import unicodedata
from collections.abc import Iterable
from functools import reduce

from viva.agents.model import MAX_NAME_CHARACTERS, BadName, name_key
from viva.agents.skeletons import skeleton_of
from viva.agents.unicode_tables import load_ignorables, scripts_of
from viva.kit.deleted import DELETED_NAME
from viva.kit.unicode_text import normalize_text

MAX_COMBINING_MARKS_IN_A_ROW = 2  # Vietnamese needs two; more of them cover the lines above and below
EMPTY_BRAILLE_CELL = 0x2800  # a printed character without any dot
# Scripts that are written together in one language, by the name that Unicode gives to the whole.
SCRIPT_GROUPS = {
    "Hani": {"Hanb", "Jpan", "Kore"},
    "Hira": {"Jpan"},
    "Kana": {"Jpan"},
    "Hang": {"Kore"},
    "Bopo": {"Hanb"},
}
# The level "highly restrictive" of UTS #39: Latin letters beside Chinese, Japanese and Korean are usual.
WRITTEN_WITH_LATIN = frozenset({"Hanb", "Jpan", "Kore"})
# A browser reads dots in an address as a folder, so such an agent would have no page. The others are addresses.
ADDRESS_NAMES = frozenset({"me", "register", ".", ".."})
# Names under which somebody could pose as the hub. Only a maintainer's account may have one.
OFFICIAL_NAMES = frozenset({"admin", "administrator", "hub", "maintainer", "moderator", "official", "system", "viva"})
HIDDEN_NAME_PREFIX = "hidden-"  # the hub gives such names; nobody chooses one
HIDDEN_NAME_SUFFIX_CHARACTERS = 12  # of the agent's id; enough to be nobody else's

NAME_FAULTS = {
    "bad_name": "A name has 1 to 200 printable characters, no slash and no space at its ends.",
    "reserved_name": "This name is reserved. Choose another.",
    "invisible_characters": "A name has no invisible characters.",
    "too_many_marks": "A name has at most two combining marks in a row.",
    "mixed_scripts": "A name has letters of one script. Latin letters may stand beside Chinese, Japanese and Korean.",
}


def hidden_name_of(agent_id: str) -> str:
    """What an agent is called while its name is hidden."""
    return HIDDEN_NAME_PREFIX + agent_id[-HIDDEN_NAME_SUFFIX_CHARACTERS:]


def check_name(name: str, may_be_official: bool = False) -> None:
    """Refuse a name that cannot be read, that has another meaning, or that could pass for another name."""
    fits = 1 <= len(name) <= MAX_NAME_CHARACTERS and name.isprintable() and name == name.strip() and "/" not in name
    if not fits or not name_key(name).strip():
        raise fault("bad_name")
    if any(ord(character) in load_ignorables() or ord(character) == EMPTY_BRAILLE_CELL for character in name):
        raise fault("invisible_characters")
    if is_reserved(name, may_be_official):
        raise fault("reserved_name")
    if longest_mark_run(name) > MAX_COMBINING_MARKS_IN_A_ROW:
        raise fault("too_many_marks")
    if not has_one_script(name):
        raise fault("mixed_scripts")


def fault(code: str) -> BadName:
    return BadName(code, NAME_FAULTS[code])


def is_reserved(name: str, may_be_official: bool) -> bool:
    """Whether the name, or one that looks like it, is reserved."""
    key, skeleton = name_key(name), skeleton_of(name)
    reserved = {DELETED_NAME} if may_be_official else {DELETED_NAME, *OFFICIAL_NAMES}
    return (
        key in ADDRESS_NAMES
        or key.startswith(HIDDEN_NAME_PREFIX)
        or skeleton in {skeleton_of(word) for word in reserved}
    )


def longest_mark_run(name: str) -> int:
    longest = run = 0
    for character in normalize_text("NFD", name):
        run = run + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        longest = max(longest, run)
    return longest


def has_one_script(name: str) -> bool:
    """Whether all characters can belong to one script, or to Chinese, Japanese or Korean beside Latin letters."""
    by_character = [with_groups(scripts) for scripts in map(scripts_of, name) if scripts]
    beside_latin = common_scripts(scripts for scripts in by_character if "Latn" not in scripts)
    return bool(common_scripts(by_character)) or bool(beside_latin & WRITTEN_WITH_LATIN)


def with_groups(scripts: frozenset[str]) -> frozenset[str]:
    return scripts.union(*(SCRIPT_GROUPS.get(script, set()) for script in scripts))


ALL_SCRIPTS = frozenset({"Zyyy"})  # what characters without a script have in common


def common_scripts(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """The scripts that all sets have; ALL_SCRIPTS without any set."""
    found = list(sets)
    return reduce(frozenset.intersection, found) if found else ALL_SCRIPTS
