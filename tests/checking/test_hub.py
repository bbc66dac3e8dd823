"""`viva check`: finds and names what was changed behind the hub's back, and nothing else."""

import json
import threading
from functools import partial

import pytest

from tests import make
from tests.checking.halls import check, examine, fill, found, one, tamper
from tests.exams import readings
from tests.hub import environment_without_settings, run_viva
from viva.exams import account_deletion, certifying
from viva.kit import event_retention, events
from viva.kit.db import Connection, Database
from viva.kit.signing_keys import rotate
from viva.maintaining import hiding
from viva.results import statements, store
from viva.results.voiding import void_result
from viva.sessions import chain


@pytest.fixture
def hall(database: Database) -> Database:
    database.write_now(fill)
    return database


def test_nothing_is_found_where_nothing_was_changed(hall: Database):
    report = check(hall)

    assert report.findings == []
    assert (report.checked["messages"], report.checked["results"], report.checked["statements"]) == (10, 3, 3)
    assert report.checked["events"] == one(hall, "SELECT count(*) FROM events") > 0
    assert report.checked["sums"] > 0


# Each change of a row, and what is said of it.
CHANGES = {
    "UPDATE evaluation_messages SET content = '', salt = NULL, content_hash = hash WHERE sequence = 2": {
        ("message", "The message is not as it was sent."),
    },
    "UPDATE evaluation_messages SET content = 'I never said that.' WHERE sequence = 2": {
        ("message", "The message is not as it was sent."),
    },
    "UPDATE evaluation_messages SET created_at = '2026-01-01T00:00:00.000000Z' WHERE sequence = 3": {
        ("message", "The message is not as it was sent."),
    },
    "DELETE FROM evaluation_messages WHERE sequence = 2": {
        ("message", "The message is not as it was sent."),
        ("session", "A message is missing before this sequence."),
    },
    "DELETE FROM evaluation_messages WHERE sequence = 3": {
        ("session", "The last messages are missing."),
        ("statement", "The transcript is not as it was signed."),
    },
    "DELETE FROM evaluation_messages": {
        ("session", "All messages are missing."),
        ("statement", "The transcript is not as it was signed."),
    },
    "UPDATE evaluation_results SET proctor_feedback = 'Changed.'": {
        ("result", "The proctor_feedback_hash is not as it was signed."),
    },
    "UPDATE result_statements SET signature = '" + "0" * 128 + "'": {("statement", "The signature does not hold.")},
    "DELETE FROM result_statements": {("result", "Nothing was signed about this result.")},
    "UPDATE signing_keys SET public_key = '00'": {("key", "The public key is another one.")},
    "UPDATE events SET account_id = 'agent_other' WHERE action = 'claim.opened'": {
        ("event", "The event is not as it was recorded."),
    },
    "DELETE FROM events WHERE action = 'result.kept'": {
        ("event", "The event is missing."),
        ("result", "The log has no event result.kept about it."),
    },
    "DELETE FROM event_chain WHERE position = 3": {
        ("event", "Links are missing before this one."),
        ("event", "The event is not as it was recorded."),
        ("event", "The event is not in the chain."),
    },
    "UPDATE agents SET name = 'adele' WHERE name = 'ada lovelace'": {
        ("agent", "The name is not the last one that was given."),
    },
    "UPDATE agent_names SET name = 'beata' WHERE name = 'bea'": {
        ("agent", "A name is not as it was recorded."),
        ("agent", "The name is not the last one that was given."),
        ("result", "The agent's name is not as it was signed."),
    },
    "UPDATE evaluation_tallies SET passed = passed + 1": {("sum", "The sum passed is wrong.")},
    "UPDATE evaluation_standings SET attempts = 7": {("sum", "The sum attempts is wrong.")},
    "DELETE FROM evaluation_group_tallies": {("sum", "A row is missing.")},
    "UPDATE evaluation_criterion_tallies SET met = 9": {("sum", "The sum met is wrong.")},
    "UPDATE agents SET points = 1000 WHERE name = 'bea'": {("agent", "The sum points is wrong.")},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_found_and_named(hall: Database, change: str):
    tamper(hall, change)

    assert found(check(hall)) == CHANGES[change]


def test_a_changed_score_is_named_with_both_values(hall: Database):
    tamper(hall, "UPDATE evaluation_results SET score = 99 WHERE score = 40")

    (signed,) = [finding for finding in check(hall).findings if finding.subject == "result"]
    assert signed.id == one(hall, "SELECT id FROM evaluation_results WHERE score = 99")
    assert (signed.sentence, signed.expected, signed.found) == ("The score is not as it was signed.", 40, 99)


def test_a_changed_message_is_named(hall: Database):
    tamper(hall, "UPDATE evaluation_messages SET prompt_id = 'other' WHERE content = 'Hello.'")

    (finding,) = check(hall).findings
    assert finding.id == one(hall, "SELECT id FROM evaluation_messages WHERE content = 'Hello.'")


def test_a_chain_that_was_computed_again_does_not_fit_its_result(hall: Database):
    session_id = one(hall, "SELECT session_id FROM evaluation_results WHERE score = 40")
    tamper(hall, f"UPDATE evaluation_messages SET content = 'New.' WHERE session_id = '{session_id}' AND sequence = 2")
    hall.write_now(lambda db: chain.chain_again(db, session_id))

    assert found(check(hall)) == {("statement", "The transcript is not as it was signed.")}


def test_what_the_rules_allow_raises_no_alarm(hall: Database):
    """A new key, a second statement, an erased and a hidden text, a hidden name, a deleted account."""
    hall.write_now(rotate)
    result_id = one(hall, "SELECT min(id) FROM evaluation_results")
    message_id, other_id = (one(hall, f"SELECT {place}(id) FROM evaluation_messages") for place in ("min", "max"))
    hall.write_now(lambda db: reread(db, result_id))
    for hidden_id in (message_id, other_id):
        hall.write_now(partial(hiding.hide, subject_type="message", subject_id=hidden_id, reason="Advertising."))
    hall.write_now(lambda db: hiding.erase(db, "message", message_id))
    hall.write_now(lambda db: hiding.hide(db, "name", make.found_agent(db, "paul").id, "An insult."))
    hall.write_now(lambda db: account_deletion.delete_account(db, make.found_agent(db, "bea")))
    make.together(*(lambda n=n: hall.write_now(lambda db: make.agent(db, f"agent {n}")) for n in range(4)))

    report = check(hall)
    assert report.findings == []
    assert (report.checked["keys"], report.checked["statements"]) == (2, 4)
    assert report.checked["hidden messages"] == 2


def reread(db: Connection, result_id: str) -> None:
    """What a second reading signs and records, if it changes the result."""
    statements.state(db, store.get(db, result_id), "second_reading")
    events.record(db, "result.reread", "result", result_id, decision="changed")


def test_a_void_result_is_signed_again_and_has_no_certificate(hall: Database):
    result_id = one(hall, "SELECT id FROM evaluation_results WHERE score = 90")
    assert hall.read_now(lambda db: certifying.get_certificate(db, result_id, None)).result.score == 90

    hall.write_now(lambda db: void_result(db, result_id, None, "The proctor was not awake."))

    report = check(hall)
    assert (report.findings, report.checked["statements"]) == ([], 4)
    with pytest.raises(certifying.NotOfficial):
        hall.read_now(lambda db: certifying.get_certificate(db, result_id, None))


def test_an_open_second_reading_is_no_change(hall: Database):
    hall.write_now(lambda db: db.execute("UPDATE evaluation_results SET second_reading = 'open'"))

    assert check(hall).findings == []


CHANGED_VERDICTS = {
    "UPDATE blind_verdicts SET score = 91 WHERE place = 2": "The verdict at place 2 is not as it was recorded.",
    "UPDATE blind_verdicts SET passed = NOT passed WHERE place = 3": "The verdict at place 3 is not as it was recorded.",
    "DELETE FROM blind_verdicts WHERE place = 3": "The verdict at place 3 is not as it was recorded.",
    "UPDATE second_readings SET first_score = 7": "The verdict at place 1 is not as it was recorded.",
    """UPDATE second_readings SET first = '{"passed": true, "score": 10, "max_score": 100, "points_earned": 0,
        "result_data": null, "proctor_agent_id": null, "proctor_feedback": null}'""": (
        "The verdict at place 1 is not as it was recorded."
    ),
}


@pytest.mark.parametrize("change", CHANGED_VERDICTS)
def test_a_changed_verdict_of_a_second_reading_is_named(database: Database, change: str):
    database.write_now(read_twice)
    assert check(database).findings == []

    tamper(database, change)

    (finding,) = check(database).findings
    assert (finding.subject, finding.sentence) == ("reading", CHANGED_VERDICTS[change])
    assert finding.id == one(database, "SELECT id FROM second_readings")


def read_twice(db: Connection) -> None:
    """A verdict of not passed that two markers have read again."""
    readings.evaluation(db)
    result = readings.decided(db, make.agent(db, "ada"), make.agent(db, "paul"), passed=False)
    for name in ("pia", "paz"):
        readings.read_again(db, readings.open_reading_of(db, result), make.agent(db, name), True)


@pytest.mark.slow
def test_a_running_hub_raises_no_alarm(hall: Database):
    """Exams run while everything is checked again and again."""
    stop = threading.Event()
    faults: list[Exception] = []

    def run_exams(name: str) -> None:
        try:
            ada, paul = hall.write_now(lambda db: (make.agent(db, f"ada {name}"), make.agent(db, f"paul {name}")))
            while not stop.is_set():
                hall.write_now(partial(examine, candidate=ada, proctor=paul, passed=True, score=50))
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=run_exams, args=[name]) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    reports = [check(hall) for _ in range(3)]
    stop.set()
    for thread in threads:
        thread.join(timeout=60)

    assert faults == []
    assert [report.findings for report in [*reports, check(hall)]] == [[], [], [], []]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_command_lists_what_differs(hall: Database, tmp_path):
    url = f"sqlite:///{hall.path}"  # type: ignore[attr-defined]  # of SqliteDatabase
    settings = environment_without_settings() | {"VIVA_DATA_DIR": str(tmp_path), "VIVA_DATABASE_URL": url}
    before = run_viva(["check"], settings)
    tamper(hall, "UPDATE evaluation_results SET score = 99 WHERE score = 40")

    after, as_json = run_viva(["check"], settings), run_viva(["check", "--json"], settings)

    assert (before.returncode, before.stderr) == (0, "")
    assert before.stdout.endswith("Everything is as it was signed and counted.\n")
    assert (after.returncode, as_json.returncode) == (1, 1)
    assert "The score is not as it was signed. Expected 40, found 99." in after.stdout
    assert any(finding["found"] == 99 for finding in json.loads(as_json.stdout)["findings"])


