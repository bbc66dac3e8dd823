"""Findings say what all results together say, each with its count, and nothing that chance alone may have done."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests import make
from tests.migrations.test_migrating import empty_url
from tests.results.taken import (
    EVALUATION,
    HOSTILE,
    VERSIONS,
    Counting,
    Taken,
    attempts,
    example,
    keep_all,
    month,
    of_version,
    plain,
    plans,
)
from viva.exams import proctoring
from viva.exams.handlers.proctored import Verdict
from viva.kit.db import Connection, Database
from viva.kit.migrating import migrate
from viva.kit.opening import open_database
from viva.kit.rows import columns
from viva.kit.sqlite import SqliteDatabase
from viva.kit.sqlite_connection import SqliteConnection
from viva.results import intervals, stored_sums, summary_text, sums
from viva.results.findings import Findings, compute_findings
from viva.results.intervals import PassGroup
from viva.results.model import Result

TABLES = {name: f"SELECT * FROM {name} ORDER BY 1, 2, 3, 4, 5, 6, 7" for name in sums.SUM_TABLES}
SUMS = TABLES | {"agents": "SELECT id, points, results, last_result_at FROM agents ORDER BY id"}


def findings(db: Connection, version: str | None = None, curated: object = None) -> Findings:
    return compute_findings(stored_sums.read(db, EVALUATION, version), curated)


def counted(results: Sequence[Result], groups: Sequence[object]) -> dict[object, tuple[int, int]]:
    """Passed and attempts of each group."""
    pairs = list(zip(groups, results, strict=True))
    return {
        group: (sum(each.passed for at, each in pairs if at == group), groups.count(group))
        for group in groups
        if group is not None
    }


def judged(results: Sequence[Result]) -> dict[str, Counter[object]]:
    """How often each criterion was met, missed and not judged; the first of an id counts."""
    found: dict[str, Counter[object]] = {}
    for result in results:
        rows = (result.result_data or {}).get("criteria")
        seen = set()
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"] and row["id"] not in seen:
                seen.add(row["id"])
                met = row.get("met")
                found.setdefault(row["id"], Counter())[met if isinstance(met, bool) else None] += 1
    return found


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(taken=attempts)
def test_every_figure_of_every_version_is_as_if_all_results_were_counted(db: Connection, taken: list[Taken]):
    with example(db):
        all_results = keep_all(db, taken)
        lengths = {result.id: each.messages for result, each in zip(all_results, taken, strict=True)}

        for version in (None, *VERSIONS, "9.9.9"):
            found, results = findings(db, version), of_version(all_results, version)
            shares = [each.score / each.max_score for each in results if each.score is not None and each.max_score]

            assert (found.attempts, found.agents) == (len(results), len({each.agent_id for each in results}))
            assert found.first_at == min((each.completed_at for each in results), default=None)
            assert found.last_at == max((each.completed_at for each in results), default=None)
            assert ((found.pass_rate and found.pass_rate.passed) or 0) == sum(each.passed for each in results)
            assert (found.mean_score.scored if found.mean_score else 0) == len(shares)
            assert found.mean_score is None or found.mean_score.share == pytest.approx(mean(shares))
            points = [each.points_earned for each in results]
            assert found.mean_points == (pytest.approx(mean(points)) if points else None)
            assert found.histogram == [sum(min(9, int(share * 10)) == n for share in shares) for n in range(10)]
            if len(shares) >= 5 and found.mean_score and found.mean_score.low and found.mean_score.high:
                reach = intervals.student_t(len(shares) - 1) * stdev(shares) / len(shares) ** 0.5
                assert found.mean_score.low == pytest.approx(max(0, mean(shares) - reach), abs=1e-6)
                assert found.mean_score.high == pytest.approx(min(1, mean(shares) + reach), abs=1e-6)

            assert {each.month: (each.rate.passed, each.rate.attempts) for each in found.by_month} == counted(
                results, [month(each) for each in results]
            )
            assert {each.version: (each.rate.passed, each.rate.attempts) for each in found.by_version} == counted(
                all_results, [each.evaluation_version for each in all_results]
            )
            lines = {None: None, 0: 0, 1: 0, 2: 2, 15: 8, 16: 16, 700: 64}
            assert {each.messages: (each.rate.passed, each.rate.attempts) for each in found.by_length} == counted(
                results, [lines[lengths[each.id]] for each in results]
            )
            expected = {
                name: (marks[True], marks[True] + marks[False], marks[None])
                for name, marks in judged(results).items()
                if marks[True] + marks[False]
            }
            assert {each.criterion_id: (each.met, each.judged, each.unscored) for each in found.criteria} == expected


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(taken=attempts)
def test_sums_made_anew_are_the_sums_that_were_kept(db: Connection, taken: list[Taken]):
    with example(db):
        keep_all(db, [each._replace(minute=minute) for minute, each in enumerate(taken)])  # the last text is kept
        before = everything(db)

        sums.recount(db, EVALUATION)

        alike(everything(db), before)


def test_the_migrations_count_what_was_there_as_it_would_have_been_counted(
    database: Database, request: pytest.FixtureRequest, tmp_path: Path
):
    def unit(db: Connection) -> None:
        taken = [
            plain(
                name,
                version=version,
                passed=number % 3 > 0,
                score=[None, 0.0, 3.0, 0.7, 9.0, 10.0][number % 6],
                minute=number,
                data=[None, *HOSTILE, {"criteria": [{"id": "tact", "text": f"Tact {number}", "met": number > 6}]}][
                    number
                ],
            )
            for number, (name, version) in enumerate(
                [("ada", "1.0.0"), ("abe", "2.0.0"), ("ada", "2.0.0"), ("ann", "1.0.0"), ("ada", "1.0.0")] * 2
            )
        ]
        keep_all(db, taken)
        paul, pia, pat = (make.agent(db, name) for name in ("paul", "pia", "pat"))
        make.result(db, pia, paul, score=40, data={"criteria": [{"id": "tact", "met": True}]})
        empty, _ = make.claim(db, pat, paul)
        proctoring.submit(db, EVALUATION, empty.id, paul, Verdict(True, score=90), make.HALL.proctors)

    database.write_now(unit)
    stored = database.read_now(lambda db: {table: read_rows(db, table) for table in OLD_TABLES})
    earlier = empty_url("sqlite" if isinstance(database, SqliteDatabase) else "postgresql", request, tmp_path)
    migrate(earlier, "0005")
    with closing(open_database(earlier)) as old:
        old.write_now(lambda db: insert_all(db, stored))
    migrate(earlier)

    with closing(open_database(earlier)) as migrated:
        after = migrated.read_now(everything)
        practice = migrated.read_now(
            lambda db: db.execute("SELECT count(*) FROM evaluation_results WHERE NOT official").fetchone()
        )
    before = database.read_now(everything)
    assert all(before.values())
    assert practice[0] == 1
    alike(after, before)


OLD_TABLES = (
    "agents",
    "evaluation_definitions",
    "evaluation_registrations",
    "evaluation_sessions",
    "evaluation_session_participants",
    "evaluation_messages",
    "evaluation_results",
)
GENERATED = {"proctor_seat", "candidate_seat", "seat", "own_session_id"}


def read_rows(db: Connection, table: str) -> list[dict[str, Any]]:
    cursor = db.execute(f"SELECT * FROM {table}")
    names = columns(cursor)
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def insert_all(db: Connection, stored: dict[str, list[dict[str, Any]]]) -> None:
    for table, rows in stored.items():
        insert_rows(db, table, rows)


def insert_rows(db: Connection, table: str, rows: list[dict[str, Any]]) -> None:
    """Insert the columns that the table had then."""
    then = set(columns(db.execute(f"SELECT * FROM {table} WHERE FALSE"))) - GENERATED
    for row in rows:
        names = [name for name in row if name in then]
        places = ", ".join("?" for _ in names)
        db.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})", [row[name] for name in names])


def everything(db: Connection) -> dict[str, list[tuple[object, ...]]]:
    return {table: [tuple(row) for row in db.execute(sql).fetchall()] for table, sql in SUMS.items()}


def alike(one: dict[str, list[tuple[object, ...]]], other: dict[str, list[tuple[object, ...]]]) -> None:
    for table in SUMS:
        assert len(one[table]) == len(other[table])
        for row, expected in zip(one[table], other[table], strict=True):
            assert [pytest.approx(value) if isinstance(value, float) else value for value in expected] == list(row)


# What is said


def criteria(**met: bool | None) -> dict[str, object]:
    return {"criteria": [{"id": name, "text": f"Shows {name}", "met": value} for name, value in met.items()]}


def test_a_criterion_is_a_strength_or_a_weakness_only_where_chance_would_seldom_do_it(db):
    keep_all(
        db,
        [plain(data=criteria(tact=True, tone=number % 2 == 0, wit=number == 0)) for number in range(20)]
        + [plain(data=criteria(rare=True)) for _ in range(4)],
    )

    found = findings(db)

    assert [each.criterion_id for each in found.strengths] == ["tact"]
    assert [each.criterion_id for each in found.weaknesses] == ["wit"]
    assert [(each.criterion_id, each.met, each.judged) for each in found.criteria] == [
        ("rare", 4, 4),
        ("tact", 20, 20),
        ("tone", 10, 20),
        ("wit", 1, 20),
    ]


def test_one_criterion_alone_stands_out_of_nothing(db):
    keep_all(db, [plain(data=criteria(tact=True)) for _ in range(30)])

    found = findings(db)

    assert (found.strengths, found.weaknesses, found.criteria_share) == ([], [], 1.0)


def test_longer_sessions_are_a_pattern_only_where_there_are_many_and_chance_would_seldom_do_it(db):
    few = [plain(messages=messages, passed=messages > 4) for messages in (1, 16) * 9]
    alike_long = [
        plain(messages=messages, version="2.0.0", passed=number % 2 == 0)
        for number, messages in enumerate([1, 1, 16, 16] * 9)
    ]
    keep_all(db, few + alike_long)

    assert findings(db, "1.0.0").pattern is None
    assert findings(db, "2.0.0").pattern is None
    together = findings(db).pattern
    assert together is not None
    assert (together.passed, together.attempts) == ("more", 54)


def test_sentences_carry_their_counts(db):
    taken = [
        plain(
            messages=1 if number < 12 else 20,
            passed=number >= 12,
            score=float(number % 10),
            version=VERSIONS[number % 2],
            data=criteria(tact=True, wit=False),
        )
        for number in range(24)
    ]
    keep_all(db, taken)

    told = summary_text.sentences(findings(db, curated=["Agents talk well.", 7, "", "x" * 900]))

    assert told[:2] == ["Agents talk well.", "x" * 500]
    assert told[2:] == [
        "24 attempts at 2 versions are taken together.",
        "12 of 24 attempts by 1 agent were passed: 50%, 95% interval 31% to 69%.",
        "The average of 24 scores is 40% of the maximum, 95% interval 28% to 52%.",
        "Often met: “Shows tact”, met in 24 of 24 attempts (100%, 95% interval 86% to 100%; all criteria together 50%).",
        "Often missed: “Shows wit”, met in 0 of 24 attempts (0%, 95% interval 0% to 14%; all criteria together 50%).",
        "Longer sessions are passed more often (trend over 24 attempts, p < 0.001).",
    ]
    assert all(re.search(r"\d", sentence) for sentence in told[2:])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Says please.", "Says please"),
        ("x" * 120, "x" * 120),
        ("x" * 121, "x" * 119 + "…"),
        ("Says please, " * 10, "Says please, " * 8 + "Says please…"),
    ],
)
def test_a_criterion_is_told_up_to_a_whole_word(text, told):
    assert summary_text.shorten(text) == told


def test_nothing_is_said_of_no_results(db):
    make.evaluation(db)

    found = findings(db, curated=["Nobody has dared yet."])

    assert summary_text.sentences(found) == ["Nobody has dared yet."]
    assert (found.pass_rate, found.mean_score, found.pattern, found.histogram) == (None, None, None, [0] * 10)


@pytest.mark.parametrize("curated", [None, "text", 7, {"a": 1}, [None, 1, ["x"], "   "]])
def test_curated_findings_that_are_no_texts_are_passed_over(db, curated):
    make.evaluation(db)

    assert findings(db, curated=curated).curated == []


# Hostile data


def test_hostile_criteria_are_cut_bounded_or_passed_over(db):
    keep_all(db, [plain(data=data) for data in HOSTILE])

    found = findings(db)

    names = {each.criterion_id for each in found.criteria}
    assert names == {"x" * 100, "'; DROP TABLE agents; --", *(f"row-{number}" for number in range(100))}
    assert next(each.text for each in found.criteria if each.criterion_id.startswith("xx")) == "y" * 300
    assert found.attempts == len(HOSTILE)


def test_whoever_invents_new_criteria_for_each_result_fills_no_table(db):
    keep_all(
        db,
        [
            plain(data={"criteria": [{"id": f"made-up-{turn}-{number}", "met": True} for number in range(100)]})
            for turn in range(4)
        ]
        + [plain(data={"criteria": [{"id": "made-up-0-7", "met": False}]})],
    )

    found = findings(db)

    rows = db.execute("""
        SELECT evaluation_version, count(*) FROM evaluation_criterion_tallies
        WHERE scope = 'official' GROUP BY 1 ORDER BY 1
        """)
    assert [tuple(row) for row in rows.fetchall()] == [("", 200), ("1.0.0", 200)]
    assert len(found.criteria) == 200
    assert next(each.judged for each in found.criteria if each.criterion_id == "made-up-0-7") == 2


# Cost


def test_findings_read_the_sums_alone_however_many_results_there_are(db):
    statements = []
    keep_all(db, [plain()])
    for _ in range(2):
        counting = Counting(db)
        stored_sums.read(counting, EVALUATION, None)
        statements.append(len(counting.asked))
        ada = make.agent(db, f"eva-{len(statements)}")
        make.result(db, ada, make.agent(db, f"paul-{len(statements)}"))

    assert statements == [3, 3]
    assert not any("evaluation_results" in sql for sql, _ in counting.asked)
    if isinstance(db, SqliteConnection):
        assert not any("SCAN" in step for step in plans(db, counting))


# Intervals


def test_the_trend_is_that_of_a_worked_example():
    # Agresti, Categorical Data Analysis: malformations by alcohol, with mean ranks as scores.
    groups = [PassGroup(48, 17114), PassGroup(38, 14502), PassGroup(5, 793), PassGroup(1, 127), PassGroup(1, 38)]

    trend = intervals.trend_over_groups(groups)

    assert trend is not None
    assert trend.z**2 == pytest.approx(0.35, abs=0.01)
    assert trend.p == pytest.approx(0.55, abs=0.01)


@pytest.mark.parametrize(
    "groups", [[], [PassGroup(0, 0)], [PassGroup(3, 3), PassGroup(4, 4)], [PassGroup(0, 5)], [PassGroup(2, 5)]]
)
def test_where_nothing_differs_there_is_no_trend(groups):
    assert intervals.trend_over_groups(groups) is None


def test_students_t_is_wider_where_there_are_few():
    known = {4: 2.776, 5: 2.571, 9: 2.262, 29: 2.045, 119: 1.980}

    for freedom, t in known.items():
        assert intervals.student_t(freedom) == pytest.approx(t, rel=0.02)


def test_many_questions_ask_for_more():
    assert intervals.bonferroni_z(1) == pytest.approx(1.96, abs=0.001)
    assert intervals.bonferroni_z(0) == intervals.bonferroni_z(1)
    assert intervals.bonferroni_z(100) == pytest.approx(3.48, abs=0.01)
