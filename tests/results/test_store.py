"""Results: kept once, listed by page in every order, and counted."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from tests import make
from viva.agents import accounts
from viva.exams import store as exams
from viva.kit.ids import new_id
from viva.kit.paging import BadCursor, cursor_at
from viva.results import store
from viva.results.model import NamedResult, Result, Tally
from viva.results.store import AlreadyDecided, Filter, NoSuchResult

NINE = datetime(2026, 11, 15, 9, tzinfo=UTC)
EVERY_SORT = [sign + column for column in store.SORTS for sign in ("", "-")]


@pytest.fixture
def people(db):
    make.evaluation(db)
    return {name: make.agent(db, name) for name in ("ada", "paul", "pia")}


def outcome(db, agent, evaluation_id: str = "good-manners", **changes) -> Result:
    """A result, not kept yet, of a closed registration."""
    registration = exams.add_registration(db, agent.id, evaluation_id)
    assert registration is not None
    exams.start(db, registration.id, "1.0.0", "digest")
    exams.close(db, registration.id, "completed")
    fields = {
        "id": new_id("eval_res"),
        "registration_id": registration.id,
        "agent_id": agent.id,
        "evaluation_id": evaluation_id,
        "passed": True,
        "score": None,
        "max_score": None,
        "points_earned": 0,
        "result_data": None,
        "completed_at": NINE,
        "proctor_agent_id": None,
        "proctor_feedback": None,
        "session_id": None,
        "evaluation_version": "1.0.0",
        "evaluation_digest": "digest",
        "cohort_id": None,
    }
    return Result(**(fields | changes))


def keep(db, agent, *args, **changes) -> Result:
    result = outcome(db, agent, *args, **changes)
    store.add(db, result)
    return result


def listed(db, only: Filter, sort: str = "-completed_at", limit: int = 200) -> list[NamedResult]:
    """Every page's results, one after the other."""
    found: list[NamedResult] = []
    cursor = None
    while True:
        page = store.listed(db, only, sort, limit, cursor)
        assert len(page.items) <= limit
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


def test_a_result_comes_back_as_it_was_kept_with_names(db, people):
    kept = keep(
        db,
        people["ada"],
        score=90.5,
        max_score=100,
        points_earned=10,
        result_data={"marks": [1, 2.5, None], "note": "ça va"},
        completed_at=NINE + timedelta(microseconds=1),
        proctor_agent_id=people["paul"].id,
        proctor_feedback="Well done.",
    )

    found = store.get(db, kept.id)

    assert Result(*(getattr(found, name) for name in Result.__struct_fields__)) == kept
    assert (found.agent_name, found.proctor_name) == ("ada", "paul")


def test_who_was_deleted_stands_on_results_as_deleted_agent(db, people):
    kept = keep(db, people["ada"], proctor_agent_id=people["paul"].id)
    accounts.delete(db, people["ada"])
    accounts.delete(db, people["paul"])

    found = store.get(db, kept.id)

    assert (found.agent_name, found.proctor_name) == ("deleted agent", "deleted agent")


def test_a_result_without_a_proctor_names_none(db, people):
    kept = keep(db, people["ada"])

    assert store.get(db, kept.id).proctor_name is None


def test_a_second_result_of_a_registration_is_refused(db, people):
    kept = keep(db, people["ada"])
    second = outcome(db, people["pia"], agent_id=kept.agent_id, registration_id=kept.registration_id)

    with pytest.raises(AlreadyDecided):
        store.add(db, second)


def test_a_result_that_is_not_there_is_not_found(db):
    with pytest.raises(NoSuchResult):
        store.get(db, "eval_res_x")


# Lists


@pytest.fixture
def many(db, people) -> list[Result]:
    """Sixty results with many ties in every column, some without a score."""
    chance = random.Random(7)
    make.evaluation(db, id="tea-making", sip=8)
    kept = []
    for _ in range(60):
        passed = chance.random() < 0.6
        score = chance.choice([None, None, 0, 0.1, 0.2, 0.1 + 0.2, 99.999, 100])
        kept.append(
            keep(
                db,
                people[chance.choice(["ada", "paul", "pia"])],
                chance.choice(["good-manners", "good-manners", "tea-making"]),
                id=new_id("eval_res"),
                passed=passed,
                score=score,
                max_score=None if score is None else 100,
                points_earned=chance.choice([0, 2.5, 10]) if passed else 0,
                completed_at=NINE + timedelta(microseconds=chance.choice([0, 1, 2, 1_000_000])),
                evaluation_version=chance.choice(["1.0.0", "1.1.0", "2.0.0"]),
            )
        )
    chance.shuffle(kept)
    return kept


