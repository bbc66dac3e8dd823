"""Finding evaluations: by name, by number, by filter and by page."""

import msgspec
import pytest

from tests import make
from viva.agents import store as agents
from viva.agents.model import Agent
from viva.evaluations import store
from viva.evaluations.sip import Executable
from viva.evaluations.store import NoSuchEvaluation, NoSuchVersion
from viva.kit.paging import BadCursor, cursor_at
from viva.results import sums


def named(db, name: str) -> Agent:
    return agents.find_by_name(db, name) or make.agent(db, name)


def found(db, q: str | None = None, **filters: str) -> list[str]:
    return [evaluation.id for evaluation in store.list_evaluations(db, filters, q, 200, None, with_drafts=True).items]


@pytest.mark.parametrize("name", ["good-manners", "SIP-7", "sip-7", "7", "007"])
def test_an_evaluation_is_found_by_its_id_and_by_its_number(db, name):
    make.evaluation(db)

    assert store.get(db, name).id == "good-manners"


@pytest.mark.parametrize(
    "name",
    ["", "good", "Good-Manners", "SIP-8", "SIP-", "SIP-7.0", "-7", "٧", "SIP-99999999999999999999", "9" * 400, "'; --"],
)
def test_what_is_not_there_is_not_found(db, name):
    make.evaluation(db)

    with pytest.raises(NoSuchEvaluation):
        store.get(db, name)


def test_an_evaluation_is_found_by_its_number_and_the_number_by_its_id(db):
    make.evaluation(db, sip=7)
    make.evaluation(db, sip=40, id="fortieth")

    assert store.find_number(db, "fortieth") == 40
    assert store.find_number(db, "nothing") is None
    assert store.id_of_number(db, 7) == "good-manners"
    assert store.id_of_number(db, 8) is None


def test_a_document_of_a_version_that_never_was_is_not_found(db):
    make.evaluation(db)

    with pytest.raises(NoSuchVersion):
        store.get_document(db, "good-manners", "2.0.0")


def test_versions_on_results_are_listed_too(db):
    make.evaluation(db)
    make.result(db, make.agent(db, "ada"), make.agent(db, "paul"))
    db.execute("UPDATE evaluation_results SET evaluation_version = '0.9.0'")
    sums.recount(db, "good-manners")
    make.evaluation(db, version="1.2.0")

    assert store.list_versions(db, "good-manners") == ["1.2.0", "1.0.0", "0.9.0"]
    assert store.list_versions(db, "nothing") == []


@pytest.fixture
def several(db):
    make.evaluation(db, sip=1, id="tea-making", name="Tea making", module="kitchen", status="draft")
    make.evaluation(db, sip=2, id="fair-play", name="Fair play 100%", module="safety")
    make.evaluation(
        db, sip=3, id="snake-case", name="Snake_case!", module="code", config={"summary": "Élan and 1000 names."}
    )
    make.evaluation(db, sip=4, id="old-custom", name="Old custom", module="safety", status="retired")


def test_evaluations_are_listed_by_number(db, several):
    assert found(db) == ["tea-making", "fair-play", "snake-case", "old-custom"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"module": "safety"}, ["fair-play", "old-custom"]),
        ({"status": "active"}, ["fair-play", "snake-case"]),
        ({"module": "safety", "status": "active"}, ["fair-play"]),
        ({"type": "proctored", "module": "kitchen"}, ["tea-making"]),
        ({"type": "live_class_work"}, []),
        ({"module": "' OR 1=1 --"}, []),
    ],
)
def test_filters_hold_together(db, several, filters, expected):
    assert found(db, **filters) == expected


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("tea", ["tea-making"]),
        ("TEA MAKING", ["tea-making"]),
        ("-play", ["fair-play"]),
        ("100%", ["fair-play"]),
        ("%", ["fair-play"]),
        ("e_c", ["snake-case"]),
        ("_", ["snake-case"]),
        ("case!", ["snake-case"]),
        ("1000", ["snake-case"]),
        ("please", ["tea-making", "fair-play", "old-custom"]),
        ("nothing of that", []),
        ("'", []),
        ("\\", []),
    ],
)
def test_words_are_looked_for_in_name_description_and_id_as_they_are(db, several, q, expected):
    assert found(db, q) == expected


@pytest.mark.parametrize("q", ["Élan", "élan", "ÉLAN"])
def test_great_and_small_letters_are_alike_in_every_alphabet(db, several, q):
    assert found(db, q) == ["snake-case"]


def test_words_and_filters_hold_together(db, several):
    assert found(db, "please", module="safety") == ["fair-play", "old-custom"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 20])
def test_pages_give_every_evaluation_once_in_order(db, limit):
    for number in range(1, 8):
        make.evaluation(db, sip=number * 3, id=f"evaluation-{number}")
    seen, cursor = [], None

    while True:
        page = store.list_evaluations(db, {"status": "active"}, "manners", limit, cursor)
        seen += [evaluation.sip for evaluation in page.items]
        assert len(page.items) <= limit
        cursor = page.next_cursor
        if cursor is None:
            break

    assert seen == [3, 6, 9, 12, 15, 18, 21]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("number", ["few", "none", "many", "half"]),
        ("newest", ["half", "many", "none", "few"]),
        ("attempts", ["many", "half", "few", "none"]),
        ("rate", ["few", "half", "many", "none"]),
        ("name", ["half", "many", "few", "none"]),
    ],
)
def test_an_order_holds_over_all_pages(db, order, expected):
    titles = {"few": "few", "none": "None", "many": "Ever", "half": "a half"}
    for sip, id_ in enumerate(("few", "none", "many", "half"), 1):
        make.evaluation(db, sip=sip, id=id_, title=titles[id_])
    for id_, passed in (("few", [False]), ("many", [True] * 3), ("half", [True, False])):
        for number, verdict in enumerate(passed):
            agent = named(db, f"agent-{number}")
            make.result(db, agent, named(db, "paul"), passed=verdict, evaluation_id=id_)
    seen, cursor = [], None

    for _ in expected:
        page = store.list_evaluations(db, {}, None, 1, cursor, order=order)
        seen += [evaluation.id for evaluation in page.items]
        cursor = page.next_cursor

    assert seen == expected
    assert cursor is None


@pytest.mark.parametrize("cursor", ["x", cursor_at(("a",)), cursor_at((1, 2))])
def test_a_cursor_of_another_list_is_refused(db, cursor):
    with pytest.raises(BadCursor):
        store.list_evaluations(db, {}, None, 10, cursor)


@pytest.mark.parametrize("after", [10**30, -(10**30)])
def test_a_cursor_with_a_value_no_database_takes_is_refused(db, after):
    with pytest.raises(BadCursor):
        store.list_evaluations(db, {}, None, 10, cursor_at((after,)))


def test_only_proctored_evaluations_have_claims_that_fall_silent(db):
    make.evaluation(db)
    make.evaluation(db, sip=8, id="quiz", type="complex_benchmark", executable=Executable("benchmark", None))

    assert [evaluation.id for evaluation in store.list_proctored(db)] == ["good-manners"]


def test_a_list_does_not_read_the_whole_texts(db):
    make.evaluation(db)

    (evaluation,) = store.list_evaluations(db, {}, None, 10, None).items

    assert evaluation.body == ""
    assert msgspec.structs.replace(store.get(db, evaluation.id), body="") == evaluation
