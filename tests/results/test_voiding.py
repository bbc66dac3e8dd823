"""Voiding takes a result out of every sum, and whatever happens, sums are what a slow count of results gives."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import make
from tests.results.taken import EVALUATION, NAMES, Taken, attempts, example, keep, plain
from viva.agents.model import Agent
from viva.kit import events
from viva.kit.db import Connection
from viva.results import store, stored_sums, subtracting, sums, voiding
from viva.results.listing import ResultFilter, list_lines
from viva.results.model import Result
from viva.results.stored_sums import Sums


@pytest.fixture
def exam(db: Connection) -> dict[str, Agent]:
    make.evaluation(db)
    return {name: make.agent(db, name) for name in ("ada", "paul", "mary")}


def points(db: Connection, agent: Agent) -> float:
    return float(db.execute("SELECT points FROM agents WHERE id = ?", [agent.id]).fetchone()[0])


def test_a_void_result_keeps_its_verdict_and_reason_and_counts_nowhere(db, exam):
    result = make.result(db, exam["ada"], exam["paul"], score=90)
    assert points(db, exam["ada"]) == 10

    void = voiding.void_result(db, result.id, exam["mary"].id, " The transcript was copied. ")

    assert (void.passed, void.score, void.void_reason, void.voided_by) == (
        True,
        90,
        "The transcript was copied.",
        exam["mary"].id,
    )
    assert (void.official, void.official_reasons, void.points_earned) == (False, ["voided"], 0)
    assert points(db, exam["ada"]) == 0
    for scope in ("official", "any"):
        assert store.tally(db, EVALUATION, None, scope).attempts == 0
    assert [line.voided_at for line in list_lines(db, ResultFilter(EVALUATION), "-completed_at", 5, None).items] == [
        void.voided_at
    ]
    assert events.list_events(db, 1, None).items[0].action == "result.voided"


def test_the_next_best_result_takes_its_place(db, exam):
    kept = make.result(db, exam["ada"], exam["paul"], score=70)
    best = make.result(db, exam["ada"], exam["paul"], score=95)

    voiding.void_result(db, best.id, None, "Copied.")

    found = db.execute("SELECT DISTINCT result_id, attempts, most_points FROM evaluation_standings").fetchall()
    assert [tuple(row) for row in found] == [(kept.id, 1, 10)]


def test_a_result_is_voided_once_and_for_a_reason(db, exam):
    result = make.result(db, exam["ada"], exam["paul"])
    with pytest.raises(voiding.BadVoidReason):
        voiding.void_result(db, result.id, None, "  ")
    voiding.void_result(db, result.id, None, "Copied.")
    with pytest.raises(voiding.AlreadyVoid):
        voiding.void_result(db, result.id, None, "Copied.")


def counted(db: Connection) -> dict[str, Any]:
    """Every stored sum, and the agents' own."""
    versions = (None, "1.0.0", "2.0.0")
    found: dict[str, Any] = {
        f"{scope} {version}": rounded(stored_sums.read(db, EVALUATION, version, scope))
        for scope in ("official", "any")
        for version in versions
    }
    rows = db.execute("SELECT * FROM evaluation_standings ORDER BY 1, 2, 3, 4").fetchall()
    agents = db.execute("SELECT id, points, results, last_result_at FROM agents ORDER BY id").fetchall()
    return found | {"standings": [tuple(row) for row in rows], "agents": [tuple(row) for row in agents]}


def rounded(found: Sums) -> Any:
    """Without the last digits of float sums, which depend on the order."""
    tallies = [found.total, *found.versions]
    figures = [
        (
            *(each.attempts, each.agents, each.passed, each.histogram, each.first_at, each.last_at, each.scored),
            *(round(value, 6) for value in (each.points_sum, each.share_sum, each.share_squares)),
        )
        for each in tallies
        if each
    ]
    criteria = [(each.criterion_id, each.met, each.not_met, each.unscored) for each in found.criteria]
    return figures, found.groups, [row for row in criteria if any(row[1:])]


def slow_points(db: Connection, results: list[Result]) -> dict[str, float]:
    """The most points of the official results of each agent."""
    void = {id_ for (id_,) in db.execute("SELECT id FROM evaluation_results WHERE voided_at IS NOT NULL").fetchall()}
    found: dict[str, float] = {}
    for each in results:
        if each.official and each.id not in void:
            found[each.agent_id] = max(found.get(each.agent_id, 0), each.points_earned)
    return found


KINDS = {
    "official": {},
    "practice": {"official": False, "official_reasons": ["not_qualified"], "points_earned": 0},
    "private": {
        "official": False,
        "official_reasons": ["asked_for_practice"],
        "points_earned": 0,
        "is_private": True,
    },
}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    taken=attempts,
    kinds=st.lists(st.sampled_from(sorted(KINDS)), min_size=14, max_size=14),
    voids=st.sets(st.integers(0, 13)),
)
def test_whatever_happens_the_sums_are_those_of_a_slow_count(
    db: Connection, taken: list[Taken], kinds: list[str], voids: set[int]
):
    with example(db):
        make.evaluation(db)
        people = {name: make.agent(db, name) for name in NAMES}
        results = [keep(db, people[each.name], each, **KINDS[kind]) for each, kind in zip(taken, kinds, strict=False)]
        for at in sorted(voids):
            if at < len(results):
                voiding.void_result(db, results[at].id, None, "Copied.")

        before, expected = counted(db), slow_points(db, results)
        stored = dict(db.execute("SELECT id, points FROM agents").fetchall())
        assert {id_: value for id_, value in stored.items() if value} == {k: v for k, v in expected.items() if v}
        sums.recount(db, EVALUATION)
        assert counted(db) == before


def test_a_result_can_be_taken_out_and_put_back(db, exam):
    result = keep(db, exam["ada"], plain(score=3.0))
    keep(db, exam["paul"], plain(score=5.0))
    before = counted(db)

    subtracting.subtract(db, result)
    assert counted(db) != before
    sums.add(db, result)

    sums.recount(db, EVALUATION)
    assert counted(db) == before
