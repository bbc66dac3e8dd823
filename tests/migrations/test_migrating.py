"""Bringing a database up to date: from nothing, from every earlier revision with data in it, and by several at once."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import DATABASES, new_postgres_database
from viva.kit.db import Connection, Database, Violation
from viva.kit.migrating import MIGRATIONS_FOLDER, is_current, migrate, newest
from viva.kit.opening import open_database

pytestmark = pytest.mark.slow
NAMES = sorted(path.stem for path in (MIGRATIONS_FOLDER / "versions").glob("[0-9]*.py"))
REVISIONS = [name[:4] for name in NAMES]
AT = "2026-11-15T09:30:00.000000Z"

# What a hub of the first revision holds: an exam of an evaluation with a version, and one of an evaluation without.
DATA = f"""
INSERT INTO agents (id, name, name_key, description, created_at) VALUES
    ('agent_ada', 'ada', 'ada', '', '{AT}'), ('agent_paul', 'paul', 'paul', '', '{AT}');
INSERT INTO evaluation_definitions (id, sip, name, description, module, type, status, version, digest, points,
    prerequisites, author, config, handler, body, created_at, updated_at) VALUES
    ('tea-making', 8, 'Tea', '', 'm', 'proctored', 'active', '2.1.0', 'd', 1, '[]', 'a', '{{}}', 'proctored', '', 'x', 'x'),
    ('old-custom', 9, 'Old', '', 'm', 'proctored', 'retired', NULL, 'd', 1, '[]', 'a', '{{}}', 'proctored', '', 'x', 'x');
INSERT INTO evaluation_registrations (id, agent_id, evaluation_id, status, evaluation_version, evaluation_digest,
    registered_at, started_at, completed_at) VALUES
    ('eval_reg_1', 'agent_ada', 'tea-making', 'completed', '2.0.0', 'd', '{AT}', '{AT}', '{AT}'),
    ('eval_reg_2', 'agent_ada', 'old-custom', 'failed', '0.1.0', 'd', '{AT}', '{AT}', '{AT}');
INSERT INTO evaluation_sessions (id, evaluation_id, kind, registration_id, status, started_at, ended_at, message_count,
    active_at) VALUES ('eval_sess_1', 'tea-making', 'proctored', 'eval_reg_1', 'ended', '{AT}', '{AT}', 2, '{AT}');
INSERT INTO evaluation_session_participants (id, session_id, kind, agent_id, role, joined_at) VALUES
    ('eval_part_1', 'eval_sess_1', 'proctored', 'agent_paul', 'proctor', '{AT}'),
    ('eval_part_2', 'eval_sess_1', 'proctored', 'agent_ada', 'candidate', '{AT}');
INSERT INTO evaluation_messages (id, session_id, sender_agent_id, role, content, created_at, sequence) VALUES
    ('eval_msg_1', 'eval_sess_1', 'agent_ada', 'candidate', 'Tea is ready', '{AT}', 1),
    ('eval_msg_2', 'eval_sess_1', 'agent_paul', 'proctor', 'Thank you', '{AT}', 2);
INSERT INTO evaluation_results (id, registration_id, agent_id, evaluation_id, passed, score, max_score, points_earned,
    result_data, completed_at, proctor_agent_id, proctor_feedback, session_id) VALUES
    ('eval_res_1', 'eval_reg_1', 'agent_ada', 'tea-making', TRUE, 9.5, 10, 1, '{{"hot": 1}}', '{AT}', 'agent_paul', 'Hot', 'eval_sess_1'),
    ('eval_res_2', 'eval_reg_2', 'agent_ada', 'old-custom', FALSE, NULL, NULL, 0, NULL, '{AT}', NULL, NULL, NULL)
