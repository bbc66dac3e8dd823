"""Events that are deleted behind a checkpoint: a check finds nothing before it, and everything after it."""

import pytest

from tests import make
from tests.checking.halls import check, examine, fill, found, one, tamper
from viva.exams import certifying
from viva.kit import event_retention, signing_keys
from viva.kit.db import Connection, Database, T, UnitOfWork, Violation
from viva.kit.event_chain import is_genuine, sign_head
from viva.maintaining import hiding

LATER_SECRET = b"another secret of the hub"
CERTIFIED = "SELECT id FROM evaluation_results WHERE score = 90"


@pytest.fixture
def hall(database: Database) -> Database:
    """A hub with exams, an erased message and a hidden name, and a checkpoint behind them. Then something more happens."""
    database.write_now(fill)
    message_id = one(database, "SELECT max(id) FROM evaluation_messages")
    database.write_now(lambda db: hiding.hide(db, "message", message_id, "Advertising."))
    database.write_now(lambda db: hiding.erase(db, "message", message_id))
    database.write_now(lambda db: hiding.hide(db, "name", make.found_agent(db, "paul").id, "An insult."))
    carl, pia = database.write_now(lambda db: (make.agent(db, "carl"), make.agent(db, "pia")))
    assert [database.write_now(event_retention.sign_daily) for _ in range(2)] == [1, 0]
    database.write_now(lambda db: examine(db, carl, pia, True, 70))
    return database


def sweep(database: Database) -> int:
    """One sweep that deletes whatever stands before a checkpoint."""
    return database.write_now(lambda db: event_retention.delete_old(db, 0))


def test_results_names_and_certificates_lose_nothing(hall: Database):
    before = one(hall, "SELECT count(*) FROM events")
    head = one(hall, "SELECT max(position) FROM event_chain")

    deleted = sweep(hall)

    assert deleted == one(hall, "SELECT position - 1 FROM event_checkpoints") > 0
    kept = one(hall, "SELECT count(*) FROM events WHERE action = 'event.kept'")
    assert kept == 3  # of the erased message, the hidden name and the signing key
    assert one(hall, "SELECT count(*) FROM events") == before - deleted + kept
    assert one(hall, "SELECT max(position) FROM event_chain") == head + kept
    assert sweep(hall) == 0
    report = check(hall)
    assert (report.findings, report.checked["events"]) == ([], before - deleted + kept)
    result_id = one(hall, CERTIFIED)
    assert hall.read_now(lambda db: certifying.get_certificate(db, result_id, None)).result.score == 90
    assert is_genuine(hall.read_now(lambda db: sign_head(db, signing_keys.get_current(db))))


AFTER = "id = (SELECT max(id) FROM events WHERE action <> 'event.kept')"


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (
            f"UPDATE events SET account_id = 'agent_other' WHERE {AFTER}",
            ("event", "The event is not as it was recorded."),
        ),
        (f"DELETE FROM events WHERE {AFTER}", ("event", "The event is missing.")),
        (
            "DELETE FROM event_chain WHERE position = (SELECT min(position) FROM event_chain)",
            ("event", "The events before this one are missing."),
        ),
        (
            "UPDATE event_chain SET hash = '" + "1" * 64 + "' WHERE position = (SELECT min(position) FROM event_chain)",
            ("event", "The event is not as it was recorded."),
        ),
        ("UPDATE event_checkpoints SET hash = '" + "1" * 64 + "'", ("checkpoint", "The signature does not hold.")),
        ("UPDATE evaluation_results SET score = 91 WHERE score = 90", ("result", "The score is not as it was signed.")),
    ],
)
def test_a_change_after_the_start_is_found(hall: Database, change: str, finding: tuple[str, str]):
    sweep(hall)

    tamper(hall, change)

    assert finding in found(check(hall))


def test_a_sweep_that_was_killed_between_two_steps_leaves_a_log_that_verifies(hall: Database, monkeypatch):
    monkeypatch.setattr(event_retention, "EVENTS_DELETED_PER_SWEEP", 5)

    certified, steps = one(hall, CERTIFIED), 0
    while deleted := sweep(hall):
        steps += 1
        assert deleted <= 5
        assert check(hall).findings == []
        assert hall.read_now(lambda db: certifying.get_certificate(db, certified, None))

    assert steps > 2
    assert one(hall, "SELECT count(*) FROM events WHERE action = 'event.kept'") == 3


def test_two_sweeps_at_once_delete_each_event_once(hall: Database):
    expected = one(hall, "SELECT position - 1 FROM event_checkpoints")
    deleted: list[int] = []

    assert make.together(*[lambda: deleted.append(sweep(hall))] * 4) == [None] * 4

    assert sorted(deleted) == [0, 0, 0, expected]
    assert one(hall, "SELECT count(*) FROM events WHERE action = 'event.kept'") == 3
    assert check(hall).findings == []


def test_what_was_recorded_again_is_recorded_again_with_the_words_of_the_first_event(hall: Database):
    name = "SELECT data FROM events WHERE subject_type = 'name'"
    sweep(hall)
    first = one(hall, name)
    tamper(hall, "UPDATE event_checkpoints SET made_at = '2026-01-01T00:00:00.000000Z'")
    hall.write_now(event_retention.sign_daily)
    hall.write_now(lambda db: make.agent(db, "dora"))

    assert sweep(hall) > 0

    assert '"recorded":"text.hidden"' in first
    assert one(hall, name) == first
    assert one(hall, "SELECT count(*) FROM events WHERE subject_type = 'name'") == 1


@pytest.mark.parametrize(
    ("table", "where", "constraint"),
    [
        ("events", "id = (SELECT max(id) FROM events)", "events_are_append_only"),
        ("event_chain", "position = 1", "event_chain_append_only"),  # its event is there
        ("event_chain", "position = (SELECT max(position) FROM event_chain)", "event_chain_append_only"),
    ],
)
def test_the_schema_keeps_what_no_checkpoint_stands_for(hall: Database, table: str, where: str, constraint: str):
    with pytest.raises(Violation) as refused:
        hall.write_now(lambda db: db.execute(f"DELETE FROM {table} WHERE {where}"))

    assert refused.value.constraint == constraint


def test_a_key_of_an_earlier_secret_stays_the_hubs_and_that_of_a_stranger_does_not_become_it(database: Database):
    def run(secret: bytes, work: UnitOfWork[T]) -> T:
        def unit(db: Connection) -> T:
            db.secret = secret
            return work(db)

        return database.write_now(unit)

    earlier = run(make.HALL.secret, signing_keys.ensure_current)
    database.write_now(lambda db: make.agent(db, "ada"))
    current = run(LATER_SECRET, signing_keys.ensure_current)
    strangers: set[str] = set()
    for _ in range(2):
        tamper(database, "UPDATE event_checkpoints SET made_at = '2026-01-01T00:00:00.000000Z'")
        assert run(LATER_SECRET, event_retention.sign_daily) == 1
        assert run(LATER_SECRET, lambda db: event_retention.delete_old(db, 0)) > 0

        strangers.add(run(b"the secret of somebody else", signing_keys.rotate).id)
        own = run(LATER_SECRET, signing_keys.list_own)
        assert {earlier.id, current.id} <= own
        assert not strangers & own
