"""What somebody could change who owns the database, but not the secret: `viva check` names it, and no certificate holds."""

import json
from collections.abc import Callable

import pytest

from tests import make
from tests.checking.halls import check, fill, found, one, recount_all, unguarded
from viva.checking.files import verify_document
from viva.exams.certifying import ResultChanged, get_certificate, issue
from viva.kit import events
from viva.kit.canonical_json import canonical_json
from viva.kit.db import Connection, Database
from viva.kit.event_chain import LINKED_COLUMNS, add_checkpoint, link
from viva.kit.signing import PrivateKey, derive_key
from viva.maintaining import hiding
from viva.results import statements
from viva.results.voiding import void_result
from viva.sessions import chain

Attack = Callable[[Connection, str], None]
STRANGER = derive_key(b"the secret of somebody else", 1)


def of_result(change: str) -> Attack:
    """A change of rows by SQL that may name the result and its session."""

    def attack(db: Connection, result_id: str) -> None:
        (session_id,) = db.execute("SELECT session_id FROM evaluation_results WHERE id = ?", [result_id]).fetchone()
        for statement in change.split(";"):
            db.execute(statement.replace("RESULT", f"'{result_id}'").replace("SESSION", f"'{session_id}'"))

    return attack


def rename(db: Connection, result_id: str) -> None:
    """Put another name in each place where the candidate's stands."""
    (agent_id,) = db.execute("SELECT agent_id FROM evaluation_results WHERE id = ?", [result_id]).fetchone()
    db.execute("UPDATE agent_names SET name = 'forged' WHERE agent_id = ?", [agent_id])
    db.execute("UPDATE agents SET name = 'forged' WHERE id = ?", [agent_id])


def forget_names(db: Connection, result_id: str) -> None:
    """Pose as an account that was deleted, but keep the name."""
    of_result("DELETE FROM agent_names WHERE agent_id = (SELECT agent_id FROM evaluation_results WHERE id = RESULT)")(
        db, result_id
    )


def take_back_void(db: Connection, result_id: str) -> None:
    before = db.execute("SELECT points_earned FROM evaluation_results WHERE id = ?", [result_id]).fetchone()
    void_result(db, result_id, None, "The proctor was asleep.")
    db.execute("DELETE FROM result_statements WHERE result_id = ? AND number = 2", [result_id])
    db.execute(
        """
        UPDATE evaluation_results SET official = TRUE, official_reasons = '[]', points_earned = ?, voided_at = NULL,
            void_reason = NULL WHERE id = ?
        """,
        [*before, result_id],
    )


def sign_with(key: PrivateKey, db: Connection, result_id: str) -> None:
    """Write the result anew, signed by another key."""
    (statement,) = db.execute("SELECT statement FROM result_statements WHERE result_id = ?", [result_id]).fetchone()
    changed = canonical_json(json.loads(statement) | {"score": 99})
    db.execute(
        "UPDATE result_statements SET statement = ?, signature = ?, key_id = ? WHERE result_id = ?",
        [changed, key.sign(changed.encode()).hex(), key.id, result_id],
    )
    db.execute("UPDATE evaluation_results SET score = 99 WHERE id = ?", [result_id])


def sign_as_stranger(has_event: bool = False) -> Attack:
    def attack(db: Connection, result_id: str) -> None:
        db.execute(
            "INSERT INTO signing_keys (id, number, public_key, made_at, retired_at) SELECT ?, 9, ?, made_at, made_at FROM signing_keys LIMIT 1",
            [STRANGER.id, STRANGER.public_key.hex()],
        )
        if has_event:
            events.record(db, "signing_key.rotated", "signing_key", STRANGER.id, number=9)
        sign_with(STRANGER, db, result_id)

    return attack


def cut_log(db: Connection, result_id: str) -> None:
    """Cut off the end of the log, from the verdict on."""
    (first,) = db.execute(
        "SELECT id FROM events WHERE action = 'result.kept' AND subject_id = ?", [result_id]
    ).fetchone()
    db.execute("DELETE FROM event_chain WHERE event_id >= ?", [first])
    db.execute("DELETE FROM events WHERE id >= ?", [first])


def forge_text(db: Connection, result_id: str, text: str, hidden_at: str | None) -> None:
    """Put a text in the place of another one, whose hash stays."""
    (message_id,) = db.execute(
        """
        SELECT id FROM evaluation_messages WHERE sequence = 2
            AND session_id = (SELECT session_id FROM evaluation_results WHERE id = ?)
        """,
        [result_id],
    ).fetchone()
    chain.take_salt(db, message_id)
    db.execute("UPDATE evaluation_messages SET content = ?, hidden_at = ? WHERE id = ?", [text, hidden_at, message_id])


def pose(field: str, text: str | None) -> Attack:
    """Pose as a text of the result that was hidden or erased."""

    def attack(db: Connection, result_id: str) -> None:
        statements.erase_salt(db, result_id, field)
        db.execute(f"UPDATE evaluation_results SET {field} = ? WHERE id = ?", [text, result_id])

    return attack


def hide_show_and_pose(db: Connection, result_id: str) -> None:
    """What was hidden once is not hidden now."""
    hiding.hide(db, "feedback", result_id, "Advertising.")
    hiding.show_again(db, "feedback", result_id)
    pose("proctor_feedback", LINE)(db, result_id)


