"""How pages write what the database holds."""

import pytest

from viva.web.wording import written_answer


@pytest.mark.parametrize(
    ("stored", "written"),
    [
        ("Paris", "Paris"),
        ("42", "42"),
        ('["red", "green"]', "red, green"),
        ("[[1, 2], [3]]", "(1, 2), (3)"),
        ("true", "yes"),
        ("null", "no answer"),
        ("[]", "no answer"),
        ('{"capital": "Paris", "rivers": ["Seine"], "coast": false}', "capital: Paris\nrivers: Seine\ncoast: no"),
        ('"quoted"', "quoted"),
        ("[1, 2", "[1, 2"),
        ("[not json]", "[not json]"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_an_answer_is_written_as_a_person_would(stored, written):
    assert written_answer(stored) == written
