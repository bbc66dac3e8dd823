"""Lists of results: every order, every filter, page by page, and no further than the window."""

import random
from datetime import timedelta

import pytest

from tests import make
from tests.results.taken import Counting
from tests.results.test_store import NINE, keep
from viva.agents import accounts
from viva.agents import listing as agents
from viva.evaluations import store as evaluations
from viva.kit.ids import new_id
from viva.kit.paging import BadCursor, cursor_at
from viva.results import listing
from viva.results.listing import Filter
from viva.results.model import NamedResult
from viva.results.stretches import SORTS

EVERY_SORT = [sign + column for column in SORTS for sign in ("", "-")]
NAMES = ("Zoe", "ada", "paul", "pia")


@pytest.fixture
def people(db):
    make.evaluation(db)
    return {name: make.agent(db, name) for name in NAMES}


def listed(db, only: Filter, sort: str = "-completed_at", limit: int = 200) -> list[NamedResult]:
    """Every page's results, one after the other."""
    found: list[NamedResult] = []
    cursor = None
    while True:
        page = listing.listed(db, only, sort, limit, cursor)
        assert len(page.items) <= limit
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


@pytest.fixture
def many(db, people) -> list[NamedResult]:
    """Sixty results with many ties in every column, some without a score, some without a proctor."""
    chance = random.Random(7)
    make.evaluation(db, id="tea-making", sip=8)
    for _ in range(60):
        passed = chance.random() < 0.6
        score = chance.choice([None, None, 0, 0.1, 0.2, 0.1 + 0.2, 99.999, 100])
        proctor = chance.choice([None, *NAMES])
        keep(
            db,
            people[chance.choice(NAMES)],
            chance.choice(["good-manners", "good-manners", "tea-making"]),
            id=new_id("eval_res"),
            passed=passed,
            score=score,
            max_score=None if score is None else 100,
            points_earned=chance.choice([0, 2.5, 10]) if passed else 0,
            completed_at=NINE + timedelta(microseconds=chance.choice([0, 1, 2, 1_000_000])),
            evaluation_version=chance.choice(["1.0.0", "1.1.0", "2.0.0"]),
            proctor_agent_id=proctor and people[proctor].id,
            proctor_feedback=chance.choice([None, "Said 100% of it.", "Asked FIRST, acted then.", "under_score"]),
        )
    kept = listed(db, Filter())
    chance.shuffle(kept)
    return kept


VALUE = {
    "agent": lambda result: result.agent_name.lower(),
    "score": lambda result: -1 if result.score is None else result.score,
    "proctor": lambda result: (result.proctor_name or "").lower(),
}


def in_order(results: list[NamedResult], sort: str) -> list[str]:
    """The ids as Python sorts them; who has no proctor comes last, whichever way the names go."""
    column, backwards = sort.removeprefix("-"), sort.startswith("-")
    value = VALUE.get(column, lambda result: getattr(result, column))

    def ids(some: list[NamedResult]) -> list[str]:
        found = sorted(some, key=lambda result: (value(result), result.completed_at, result.id), reverse=backwards)
        return [result.id for result in found]

    if column != "proctor":
        return ids(results)
    return ids([result for result in results if result.proctor_name]) + ids(
        [result for result in results if not result.proctor_name]
    )


@pytest.mark.parametrize("limit", [1, 7, 59, 60, 200])
def test_pages_in_every_order_give_each_result_once(db, many, limit):
    found = {sort: [result.id for result in listed(db, Filter(), sort, limit)] for sort in EVERY_SORT}

    assert found == {sort: in_order(many, sort) for sort in EVERY_SORT}


FITTING = {
    "version": (Filter("good-manners", version="1.1.0"), lambda result: result.evaluation_version == "1.1.0"),
    "agent": (Filter("good-manners", agent_id="ada"), lambda result: result.agent_name == "ada"),
    "proctor": (Filter("good-manners", proctor_agent_id="pia"), lambda result: result.proctor_name == "pia"),
    "passed": (Filter("good-manners", passed=True), lambda result: result.passed),
    "not-passed": (Filter("good-manners", passed=False), lambda result: not result.passed),
    "feedback": (Filter("good-manners", q="asked first"), lambda result: "FIRST" in (result.proctor_feedback or "")),
    "percent": (Filter("good-manners", q="100%"), lambda result: "100%" in (result.proctor_feedback or "")),
    "no-wildcard": (Filter("good-manners", q="r_s"), lambda result: "r_s" in (result.proctor_feedback or "")),
    "names": (Filter("good-manners", q="PIA"), lambda result: "pia" in (result.agent_name, result.proctor_name)),
    "several": (
        Filter("good-manners", "1.1.0", "ada", passed=True),
        lambda result: (result.evaluation_version, result.agent_name, result.passed) == ("1.1.0", "ada", True),
    ),
}