LINE = "Hidden by mary on 2026-01-01. Reason: Advertising."
FEEDBACK_GONE = ("result", "The proctor_feedback is gone, and the log does not say that anybody hid it.")
AS_SENT = ("message", "The message is not as it was sent.")
SCORE_IN_LOG = ("result", "The score is not as it was recorded.")
FOREIGN = {
    ("key", "The hub has not made this key."),
    ("statement", "The key that signed it is not the hub's."),
    SCORE_IN_LOG,
}
NAME_SIGNED = ("result", "The agent's name is not as it was signed.")
# Each attack on a result that was passed, and what is said of it.
ATTACKS: dict[str, tuple[Attack, set[tuple[str, str]]]] = {
    "message": (
        of_result("UPDATE evaluation_messages SET content = 'Never.' WHERE session_id = SESSION AND sequence = 2"),
        {AS_SENT},
    ),
    "message with an old hash": (lambda db, id_: forge_text(db, id_, "I admit it.", None), {AS_SENT}),
    "message that says it is hidden": (
        lambda db, id_: forge_text(db, id_, "Hidden by mary. I admit it.", "2026-01-01T00:00:00.000000Z"),
        {AS_SENT},
    ),
    "feedback that says it is hidden": (pose("proctor_feedback", LINE), {FEEDBACK_GONE}),
    "feedback that is empty": (pose("proctor_feedback", None), {FEEDBACK_GONE}),
    "feedback that was hidden and shown": (hide_show_and_pose, {FEEDBACK_GONE}),
    "model that says it is hidden": (
        pose("agent_model", LINE),
        {("result", "The agent_model is gone, and the log does not say that anybody hid it.")},
    ),
    "score": (
        of_result("UPDATE evaluation_results SET score = 99 WHERE id = RESULT"),
        {("result", "The score is not as it was signed.")},
    ),
    "name": (rename, {NAME_SIGNED, ("agent", "A name is not as it was recorded.")}),
    "deleted name": (
        forget_names,
        {
            NAME_SIGNED,
            ("agent", "A name is not as it was recorded."),
            ("agent", "The name is not the last one that was given."),
        },
    ),
    "event": (
        of_result("UPDATE events SET account_id = 'agent_other' WHERE action = 'result.kept' AND subject_id = RESULT"),
        {("event", "The event is not as it was recorded.")},
    ),
    "deleted event": (
        of_result("DELETE FROM events WHERE action = 'result.kept' AND subject_id = RESULT"),
        {("event", "The event is missing."), ("result", "The log has no event result.kept about it.")},
    ),
    "cut log": (cut_log, {("result", "The log has no event result.kept about it.")}),
    "removed statement": (
        take_back_void,
        {("result", "A statement is missing: the log has more events result.voided.")},
    ),
    "foreign key": (sign_as_stranger(), FOREIGN),
    "foreign key in the log": (sign_as_stranger(has_event=True), FOREIGN),
}


@pytest.fixture
def hall(database: Database) -> Database:
    database.write_now(fill)
    return database


def link_new(db: Connection) -> None:
    """Link the new events, as the schema does on PostgreSQL where it guards the rows."""
    columns = ", ".join(LINKED_COLUMNS)
    newest = "(SELECT coalesce(max(event_id), 0) FROM event_chain)"
    for event in db.execute(f"SELECT {columns} FROM events WHERE id > {newest} ORDER BY id").fetchall():
        link(db, event)


def attack_by(attack: Attack, result_id: str) -> Callable[[Connection], None]:
    def work(db: Connection) -> None:
        with unguarded(db):
            attack(db, result_id)
            link_new(db)
            recount_all(db)

    return work


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_named_and_no_certificate_holds(hall: Database, name: str):
    attack, sentences = ATTACKS[name]
    result_id = one(hall, "SELECT id FROM evaluation_results WHERE score = 90")
    certified = hall.read_now(lambda db: issue(db, make.HALL, get_certificate(db, result_id, None)))
    assert all(line.level != "wrong" for line in verify_document(certified))

    hall.write_now(attack_by(attack, result_id))

    assert found(check(hall)) == sentences
    with pytest.raises(ResultChanged) as refused:
        hall.read_now(lambda db: get_certificate(db, result_id, None))
    assert any(sentence in str(refused.value) for _, sentence in sentences)


def test_a_deleted_result_is_named(hall: Database):
    result_id = one(hall, "SELECT id FROM evaluation_results WHERE score = 90")
    gone = ("evaluation_standings WHERE result_id", "result_statements WHERE result_id", "evaluation_results WHERE id")

    hall.write_now(attack_by(of_result(";".join(f"DELETE FROM {place} = RESULT" for place in gone)), result_id))

    report = check(hall)
    assert found(report) == {("result", "The result is missing."), ("attempt", "The attempt has no result.")}
    assert [finding.id for finding in report.findings if finding.subject == "result"] == [result_id]


def test_a_checkpoint_of_a_stranger_is_named(hall: Database):
    def attack(db: Connection, result_id: str) -> None:
        sign_as_stranger()(db, result_id)
        add_checkpoint(db, STRANGER)

    hall.write_now(attack_by(attack, one(hall, "SELECT id FROM evaluation_results WHERE score = 90")))

    assert found(check(hall)) == FOREIGN | {("checkpoint", "The key that signed it is not the hub's.")}
