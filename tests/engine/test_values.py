"""Values of two texts agree if they may be the same thing, however each is written."""

import time

import pytest

from viva.engine.text.values import agree, missing, values


def one(text):
    (value,) = values(text)
    return value


@pytest.mark.parametrize(
    ("written", "otherwise"),
    [
        ("49.9", "$49.90"),
        ("1,000", "1000"),
        ("1.000", "1000"),
        ("837 000 EUR", "837,000"),
        ("1.234,50 €", "1234.5"),
        ("$3.5 million", "3500000"),
        ("2.5k", "2500"),
        ("15%", "0.15"),
        ("25 percent", "twenty-five percent"),
        ("two hundred and five", "205"),
        ("a dozen", "12"),
        ("zwölf", "12"),
        ("90 minutes", "1.5 hours"),
        ("90 minutes", "90"),
        ("10 miles", "16 km"),
        ("20 °C", "68 degrees fahrenheit"),
        ("84", "84.3"),
        ("about 1,200", "1234"),
        ("8 am", "08:00"),
        ("8:00", "8 pm"),
        ("20:00", "8 p.m."),
        ("9 in the evening", "21:00"),
        ("noon", "12:00"),
        ("May 3rd", "2024-05-03"),
        ("3 May", "May 3, 2024"),
        ("3.5.2024", "2024-05-03"),
        ("03/05/2024", "2024-05-03"),
        ("03/05/2024", "2024-03-05"),
        ("3. Mai", "3rd of May"),
        ("Friday", "2024-05-03"),
        ("2024", "2024-05-03"),
        ("+1 559-233-6650", "(559) 233-6650"),
        ("A7731", "a7731"),
        ("went through", "approved"),
        ("could not be booked", "declined"),
    ],
)
def test_a_value_agrees_with_itself_however_it_is_written(written, otherwise):
    assert agree(one(written), one(otherwise))
    assert agree(one(otherwise), one(written))


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("49.9", "$94.90"),
        ("$50", "50 €"),
        ("1.000", "1001"),
        ("15%", "0.16"),
        ("205", "two hundred"),
        ("10 miles", "10 km"),
        ("20 °C", "20 °F"),
        ("1,200", "1234"),
        ("8 am", "20:00"),
        ("08:00", "8 pm"),
        ("May 3rd", "2024-03-05"),
        ("May 3, 2023", "2024-05-03"),
        ("3.5.2024", "2024-03-05"),
        ("Monday", "2024-05-03"),
        ("Monday", "Tuesday"),
        ("A7731", "A7713"),
        ("went through", "declined"),
        ("cancelled", "booked"),
        ("approved", "not approved"),
        ("8 am", "May 8"),
    ],
)
def test_different_values_do_not_agree(written, other):
    assert not agree(one(written), one(other))
    assert not agree(one(other), one(written))


def test_a_text_has_its_values_in_their_order_with_their_places():
    found = values("On May 3rd at 8 am, order A7731 for $49.90 was declined.")

    assert [(value.kind, value.text, value.start) for value in found] == [
        ("date", "May 3rd", 3),
        ("time", "8 am", 14),
        ("code", "A7731", 26),
        ("amount", "$49.90", 36),
        ("state", "declined", 47),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a room with one bed",
        "you may go",
        "the 2nd option",
        "version 1.2.3",
        "not rejected",
        "the 1990s",
        "the 1970's",
        "an elf",
    ],
)
def test_words_that_say_no_value_have_none(text):
    assert values(text) == []


def test_missing_values_are_those_that_nothing_bears_out():
    told, known = values("two seats at 9 pm for $14"), values('{"seats": 2, "time": "21:00", "price": 16}')

    assert [value.text for value in missing(told, known)] == ["$14"]


@pytest.mark.parametrize(
    "text", ["9" * 50_000, "1," * 50_000, "one-" * 50_000, "a." * 50_000, "$ " * 50_000, "-" * 50_000]
)
def test_hostile_texts_are_read_in_linear_time(text):
    started = time.perf_counter()

    values(text)

    assert time.perf_counter() - started < 1
