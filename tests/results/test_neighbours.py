"""The attempts around a result are the nearest by score, and the result is always among them."""

import pytest

from tests import make
from tests.results.taken import Counting, plans
from viva.agents import store
from viva.results import neighbours
from viva.results.model import NamedResult


@pytest.fixture
def attempts(db) -> dict[str, NamedResult]:
    """Seven attempts, by the names of their agents from the best to the worst."""
    make.evaluation(db)
    paul = make.agent(db, "paul")
    scores = {"gus": None, "fay": 10.0, "eve": 50.0, "dan": 50.0, "cleo": 70.0, "bob": 90.0, "ada": 90.0}
    made = {name: make.result(db, make.agent(db, name), paul, score=score) for name, score in scores.items()}
    return dict(reversed(made.items()))


def names_around(db, result: NamedResult, most: int) -> str:
    return " ".join(attempt.agent_name for attempt in neighbours.list_neighbours(db, result, most))


def test_they_come_by_score_then_the_latest_first_and_unscored_ones_last(db, attempts):
    assert names_around(db, attempts["dan"], 20) == "ada bob cleo dan eve fay gus"


@pytest.mark.parametrize(
    ("name", "around"),
    [("ada", "ada bob cleo"), ("bob", "ada bob cleo"), ("dan", "cleo dan eve"), ("gus", "eve fay gus")],
)
def test_only_the_nearest_are_shown_and_the_result_is_among_them(db, attempts, name, around):
    assert names_around(db, attempts[name], 3) == around


def test_other_evaluations_are_none_of_them(db, attempts):
    make.evaluation(db, sip=8, id="sums")
    other = make.result(db, make.agent(db, "hal"), make.agent(db, "pia"), evaluation_id="sums", score=60)

    assert names_around(db, other, 20) == "hal"
    assert "hal" not in names_around(db, attempts["dan"], 20)


def test_of_its_version_alone_if_asked(db, attempts):
    make.evaluation(db, version="2.0.0", config={"max_score": 80})
    newer = make.result(db, make.agent(db, "hal"), make.agent(db, "pia"), score=60)

    assert [each.agent_name for each in neighbours.list_neighbours(db, newer, 20, of_version=True)] == ["hal"]
    assert "hal" not in [
        each.agent_name for each in neighbours.list_neighbours(db, attempts["dan"], 20, of_version=True)
    ]


def test_who_is_deleted_has_no_name(db, attempts):
    store.erase(db, attempts["bob"].agent_id)

    assert names_around(db, attempts["ada"], 2) == "ada deleted agent"


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)  # PostgreSQL plans by how much there is
def test_nothing_is_sorted_or_read_but_the_nearest(db, attempts):
    counting = Counting(db)

    neighbours.list_neighbours(counting, attempts["dan"], 3)

    of_version = Counting(db)
    neighbours.list_neighbours(of_version, attempts["dan"], 3, of_version=True)
    by_score = "SEARCH r USING INDEX evaluation_results_by_score (evaluation_id=? AND (score_key,completed_at,id){})"
    assert not any("SCAN" in step or "B-TREE" in step for step in plans(db, of_version))
    assert [step for step in plans(db, counting) if not step.startswith("SEARCH a ")] == [
        by_score.format(">(?,?,?)"),
        by_score.format("<(?,?,?)"),
    ]