def test_feedback_that_begins_like_the_line_of_a_hidden_text_is_signed(hall: Database):
    """Only what a maintainer has hidden has no hash."""
    result_id = hall.write_now(
        lambda db: make.result(db, make.agent(db, "carl"), make.agent(db, "pia"), feedback="Hidden by no means.").id
    )
    assert check(hall).findings == []

    tamper(hall, f"UPDATE evaluation_results SET proctor_feedback = 'Hidden by all means.' WHERE id = '{result_id}'")

    assert found(check(hall)) == {("result", "The proctor_feedback_hash is not as it was signed.")}


def test_feedback_hidden_before_the_log_begins_raises_no_alarm(hall: Database):
    """An earlier release deleted the event that said so."""
    result_id = one(hall, "SELECT id FROM evaluation_results WHERE score = 90")
    hall.write_now(lambda db: hiding.hide(db, "feedback", result_id, "Advertising."))
    hall.write_now(lambda db: hiding.erase(db, "feedback", result_id))
    hall.write_now(lambda db: make.agent(db, "carl"))
    hall.write_now(event_retention.sign_daily)
    hall.write_now(lambda db: event_retention.delete_old(db, 0))
    assert check(hall).findings == []
    kept = "SELECT id FROM events WHERE subject_type = 'feedback'"
    tamper(hall, f"DELETE FROM event_chain WHERE event_id >= ({kept})", f"DELETE FROM events WHERE id >= ({kept})")

    assert {finding.subject for finding in check(hall).findings} <= {"key"}
