"""Analyses of class work, which had a column of the cohort, move to the table of all analyses."""

import msgspec
import pytest

from tests.migrations.test_migrating import at_first, url, write  # noqa: F401 - fixtures
from viva.exams import class_grading
from viva.kit.migrating import migrate
from viva.kit.opening import open_database

pytestmark = pytest.mark.slow
AT = "2026-11-15T09:30:00.000000Z"
FOUND = {"coordination": {"score": {"value": 0.5}}, "per_agent_scores": {"agent_ada": {"overall": 0.25}}}


def test_the_analysis_of_a_class_is_found_after_the_move(at_first):  # noqa: F811
    migrate(at_first, "0017")
    encoded = msgspec.json.encode(FOUND).decode()
    for cohort_id, analysis in (("eval_cohort_1", f"'{encoded}'"), ("eval_cohort_2", "NULL")):
        write(
            at_first,
            f"""
            INSERT INTO evaluation_cohorts (id, evaluation_id, evaluation_version, evaluation_digest, status,
                min_participants, max_participants, opened_by_agent_id, opened_at, ended_at, analysis)
            VALUES ('{cohort_id}', 'tea-making', '2.1.0', 'd', 'cancelled', 2, 3, 'agent_ada', '{AT}', '{AT}', {analysis})
            """,
        )

    migrate(at_first)

    database = open_database(at_first)
    moved = database.read_now(lambda db: class_grading.find_analysis(db, "eval_cohort_1"))
    none = database.read_now(lambda db: class_grading.find_analysis(db, "eval_cohort_2"))
    database.close()
    assert moved == FOUND
    assert none is None
