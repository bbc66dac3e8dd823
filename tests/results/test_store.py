"""Results: kept once, and counted."""

from datetime import UTC, datetime, timedelta

import pytest

from tests import make
from viva.agents import accounts
from viva.exams import store as exams
from viva.kit.ids import new_id
from viva.results import store
from viva.results.model import Result, Tally
from viva.results.store import AlreadyDecided, NoSuchResult

NINE = datetime(2026, 11, 15, 9, tzinfo=UTC)


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
        "second_reading": None,
        **make.OFFICIAL,
    }
    return Result(**(fields | changes))


def keep(db, agent, *args, **changes) -> Result:
    result = outcome(db, agent, *args, **changes)
    store.add(db, result)
    return result


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