@pytest.mark.parametrize("name", FITTING)
def test_every_filter_holds_in_every_order_on_every_page(db, people, many, name):
    only, fits = FITTING[name]
    ids = {"agent_id": people[only.agent_id].id} if only.agent_id else {}
    ids |= {"proctor_agent_id": people[only.proctor_agent_id].id} if only.proctor_agent_id else {}

    found = {sort: [result.id for result in listed(db, only._replace(**ids), sort, 3)] for sort in EVERY_SORT}

    fitting = [result for result in many if result.evaluation_id == "good-manners" and fits(result)]
    assert 0 < len(fitting) < 50
    assert found == {sort: in_order(fitting, sort) for sort in EVERY_SORT}


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_words_are_looked_for_by_what_no_text_makes_slow(db):
    """LIKE takes milliseconds for one feedback that nearly has a long word at each of its places."""
    counting = Counting(db)

    listing.listed(counting, Filter(q="a" * 200), "-completed_at", 50, None)
    agents.found(counting, "a" * 200, 50, None)
    evaluations.listed(counting, {}, "a" * 200, 50, None)

    assert sum("instr(" in statement for statement, _ in counting.asked) == 3
    assert not any("LIKE" in statement for statement, _ in counting.asked)


def test_a_page_looks_no_further_than_the_window_and_the_next_goes_on(db, people, many, monkeypatch):
    monkeypatch.setattr(listing, "WINDOW", 4)
    only = Filter("good-manners", q="under_score")

    first = {sort: listing.listed(db, only, sort, 50, None) for sort in EVERY_SORT}
    found = {sort: [result.id for result in listed(db, only, sort, 50)] for sort in EVERY_SORT}

    fitting = [
        result for result in many if result.evaluation_id == "good-manners" and result.proctor_feedback == "under_score"
    ]
    assert all(page.is_cut and page.next_cursor and len(page.items) <= 4 for page in first.values())
    assert found == {sort: in_order(fitting, sort) for sort in EVERY_SORT}


def test_the_last_page_of_a_window_is_not_cut(db, people, many):
    found = listing.listed(db, Filter("good-manners", q="under_score"), "-completed_at", 200, None)

    assert (found.is_cut, found.next_cursor) == (False, None)


def test_who_was_deleted_is_listed_by_no_name(db, people, many):
    accounts.delete(db, people["paul"])

    found = listed(db, Filter(), "agent", 7)

    assert {result.agent_name for result in found} == {"deleted agent", "Zoe", "ada", "pia"}
    assert found[0].agent_name == "deleted agent"
    assert len(found) == 60


@pytest.mark.parametrize("sort", ["agent", "-agent", "proctor", "-proctor"])
def test_many_results_come_by_name_as_few_do(db, people, many, monkeypatch, sort):
    for name in ("ada", "pia"):
        accounts.delete(db, people[name])
    few = listed(db, Filter("good-manners"), sort, 3)

    monkeypatch.setattr(listing, "FEW", 0)

    assert listed(db, Filter("good-manners"), sort, 3) == few
    assert len(few) > 30


def test_a_result_that_comes_between_two_pages_moves_none_of_the_others(db, people, many):
    first = listing.listed(db, Filter(), "-completed_at", 20, None)
    keep(db, people["ada"], completed_at=NINE + timedelta(hours=1))

    second = listing.listed(db, Filter(), "-completed_at", 20, first.next_cursor)

    assert [result.id for result in first.items + second.items] == in_order(many, "-completed_at")[:40]


def test_no_results_are_an_empty_page(db, people):
    assert listing.listed(db, Filter("good-manners"), "score", 10, None) == ([], None, False)


@pytest.mark.parametrize(
    "cursor", ["x", cursor_at((NINE, "eval_res_1")), cursor_at(("result", "eval_res_1")), cursor_at(("eval_res_1",))]
)
def test_a_cursor_of_another_list_is_refused(db, cursor):
    with pytest.raises(BadCursor):
        listing.listed(db, Filter(), "score", 10, cursor)


def test_a_cursor_with_a_value_no_database_takes_is_refused(db):
    with pytest.raises(BadCursor):
        listing.listed(db, Filter(), "completed_at", 10, cursor_at(("result", "a\0b")))
