"""The leaderboard is what one gets by sorting all results, whatever came in which order, and reads few rows for it."""

import random
from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings

from tests import make
from tests.results.taken import (
    EVALUATION,
    NAMES,
    VERSIONS,
    Counting,
    Taken,
    attempts,
    example,
    keep_all,
    of_version,
    outcome,
    plain,
    plans,
)
from viva.agents import accounts
from viva.kit.db import Connection, Database
from viva.kit.paging import BadCursor, cursor_at
from viva.kit.sqlite_connection import SqliteConnection
from viva.results import leaderboard, store
from viva.results.leaderboard import Standing
from viva.results.model import Result


def in_order(results: Sequence[Result]) -> list[tuple[int, str, int]]:
    """Rank, id of the best result and number of attempts of each agent, from all results."""

    def compared(result: Result) -> tuple[float, bool, float]:
        share = -1 if result.score is None or not result.max_score else result.score / result.max_score
        return share, result.passed, result.points_earned

    def first_of_equals(result: Result) -> tuple[object, ...]:
        return *compared(result), -result.completed_at.timestamp(), result.id

    def newest_of_equals(result: Result) -> tuple[object, ...]:
        return *compared(result), result.completed_at.timestamp(), result.id

    own = {agent: [each for each in results if each.agent_id == agent] for agent in {each.agent_id for each in results}}
    best = sorted((max(kept, key=first_of_equals) for kept in own.values()), key=newest_of_equals, reverse=True)
    ranks = [1 + sum(compared(other) > compared(each) for other in best) for each in best]
    return [(rank, each.id, len(own[each.agent_id])) for rank, each in zip(ranks, best, strict=True)]


def every_page(db: Connection, version: str | None, limit: int) -> list[Standing]:
    found: list[Standing] = []
    cursor: str | None = None
    while True:
        page = leaderboard.top(db, EVALUATION, version, limit, cursor)
        assert len(page.items) <= limit
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


def told(standings: Sequence[Standing]) -> list[tuple[int, str, int]]:
    return [(standing.rank, standing.result_id, standing.attempts) for standing in standings]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(taken=attempts)
def test_every_page_of_every_version_is_as_if_all_results_were_sorted(db: Connection, taken: list[Taken]):
    with example(db):
        results = keep_all(db, taken)

        for version in (None, *VERSIONS, "9.9.9"):
            expected = in_order(of_version(results, version))
            for limit in (1, 2, 50):
                assert told(every_page(db, version, limit)) == expected


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"score": 9.0, "passed": False}, {"score": 8.0}),
        ({"score": 2.0, "max_score": 10.0}, {"score": 3.0, "max_score": 30.0}),
        ({"score": 0.0, "passed": False}, {"score": None}),
        ({"score": 0.0}, {"score": 0.0, "max_score": 0.0}),
        ({"score": 5.0}, {"score": 5.0, "passed": False}),
        ({"points": 3.0}, {"points": 2.0}),
        ({"minute": 1}, {"minute": 2}),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_the_higher_share_then_passed_then_points_then_the_earlier_attempt_is_better(db, better, worse, is_first):
    taken = [plain(**better), plain(**worse)] if is_first else [plain(**worse), plain(**better)]
    results = keep_all(db, taken)

    (standing,) = leaderboard.top(db, EVALUATION, None, 10, None).items

    assert standing.result_id == results[0 if is_first else 1].id


def test_equals_share_a_rank_and_the_newest_result_stands_first(db):
    keep_all(db, [plain("ada", minute=3), plain("abe", minute=1), plain("ann", points=9.0), plain("art", points=1.0)])

    standings = every_page(db, None, 1)

    assert [(each.rank, each.agent_name) for each in standings] == [(1, "ann"), (2, "ada"), (2, "abe"), (4, "art")]


def test_repeating_an_exam_with_an_equal_score_does_not_move_the_standing(db):
    keep_all(db, [plain("ada", minute=1), plain("abe", minute=2), plain("ada", minute=3)])

    standings = every_page(db, None, 10)

    assert [(each.agent_name, each.attempts) for each in standings] == [("abe", 1), ("ada", 2)]


