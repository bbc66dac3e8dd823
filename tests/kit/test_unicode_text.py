"""Normalising: as Python does it for any text people write, and never with a long run of combining marks."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import viva
from viva.agents.model import name_key
from viva.exams.handlers import checking
from viva.kit.unicode_text import GRAPHEME_JOINER, MAX_MARKS_IN_A_ROW, normalize_text, split_mark_runs

ACUTE, CEDILLA = "\u0301", "\u0327"
# Marks, characters that come apart into marks, and characters that end or begin with some.
TRICKY = ["a", " ", "é", "\u1f82", ACUTE, CEDILLA, "\u0344", "\u0f73", "\uff9e", "\u00a8", "\u034f", "한", "\ufdfa"]
FORMS = ["NFC", "NFD", "NFKC", "NFKD"]
tricky_texts = st.text(st.sampled_from(TRICKY) | st.characters())


def longest_run(text: str) -> int:
    """The longest run of combining marks that Python's normalize would have to sort."""
    longest = run = 0
    for sign in unicodedata.normalize("NFKD", text):
        run = run + 1 if unicodedata.combining(sign) else 0
        longest = max(longest, run)
    return longest


@given(tricky_texts, st.sampled_from(FORMS))
def test_within_the_limit_it_is_pythons_normal_form(text, form):
    if longest_run(text) <= MAX_MARKS_IN_A_ROW:
        assert split_mark_runs(text) == text
        assert normalize_text(form, text) == unicodedata.normalize(form, text)


@given(st.lists(st.tuples(st.sampled_from(TRICKY), st.integers(1, 100)), max_size=6))
def test_no_long_run_of_marks_reaches_pythons_normalize(repeated):
    text = "".join(sign * times for sign, times in repeated)

    split = split_mark_runs(text)

    assert longest_run(split) <= MAX_MARKS_IN_A_ROW
    if GRAPHEME_JOINER not in text:
        assert split.replace(GRAPHEME_JOINER, "") == text


@given(tricky_texts)
def test_splitting_twice_changes_nothing(text):
    assert split_mark_runs(split_mark_runs(text)) == split_mark_runs(text)


def test_the_limit_is_exact():
    fits = "e" + ACUTE * 30

    assert split_mark_runs(fits) == fits
    assert split_mark_runs(fits + ACUTE) == fits + GRAPHEME_JOINER + ACUTE


@pytest.mark.parametrize("fold", [checking.fold_text, name_key])
def test_a_long_run_of_marks_is_folded_in_pieces(fold):
    """Sorting the whole run would bring all cedillas to its front."""
    folded = fold("e" + (ACUTE + CEDILLA) * 100)

    assert CEDILLA * 16 not in folded
    assert folded.count(CEDILLA) >= 99


def test_text_is_normalised_in_one_place_only():
    root = Path(viva.__file__).parent
    users = [
        path for path in root.rglob("*.py") if "unicodedata" in path.read_text() and "normalize(" in path.read_text()
    ]

    calls = {str(path.relative_to(root)) for path in users if "unicodedata.normalize" in path.read_text()}
    # A migration keeps its meaning whatever becomes of the kit; the names that it folds have 200 characters at most.
    # The sentence model's vocabulary decomposes single characters.
    assert calls == {
        "kit/unicode_text.py",
        "migrations/versions/0022_order.py",
        "engine/vocabulary/word_pieces.py",
    }
    assert not [path for path in root.rglob("*.py") if "from unicodedata import" in path.read_text()]
