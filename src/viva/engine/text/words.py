"""Words of a text: all of them, those that carry meaning, and their stems."""

import re
from functools import cache
from importlib.resources import files

from viva.engine.text.remembering import remember

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
GAPS = bytes(sign if chr(sign).isalnum() or sign == ord("'") else ord(" ") for sign in range(128)) + bytes(128)
QUOTE = re.compile(r"'(?:(?!\w)|(?<!\w'))")  # no apostrophe, for it does not stand between letters
TWO_MARKS = re.compile(r"'\w+'")  # of which only the first is part of a word: rock'n'roll
STOP = frozenset(
    "a an the of to in on at for and or but is are was were be been being am it its this that these those with as by"
    " from has have had do does did i you we he she they me my your our his her their them us him what how why which"
    " who whom when where can could should would will shall may might must if there here so than then just also too"
    " very please into about over under out up down off all any some each only own same such both more most other".split()
)
SUFFIXES = ("ingly", "edly", "ings", "ing", "ed")
ADVERB = re.compile(r"\w{3,}[^\Wip]ly")  # not "family", not "reply"
VOWEL = re.compile(r"[aeiouy]")
AGREED = frozenset(("agreed", "disagreed", "guaranteed", "freed"))  # the others in "eed" keep it: need, speed
KEPT = 32_768  # different words; some 5 MB
TWIN = re.compile(r"(?<=\w\w)([bdfgmnprt])\1$")  # planned, planning: plan; but added: add


def lines(name: str, room: str = "viva.engine.text") -> list[str]:
    return files(room).joinpath(name).read_text("utf-8").splitlines()


def words(text: str) -> list[str]:
    return split_words(text.lower().replace("’", "'"))


def split_words(text: str) -> list[str]:
    """Every word as it is written. Plain letters are cut at their gaps, which is twice as fast as the pattern."""
    if not text.isascii():
        return WORD.findall(text)
    plain = text.encode().translate(GAPS).decode()
    if "'" in plain:
        plain = QUOTE.sub(" ", plain)
        if plain.count("'") > 1 and TWO_MARKS.search(plain):
            return WORD.findall(plain)
    return plain.split()


def content(text: str) -> list[str]:
    """The stems of the words that carry meaning, in their order."""
    return list(filter(None, map(telling, words(text))))


def overlap(one: frozenset[str], two: frozenset[str]) -> float:
    """The words that two texts have in common, by all their words."""
    return len(one & two) / len(one | two) if one and two else 0.0


@remember(KEPT)
def telling(word: str) -> str:
    """The stem of a word that carries meaning; nothing for one that does not."""
    return "" if word in STOP else stem(word)


@remember(KEPT)
def stem(word: str) -> str:
    """A word without its ending, so that "orders" and "ordered" meet "order", and "went" meets "go"."""
    return strip_ending(irregular().get(word, word))


def strip_ending(word: str) -> str:
    word = singular(word.removesuffix("'s").removesuffix("'"))
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("eed"):
        return word[:-2] if word in AGREED else word
    for suffix in SUFFIXES:
        root = word[: -len(suffix)]
        if word.endswith(suffix) and len(root) > 1 and VOWEL.search(root):
            return without_e(TWIN.sub(r"\1", root))
    return without_e(word[:-2] if ADVERB.fullmatch(word) else word)


def singular(word: str) -> str:
    """A noun or verb without the s of its plural or third person."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]


def without_e(word: str) -> str:
    return word[:-1] if len(word) > 2 and word.endswith("e") else word


@cache
def irregular() -> dict[str, str]:
    """The base form of words that change inside: went, go; children, child."""
    return dict(line.split("\t", 1) for line in lines("irregular.tsv"))
