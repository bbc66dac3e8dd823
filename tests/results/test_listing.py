"""Lists of results: every order, every filter, page by page, and no further than the window."""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import make
from tests.results.taken import EVALUATION, Counting, attempts, example, keep_all, plans
from tests.results.test_store import NINE, keep
from viva.agents import accounts, matching
from viva.agents import listing as agents
from viva.agents.matching import find_matching
from viva.evaluations import store as evaluations
from viva.kit import paging
from viva.kit.ids import new_id
from viva.kit.paging import BadCursor, cursor_at, encoded_size
from viva.results import listing
from viva.results.listing import ResultFilter
from viva.results.model import NamedResult, Result
from viva.results.sort_orders import SORT_ORDERS

EVERY_SORT = [sign + column for column in SORT_ORDERS for sign in ("", "-")]
NAMES = ("Zoe", "ada", "paul", "pia")


@pytest.fixture
def people(db):
    make.evaluation(db)
    return {name: make.agent(db, name) for name in NAMES}


def listed(db, only: ResultFilter, sort: str = "-completed_at", limit: int = 200) -> list[NamedResult]:
    """Every page's results, one after the other."""
    found: list[NamedResult] = []
    cursor = None
    while True:
        page = listing.list_results(db, only, sort, limit, cursor)
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
    kept = listed(db, ResultFilter())
    chance.shuffle(kept)
    return kept


VALUE = {"score": lambda result: -1 if result.score is None else result.score}


def in_order(results: Sequence[Result], sort: str) -> list[str]:
    """The ids as Python sorts them."""
    column = sort.removeprefix("-")
    value = VALUE.get(column, lambda result: getattr(result, column))
    found = sorted(
        results, key=lambda result: (value(result), result.completed_at, result.id), reverse=sort.startswith("-")
    )
    return [result.id for result in found]


@pytest.mark.parametrize("limit", [1, 7, 59, 60, 200])
def test_pages_in_every_order_give_each_result_once(db, many, limit):
    found = {sort: [result.id for result in listed(db, ResultFilter(), sort, limit)] for sort in EVERY_SORT}

    assert found == {sort: in_order(many, sort) for sort in EVERY_SORT}


OF_ONE = "good-manners"
# Names stand for the ids of those who have them.
FITTING = {
    "version": (ResultFilter(OF_ONE, version="1.1.0"), lambda result: result.evaluation_version == "1.1.0"),
    "agent": (ResultFilter(OF_ONE, agent_ids=("ada",)), lambda result: result.agent_name == "ada"),
    "agents": (ResultFilter(OF_ONE, agent_ids=("ada", "Zoe")), lambda result: result.agent_name in ("ada", "Zoe")),
    "proctor": (ResultFilter(OF_ONE, proctor_ids=("pia",)), lambda result: result.proctor_name == "pia"),
    "proctors": (
        ResultFilter(OF_ONE, proctor_ids=("pia", "ada")),
        lambda result: result.proctor_name in ("pia", "ada"),
    ),
    "agents-of-proctors": (
        ResultFilter(OF_ONE, agent_ids=("ada", "Zoe"), proctor_ids=("pia", "ada")),
        lambda result: result.agent_name in ("ada", "Zoe") and result.proctor_name in ("pia", "ada"),
    ),
    "passed": (ResultFilter(OF_ONE, passed=True), lambda result: result.passed),
    "not-passed": (ResultFilter(OF_ONE, passed=False), lambda result: not result.passed),
    "feedback": (ResultFilter(OF_ONE, q="asked first"), lambda result: "FIRST" in (result.proctor_feedback or "")),
    "percent": (ResultFilter(OF_ONE, q="100%"), lambda result: "100%" in (result.proctor_feedback or "")),
    "no-wildcard": (ResultFilter(OF_ONE, q="r_s"), lambda result: "r_s" in (result.proctor_feedback or "")),
    "names": (ResultFilter(OF_ONE, q="PIA"), lambda result: "pia" in (result.agent_name, result.proctor_name)),
    "several": (
        ResultFilter(OF_ONE, "1.1.0", ("ada",), passed=True),
        lambda result: (result.evaluation_version, result.agent_name, result.passed) == ("1.1.0", "ada", True),
    ),
}