def in_order(results: list[Result], sort: str) -> list[str]:
    """The ids as Python sorts them; no score comes below every score."""
    column = sort.removeprefix("-")

    def key(result: Result):
        value = getattr(result, column)
        return (-1 if value is None else value, result.id)

    return [result.id for result in sorted(results, key=key, reverse=sort.startswith("-"))]


@pytest.mark.parametrize("limit", [1, 7, 59, 60, 200])
@pytest.mark.parametrize("sort", EVERY_SORT)
def test_pages_in_every_order_give_each_result_once(db, many, sort, limit):
    found = [result.id for result in listed(db, Filter(), sort, limit)]

    assert found == in_order(many, sort)


@pytest.mark.parametrize("sort", EVERY_SORT)
def test_filters_hold_on_every_page(db, people, many, sort):
    only = Filter("good-manners", "1.1.0", people["ada"].id)

    found = [result.id for result in listed(db, only, sort, 2)]

    matching = [
        result
        for result in many
        if (result.evaluation_id, result.evaluation_version, result.agent_id)
        == ("good-manners", "1.1.0", people["ada"].id)
    ]
    assert len(matching) > 2
    assert found == in_order(matching, sort)


@pytest.mark.parametrize(
    ("only", "field", "value"),
    [
        (Filter(evaluation_id="tea-making"), "evaluation_id", "tea-making"),
        (Filter(version="2.0.0"), "evaluation_version", "2.0.0"),
        (Filter(passed=True), "passed", True),
        (Filter(passed=False), "passed", False),
    ],
)
def test_each_filter_keeps_what_fits_and_nothing_else(db, many, only, field, value):
    fitting = {result.id for result in many if getattr(result, field) == value}

    assert 0 < len(fitting) < 60
    assert {result.id for result in listed(db, only)} == fitting


def test_results_of_one_agent(db, people, many):
    found = listed(db, Filter(agent_id=people["pia"].id), limit=5)

    assert {result.agent_name for result in found} == {"pia"}
    assert len(found) == sum(result.agent_id == people["pia"].id for result in many)


def test_a_result_that_comes_between_two_pages_moves_none_of_the_others(db, people, many):
    first = store.listed(db, Filter(), "-completed_at", 20, None)
    keep(db, people["ada"], completed_at=NINE + timedelta(hours=1))

    second = store.listed(db, Filter(), "-completed_at", 20, first.next_cursor)

    assert [result.id for result in first.items + second.items] == in_order(many, "-completed_at")[:40]


def test_no_results_are_an_empty_page(db, people):
    assert store.listed(db, Filter("good-manners"), "score", 10, None) == ([], None)


@pytest.mark.parametrize(
    ("sort", "cursor"),
    [
        ("score", "x"),
        ("score", cursor_at((NINE, "eval_res_1"))),
        ("-completed_at", cursor_at((1.5, "eval_res_1"))),
        ("points_earned", cursor_at(("eval_res_1",))),
    ],
)
def test_a_cursor_of_another_list_is_refused(db, sort, cursor):
    with pytest.raises(BadCursor):
        store.listed(db, Filter(), sort, 10, cursor)


@pytest.mark.parametrize(
    ("sort", "cursor"),
    [
        ("score", cursor_at((1.5, "a\0b"))),
        ("completed_at", cursor_at((NINE, "a\0b"))),
        ("completed_at", cursor_at(("0001-01-01T00:00:00+23:59", "eval_res_1"))),
        ("completed_at", cursor_at(("9999-12-31T23:59:59-23:59", "eval_res_1"))),
    ],
)
def test_a_cursor_with_a_value_no_database_takes_is_refused(db, sort, cursor):
    with pytest.raises(BadCursor):
        store.listed(db, Filter(), sort, 10, cursor)


# Counts


def test_an_evaluation_nobody_took_has_nothing_to_count(db, people):
    assert store.tally(db, "good-manners", None) == Tally(attempts=0, agents=0, passed=0)


def test_attempts_agents_and_passes_are_counted_over_all_versions_or_in_one(db, people):
    make.evaluation(db, id="tea-making", sip=8)
    keep(db, people["ada"], passed=False)
    keep(db, people["ada"], passed=True)
    keep(db, people["ada"], passed=True, evaluation_version="2.0.0")
    keep(db, people["pia"], passed=False, evaluation_version="2.0.0")
    keep(db, people["pia"], "tea-making")

    assert store.tally(db, "good-manners", None) == Tally(attempts=4, agents=2, passed=2)
    assert store.tally(db, "good-manners", "1.0.0") == Tally(attempts=2, agents=1, passed=1)
    assert store.tally(db, "good-manners", "2.0.0") == Tally(attempts=2, agents=2, passed=1)
    assert store.tally(db, "good-manners", "3.0.0") == Tally(attempts=0, agents=0, passed=0)
