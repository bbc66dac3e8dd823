"""The SIPs that are shipped are written as Viva writes them, and none takes a page's address for its id."""

from pathlib import Path

import pytest

from tests.contracts.tree import SOURCE
from viva.evaluations import sip as sips

SHIPPED = sorted((SOURCE / "sips").glob("*.md"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_sip_is_in_canonical_form(path: Path):
    sip = sips.parse(path.read_text())

    assert sips.render(sip) == path.read_text()
    assert path.name == f"SIP-{sip.sip}.md"


def test_ids_and_numbers_are_given_once():
    shipped = [sips.parse(path.read_text()) for path in SHIPPED]

    assert len({sip.id for sip in shipped}) == len({sip.sip for sip in shipped}) == len(SHIPPED)


@pytest.mark.parametrize(
    "word", ["result", "results", "contribute", "drafts", "queue", "review", "new", "compare", "sip-5"]
)
def test_the_address_of_a_page_is_no_evaluation_id(word: str):
    text = SHIPPED[0].read_text()
    named_so = text.replace(f"id: {sips.parse(text).id}", f"id: {word}", 1)

    with pytest.raises(sips.InvalidSip) as refusal:
        sips.parse(named_so)

    assert {fault.field for fault in refusal.value.faults} == {"id"}
