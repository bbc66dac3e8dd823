"""The versions of an agent: each has its best result and its pass rate, and differences that may be chance are said to be."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from tests import make
from tests.results.taken import EVALUATION, Taken, attempts, example, outcome, plain
from viva.agents import store as agents
from viva.kit.db import Connection
from viva.results import agent_versions, leaderboard, store, voiding
from viva.results.model import Result
from viva.results.standing_order import better_order_of


def keep(db: Connection, name: str, taken: Taken, version: str | None, model: str | None = None) -> Result:
    agent = agents.find_by_name(db, name) or make.agent(db, name)
    result = msgspec.structs.replace(outcome(db, agent, taken), agent_version=version, agent_model=model)
    store.add(db, result)
    return result


def test_each_version_has_its_own_line(db):
    make.evaluation(db)
    keep(db, "ada", plain(score=5.0), "1")
    best = keep(db, "ada", plain(score=9.0), "2", "large")
    keep(db, "ada", plain(score=7.0, passed=False), "2", "large")
    keep(db, "abe", plain(score=6.0), None)

    lines = leaderboard.top(db, EVALUATION, None, 10, None, each="version").items

    assert [(line.agent_name, line.agent_version, line.agent_model, line.passes, line.attempts) for line in lines] == [
        ("ada", "2", "large", 1, 2),
        ("abe", "", "", 1, 1),
        ("ada", "1", "", 1, 1),
    ]
    assert lines[0].result_id == best.id
    assert [line.agent_name for line in leaderboard.top(db, EVALUATION, None, 10, None).items] == ["ada", "abe"]


def test_an_agents_versions_are_compared_where_several_took_an_evaluation(db):
    make.evaluation(db)
    for _ in range(10):
        keep(db, "ada", plain(passed=False, minute=1), "1")
        keep(db, "ada", plain(passed=True, minute=2), "2")
    keep(db, "abe", plain(passed=False, minute=1), "1")
    abe = keep(db, "abe", plain(passed=True, minute=2), "2")
    ada = agents.find_by_name(db, "ada")
    assert ada

    (clear,), (unclear,) = (agent_versions.list_comparisons(db, each) for each in (ada.id, abe.agent_id))

    assert [(each.agent_version, each.rate.passed, each.rate.attempts) for each in clear.versions] == [
        ("2", 10, 10),
        ("1", 0, 10),
    ]
    assert not clear.may_be_chance
    assert unclear.may_be_chance


def test_the_newest_version_is_the_one_with_the_newest_result_not_with_the_newest_best_one(db):
    make.evaluation(db)
    keep(db, "ada", plain(score=9.0, minute=1), "2")
    keep(db, "ada", plain(score=5.0, minute=2), "1")
    result = keep(db, "ada", plain(score=4.0, minute=3), "2")

    (compared,) = agent_versions.list_comparisons(db, result.agent_id)

    assert [version.agent_version for version in compared.versions] == ["2", "1"]
    assert not compared.is_mixed


def test_an_agent_of_one_version_is_not_compared(db):
    make.evaluation(db)
    result = keep(db, "ada", plain(), "1")

    assert agent_versions.list_comparisons(db, result.agent_id) == []


def stored(db: Connection) -> dict[tuple[str, str], tuple[str, int, int]]:
    rows = db.execute(
        """
        SELECT agent_id, agent_version, result_id, attempts, passes FROM agent_version_standings
        WHERE evaluation_version = '' AND scope = 'official'
        """
    ).fetchall()
    return {(agent, version): (result, attempts, passes) for agent, version, result, attempts, passes in rows}


def counted(results: Sequence[Result]) -> dict[tuple[str, str], tuple[str, int, int]]:
    own: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        own.setdefault((result.agent_id, result.agent_version or ""), []).append(result)
    return {
        key: (max(kept, key=better_order_of).id, len(kept), sum(each.passed for each in kept))
        for key, kept in own.items()
    }


@pytest.mark.slow
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(taken=attempts)
def test_whatever_is_added_and_taken_out_the_standings_are_those_of_a_slow_count(db: Connection, taken: list[Taken]):
    with example(db):
        make.evaluation(db)
        results = [keep(db, each.name, each, str(number % 3)) for number, each in enumerate(taken)]
        assert stored(db) == counted(results)

        for result in results[::2]:
            voiding.void_result(db, result.id, None, "A mistake.")
        assert stored(db) == counted(results[1::2])
