"""Rights that somebody changed in the database: `viva check` names them, if the log can tell."""

import pytest

from tests import make
from tests.checking.halls import check, found, tamper
from viva.agents.model import Agent
from viva.exams import account_deletion
from viva.kit import event_retention
from viva.kit.db import Connection, Database
from viva.kit.signing_keys import ensure_current
from viva.maintaining import appointing, rights, verifying

NOT_SAID = "The account is {}, and the log does not say so."
NOT_SO = "By the log the account is {}, and it is not."
OTHER_OWNER = "The verified owner is not the one that was confirmed."


def fill(db: Connection) -> None:
    """Mary maintains, moss did; paul may examine in one evaluation, pia did; some have owners; dora had every right."""
    make.evaluation(db)
    ensure_current(db)
    people: dict[str, Agent] = {name: make.agent(db, name) for name in (*CHANGES, "dora")}
    for name in ("mary", "moss"):
        rights.appoint_maintainer(db, people[name])
    rights.dismiss_maintainer(db, make.found_agent(db, "moss"))
    for name in ("paul", "pia"):
        appointing.appoint(db, people[name], "good-manners")
    appointing.dismiss(db, people["pia"], "good-manners")
    for name in ("ada", "bea", "eve", "fay", "gus", "dora"):
        verifying.verify(db, people[name], f"{name}'s house")
    appointing.appoint(db, people["dora"], None)
    rights.appoint_maintainer(db, people["dora"])
    account_deletion.delete_account(db, make.found_agent(db, "dora"))


@pytest.fixture
def hall(database: Database) -> Database:
    database.write_now(fill)
    return database


def appoint_by_hand(name: str, evaluation: str) -> str:
    return (
        f"INSERT INTO proctor_appointments SELECT id, {evaluation}, NULL, created_at FROM agents WHERE name = '{name}'"
    )


# What was changed by hand of whom, and what is said of it.
CHANGES = {
    "ada": ("UPDATE agents SET is_maintainer = TRUE WHERE name = 'ada'", NOT_SAID.format("a maintainer")),
    "moss": ("UPDATE agents SET is_maintainer = TRUE WHERE name = 'moss'", NOT_SAID.format("a maintainer")),
    "mary": ("UPDATE agents SET is_maintainer = FALSE WHERE name = 'mary'", NOT_SO.format("a maintainer")),
    "paul": (
        "DELETE FROM proctor_appointments WHERE evaluation_id IS NOT NULL",
        NOT_SO.format("an appointed proctor for good-manners"),
    ),
    "pia": (
        appoint_by_hand("pia", "'good-manners'"),
        NOT_SAID.format("an appointed proctor for good-manners"),
    ),
    "rob": (appoint_by_hand("rob", "NULL"), NOT_SAID.format("an appointed proctor for the whole hub")),
    "carl": ("UPDATE agents SET verified_owner = 'me' WHERE name = 'carl'", NOT_SAID.format("verified")),
    "bea": ("UPDATE agents SET verified_owner = NULL WHERE name = 'bea'", NOT_SO.format("verified")),
    "eve": ("UPDATE agents SET verified_owner = 'me' WHERE name = 'eve'", OTHER_OWNER),
    "fay": ("UPDATE agents SET owner_key = 'f00d' WHERE name = 'fay'", OTHER_OWNER),
    "gus": (
        """
        UPDATE agents SET verified_owner = 'ada''s house',
            owner_key = (SELECT o.owner_key FROM agents o WHERE o.name = 'ada') WHERE name = 'gus'
        """,
        OTHER_OWNER,
    ),
}


def test_rights_that_were_changed_by_hand_are_named_with_their_accounts(hall: Database):
    assert check(hall).findings == []

    tamper(hall, *(change for change, _ in CHANGES.values()))

    names = dict(hall.read_now(lambda db: db.execute("SELECT id, name FROM agents").fetchall()))
    assert {names[finding.id]: finding.sentence for finding in check(hall).findings} == {
        name: sentence for name, (_, sentence) in CHANGES.items()
    }


def test_a_database_from_before_the_log_raises_no_alarm(hall: Database):
    tamper(hall, "DELETE FROM event_chain", "DELETE FROM events")

    assert said_of_agents(hall) == set()


def test_an_owner_stays_the_confirmed_one_under_a_new_secret(hall: Database):
    hall.secret = b"another secret of the hub"
    hall.write_now(ensure_current)

    assert check(hall).findings == []


def test_what_the_log_said_of_rights_outlives_its_old_events(hall: Database):
    """Also where a right changed between two sweeps, and both events were recorded again."""
    for day in (1, 2):
        assert hall.write_now(event_retention.sign_daily) == 1
        hall.write_now(lambda db: rights.appoint_maintainer(db, make.found_agent(db, "moss")))
        hall.write_now(lambda db: rights.dismiss_maintainer(db, make.found_agent(db, "moss")))
        assert hall.write_now(lambda db: event_retention.delete_old(db, 0)) > 0
        assert said_of_agents(hall) == set()
        newest = "position = (SELECT max(position) FROM event_checkpoints)"
        tamper(hall, f"UPDATE event_checkpoints SET made_at = '2026-01-0{day}T00:00:00.000000Z' WHERE {newest}")

    tamper(hall, *(CHANGES[name][0] for name in ("moss", "mary", "paul", "eve")))

    assert said_of_agents(hall) == {CHANGES[name][1] for name in ("moss", "mary", "paul", "eve")}


def said_of_agents(hall: Database) -> set[str]:
    return {sentence for subject, sentence in found(check(hall)) if subject == "agent"}