@pytest.mark.parametrize("window", [3, 5_000])
@pytest.mark.parametrize("name", FITTING)
def test_every_filter_holds_in_every_order_on_every_page(db, people, many, name, window, monkeypatch):
    monkeypatch.setattr(listing, "FIRST_LOOK_RESULTS", 4)
    monkeypatch.setattr(listing, "WINDOW_RESULTS", window)
    only, fits = FITTING[name]
    ids: dict[str, Any] = {
        field: tuple(people[name].id for name in getattr(only, field))
        for field in ("agent_ids", "proctor_ids")
        if getattr(only, field)
    }

    found = {sort: [result.id for result in listed(db, only._replace(**ids), sort, 3)] for sort in EVERY_SORT}

    fitting = [result for result in many if result.evaluation_id == OF_ONE and fits(result)]
    assert 0 < len(fitting) < 50
    assert found == {sort: in_order(fitting, sort) for sort in EVERY_SORT}


@given(
    taken=attempts, limit=st.integers(1, 5), window=st.sampled_from([1, 2, 5_000]), passed=st.sampled_from([None, True])
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_was_taken_is_listed_as_a_slow_sort_has_it(db, taken, limit, window, passed):
    with example(db), pytest.MonkeyPatch.context() as patch:
        patch.setattr(listing, "WINDOW_RESULTS", window)
        kept = keep_all(db, taken)
        only = ResultFilter(EVALUATION, passed=passed)

        found = {sort: [result.id for result in listed(db, only, sort, limit)] for sort in EVERY_SORT}

        fitting = [result for result in kept if passed in (None, result.passed)]
        assert found == {sort: in_order(fitting, sort) for sort in EVERY_SORT}


@pytest.mark.parametrize("sort", ["agent", "-agent", "proctor", "-proctor", "", "nonsense"])
def test_a_sort_that_is_no_order_lists_the_newest_first(db, people, many, sort):
    found = [result.id for result in listed(db, ResultFilter(), sort, 7)]

    assert found == in_order(many, "-completed_at")


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_words_are_looked_for_by_what_no_text_makes_slow(db):
    """LIKE takes milliseconds for one feedback that nearly has a long word at each of its places."""
    counting = Counting(db)

    listing.list_results(counting, ResultFilter(q="a" * 200), "-completed_at", 50, None)
    agents.search_agents(counting, "a" * 200, 50, None)
    evaluations.list_evaluations(counting, {}, "a" * 200, 50, None)

    assert sum("instr(" in statement for statement, _ in counting.asked) == 4  # results have a first look and a second
    assert not any("LIKE" in statement for statement, _ in counting.asked)


def test_a_page_looks_no_further_than_the_window_and_the_next_goes_on(db, people, many, monkeypatch):
    monkeypatch.setattr(listing, "WINDOW_RESULTS", 4)
    only = ResultFilter("good-manners", q="under_score")

    first = {sort: listing.list_results(db, only, sort, 50, None) for sort in EVERY_SORT}
    found = {sort: [result.id for result in listed(db, only, sort, 50)] for sort in EVERY_SORT}

    fitting = [
        result for result in many if result.evaluation_id == "good-manners" and result.proctor_feedback == "under_score"
    ]
    assert all(page.is_cut and page.next_cursor and len(page.items) <= 4 for page in first.values())
    assert found == {sort: in_order(fitting, sort) for sort in EVERY_SORT}


def test_the_last_page_of_a_window_is_not_cut(db, people, many):
    found = listing.list_results(db, ResultFilter("good-manners", q="under_score"), "-completed_at", 200, None)

    assert (found.is_cut, found.next_cursor) == (False, None)


def test_a_list_that_ends_with_the_window_is_not_cut(db, people, monkeypatch):
    for _ in range(3):
        keep(db, people["ada"])
    only = ResultFilter("good-manners", q="said nowhere")

    monkeypatch.setattr(listing, "WINDOW_RESULTS", 3)
    whole = listing.list_lines(db, only, "score", 50, None)
    monkeypatch.setattr(listing, "WINDOW_RESULTS", 2)
    cut = listing.list_lines(db, only, "score", 50, None)

    assert (whole.is_cut, whole.next_cursor) == (False, None)
    assert cut.is_cut
    assert cut.next_cursor


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
@pytest.mark.parametrize("sort", EVERY_SORT)
def test_every_order_is_read_from_an_index_from_its_beginning_and_from_a_cursor(db, people, many, sort):
    counting = Counting(db)

    for only in (ResultFilter(OF_ONE), ResultFilter(OF_ONE, passed=True, q="x")):
        first = listing.list_lines(counting, only, sort, 5, None)
        listing.list_lines(counting, only, sort, 5, first.next_cursor)

    looking = [plan for plan in plans(db, counting) if "evaluation_id" in plan and not plan.startswith("SCAN")]
    assert looking
    assert all("evaluation_results_by" in plan or "newest" in plan or "eval_version" in plan for plan in looking)
    scanned = [plan for plan in plans(db, counting) if plan.startswith("SCAN r")]
    assert scanned == []


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("field", "column"), [("agent_ids", "agent_id"), ("proctor_ids", "proctor_agent_id")])
def test_results_of_few_agents_are_read_by_the_agents(db, people, many, field, column):
    counting = Counting(db)
    ids: dict[str, Any] = {field: (people["ada"].id, people["pia"].id)}

    listing.list_lines(counting, ResultFilter(OF_ONE, **ids), "-score", 5, None)

    reading = [plan for plan in plans(db, counting) if "evaluation_id" in plan]
    assert len(reading) == 2  # the count, and the results themselves
    assert all(f"{column}=?" in plan for plan in reading)


