"""docs/sip.md is made from the code, and every template passes the strict rules. `python -m tests.contracts.test_sip_page` writes it."""

import jsonschema_rs
import pytest

from tests.contracts.tree import ROOT, SOURCE
from viva.evaluations import sip as sips
from viva.evaluations.known_catalogue import read_folder
from viva.evaluations.reference import FIELD_MEANINGS, render_reference
from viva.evaluations.schemas import config_schema
from viva.evaluations.sip_fields import EVALUATION_TYPES, FIELD_RULES
from viva.evaluations.sip_yaml import read
from viva.evaluations.templates import load_template
from viva.evaluations.validation import validate

PAGE = ROOT / "docs" / "sip.md"


def test_the_page_of_all_keys_is_made_from_the_code_as_it_is():
    assert PAGE.read_text() == render_reference(), "run `python -m tests.contracts.test_sip_page`"
    assert FIELD_MEANINGS.keys() == FIELD_RULES.keys()


@pytest.mark.parametrize("type_", EVALUATION_TYPES)
def test_a_template_is_canonical_and_passes_the_strict_rules(type_: str):
    text = load_template(type_)
    front, body = read(text)

    assert validate(front, body, "contribution", read_folder(SOURCE / "sips")) == ([], [])
    assert sips.render(sips.parse(text)) == text
    assert front["type"] == type_


@pytest.mark.parametrize("path", sorted((SOURCE / "sips").glob("*.md")), ids=lambda path: path.stem)
def test_a_schema_allows_what_is_shipped_and_refuses_what_is_not_of_its_type(path):
    front = read(path.read_text()).front
    validator = jsonschema_rs.validator_for(config_schema(front["type"]))

    assert validator.is_valid(front["config"])
    assert not validator.is_valid({**front["config"], "markers": "two"})


if __name__ == "__main__":
    PAGE.write_text(render_reference())