"""

MIGRATING = "import sys; from viva.kit.migrating import migrate; print(*migrate(sys.argv[1]))"


def empty_url(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    """The address of a database with nothing in it, not even a schema."""
    if kind == "postgresql":
        return new_postgres_database(request.getfixturevalue("postgres"))
    return f"sqlite:///{folder / 'viva.db'}"


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return empty_url(request.param, request, tmp_path)


@pytest.fixture
def at_first(url: str) -> str:
    """A database of the first revision with data in it."""
    make_first(url)
    return url


def make_first(url: str) -> None:
    migrate(url, "0001")
    write(url, *DATA.split(";\n"))


@pytest.fixture(scope="module", params=DATABASES)
def grown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """One that has come from the first revision to the newest, for tests that change nothing in it."""
    url = empty_url(request.param, request, tmp_path_factory.mktemp("grown"))
    make_first(url)
    migrate(url)
    return url


def opened(url: str) -> Iterator[Database]:
    database = open_database(url)
    try:
        yield database
    finally:
        database.close()


def write(url: str, *statements: str) -> None:
    def unit(db: Connection) -> None:
        for statement in statements:
            db.execute(statement)

    for database in opened(url):
        database.write_now(unit)


def write_row(url: str, sql: str, params: list[str | None]) -> None:
    for database in opened(url):
        database.write_now(lambda db: db.execute(sql, params))


def rows(url: str, sql: str) -> list[tuple]:
    for database in opened(url):
        return [tuple(row) for row in database.read_now(lambda db: db.execute(sql).fetchall())]
    raise AssertionError


def test_an_empty_database_gets_every_step_in_order(url):
    assert migrate(url) == NAMES
    assert rows(url, "SELECT version_num FROM alembic_version") == [(newest(),)]


def test_a_folder_that_is_not_there_yet_is_made(tmp_path):
    assert migrate(f"sqlite:///{tmp_path / 'new' / 'folder' / 'viva.db'}") == NAMES


def test_migrating_twice_does_nothing(url):
    migrate(url)
    before = schema(url)

    assert migrate(url) == []
    assert schema(url) == before


def test_only_the_missing_steps_are_applied(url):
    migrate(url, "0001")

    assert migrate(url) == NAMES[1:]


def test_whether_a_database_is_current_can_be_asked(url):
    migrate(url, "0001")
    for database in opened(url):
        assert database.read_now(is_current) is False

    migrate(url)

    for database in opened(url):
        assert database.read_now(is_current) is True


@pytest.mark.parametrize("stops", [REVISIONS[-1:], REVISIONS[1:]], ids=["at-once", "one-by-one"])
def test_every_way_to_the_newest_schema_gives_the_same_schema_and_keeps_the_data(at_first, stops, tmp_path, request):
    for revision in stops:
        migrate(at_first, revision)
        assert_data_is_kept(at_first)

    fresh = empty_url(at_first.partition(":")[0], request, tmp_path / "fresh")
    migrate(fresh)
    assert schema(at_first) == schema(fresh)


def assert_data_is_kept(url: str) -> None:
    assert rows(
        url,
        """
        SELECT id, registration_id, agent_id, evaluation_id, points_earned, score, max_score, proctor_agent_id,
            proctor_feedback, session_id FROM evaluation_results ORDER BY id
        """,
    ) == [
        ("eval_res_1", "eval_reg_1", "agent_ada", "tea-making", 1.0, 9.5, 10.0, "agent_paul", "Hot", "eval_sess_1"),
        ("eval_res_2", "eval_reg_2", "agent_ada", "old-custom", 0.0, None, None, None, None, None),
    ]
    assert rows(url, "SELECT result_data FROM evaluation_results ORDER BY id") == [('{"hot": 1}',), (None,)]
    assert rows(url, "SELECT content, sequence FROM evaluation_messages ORDER BY sequence") == [
        ("Tea is ready", 1),
        ("Thank you", 2),
    ]
    assert rows(url, "SELECT agent_id, role FROM evaluation_session_participants ORDER BY id") == [
        ("agent_paul", "proctor"),
        ("agent_ada", "candidate"),
    ]
    assert rows(url, "SELECT id, status FROM evaluation_registrations ORDER BY id") == [
        ("eval_reg_1", "completed"),
        ("eval_reg_2", "failed"),
    ]


def test_results_of_the_first_revision_get_the_version_of_the_definition_or_1_0_0(grown):
    assert rows(grown, "SELECT id, evaluation_version, evaluation_digest FROM evaluation_results ORDER BY id") == [
        ("eval_res_1", "2.1.0", None),
        ("eval_res_2", "1.0.0", None),
    ]


def test_after_the_second_step_no_result_is_without_a_version(grown):
    with pytest.raises(Violation) as refused:
        write(grown, "UPDATE evaluation_results SET evaluation_version = NULL")

    assert refused.value.constraint.endswith("evaluation_version")


def test_after_the_second_step_results_are_found_by_evaluation_and_version(grown):
    found = {name: columns[:2] for name, columns in indexes(grown)}
    assert found["idx_eval_results_eval_version"] == ("evaluation_id", "evaluation_version")


def test_the_second_step_keeps_every_constraint_and_index_of_results(at_first):
    constraints_before, indexes_before = constraints(at_first), indexes(at_first)

    migrate(at_first, "0002")

    assert len(constraints_before) >= 10
    assert constraints(at_first) == constraints_before
    assert set(indexes(at_first)) == {
        *indexes_before,
        ("idx_eval_results_eval_version", ("evaluation_id", "evaluation_version")),
    }


REFUSED = [
    "UPDATE evaluation_results SET score = 11 WHERE id = 'eval_res_1'",
    "UPDATE evaluation_results SET max_score = NULL WHERE id = 'eval_res_1'",
    "UPDATE evaluation_results SET points_earned = 1 WHERE id = 'eval_res_2'",
    "UPDATE evaluation_results SET registration_id = 'eval_reg_1', evaluation_id = 'tea-making' WHERE id = 'eval_res_2'",
    "UPDATE evaluation_results SET session_id = 'eval_sess_1' WHERE id = 'eval_res_2'",
    "UPDATE evaluation_results SET agent_id = 'agent_paul'",
    "UPDATE evaluation_results SET passed = NULL",
    "DELETE FROM evaluation_registrations",
    "DELETE FROM evaluation_definitions",
]


@pytest.mark.parametrize("statement", REFUSED)
def test_what_the_first_revision_refused_is_refused_after_migrating(grown, statement):
    with pytest.raises(Violation):
        write(grown, statement)


def test_of_processes_that_migrate_at_once_each_succeeds_and_each_step_runs_once(at_first):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", MIGRATING, at_first], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]

    told = [process.communicate(timeout=60) for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0], told
    assert sorted(step for out, _ in told for step in out.split()) == NAMES[1:]
    assert sorted(out.split() for out, _ in told) == [[], [], NAMES[1:]]


def test_a_migration_that_fails_changes_nothing(at_first):
    write(at_first, "CREATE TABLE kept_answers (id TEXT)")  # in the way of the third step
    before = schema(at_first)

    failed = subprocess.run([sys.executable, "-c", MIGRATING, at_first], capture_output=True, text=True, timeout=60)

    assert failed.returncode == 1
    assert "kept_answers" in failed.stderr
    assert schema(at_first) == before
    assert rows(at_first, "SELECT version_num FROM alembic_version") == [("0001",)]


@pytest.mark.parametrize("grown", ["sqlite"], indirect=True)
def test_references_are_whole_after_migrating_on_sqlite(grown):
    assert rows(grown, "PRAGMA foreign_key_check") == []
    assert rows(grown, "PRAGMA integrity_check") == [("ok",)]


def test_a_verdict_about_a_silent_side_is_practice_and_loses_its_points(at_first):
    write(at_first, "DELETE FROM evaluation_messages WHERE role = 'proctor'")

    migrate(at_first)

    (demoted, by_handler) = rows(
        at_first, "SELECT official, CAST(official_reasons AS TEXT), points_earned FROM evaluation_results ORDER BY id"
    )
    assert demoted == (False, '["too_few_messages", "before_rules"]', 0)
    assert by_handler == (True, "[]", 0)


# What a hub of the last revision without stored rows holds: two proctors have marked one sheet, one of them a row less.
SHEETS = f"""
INSERT INTO evaluation_sheets (id, evaluation_id, registration_id, status, job_id, opened_at) VALUES
    ('sheet_1', 'tea-making', 'eval_reg_1', 'proctors', 'job_1', '{AT}');
