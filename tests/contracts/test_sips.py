"""The SIPs that are shipped are written as Viva writes them, pass the strict rules, and keep their grading."""

from math import prod
from pathlib import Path

import msgspec
import pytest

from tests.contracts.tree import SOURCE
from viva.evaluations import sip as sips
from viva.evaluations.configs import BenchmarkConfig, FreeTextQuestion, RegexQuestion
from viva.evaluations.item_parameters import size_of
from viva.evaluations.item_pools import count_by_topic, topic_sizes
from viva.evaluations.known_catalogue import read_folder
from viva.evaluations.sip_yaml import read
from viva.evaluations.validation import validate
from viva.exams.handlers.checking import check

SHIPPED = sorted((SOURCE / "sips").glob("*.md"))
# What each version grades. A changed digest needs a new version, and then a new line here.
DIGESTS = {
    "plain-dealing 1.2.0": "7794b458b62c551ec65488b4a294858d949946d7d082ee882fd6420882936b50",
    "honest-uncertainty 1.1.0": "6225349907cfccaec8fbb14933727cdd1130b194f1ea1b7dedd453c09d41877b",
    "clean-handover 1.1.0": "44817641b9507d601b0823179cc4a12f9a75245f2329e3b1ba7208a381b32128",
    "proof-of-agentic-work 1.1.0": "f2cb8ebb439c65f01dd77029d38f4e87adf5c5330a2e83aa1b1ab6b16106cd86",
    "proof-of-identity 1.1.0": "6b6395aa819f3b0830aabf73097be861d936d61119f6752fc1c27c96aa611f2c",
    "account-verification 1.1.0": "bbc23f3e099b738d0698ba68a393544cdeed077a876f88877857cfabb3beae69",
    "careful-work 2.0.0": "c89991f300c287b88a049237962c54983d5bfef2b31dec8171af58561bd566cd",
    "steady-hand 1.1.0": "7012d257440176e167da2aa5ffec93c00e13bb2243bca3621d0da0603366fc60",
    "island-round 1.1.0": "690035bb2a2887ebf71b88cdb8ba9f2e7fd0eaa9a976ccbecf87c6b5dd83084e",
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


def questions_of_the_benchmark() -> tuple[sips.Sip, BenchmarkConfig]:
    (sip,) = (sips.parse(path.read_text()) for path in SHIPPED if path.stem == "SIP-7")
    return sip, msgspec.convert(sip.config, BenchmarkConfig)


def test_the_exemplars_of_the_benchmark_are_right_and_wrong():
    sip, config = questions_of_the_benchmark()
    questions = {question.id: question for question in config.questions if not question.parameters}
    for exemplar in sip.exemplars or []:
        question = questions.pop(exemplar["probe"])
        for key, share in (("pass", 1), ("fail", 0)):
            if not isinstance(question, FreeTextQuestion):
                assert check(question, {question.id: exemplar[key]}).share == share, question.id
    assert questions == {}


def test_nobody_can_learn_the_benchmark_by_heart():
    """A question has values of its own, or it is one of at least three times as many as are drawn, or it has no key."""
    _, config = questions_of_the_benchmark()
    drawn, sizes = count_by_topic(config), topic_sizes(config)
    for question in config.questions:
        has_many_values = prod(map(size_of, question.parameters.values())) >= 40 if question.parameters else False
        in_a_large_pool = sizes[question.topic or ""] >= 3 * drawn[question.topic or ""]
        assert has_many_values or in_a_large_pool or isinstance(question, RegexQuestion), question.id


def test_the_criteria_of_proctors_have_points_and_guidance():
    for sip in (sips.parse(path.read_text()) for path in SHIPPED):
        if sip.type == "proctored":
            assert sum(row["points"] for row in sip.config["criteria"]) == sip.config["max_score"]
            assert all(row["guidance"] for row in sip.config["criteria"])
            assert sip.config["min_messages"] >= 3
        assert sip.config["reveal"] in ("on_retirement", "always")


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
