"""The SIPs in the guides can be copied as they are: they have no fault, and an attempt can begin."""

import re
from pathlib import Path

import pytest

from tests import make
from viva.evaluations import catalogue, sip
from viva.exams import registering, starting
from viva.exams.handlers.table import find_faults

GUIDES = Path(__file__).parents[2] / "docs" / "howto"
EXAMPLES = {
    f"{guide.name}-{at}": text
    for guide in sorted(GUIDES.glob("*.md"))
    for at, text in enumerate(
        re.findall(r"^```markdown\n(---\n.*?)^```$", guide.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    )
}


def test_there_are_examples():
    assert {"write-a-benchmark.md-0", "write-a-text-check.md-0"} <= set(EXAMPLES)


@pytest.mark.parametrize("text", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_an_example_can_be_copied_and_taken(db, text):
    evaluation = catalogue.put(db, sip.parse(text))
    ada = make.agent(db, "ada")

    registering.register(db, evaluation.id, ada)
    shown = starting.start(db, make.HALL, evaluation.id, ada, "").details

    assert list(find_faults(evaluation)) == []
    assert shown.get("questions") or shown.get("challenge")