def test_a_standing_tells_all_about_its_result(db):
    keep_all(db, [plain("ada"), plain("ada", score=7.5, version="2.0.0", minute=2)])

    (standing,) = leaderboard.top(db, EVALUATION, None, 10, None).items
    (of_first,) = leaderboard.top(db, EVALUATION, "1.0.0", 10, None).items

    result = store.get(db, standing.result_id)
    assert standing == Standing(
        1, result.agent_id, "ada", result.id, True, 7.5, 10.0, 2.5, result.completed_at, "2.0.0", 2
    )
    assert (of_first.evaluation_version, of_first.score, of_first.attempts) == ("1.0.0", None, 1)


def test_who_was_deleted_keeps_the_place_without_the_name(db):
    make.evaluation(db)
    ada = make.agent(db, "ada")
    store.add(db, outcome(db, ada, plain()))
    accounts.delete(db, ada)

    assert [each.agent_name for each in leaderboard.top(db, EVALUATION, None, 10, None).items] == ["deleted agent"]


def test_where_nobody_has_a_result_nobody_stands(db):
    make.evaluation(db)

    assert leaderboard.top(db, EVALUATION, None, 10, None) == ([], None)


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        cursor_at((1.0, "eval_res_1")),
        cursor_at(("1", True, 1.0, 1, "x", 1, 1)),
        cursor_at((1.0, True, 1.0, 2**63, "x", 1, 1)),
        cursor_at((1.0, True, 1.0, 1, "a\0b", 1, 1)),
    ],
)
def test_a_cursor_of_another_list_is_refused(db, cursor):
    with pytest.raises(BadCursor):
        leaderboard.top(db, EVALUATION, None, 10, cursor)


def test_a_page_reads_a_few_rows_of_an_index_however_many_results_there_are(db):
    chance = random.Random(5)
    make.evaluation(db)
    people = [make.agent(db, f"agent-{number}") for number in range(30)]
    statements = []
    for _ in range(2):
        for agent in people:
            store.add(db, outcome(db, agent, plain(score=chance.choice([1.0, 5.0]), minute=chance.randrange(9))))
        counting = Counting(db)
        page = leaderboard.top(counting, EVALUATION, None, 10, None)
        leaderboard.top(counting, EVALUATION, None, 10, page.next_cursor)
        statements.append(len(counting.asked))

    assert statements == [2, 2]
    if isinstance(db, SqliteConnection):
        assert not any("SCAN" in step or "B-TREE" in step for step in plans(db, counting))
        assert sum("evaluation_standings_best" in step for step in plans(db, counting)) == 2


def test_results_that_come_at_once_are_all_counted_and_nobody_waits_in_a_ring(database: Database, caplog):
    caplog.set_level("INFO", "viva.kit.postgres")
    chance = random.Random(3)

    def prepared(db: Connection) -> list[list[Result]]:
        make.evaluation(db)
        people = {name: make.agent(db, name) for name in NAMES}
        units = []
        for _ in range(40):  # as a class does it: some results in one transaction, here in any order
            taken = [
                plain(
                    name,
                    version=chance.choice(VERSIONS),
                    passed=chance.random() < 0.5,
                    score=chance.choice([None, 1.0, 5.0, 9.0]),
                    minute=chance.randrange(9),
                    data={"criteria": [{"id": name, "met": True} for name in chance.sample("abcdef", 4)]},
                )
                for name in chance.sample(NAMES, 2)
            ]
            units.append([outcome(db, people[each.name], each) for each in taken])
        return units

    def add(unit: list[Result], db: Connection) -> None:
        for result in unit:
            store.add(db, result)

    def add_all(units: list[list[Result]]) -> None:
        for unit in units:
            database.write_now(partial(add, unit))

    units = database.write_now(prepared)
    outcomes = make.together(*(partial(add_all, units[n::8]) for n in range(8)))

    assert outcomes == [None] * 8
    assert caplog.messages == []
    results = [result for unit in units for result in unit]
    for version in (None, *VERSIONS):
        expected = of_version(results, version)
        assert told(database.read_now(partial(every_page, version=version, limit=50))) == in_order(expected)
        tally = database.read_now(partial(store.tally, evaluation_id=EVALUATION, version=version))
        assert (tally.attempts, tally.agents, tally.passed) == (len(expected), 4, sum(each.passed for each in expected))
    met = database.read_now(
        lambda db: db.execute(
            "SELECT sum(met) FROM evaluation_criterion_tallies WHERE evaluation_version = '' AND scope = 'official'"
        ).fetchone()[0]
    )
    assert met == len(results) * 4
