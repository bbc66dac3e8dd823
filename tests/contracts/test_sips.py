"""The SIPs that are shipped are written as Viva writes them, pass the strict rules, and keep their grading."""

import re
from math import prod
from pathlib import Path

import msgspec
import pytest

from tests.contracts.tree import SOURCE
from viva.evaluations import sip as sips
from viva.evaluations.configs import BenchmarkConfig, FreeTextQuestion, RegexQuestion
from viva.evaluations.item_filling import fill
from viva.evaluations.item_parameters import size_of, value_at
from viva.evaluations.item_pools import count_by_topic, topic_sizes
from viva.evaluations.known_catalogue import read_folder
from viva.evaluations.sip_yaml import read
from viva.evaluations.text_filling import fill_texts, list_text_items
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
    "steady-hand 1.1.0": "2da1c75564d24d314a03f37570bafec42bd6165382d1bac5163af2ce95733659",
    "island-round 1.1.0": "9d06171127618fbce15e12d6eb633952488faf5d5822067c428e013d8bb49fed",
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


@pytest.mark.parametrize(("number", "count"), [(8, 5), (9, 1)])
def test_nobody_can_learn_the_certification_or_the_class_by_heart(number, count):
    """Every probe, and the task of the class, has values of its own."""
    sip = sips.parse((SOURCE / "sips" / f"SIP-{number}.md").read_text())
    items = list_text_items(sip.config)

    assert len(items) == count
    for item in items:
        assert prod(map(size_of, item.parameters.values())) >= 25, item.id
        assert len({tuple(fill_texts(sip.config, str(seed))[item.id]) for seed in range(10)}) >= 5, item.id


ALL_CARDS_ROUTES = {  # what the boat visits in each form of the task, and after which of these the crew rests
    0: ("clinic", "light", "school", "farm"),
    1: ("light", "clinic", "school", "farm"),
    2: ("clinic", "light", "farm", "school"),
}
REST_AFTER = {0: "school", 1: "school", 2: "farm"}


def minutes_in(card: str) -> list[int]:
    return [int(hour) * 60 + int(minute) for hour, minute in re.findall(r"(\d\d):(\d\d)", card)]


@pytest.mark.parametrize("form", [0, 1, 2])
@pytest.mark.parametrize("rest", [30, 40, 45])
@pytest.mark.parametrize("start", [6, 7, 8, 9])
def test_a_plan_keeps_every_card_of_each_form_of_the_class(form, rest, start):
    sip = sips.parse((SOURCE / "sips" / "SIP-9.md").read_text())
    (item,) = list_text_items(sip.config)
    firsts = {name: value_at(parameter, 0) for name, parameter in item.parameters.items()}
    values = firsts | {"form": form, "rest": rest, "start": start}
    cards = re.findall(r"^Card \d, .*$", fill(item, [values])[0].texts[0], re.MULTILINE)
    boat, clinic, school, farm, light, crew, wind, _ = cards
    (leaves, back), (calm,) = minutes_in(boat), minutes_in(wind)
    long_leg = re.findall(r"between Harbour and (\w+) takes two", boat)[0]
    names = {"clinic": "Clinic", "light": "Lighthouse", "school": "School", "farm": "Farm"}
    windows = {"school": minutes_in(school), "light": minutes_in(light), "clinic": [0, minutes_in(clinic)[0] + 30]}
    keeps = {"two": 120, "four": 240}[re.findall(r"keeps for (\w+) hours", farm)[0]]

    now, at, loaded, rested = leaves, "Harbour", 0, 0
    for place in ALL_CARDS_ROUTES[form]:
        now += 120 if {at, names[place]} == {"Harbour", long_leg} else 60
        at = names[place]
        begin = max(now, minutes_in(farm)[0] if place == "farm" else windows[place][0])
        now = begin + (60 if place == "farm" else 30)
        assert place == "farm" or now <= windows[place][1], place
        loaded = now if place == "farm" else loaded
        if place == REST_AFTER[form]:
            first, last = minutes_in(crew)
            assert first <= now <= last
            now, rested = now + rest, rest
    now += 60  # no form ends with the long leg

    assert now <= min(back, calm)
    assert now <= loaded + keeps
    assert rested == rest
    assert ALL_CARDS_ROUTES[form].index("light") < min(map(ALL_CARDS_ROUTES[form].index, ("school", "farm")))


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
