"""Texts are cut into exactly the parts that the models were made with, which the package tokenizers knows."""

import base64
import json
import random
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from generating.vocabulary import (
    CODES,
    SENTENCE_TOKENIZER,
    WORD_TOKENIZER,
    package_file,
    published_files,
)
from tests.contracts.tree import ROOT
from viva.engine.vocabulary import LETTERS
from viva.engine.vocabulary.byte_pairs import BEGIN, BytePairs
from viva.engine.vocabulary.word_pieces import LETTERS_KEPT, Letters, WordPieces

MAX_DATA_BYTES = 30_000_000  # all data of the engine, which everybody installs
NASTY = [
    "",
    " ",
    "\0\t\r\n\x7f\x85",
    "İstanbul ıI ß ẞ Σίσυφος ς ﬁne Ǆ ŉ",
    "e\u0301\u0301\u0323 \u0323e n\u0303 \u1e69\u0307",
    "\u302e\U0001d165\u302a",
    "한국어 \u1112\u1161\u11ab 日本語のテキスト 豈更\ufa0e 中文。、！",
    "👩\u200d👩\u200d👧 🏳️\u200d🌈 1️⃣ \U0001f1e9\U0001f1ea",
    "مرحبا שלום \u202eabc\u202c हिन्दी ไทย",
    "[CLS] a[SEP]b [MASK][mask] [PAD [UNK]] [unused1] ##ing ▁▁▁the <s></s><unk> <0x41> <0x0A>",
    "don't they're o'clock x" + "'" * 20,
    "a" * 99 + " " + "b" * 100 + " " + "c" * 101,
    "\ufeff\u00ad\u2060\ufffd\uffff\U0010ffff\ue000",
    "“quoted” — dash… ½ ² ™ №5 €3,50 100%",
    "the" * 300,
    "▁" * 100,
    "aaa" * 50,
]


@cache
def byte_pairs() -> BytePairs:
    return BytePairs()


@cache
def word_pieces() -> WordPieces:
    return WordPieces()


@cache
def word_tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(package_file(*WORD_TOKENIZER)))


@cache
def sentence_tokenizer(most: int) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(package_file(*SENTENCE_TOKENIZER)))
    tokenizer.no_padding()
    tokenizer.enable_truncation(most)
    return tokenizer


def parts_by_tokenizers(text: str) -> list[int]:
    return [part.id for part in word_tokenizer().model.tokenize(text)] if text else []


def examples(test):
    for text in NASTY:
        test = example(text)(test)
    return test


# Few kinds of characters, so that they meet, and any other character.
TEXTS = st.text(
    st.sampled_from("aeintrs▁ '#-[]<>0xE1İßς\u0301\u0323\u200d한中🙂") | st.characters(codec="utf-8"), max_size=60
)
# What several parts make: neighbours compete for the same part.
JOINED = st.lists(st.sampled_from(sorted(byte_pairs().numbers)), max_size=8).map("".join)


@examples
@settings(max_examples=300, deadline=None)
@given(TEXTS | JOINED)
def test_a_word_is_cut_as_its_vectors_were_made(text):
    assert byte_pairs().cut(text) == parts_by_tokenizers(text)
    assert byte_pairs().cut(BEGIN + text) == parts_by_tokenizers(BEGIN + text)


@examples
@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_a_text_is_cut_as_the_sentence_model_was_trained(text):
    for most in (5, 64, 500):
        assert word_pieces().cut(text, most) == sentence_tokenizer(most).encode(text).ids


def test_characters_of_every_kind_are_read_as_the_sentence_model_was_trained():
    starts = [int(line.split()[0], 16) for line in LETTERS.read_text().splitlines()]
    ends = [code - 1 for code in starts[1:]]
    codes = sorted({*starts, *ends, *range(0x3100), *range(0xF900, 0x10000), *range(0, 0x110000, 101)} & set(CODES))
    text = " ".join(f"{chr(code)} a{chr(code)}a" for code in codes)

    assert word_pieces().cut(text, 10**6) == sentence_tokenizer(10**6).encode(text).ids


def test_half_a_character_is_read_as_unknown():
    assert word_pieces().cut("a\ud800 b", 64) == word_pieces().cut("[UNK] b", 64)
    assert byte_pairs().cut("\ud800") == [byte_pairs().numbers[byte] for byte in ("<0xED>", "<0xA0>", "<0x80>")]


def test_the_vocabulary_itself_says_which_parts_are_joined_and_when():
    model = json.loads(package_file(*WORD_TOKENIZER).read_bytes())["model"]
    numbers = byte_pairs().numbers
    merges = [tuple(merge.split(" ")) for merge in model["merges"]]

    joined = [one + two for one, two in merges]
    assert joined == sorted(joined, key=lambda part: (set(part) == {BEGIN}, numbers[part]))
    splits = ((part[:at], part[at:]) for part in set(joined) for at in range(1, len(part)))
    assert sorted(merges) == sorted((one, two) for one, two in splits if one in numbers and two in numbers)
    # So a word can be cut alone: no part goes on behind the beginning of the next one.
    assert not [part for part in numbers if BEGIN in part.lstrip(BEGIN)]


class CountedLookups(dict[str, int]):
    count = 0

    def get(self, *given):
        self.count += 1
        return super().get(*given)


@pytest.mark.parametrize(
    "text",
    ["a" * 6_000, base64.b64encode(random.Random(1).randbytes(4_500)).decode(), "\u0301" * 6_000, "▁" * 6_000],
    ids=["one letter", "base64", "marks", "begins"],
)
def test_the_work_for_a_word_grows_with_its_length_and_no_faster(text):
    def lookups(text: str) -> int:
        cutter = BytePairs()
        cutter._order = counted = CountedLookups(cutter._order)
        cutter.cut(text)
        return counted.count

    assert lookups(text) < 2.2 * lookups(text[: len(text) // 2])


def test_what_is_known_of_characters_stays_bounded():
    letters = Letters()

    "".join(map(chr, CODES[:: 1 + len(CODES) // (3 * LETTERS_KEPT)])).translate(letters)

    assert 0 < len(letters) <= LETTERS_KEPT


def test_the_data_is_what_the_packages_publish():
    for path, content in published_files().items():
        assert path.read_bytes() == content, f"{path.name}: run `make vocabulary`"


def test_the_data_of_the_engine_stays_small():
    files = (path for path in (ROOT / "src/viva/engine").rglob("*") if path.is_file())

    assert sum(path.stat().st_size for path in files if path.suffix not in (".py", ".pyc")) <= MAX_DATA_BYTES
