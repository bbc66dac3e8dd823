"""What pages call the parts of a contribution."""

import pytest

from viva.contributions.model import Proposal
from viva.web.contribute_view import item_names, total_of
from viva.web.contribution_places import message_beside, part_name


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("name", "Name"),
        ("research_basis", "What it rests on"),
        ("config", "Configuration"),
        ("config.prompts", "Probes"),
        ("config.prompts[0].description", "Probe 1, what it tries"),
        ("config.prompts[0].messages[1].content", "Probe 1, message 2, text"),
        ("config.rubric[2].maxScore", "Rubric row 3, maximum mark"),
        ("config.criteria[1]", "Criterion 2"),
        ("config.time_limit_minutes", "Time limit"),
        ("config.some_other_key", "Some other key"),
        ("exemplars[0].pass", "Exemplar 1, answer that should pass"),
        ("config.a key <b>", "config.a key <b>"),
        ("", ""),
    ],
)
def test_a_part_has_the_name_that_the_form_gives_it(field, name):
    assert part_name(field) == name


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("exemplars[0].pass is still the text of the template.", "This is still the text of the template."),
        ("exemplars[0].pass: nothing has the id x.", "Nothing has the id x."),
        ("The weights sum to 120.", "The weights sum to 120."),
    ],
)
def test_a_message_beside_its_field_does_not_begin_with_a_path(message, shown):
    assert message_beside("exemplars[0].pass", message) == shown


def test_items_are_offered_with_what_they_are_about():
    prompts = [{"id": "one", "description": "A colleague asks"}, {"id": "two", "description": "x" * 5 + " y" * 100}]
    names = item_names(Proposal(type="agent_certification", config={"prompts": [*prompts, {"id": "three"}, {}, 7]}))

    assert (names["one"], names["three"], list(names)) == ("one: A colleague asks", "three", ["one", "two", "three"])
    assert len(names["two"]) <= 65


@pytest.mark.parametrize(
    ("weights", "total"), [([50, 50], "100"), ([33.3, 66.6], "99.9"), ([], "0"), ([1000, "x"], "1000")]
)
def test_a_total_is_written_as_short_as_the_script_writes_it(weights, total):
    rows = [{"weight": weight} for weight in weights]

    assert total_of(Proposal(config={"rubric": rows}), "rubric", "weight") == total
