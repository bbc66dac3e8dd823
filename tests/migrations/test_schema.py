"""What the schema itself refuses, whatever the code above it does."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from tests import make
from viva.agents.model import Agent
from viva.exams import registering
from viva.exams.model import Registration
from viva.kit.db import Connection, Violation
from viva.results.model import Result
from viva.sessions.model import Session

AT = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)
LATER = datetime(2026, 11, 15, 9, 31, tzinfo=UTC)
UNNAMED = "FOREIGN KEY constraint failed"  # all that SQLite says of a foreign key


class Exam(NamedTuple):
    """Paul examines ada; pia has a registration of her own that nobody has claimed; nora has none."""

    ada: Agent
    paul: Agent
    pia: Agent
    nora: Agent
    registration: Registration
    session: Session
    waiting: Registration

    def row(self, table: str) -> dict[str, Any]:
        """A row that the table takes."""
        rows: dict[str, dict[str, Any]] = {
            "agents": {"id": "agent_x", "name": "x", "name_key": "x", "description": "", "created_at": AT},
            "agent_keys": {
                "id": "key_x",
                "agent_id": self.ada.id,
                "hash": "abc",
                "prefix": "viva_abc",
                "created_at": AT,
            },
            "evaluation_definitions": {
                "id": "tea-making",
                "sip": 8,
                "name": "Tea making",
                "description": "",
                "module": "kitchen",
                "type": "proctored",
                "status": "active",
                "version": "1.0.0",
                "digest": "d",
                "points": 1,
                "prerequisites": "[]",
                "author": "Viva",
                "config": "{}",
                "handler": "proctored",
                "body": "",
                "created_at": "2026-11-15",
                "updated_at": "2026-11-15",
            },
            "evaluation_registrations": {
                "id": "eval_reg_x",
                "agent_id": self.nora.id,
                "evaluation_id": "good-manners",
                "status": "in_progress",
                "evaluation_version": "1.0.0",
                "evaluation_digest": "d",
                "registered_at": AT,
                "started_at": AT,
                "completed_at": None,
            },
            "evaluation_sessions": {
                "id": "eval_sess_x",
                "evaluation_id": "good-manners",
                "kind": "proctored",
                "registration_id": self.waiting.id,
                "released_registration_id": None,
                "status": "active",
                "started_at": AT,
                "ended_at": None,
                "active_at": AT,
            },
            "evaluation_session_participants": {
                "id": "eval_part_x",
                "session_id": "eval_sess_class",
                "kind": "live_class_work",
                "agent_id": self.pia.id,
                "role": "participant",
                "joined_at": AT,
            },
            "agent_names": {"agent_id": self.ada.id, "name": "ada", "salt": "0" * 32, "given_at": AT},
            "evaluation_messages": {
                "id": "eval_msg_x",
                "session_id": self.session.id,
                "sender_agent_id": self.ada.id,
                "role": "candidate",
                "content": "Hello.",
                "created_at": AT,
                "sequence": 1,
            },
            "evaluation_results": {
                "id": "eval_res_x",
                "registration_id": self.registration.id,
                "agent_id": self.ada.id,
                "evaluation_id": "good-manners",
                "passed": True,
                "score": 90,
                "max_score": 100,
                "points_earned": 10,
                "completed_at": AT,
                "proctor_agent_id": self.paul.id,
                "session_id": self.session.id,
                "evaluation_version": "1.0.0",
            },
            "evaluation_challenges": {
                "id": "eval_chal_x",
                "registration_id": self.waiting.id,
                "content": "{}",
                "issued_at": AT,
                "expires_at": AT,
                "used_at": None,
            },
            "evaluation_answers": {
                "registration_id": self.waiting.id,
                "question_id": "first",
                "answer": "42",
                "answered_at": AT,
            },
            "evaluation_attempts": {"registration_id": self.waiting.id, "content": "{}", "submitted_at": AT},
            "evaluation_cohorts": {
                "id": "eval_cohort_x",
                "evaluation_id": "good-manners",
                "evaluation_version": "1.0.0",
                "evaluation_digest": "d",
                "status": "open",
                "min_participants": 2,
                "max_participants": 3,
                "participant_count": 1,
                "opened_by_agent_id": self.pia.id,
                "session_id": None,
                "opened_at": AT,
                "started_at": None,
                "ends_at": None,
                "ended_at": None,
            },
            "evaluation_cohort_members": {
                "cohort_id": "eval_cohort_full",
                "registration_id": self.waiting.id,
                "agent_id": self.pia.id,
                "evaluation_id": "good-manners",
                "joined_at": AT,
            },
            "evaluation_sheets": {
                "id": "eval_sheet_x",
                "evaluation_id": "good-manners",
                "registration_id": self.waiting.id,
                "cohort_id": None,
                "status": "judges",
                "job_id": "job_x",
                "opened_at": AT,
                "closed_at": None,
            },
            "evaluation_markings": {
                "sheet_id": "eval_sheet_class",
                "marker": "a-model",
                "kind": "judge",
                "marked_at": AT,
            },
            "evaluation_sheet_rows": {
                "sheet_id": "eval_sheet_class",
                "row_id": "second",
                "position": 1,
                "ask": "Is it kind?",
                "most": 5,
                "points": 5,
                "texts": "{}",
                "prompt_id": None,
                "agent_id": self.ada.id,
                "guidance": "",
            },
            "evaluation_marks": {
                "sheet_id": "eval_sheet_class",
                "marker": self.paul.id,
                "row_id": "first",
                "mark": 3,
                "most": 5,
                "reason": "",
                "quote": "",
                "notes": "{}",
            },
            "evaluation_contributions": CONTRIBUTION,
            "evaluation_contribution_votes": {
                "contribution_id": "eval_contrib_first",
                "agent_id": self.ada.id,
                "vote": 1,
                "voted_at": AT,
            },
            "evaluation_contribution_gates": {
                "contribution_id": "eval_contrib_first",
                "revision": 1,
                "status": "passed",
                "outcomes": "[]",
                "checked_at": AT,
            },
            "evaluation_numbers": {"number": 101, "evaluation_id": "tea-making"},
        }
        return rows[table]


CONTRIBUTION = {
    "id": "eval_contrib_x",
    "contributor_name": "Mia",
    "contributor_email": "mia@example.org",
    "sip_number": None,
    "status": "submitted",
    "evaluation_id": "",
    "title": "",
    "name": "Tea making",
    "description": "",
    "module": "kitchen",
    "type": "proctored",
    "config": "{}",
    "executable_handler": "proctored",
    "prerequisites": "[]",
    "research_mapping": "[]",
    "exemplars": "[]",
    "points": 1,
    "version": "1.0.0",
    "author": "Mia",
    "created_at": AT,
    "updated_at": AT,
    "submitted_at": AT,
    "merged_at": None,
    "rejection_reason": None,
    "revision": 1,
    "token_hash": "t",
}
MERGED = {"status": "merged", "sip_number": 101, "merged_at": AT, "evaluation_id": "tea-making"}
PULL_REQUEST = {"merged_pr_url": "https://github.example/pull/1"}


@pytest.fixture
def exam(db) -> Exam:
    make.evaluation(db)
    ada, paul, pia, nora = (make.agent(db, name) for name in ("ada", "paul", "pia", "nora"))
    registration, (session, _) = make.claim(db, ada, paul)
    insert(db, "evaluation_sessions", a_class())
    exam = Exam(ada, paul, pia, nora, registration, session, make.registration(db, pia))
    insert(db, "evaluation_cohorts", exam.row("evaluation_cohorts") | {"id": "eval_cohort_full"})
    sheet = {"id": "eval_sheet_class", "registration_id": None, "cohort_id": "eval_cohort_full", "job_id": "job_class"}
    insert(db, "evaluation_sheets", exam.row("evaluation_sheets") | sheet)
    insert(db, "evaluation_markings", exam.row("evaluation_markings") | {"marker": paul.id, "kind": "proctor"})
    insert(db, "evaluation_sheet_rows", exam.row("evaluation_sheet_rows") | {"row_id": "first", "position": 0})
    first = {"id": "eval_contrib_first", "sip_number": 100, "token_hash": "first", "evaluation_id": "good-manners"}
    insert(db, "evaluation_contributions", CONTRIBUTION | MERGED | PULL_REQUEST | first)
    insert(db, "evaluation_numbers", {"number": 100, "evaluation_id": "good-manners"})
    return exam


def a_class() -> dict[str, Any]:
    return {
        "id": "eval_sess_class",
        "evaluation_id": "good-manners",
        "kind": "live_class_work",
        "status": "active",
        "started_at": AT,
        "active_at": AT,
    }


def insert(db: Connection, table: str, row: dict[str, Any]) -> None:
    places = ", ".join(f":{name}" for name in row)
    db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", row)


TABLES = (
    "agents",
    "agent_keys",
    "evaluation_definitions",
    "evaluation_registrations",
    "evaluation_sessions",
    "evaluation_session_participants",
    "evaluation_messages",
    "evaluation_results",
    "evaluation_challenges",
    "evaluation_answers",
    "evaluation_attempts",
    "evaluation_cohorts",
    "evaluation_cohort_members",
    "evaluation_sheets",
    "evaluation_markings",
    "evaluation_sheet_rows",
    "evaluation_marks",
    "evaluation_contributions",
    "evaluation_contribution_votes",
    "evaluation_contribution_gates",
    "evaluation_numbers",
)


@pytest.mark.parametrize("table", TABLES)
def test_a_row_that_breaks_no_rule_is_taken(db, exam, table):
    (before,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()

    insert(db, table, exam.row(table))

    assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (before + 1,)


ENDED = {"status": "ended", "ended_at": AT}
RUN = {"started_at": AT, "ends_at": AT}
UNSTARTED = {"started_at": None, "evaluation_version": None, "evaluation_digest": None}

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("agents", {"name": None, "name_key": None}, "agents_named_until_deleted"),
    ("agents", {"deleted_at": AT}, "agents_named_until_deleted"),
    ("agents", {"name_key": None}, "agents_key_with_name"),
    ("agents", {"name_key": "ada"}, "agents_name_key_key"),
    ("evaluation_contributions", {"status": "open"}, "evaluation_contributions_status"),
    ("evaluation_contributions", MERGED | {"sip_number": 100}, "evaluation_contributions_sip_number_key"),
    (
        "evaluation_contributions",
        MERGED | {"evaluation_id": "good-manners"},
        "evaluation_contributions_evaluation_id_key",
    ),
    ("evaluation_contributions", PULL_REQUEST, "evaluation_contributions_merged_pr_url_key"),
    ("evaluation_contributions", {"token_hash": "first"}, "evaluation_contributions_token_hash_key"),
    ("evaluation_contributions", {"sip_number": 101}, "evaluation_contributions_numbered"),
    ("evaluation_contributions", {"status": "approved"}, "evaluation_contributions_numbered"),
    ("evaluation_contributions", MERGED | {"sip_number": None}, "evaluation_contributions_numbered"),
    ("evaluation_contributions", {"merged_at": AT}, "evaluation_contributions_merged"),
    ("evaluation_contributions", MERGED | {"merged_at": None}, "evaluation_contributions_merged"),
    ("evaluation_contributions", {"status": "rejected"}, "evaluation_contributions_rejected"),
    ("evaluation_contributions", {"submitted_at": None}, "evaluation_contributions_submitted"),
    ("evaluation_contributions", {"revision": 0}, "evaluation_contributions_revision"),
    ("evaluation_contribution_votes", {"vote": 2}, "evaluation_contribution_votes_vote"),
    ("evaluation_contribution_gates", {"status": "open"}, "evaluation_contribution_gates_status"),
    ("evaluation_numbers", {"number": 99}, "evaluation_numbers_contributed"),
    ("evaluation_numbers", {"number": 100}, "evaluation_numbers_number_key"),
    ("evaluation_definitions", {"type": "oral"}, "evaluation_definitions_type"),
    ("evaluation_definitions", {"status": "open"}, "evaluation_definitions_status"),
    ("evaluation_definitions", {"points": -1}, "evaluation_definitions_points"),
    ("evaluation_definitions", {"sip": 7}, "evaluation_definitions_sip_key"),
    ("evaluation_registrations", {"status": "lost", "completed_at": AT}, "evaluation_registrations_status"),
    ("evaluation_registrations", {"evaluation_version": None}, "evaluation_registrations_pinned_at_start"),
    ("evaluation_registrations", {"evaluation_digest": None}, "evaluation_registrations_pinned_at_start"),
    (
        "evaluation_registrations",
        {"status": "registered", "started_at": None},
        "evaluation_registrations_pinned_at_start",
    ),
    ("evaluation_registrations", UNSTARTED, "evaluation_registrations_started"),
    (
        "evaluation_registrations",
        {"status": "completed", "completed_at": AT} | UNSTARTED,
        "evaluation_registrations_started",
    ),
    (
        "evaluation_registrations",
        {"status": "failed", "completed_at": AT} | UNSTARTED,
        "evaluation_registrations_started",
    ),
    ("evaluation_registrations", {"status": "completed"}, "evaluation_registrations_ended"),
    ("evaluation_registrations", {"status": "cancelled"}, "evaluation_registrations_ended"),
    ("evaluation_registrations", {"status": "expired"}, "evaluation_registrations_ended"),
    ("evaluation_registrations", {"completed_at": AT}, "evaluation_registrations_ended"),
    ("evaluation_sessions", {"kind": "oral", "registration_id": None}, "evaluation_sessions_kind"),
    ("evaluation_sessions", {"status": "paused"}, "evaluation_sessions_status"),
    ("evaluation_sessions", {"status": "ended"}, "evaluation_sessions_ended"),
    ("evaluation_sessions", {"ended_at": AT}, "evaluation_sessions_ended"),
    ("evaluation_sessions", {"registration_id": None}, "evaluation_sessions_proctored"),
    ("evaluation_sessions", {"kind": "live_class_work"}, "evaluation_sessions_proctored"),
    ("evaluation_sessions", {"a2a_asked": -1}, "evaluation_sessions_a2a_asked"),
    ("evaluation_messages", {"sequence": 0}, "evaluation_messages_sequence"),
    ("evaluation_messages", {"prompt_id": ""}, "evaluation_messages_prompt_id"),
    ("evaluation_messages", {"prompt_id": "p" * 101}, "evaluation_messages_prompt_id"),
    ("evaluation_messages", {"salt": "00"}, "evaluation_messages_salt"),
    ("evaluation_messages", {"hash": "00"}, "evaluation_messages_hash"),
    ("evaluation_messages", {"content_hash": "00"}, "evaluation_messages_content_hash"),
    ("agent_names", {"salt": "00"}, "agent_names_salt"),
    ("evaluation_results", {"second_reading": "perhaps"}, "evaluation_results_second_reading"),
    ("evaluation_results", {"score": 101}, "evaluation_results_score"),
    ("evaluation_results", {"score": -1}, "evaluation_results_score"),
    ("evaluation_results", {"score": None}, "evaluation_results_scored"),
    ("evaluation_results", {"passed": False}, "evaluation_results_points"),
    ("evaluation_results", {"points_earned": -1}, "evaluation_results_points"),
    (
        "evaluation_results",
        {"official": False, "official_reasons": '["not_qualified"]'},
        "evaluation_results_points_if_official",
    ),
    ("evaluation_results", {"official_reasons": '["not_qualified"]'}, "evaluation_results_reasons"),
    ("evaluation_results", {"official": False, "points_earned": 0}, "evaluation_results_reasons"),
    ("evaluation_results", {"is_private": True}, "evaluation_results_private_is_practice"),
    ("evaluation_results", {"voided_at": AT, "void_reason": "Copied."}, "evaluation_results_void_is_practice"),
    ("evaluation_results", {"void_reason": "Copied."}, "evaluation_results_void_has_reason"),
    *(("agents", {name: "x" * 201}, f"agents_{name}") for name in ("owner", "model", "framework", "version")),
    ("evaluation_challenges", {"used_at": LATER}, "evaluation_challenges_in_time"),
    ("evaluation_cohorts", {"status": "full", "session_id": "eval_sess_class"} | RUN, "evaluation_cohorts_status"),
    ("evaluation_cohorts", {"min_participants": 0}, "evaluation_cohorts_size"),
    ("evaluation_cohorts", {"min_participants": 4}, "evaluation_cohorts_size"),
    ("evaluation_cohorts", {"participant_count": 4}, "evaluation_cohorts_seats"),
    ("evaluation_cohorts", {"participant_count": -1}, "evaluation_cohorts_seats"),
    ("evaluation_cohorts", {"status": "running"}, "evaluation_cohorts_running"),
    ("evaluation_cohorts", {"session_id": "eval_sess_class"} | RUN, "evaluation_cohorts_running"),
    ("evaluation_cohorts", {"status": "running", "session_id": "eval_sess_class"}, "evaluation_cohorts_started"),
    ("evaluation_cohorts", {"ends_at": AT}, "evaluation_cohorts_started"),
    ("evaluation_cohorts", {"status": "cancelled"}, "evaluation_cohorts_ended"),
    ("evaluation_cohorts", {"ended_at": AT}, "evaluation_cohorts_ended"),
    ("evaluation_sheets", {"status": "open"}, "evaluation_sheets_status"),
    ("evaluation_sheets", {"status": "closed"}, "evaluation_sheets_closed"),
    ("evaluation_sheets", {"closed_at": AT}, "evaluation_sheets_closed"),
    ("evaluation_sheets", {"registration_id": None}, "evaluation_sheets_subject"),
    ("evaluation_sheets", {"cohort_id": "eval_cohort_full"}, "evaluation_sheets_subject"),
    ("evaluation_sheets", {"job_id": "job_class"}, "evaluation_sheets_job_id_key"),
    ("evaluation_markings", {"kind": "agent"}, "evaluation_markings_kind"),
    ("evaluation_sheet_rows", {"position": -1}, "evaluation_sheet_rows_position"),
    ("evaluation_sheet_rows", {"most": 0}, "evaluation_sheet_rows_most"),
    ("evaluation_sheet_rows", {"points": -1}, "evaluation_sheet_rows_points"),
    ("evaluation_marks", {"mark": -1}, "evaluation_marks_within"),
    ("evaluation_marks", {"mark": 6}, "evaluation_marks_within"),
]


@pytest.mark.parametrize(("table", "change", "constraint"), REFUSED)
def test_a_row_that_breaks_a_rule_is_refused_by_the_rules_name(db, exam, table, change, constraint):
    with pytest.raises(Violation) as refused:
        insert(db, table, exam.row(table) | change)

    assert refused.value.constraint == constraint


def test_every_check_of_the_schema_is_tried_here(db):
    if "sqlite" in type(db).__module__:
        statements = " ".join(
            sql for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        )
        checks = {part.split()[0] for part in statements.split("CONSTRAINT ")[1:] if part.split()[1] == "CHECK"}
    else:
        checks = {name for (name,) in db.execute("SELECT conname FROM pg_constraint WHERE contype = 'c'").fetchall()}
    elsewhere = {"evaluation_session_participants_role", "evaluation_sessions_released"}
    elsewhere |= {name for name in checks if name.endswith("_scope")}  # sums have no code of users before them

    untried = (
        {name for name in checks if name.startswith(("agent", "evaluation"))}
        - {case[2] for case in REFUSED}
        - elsewhere
    )

    assert untried == set()


@pytest.mark.parametrize("status", ["registered", "in_progress", "completed", "failed", "cancelled", "expired"])
def test_every_status_of_a_registration_is_taken(db, exam, status):
    completed_at = None if status in ("registered", "in_progress") else AT

    insert(
        db,
        "evaluation_registrations",
        exam.row("evaluation_registrations") | {"status": status, "completed_at": completed_at},
    )


# Registrations


@pytest.mark.parametrize("status", ["registered", "in_progress"])
def test_an_agent_has_one_open_registration_for_an_evaluation(db, exam, status):
    row = exam.row("evaluation_registrations") | {"agent_id": exam.ada.id, "status": status}

    with pytest.raises(Violation) as refused:
        insert(db, "evaluation_registrations", row)

    assert refused.value.constraint == "evaluation_registrations_agent_id_evaluation_id_key"


def test_closed_registrations_may_be_many(db, exam):
    for number in range(3):
        row = exam.row("evaluation_registrations") | {"agent_id": exam.ada.id, "status": "failed", "completed_at": AT}
        insert(db, "evaluation_registrations", row | {"id": f"eval_reg_{number}"})


def test_an_open_registration_of_another_evaluation_is_another_one(db, exam):
    make.evaluation(db, id="tea-making", sip=8)

    insert(
        db,
        "evaluation_registrations",
        exam.row("evaluation_registrations") | {"agent_id": exam.ada.id, "evaluation_id": "tea-making"},
    )


# Sessions and seats


def test_a_registration_has_one_session(db, exam):
    with pytest.raises(Violation) as refused:
        insert(db, "evaluation_sessions", exam.row("evaluation_sessions") | {"registration_id": exam.registration.id})

    assert refused.value.constraint == "evaluation_sessions_registration_id_key"


def test_a_released_session_leaves_room_for_another_one(db, exam):
    released = {"registration_id": None, "released_registration_id": exam.waiting.id} | ENDED

    insert(db, "evaluation_sessions", exam.row("evaluation_sessions") | {"id": "eval_sess_first"} | released)
    insert(db, "evaluation_sessions", exam.row("evaluation_sessions"))


def test_a_released_session_has_ended(db, exam):
    released = {"registration_id": None, "released_registration_id": exam.waiting.id}

    with pytest.raises(Violation) as refused:
        insert(db, "evaluation_sessions", exam.row("evaluation_sessions") | released)

    assert refused.value.constraint == "evaluation_sessions_released"


def test_a_session_does_not_hold_and_release_a_registration_at_once(db, exam):
    with pytest.raises(Violation) as refused:
        insert(
            db,
            "evaluation_sessions",
            exam.row("evaluation_sessions") | ENDED | {"released_registration_id": exam.waiting.id},
        )

    assert refused.value.constraint == "evaluation_sessions_proctored"


def test_a_session_is_of_the_evaluation_its_registration_is_of(db, exam):
    make.evaluation(db, id="tea-making", sip=8)

    with pytest.raises(Violation) as refused:
        insert(db, "evaluation_sessions", exam.row("evaluation_sessions") | {"evaluation_id": "tea-making"})

    assert refused.value.constraint in (UNNAMED, "evaluation_sessions_registration_id_evaluation_id_fkey")


@pytest.mark.parametrize("role", ["proctor", "candidate"])
def test_a_proctored_session_has_no_third_participant(db, exam, role):
    third = {"session_id": exam.session.id, "kind": "proctored", "role": role}

    with pytest.raises(Violation) as refused:
        insert(db, "evaluation_session_participants", exam.row("evaluation_session_participants") | third)

    assert refused.value.constraint == "evaluation_session_participants_session_id_seat_key"


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("proctored", "participant"),
        ("proctored", "instructor"),
        ("proctored", "judge"),
        ("live_class_work", "proctor"),
        ("live_class_work", "candidate"),
        ("live_class_work", "judge"),
    ],
)
def test_a_role_fits_the_kind_of_its_session(db, exam, kind, role):
    session_id = exam.session.id if kind == "proctored" else "eval_sess_class"

    with pytest.raises(Violation) as refused:
        insert(
            db,
            "evaluation_session_participants",
            exam.row("evaluation_session_participants") | {"session_id": session_id, "kind": kind, "role": role},
        )

    assert refused.value.constraint == "evaluation_session_participants_role"


def test_a_participant_cannot_say_that_its_session_is_of_another_kind(db, exam):
    row = exam.row("evaluation_session_participants") | {"session_id": exam.session.id, "kind": "live_class_work"}

    with pytest.raises(Violation) as refused:
        insert(db, "evaluation_session_participants", row)

    assert refused.value.constraint in (UNNAMED, "evaluation_session_participants_session_id_kind_fkey")


def test_nobody_sits_on_both_seats(db, exam):
    insert(db, "evaluation_sessions", exam.row("evaluation_sessions"))
    seat = exam.row("evaluation_session_participants") | {"session_id": "eval_sess_x", "kind": "proctored"}
    insert(db, "evaluation_session_participants", seat | {"role": "candidate"})

    with pytest.raises(Violation) as refused:
        insert(db, "evaluation_session_participants", seat | {"id": "eval_part_y", "role": "proctor"})

    assert refused.value.constraint == "evaluation_session_participants_session_id_agent_id_key"


def test_a_class_may_have_any_number_of_participants(db, exam):
    for agent in (exam.ada, exam.paul, exam.pia, exam.nora):
        insert(
            db,
            "evaluation_session_participants",
            exam.row("evaluation_session_participants") | {"id": f"eval_part_{agent.name}", "agent_id": agent.id},
        )


@pytest.mark.parametrize("seats", [(), ("proctor",), ("candidate",)])
def test_a_proctored_session_without_both_its_roles_is_refused_at_the_commit(database, seats):
    def unit(db: Connection) -> None:
        make.evaluation(db)
        ada = make.agent(db, "ada")
        row = {
            "id": "eval_sess_x",
            "evaluation_id": "good-manners",
            "kind": "proctored",
            "registration_id": make.registration(db, ada).id,
            "status": "active",
            "started_at": AT,
            "active_at": AT,
        }
        insert(db, "evaluation_sessions", row)
        for role in seats:
            seat = {"id": f"eval_part_{role}", "session_id": "eval_sess_x", "kind": "proctored", "agent_id": ada.id}
            insert(db, "evaluation_session_participants", seat | {"role": role, "joined_at": AT})

    with pytest.raises(Violation):
        database.write_now(unit)

    assert count(database, "evaluation_sessions") == 0


def test_a_seat_of_a_proctored_session_cannot_be_left(database):
    def claim(db: Connection) -> None:
        make.evaluation(db)
        make.claim(db, make.agent(db, "ada"), make.agent(db, "paul"))

    database.write_now(claim)

    with pytest.raises(Violation):
        database.write_now(
            lambda db: db.execute("DELETE FROM evaluation_session_participants WHERE role = 'candidate'")
        )

    assert count(database, "evaluation_session_participants") == 2


def test_a_class_needs_no_seats(database):
    def unit(db: Connection) -> None:
        make.evaluation(db)
        insert(db, "evaluation_sessions", a_class())

    database.write_now(unit)

    assert count(database, "evaluation_sessions") == 1


def count(database, table: str) -> int:
    return database.read_now(lambda db: db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


# Messages


def test_a_sequence_is_given_once_in_a_session(db, exam):
    insert(db, "evaluation_messages", exam.row("evaluation_messages"))

    with pytest.raises(Violation) as refused:
        insert(
            db,
            "evaluation_messages",
            exam.row("evaluation_messages") | {"id": "eval_msg_y", "sender_agent_id": exam.paul.id, "role": "proctor"},
        )

    assert refused.value.constraint == "evaluation_messages_session_id_sequence_key"


@pytest.mark.parametrize(
    ("sender", "role"),
    [("pia", "candidate"), ("pia", "participant"), ("ada", "proctor"), ("paul", "candidate"), ("paul", "participant")],
)
def test_only_participants_speak_and_only_in_their_own_role(db, exam, sender, role):
    with pytest.raises(Violation) as refused:
        insert(
            db,
            "evaluation_messages",
            exam.row("evaluation_messages") | {"sender_agent_id": getattr(exam, sender).id, "role": role},
        )

    assert refused.value.constraint in (UNNAMED, "evaluation_messages_sender_speaks_in_his_role")


# Results


def test_a_registration_has_one_result(db, exam):
    insert(db, "evaluation_results", exam.row("evaluation_results"))

    with pytest.raises(Violation) as refused:
        insert(db, "evaluation_results", exam.row("evaluation_results") | {"id": "eval_res_y"})

    assert refused.value.constraint == "evaluation_results_registration_id_key"


def test_a_result_names_the_session_of_its_own_registration(db, exam):
    row = exam.row("evaluation_results") | {"registration_id": exam.waiting.id, "agent_id": exam.pia.id}

    with pytest.raises(Violation) as refused:
        insert(db, "evaluation_results", row)

    assert refused.value.constraint in (UNNAMED, "evaluation_results_own_session_id_registration_id_fkey")


@pytest.mark.parametrize("change", [{"agent_id": "pia"}, {"evaluation_id": "tea-making"}])
def test_a_result_is_of_the_agent_and_the_evaluation_of_its_registration(db, exam, change):
    make.evaluation(db, id="tea-making", sip=8)
    change = {name: exam.pia.id if value == "pia" else value for name, value in change.items()}

    with pytest.raises(Violation) as refused:
        insert(db, "evaluation_results", exam.row("evaluation_results") | change)

    assert refused.value.constraint in (UNNAMED, "evaluation_results_registration_id_agent_id_evaluation_id_fkey")


def test_a_result_has_a_version(db, exam):
    with pytest.raises(Violation) as refused:
        insert(db, "evaluation_results", exam.row("evaluation_results") | {"evaluation_version": None})

    assert refused.value.constraint.endswith("evaluation_version")


def test_a_result_without_a_session_is_taken(db, exam):
    insert(db, "evaluation_results", exam.row("evaluation_results") | {"session_id": None, "proctor_agent_id": None})


# Keys


def test_a_key_belongs_to_one_agent(db, exam):
    insert(db, "agent_keys", exam.row("agent_keys"))

    with pytest.raises(Violation) as refused:
        insert(db, "agent_keys", exam.row("agent_keys") | {"id": "key_y", "agent_id": exam.paul.id})

    assert refused.value.constraint == "agent_keys_hash_key"


def test_columns_of_a_result_are_those_of_its_model(db):
    cursor = db.execute("SELECT * FROM evaluation_results")

    assert {column[0] for column in cursor.description} == set(Result.__struct_fields__) | {
        "own_session_id",
        "salts",
        "score_key",
    }


def test_an_agent_that_stands_in_a_transcript_cannot_vanish(db, exam):
    registering.cancel(db, "good-manners", exam.ada)

    with pytest.raises(Violation):
        db.execute("DELETE FROM agents WHERE id = ?", [exam.ada.id])