INSERT INTO evaluation_markings (sheet_id, marker, kind, marked_at) VALUES
    ('sheet_1', 'agent_paul', 'proctor', '{AT}'), ('sheet_1', 'agent_ada', 'proctor', '{AT}');
INSERT INTO evaluation_marks (sheet_id, marker, row_id, mark, most, reason, quote, notes) VALUES
    ('sheet_1', 'agent_paul', 'warmth', 2, 5, 'r', 'q', '{{"a": 1}}'),
    ('sheet_1', 'agent_paul', 'colour', NULL, 10, '', '', '{{}}'),
    ('sheet_1', 'agent_ada', 'warmth', 5, 5, '', '', '{{}}')
"""


def test_marks_from_before_rows_were_stored_are_kept_with_a_row_each(at_first):
    migrate(at_first, "0007")
    write(at_first, *SHEETS.split(";\n"))
    marks = "SELECT marker, row_id, mark, most, reason, quote, notes FROM evaluation_marks ORDER BY marker, row_id"
    before = rows(at_first, marks)

    migrate(at_first)

    assert len(before) == 3
    assert rows(at_first, marks) == before
    assert rows(at_first, "SELECT row_id, position, most FROM evaluation_sheet_rows ORDER BY row_id") == [
        ("colour", 0, 10.0),
        ("warmth", 1, 5.0),
    ]
    assert rows(at_first, "SELECT id FROM evaluation_sheets WHERE texts IS NULL") == [("sheet_1",)]
    if at_first.startswith("sqlite"):
        assert rows(at_first, "PRAGMA foreign_key_check") == []
    for statement in (
        "UPDATE evaluation_marks SET row_id = 'nothing'",
        "UPDATE evaluation_marks SET marker = 'nobody'",
        "UPDATE evaluation_marks SET mark = 11",
        "DELETE FROM evaluation_sheet_rows",
    ):
        with pytest.raises(Violation):
            write(at_first, statement)


def test_ids_of_evaluations_and_of_approved_contributions_are_reserved(at_first):
    migrate(at_first, "0014")
    contribution = f"""
        INSERT INTO evaluation_contributions (id, contributor_name, sip_number, status, evaluation_id, title, name,
            description, module, type, config, executable_handler, prerequisites, research_mapping, exemplars, points,
            version, author, created_at, updated_at, submitted_at)
        VALUES ('%s', 'Ada', %s, '%s', '%s', '', 'n', 'd', 'm', 'proctored', '{{}}', 'proctored', '[]', '[]', '[]', 1,
            '1.0.0', 'Ada', '{AT}', '{AT}', '{AT}')
        """
    for values in (
        ("c1", "100", "approved", "coffee-making"),
        ("c2", "101", "approved", "tea-making"),  # a sync has taken its id
        ("c3", "NULL", "submitted", "water-boiling"),
    ):
        write(at_first, contribution % values)

    migrate(at_first)

    assert rows(at_first, "SELECT evaluation_id, number FROM evaluation_ids ORDER BY number") == [
        ("tea-making", 8),
        ("old-custom", 9),
        ("coffee-making", 100),
    ]


def test_mailed_links_from_before_lose_their_token(url):
    here = f"/evaluations/contribute/eval_contrib_{'0' * 32}"
    migrate(url, "0014")
    emails = [("contribution.link", f"{here}?token=viva_contrib_x"), ("contribution.approved", here), ("other", None)]
    insert = """
        INSERT INTO notice_emails (id, address, event, subject, text, link, status, tries, created_at)
        VALUES (?, 'ada@example.org', ?, 's', 't', ?, 'waiting', 0, ?)
        """
    for number, email in enumerate(emails):
        write_row(url, insert, [f"email_{number}", *email, AT])

    migrate(url)

    assert rows(url, "SELECT link FROM notice_emails ORDER BY id") == [(here,), (here,), (None,)]


# What a database says of its own schema


def schema(url: str) -> list[tuple]:
    if url.startswith("sqlite"):
        found = rows(url, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return sorted((name, " ".join(sql.replace('"', "").split())) for name, sql in found)
    return sorted(
        rows(
            url,
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid <> 0",
        )
        + rows(url, "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'")
        + rows(
            url,
            """
            SELECT table_name, column_name, data_type || is_nullable || coalesce(column_default, '')
            FROM information_schema.columns WHERE table_schema = 'public'
            """,
        )
    )


def constraints(url: str) -> list[str]:
    """Constraints of the results' table, but for those of single columns."""
    if not url.startswith("sqlite"):
        found = rows(
            url,
            """
            SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
            WHERE conrelid = 'evaluation_results'::regclass AND contype <> 'n'
            """,
        )
        return sorted(text for (text,) in found)
    ((sql,),) = rows(url, "SELECT sql FROM sqlite_master WHERE name = 'evaluation_results'")
    lines = [line.strip().rstrip(",") for line in sql.splitlines()]
    keys = rows(
        url, "SELECT \"table\" || ' ' || \"from\" || ' ' || \"to\" FROM pragma_foreign_key_list('evaluation_results')"
    )
    return sorted([line for line in lines if line.startswith("CONSTRAINT")] + [text for (text,) in keys])


def indexes(url: str) -> list[tuple[str, tuple[str, ...]]]:
    """Indexes of the results' table that have names of their own, with their columns."""
    if url.startswith("sqlite"):
        sql = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'evaluation_results' AND sql IS NOT NULL"
    else:
        sql = "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'evaluation_results' AND indexdef NOT LIKE '%UNIQUE%'"
    return sorted(
        (name, tuple(definition.partition(" WHERE ")[0].rpartition("(")[2].rstrip(")").split(", ")))
        for name, definition in rows(url, sql)
    )
