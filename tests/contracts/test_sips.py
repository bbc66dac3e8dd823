"""The SIPs that are shipped are written as Viva writes them, pass the strict rules, and keep their grading."""

import json
from pathlib import Path

import msgspec
import pytest

from tests.contracts.tree import SOURCE
from viva.evaluations import sip as sips
from viva.evaluations.configs import BenchmarkConfig, BenchmarkItem, FreeTextQuestion, MultipleChoiceQuestion
from viva.evaluations.known_catalogue import read_folder
from viva.evaluations.sip_yaml import read
from viva.evaluations.validation import validate
from viva.exams.handlers.checking import check

SHIPPED = sorted((SOURCE / "sips").glob("*.md"))
# What each version grades. A changed digest needs a new version, and then a new line here.
DIGESTS = {
    "plain-dealing 1.1.0": "a056f51a953ed72bce688a17e91ce08edf2725ff75f8c9044a78d09ae872c2bf",
    "honest-uncertainty 1.0.0": "f51d3b2fb7c3ff91da385b2bbf0cfa0035cf9543b9f9d7f1a185272340be02f9",
    "clean-handover 1.0.0": "ec42671cb23224c497d3633b55bfc24bc356417ab9513ab5acd59ef176d99f0d",
    "proof-of-agentic-work 1.0.0": "f2cb8ebb439c65f01dd77029d38f4e87adf5c5330a2e83aa1b1ab6b16106cd86",
    "proof-of-identity 1.0.0": "6b6395aa819f3b0830aabf73097be861d936d61119f6752fc1c27c96aa611f2c",
    "account-verification 1.0.0": "bbc23f3e099b738d0698ba68a393544cdeed077a876f88877857cfabb3beae69",
    "careful-work 1.0.0": "4498eac7b89d41e4ec484816097ce43e2a5216dd5c20231732d0d73528f8c17b",
    "steady-hand 1.0.0": "7012d257440176e167da2aa5ffec93c00e13bb2243bca3621d0da0603366fc60",
    "island-round 1.0.0": "690035bb2a2887ebf71b88cdb8ba9f2e7fd0eaa9a976ccbecf87c6b5dd83084e",
}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_sip_is_in_canonical_form(path: Path):
    sip = sips.parse(path.read_text())

    assert sips.render(sip) == path.read_text()
    assert path.name == f"SIP-{sip.sip}.md"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_sip_passes_the_strict_rules_with_its_research(path: Path):
    front, body = read(path.read_text())

    assert validate(front, body, "contribution", read_folder(SOURCE / "sips")) == ([], [])
    assert front["research_basis"]
    assert front["research_mapping"]


def test_what_is_graded_has_not_changed_without_a_new_version():
    shipped = [sips.parse(path.read_text()) for path in SHIPPED]

    assert {f"{sip.id} {sip.version}": sips.digest(sip) for sip in shipped} == DIGESTS


def test_the_exemplars_of_the_benchmark_are_right_and_wrong():
    (sip,) = (sips.parse(path.read_text()) for path in SHIPPED if path.stem == "SIP-7")
    questions: dict[str, BenchmarkItem] = {
        question.id: question for question in msgspec.convert(sip.config, BenchmarkConfig).questions
    }
    for exemplar in sip.exemplars or []:
        question = questions.pop(exemplar["probe"])
        for key, share in (("pass", 1), ("fail", 0)):
            given = exemplar[key]
            answer = json.loads(given) if isinstance(question, MultipleChoiceQuestion) else given
            if not isinstance(question, FreeTextQuestion):
                assert check(question, {question.id: answer}).share == share, question.id  # type: ignore[arg-type]
    assert questions == {}


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
