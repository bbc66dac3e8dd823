"""Research and exemplars as sections for people."""

from tests import make
from viva.evaluations import research, sip

EXEMPLAR = {"probe": "kind", "pass": "Please.\nThank you.", "fail": "No."}


def test_sections_are_rendered_for_people():
    made = make.sip(
        research_basis="Politeness theory.",
        research_mapping=[{"research": "A | B", "probe": "kind"}],
        exemplars=[EXEMPLAR],
    )

    assert research.render_sections(made, with_exemplars=True) == "\n\n".join(
        [
            "## Research basis",
            "Politeness theory.",
            "## What rests on which research",
            "| part | research |\n| --- | --- |\n| kind | A \\| B |",
            "## Exemplars",
            "### kind",
            "**Passes.**",
            "> Please.\n> Thank you.",
            "**Fails.**",
            "> No.",
        ]
    )
    assert "Exemplars" not in research.render_sections(made, with_exemplars=False)


def test_without_research_there_are_no_sections_and_odd_rows_of_a_draft_are_left_out():
    assert research.render_sections(make.sip(), with_exemplars=True) == ""
    odd = make.sip(research_basis=5, research_mapping="all", exemplars=["text", {"probe": "kind"}])
    assert research.render_sections(odd, with_exemplars=True).startswith("## Exemplars\n\n### kind")


def test_research_is_not_graded():
    with_research = make.sip(research_basis="Theory.", exemplars=[EXEMPLAR], research_mapping=[])

    assert sip.digest(with_research) == sip.digest(make.sip())
    assert sip.parse(sip.render(with_research)) == with_research


def test_a_marker_gets_the_exemplars_of_what_is_marked(db):
    evaluation = make.evaluation(db, exemplars=[EXEMPLAR, EXEMPLAR | {"probe": "other"}])

    assert research.read_exemplars(db, evaluation, {"kind"}) == [EXEMPLAR]
    assert research.read_sections(db, evaluation, with_exemplars=False) == ""