def test_agents_are_found_by_any_part_of_their_name_in_any_case(db):
    ids = {name: make.agent(db, name).id for name in ("Grete", "margret", "GRETA_9", "50%er", "ada", "Öse")}

    def found(text: str) -> set[str]:
        return set(find_matching(db, text).names.values())

    assert found("gret") == found("GRET") == {"Grete", "margret", "GRETA_9"}
    assert found("_") == {"GRETA_9"}
    assert found("%") == found("0%e") == {"50%er"}
    assert found("ös") == {"Öse"}
    assert found("gr%t") == found("g_et") == found("nobody") == found(" ") == found("\u2800") == set()
    assert found(ids["ada"]) == {"ada"}
    assert not find_matching(db, "gret").is_cut


def test_a_whole_name_finds_its_agent_alone(db):
    ada, _ = make.agent(db, "Ada"), make.agent(db, "Adam")

    assert find_matching(db, "ada").names == {ada.id: "Ada"}


def test_deleted_agents_are_found_by_no_name(db):
    paul, other = make.agent(db, "paul"), make.agent(db, "paula")
    accounts.delete(db, paul)

    assert set(find_matching(db, "paul").names) == {other.id}
    assert find_matching(db, "deleted").names == {}


def test_no_more_agents_are_looked_for_than_the_bound_and_that_is_told(db, monkeypatch):
    monkeypatch.setattr(matching, "MAX_MATCHING_AGENTS", 3)
    for number in range(2):
        make.agent(db, f"robot {number}")
        make.agent(db, f"a robot {number}")

    at_most, beginning = find_matching(db, "robot"), find_matching(db, "a ro")

    assert (len(at_most.names), at_most.is_cut) == (3, True)
    assert (len(beginning.names), beginning.is_cut) == (2, False)


def test_on_a_large_hub_a_part_of_a_name_is_told_not_to_find_all(db, monkeypatch):
    monkeypatch.setattr(agents, "MAX_AGENTS_SEARCHED", 2)
    for name in ("ada", "bob", "cleo"):
        make.agent(db, name)

    assert find_matching(db, "ad").is_cut


def test_results_of_nobody_are_none(db, people, many):
    assert listing.list_lines(db, ResultFilter(OF_ONE, agent_ids=()), "score", 5, None) == ([], None, False)
    assert listing.list_results(db, ResultFilter(OF_ONE, proctor_ids=()), "score", 5, None) == ([], None, False)


