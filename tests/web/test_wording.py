"""How pages write what the database holds."""

import pytest

from viva.web.wording import written_answer


@pytest.mark.parametrize(
    ("stored", "kind", "written"),
    [
        ("Paris", "exact", "Paris"),
        ("true", "exact", "true"),
        ("null", "free_text", "null"),
        ("[1, 2]", "regex", "[1, 2]"),
        ('"x"', "exact", '"x"'),
        ("42", "numeric", "42"),
        ('{"coast": false}', "json_schema", '{"coast": false}'),
        ('["red", "green"]', "choice", '["red", "green"]'),
        ('["red", "green"]', "multiple_choice", "red, green"),
        ("[]", "multiple_choice", "no answer"),
        ('["red", "gre', "multiple_choice", '["red", "gre'),
        ("[" * 100_000, "multiple_choice", "[" * 100_000),
    ],
)
def test_an_answer_is_shown_as_it_was_written(stored, kind, written):
    assert written_answer(stored, kind) == written
