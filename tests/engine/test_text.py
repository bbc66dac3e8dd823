"""Words, sentences, numbers, names and opposites, found without any model."""

import pytest

from viva.engine.claims.source import ClaimSource
from viva.engine.claims.support import align
from viva.engine.text.names import identifiers, names
from viva.engine.text.numbers import numbers, parse_number
from viva.engine.text.polarity import negates, opposites, rivals
from viva.engine.text.sentences import sentences
from viva.engine.text.words import content, stem


@pytest.mark.parametrize(
    "family",
    [
        "order orders ordered ordering",
        "plan planned planning plans",
        "use used using uses",
        "go went gone goes",
        "child children",
        "agree agrees agreed agreeing",
        "discuss discusses discussing",
        "reply replies replied replying",
        "company companies company's",
        "quick quickly",
        "business businesses",
    ],
)
def test_forms_of_one_word_have_one_stem(family):
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize("pair", ["need feed", "thing string", "family famous", "early ear", "bus busy", "wing win"])
def test_different_words_keep_different_stems(pair):
    one, two = pair.split()

    assert stem(one) != stem(two)


def test_content_leaves_out_words_that_join():
    assert content("The orders of the shop were sent") == ["order", "shop", "send"]


def test_numbers_are_values_however_written():
    assert numbers("1,200 or 1200.0, two, $3.5 million and 40%") == {1200.0, 2.0, 3_500_000.0, 40.0}


def test_sentences_end_at_stops_but_not_after_short_forms():
    assert sentences("Dr. Who came. He left!\n- one\n- two") == ["Dr. Who came.", "He left!", "- one", "- two"]


def test_numbers_beyond_any_float_are_none():
    assert numbers(f"{'9' * 400}, 7 and {'9' * 305} billion") == {7.0}


def test_empty_lines_end_a_sentence_once_however_many_they_are():
    assert sentences("One\n \n\n  two" + "\n " * 200_000 + "\n- three") == ["One", "two", "- three"]


def test_names_do_not_merely_begin_a_sentence():
    assert names("Then Ana Ruiz met IBM. Nobody saw Oslo.") == ["Then Ana Ruiz", "IBM", "Oslo"]


def test_identifiers_are_mails_links_codes_and_long_numbers():
    found = identifiers("Mail a.b@c.org about A77x1, see https://x.org/a?b=1 and 12345 or read_file")

    assert found == ["a.b@c.org", "A77x1", "https://x.org/a?b=1", "12345", "read_file"]


def test_a_mail_address_is_sought_in_linear_time():
    assert identifiers("a." * 200_000) == []


@pytest.mark.parametrize("word", ["not", "never", "isn't", "without"])
def test_negations_negate(word):
    assert negates(word)


def test_opposites_and_rivals_go_both_ways():
    assert stem("decrease") in opposites()[stem("increase")]
    assert stem("increase") in opposites()[stem("decrease")]
    assert "tuesday" in rivals()["monday"]
    assert "monday" not in rivals()["monday"]


def test_a_claim_is_held_against_the_sentence_it_shares_most_with():
    source = ClaimSource("Cats sleep a lot. The train to Oslo leaves on Monday at nine. Dogs bark.")

    claim = align("The train to Oslo leaves on Friday.", source)

    assert claim.nearest[0] == 1
    assert {match.token.word: match.found for match in claim.matches} == {
        "train": True,
        "Oslo": True,
        "leaves": True,
        "Friday": False,
    }
    assert claim.matches[-1].clash == "monday"


def test_an_opposite_elsewhere_in_the_source_is_no_clash():
    source = ClaimSource(
        "Prices rise in spring. The old council met and talked for hours about a new school. The harbour has boats."
    )

    fall = align("The harbour boats decrease.", source).matches[-1]

    assert fall.clash == ""


def test_a_negation_the_source_has_too_is_not_new():
    source = ClaimSource("Cats are not allowed in the hotel.")

    assert not align("Cats are not allowed.", source).flipped
    assert align("Dogs are not allowed.", ClaimSource("Dogs are allowed.")).flipped


def test_a_question_in_the_source_denies_and_affirms_nothing():
    source = ClaimSource("Are dogs allowed in the hotel? No, dogs are not allowed.")

    assert not align("Dogs are not allowed in the hotel.", source).flipped


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1,200", 1_200),
        ("1 200", 1_200),
        ("1.200.000", 1_200_000),
        ("44,49", 44.49),
        ("1,200.500", 1_200.5),
        ("64,959,915 164", 64_959_915_164),
    ],
)
def test_a_number_may_be_grouped_by_commas_points_and_spaces(written: str, number: float):
    assert parse_number(written) == number