@pytest.mark.parametrize("text", ["x", "é", "\x01", "🦉"])
def test_a_page_of_long_results_ends_by_their_bytes_and_the_next_goes_on(db, people, text):
    length = paging.MAX_PAGE_BYTES // 3 // (encoded_size(text) - 2)  # without its quotes
    kept = [keep(db, people["ada"], result_data={"text": text * length}).id for _ in range(7)]
    keep(db, people["ada"], proctor_feedback="short", completed_at=NINE + timedelta(hours=1))

    pages: list[list[NamedResult]] = []
    cursor = None
    while cursor or not pages:
        page = listing.list_results(db, ResultFilter(OF_ONE), "-completed_at", 50, cursor)
        pages.append(page.items)
        cursor = page.next_cursor

    assert all(sum(map(encoded_size, page)) <= paging.MAX_PAGE_BYTES for page in pages)
    assert [result.id for page in pages for result in page][1:] == sorted(kept, reverse=True)
    assert 1 < len(pages) < 8


@pytest.mark.parametrize("first_look", [1, 2, 4])
def test_a_page_of_long_results_ends_by_their_bytes_in_both_looks(db, people, first_look, monkeypatch):
    monkeypatch.setattr(listing, "FIRST_LOOK_RESULTS", first_look)
    lengths = [length * paging.MAX_PAGE_BYTES // 10 for length in (25, 0, 4, 4, 4, 0, 25)]
    kept = [
        keep(db, people["ada"], result_data={"text": "x" * length}, completed_at=NINE - timedelta(hours=hours)).id
        for hours, length in enumerate(lengths)
    ]

    found = [result.id for result in listed(db, ResultFilter(OF_ONE, q="ada"))]
    first = listing.list_results(db, ResultFilter(OF_ONE, q="ada"), "-completed_at", 50, None)

    assert found == kept
    assert [result.id for result in first.items] == kept[:1]


def test_a_result_longer_than_a_page_has_a_page_of_its_own(db, people):
    for _ in range(2):
        keep(db, people["ada"], result_data={"text": "x" * 2 * paging.MAX_PAGE_BYTES})

    first = listing.list_results(db, ResultFilter(OF_ONE), "score", 50, None)
    second = listing.list_results(db, ResultFilter(OF_ONE), "score", 50, first.next_cursor)

    assert (len(first.items), len(second.items), second.next_cursor) == (1, 1, None)


def test_texts_beyond_the_page_are_not_read(db, people):
    for _ in range(5):
        keep(db, people["ada"], result_data={"text": "x" * paging.MAX_PAGE_BYTES})

    found = listing.ResultQuery(db, ResultFilter(OF_ONE), "score", None).read_results(50)

    assert len(found.results) == 1 < found.total


def test_a_result_that_comes_between_two_pages_moves_none_of_the_others(db, people, many):
    first = listing.list_results(db, ResultFilter(), "-completed_at", 20, None)
    keep(db, people["ada"], completed_at=NINE + timedelta(hours=1))

    second = listing.list_results(db, ResultFilter(), "-completed_at", 20, first.next_cursor)

    assert [result.id for result in first.items + second.items] == in_order(many, "-completed_at")[:40]


def test_no_results_are_an_empty_page(db, people):
    assert listing.list_results(db, ResultFilter("good-manners"), "score", 10, None) == ([], None, False)


@pytest.mark.parametrize(
    "cursor", ["x", cursor_at((NINE, "eval_res_1")), cursor_at(("result", "eval_res_1")), cursor_at(("eval_res_1",))]
)
def test_a_cursor_of_another_list_is_refused(db, cursor):
    with pytest.raises(BadCursor):
        listing.list_results(db, ResultFilter(), "score", 10, cursor)


def test_a_cursor_with_a_value_no_database_takes_is_refused(db):
    with pytest.raises(BadCursor):
        listing.list_results(db, ResultFilter(), "completed_at", 10, cursor_at(("result", "a\0b")))


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
@pytest.mark.parametrize("sort", EVERY_SORT)
def test_a_plain_list_is_read_along_an_index(db, people, many, sort):
    """To sort the rows, SQLite would read the texts of all of them."""
    first = listing.list_results(db, ResultFilter(OF_ONE), sort, 2, None)
    for cursor in (None, first.next_cursor):
        counting = Counting(db)
        listing.ResultQuery(counting, ResultFilter(OF_ONE), sort, cursor).read_results(3)
        assert not [plan for plan in plans(db, counting) if "TEMP B-TREE" in plan]
