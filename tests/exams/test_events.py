"""What the event log says of each thing that is done, and in whose name."""

import pytest

from tests import make
from tests.exams import certification
from tests.exams.certification import FULL, fair, mark
from tests.exams.test_marking import judged, work
from tests.exams.test_simple import ACCOUNT, ada_in, by_link, confirm, start, submit
from tests.values import require
from viva.agents import access, accounts, names
from viva.agents import store as agents
from viva.evaluations import catalogue
from viva.exams import account_deletion, proctoring
from viva.kit.actors import WORKER, Actor
from viva.kit.db import Connection
from viva.kit.events import Event, act_as, list_events
from viva.kit.signing_keys import ensure_current

EXAM = "good-manners"


def newest(db: Connection) -> Event:
    return list_events(db, 1, None).items[0]


def actions(db: Connection) -> list[str]:
    """What was done, oldest first."""
    return [event.action for event in reversed(list_events(db, 200, None).items)]


@pytest.fixture
def caller(db) -> Actor:
    """Paul, who has called the API with his key."""
    account = accounts.register(db, "paul", "")
    db.actor = Actor("api", address_hash="f00d")
    access.caller(db, account.key.text)
    return Actor("api", account.agent.id, account.key.prefix, "f00d")


def by(event: Event) -> Actor:
    return Actor(event.via, event.account_id, event.key_prefix, event.address_hash)


# Accounts and keys


def test_an_agent_is_registered_with_its_first_key(db):
    account = accounts.register(db, "ada", "")

    event = newest(db)
    assert (event.action, event.subject_type, event.subject_id) == ("agent.registered", "agent", account.agent.id)
    assert event.data == {"key_prefix": account.key.prefix, "name_hash": names.list_names(db, account.agent.id)[0].hash}
    assert by(event) == Actor("hub")


def test_a_rename_leaves_no_name_in_the_log(db, caller):
    paul = agents.get(db, require(caller.account_id))

    accounts.change(db, paul, "Saul of Tarsus", None)

    event = newest(db)
    name_hash = names.list_names(db, paul.id)[0].hash
    assert (event.action, event.subject_id, event.data) == ("agent.renamed", paul.id, {"name_hash": name_hash})
    assert by(event) == caller


def test_a_new_description_is_no_event(db, caller):
    accounts.change(db, agents.get(db, require(caller.account_id)), None, "Another one.")

    assert actions(db) == ["agent.registered"]


def test_a_key_is_rotated(db):
    account = accounts.register(db, "ada", "")

    new = accounts.rotate(db, account.agent, account.key)

    assert (newest(db).action, newest(db).subject_id) == ("key.rotated", account.agent.id)
    assert newest(db).data == {"revoked": account.key.prefix, "made": new.prefix}


def test_keys_are_revoked_once(db):
    account = accounts.register(db, "ada", "")

    accounts.revoke_keys(db, account.agent)
    accounts.revoke_keys(db, account.agent)

    assert actions(db) == ["agent.registered", "key.revoked"]
    assert (newest(db).subject_id, newest(db).data) == (account.agent.id, {"keys": 1})


def test_a_maintainer_is_made_anew_or_of_an_agent(db):
    mary = accounts.promote(db, "mary")
    assert actions(db) == ["agent.registered", "maintainer.made", "key.made"]
    assert (newest(db).subject_id, newest(db).data) == (mary.agent.id, {"key_prefix": mary.key.prefix})

    accounts.promote(db, "mary")
    assert actions(db)[3:] == ["key.revoked", "maintainer.made", "key.made"]


def test_an_account_is_deleted_after_its_claims_are_released(db):
    make.evaluation(db)
    paul = make.agent(db, "paul")
    make.claim(db, make.agent(db, "ada"), paul)

    account_deletion.delete_account(db, paul)

    assert actions(db)[-2:] == ["claim.released", "agent.deleted"]
    assert (newest(db).subject_type, newest(db).subject_id) == ("agent", paul.id)


# Claims and results


@pytest.fixture
def waiting(db) -> str:
    """A registration that waits for a proctor."""
    make.evaluation(db)
    return make.registration(db, make.agent(db, "ada")).id


def test_a_claim_is_opened_and_released(db, caller, waiting):
    paul = agents.get(db, require(caller.account_id))

    session = proctoring.claim(db, EXAM, waiting, paul).session
    opened = newest(db)
    proctoring.release(db, EXAM, waiting, paul)
    released = newest(db)

    assert (opened.action, released.action) == ("claim.opened", "claim.released")
    for event in (opened, released):
        assert (event.subject_type, event.subject_id) == ("session", session.id)
        assert event.data == {"registration_id": waiting}
        assert by(event) == caller


def test_a_claim_lapses_by_the_sweep(db, caller, waiting):
    session = proctoring.claim(db, EXAM, waiting, agents.get(db, require(caller.account_id))).session
    make.silence(db, session.id)

    act_as(WORKER, proctoring.end_silent_claims)(db)
    act_as(WORKER, proctoring.end_silent_claims)(db)

    assert actions(db)[-2:] == ["claim.opened", "claim.lapsed"]
    assert (newest(db).subject_id, by(newest(db))) == (session.id, WORKER)


def test_a_proctors_result_is_kept(db):
    make.evaluation(db)

    result = make.result(db, make.agent(db, "ada"), make.agent(db, "paul"), score=90)

    event = newest(db)
    assert (event.action, event.subject_type, event.subject_id) == ("result.kept", "result", result.id)
    assert event.data == {
        "registration_id": result.registration_id,
        "evaluation_id": EXAM,
        "evaluation_version": "1.0.0",
        "passed": True,
        "score": 90,
        "decided_by": "proctor",
        "official": True,
        "is_try": True,
    }


def test_a_proctors_marks_are_given_before_the_result_is_kept(db):
    certification.evaluation(db)
    registration_id = certification.hand_in(db, make.agent(db, "ada"))
    work(db, registration_id)  # nobody judges: it goes to the proctors
    ensure_current(db)

    mark(db, registration_id, make.agent(db, "paul"), 10, 10, 10)

    marked, kept = reversed(list_events(db, 2, None).items)
    assert (marked.action, marked.subject_type, marked.data) == ("marks.given", "sheet", {"by": "proctor"})
    assert (kept.action, kept.data["decided_by"]) == ("result.kept", "proctor")


def test_judges_marks_are_given_before_the_result_is_kept(db):
    certification.evaluation(db)
    registration_id = certification.hand_in(db, make.agent(db, "ada"))
    ensure_current(db)

    judged(db, registration_id, fair(FULL))

    marked, kept = reversed(list_events(db, 2, None).items)
    assert (marked.action, marked.data) == ("marks.given", {"by": "judges"})
    assert (kept.action, kept.data["decided_by"]) == ("result.kept", "judges")


def test_an_owner_confirms_and_the_handler_decides(db):
    ada = ada_in(db, ACCOUNT)
    shown = start(db, ACCOUNT, ada)

    confirm(db, shown)
    confirmed = newest(db)
    submit(db, ACCOUNT, ada, by_link(shown))

    assert (confirmed.action, confirmed.subject_type, confirmed.subject_id) == (
        "owner.confirmed",
        "agent",
        ada.agent.id,
    )
    assert confirmed.data.keys() == {"registration_id", "owner_key"}
    assert (newest(db).action, newest(db).data["decided_by"]) == ("result.kept", "handler")


# Evaluations


def test_what_a_sync_adds_and_changes_is_in_the_log(db):
    catalogue.put(db, make.sip())
    catalogue.put(db, make.sip())
    catalogue.put(db, make.sip(name="Better manners"))
    catalogue.put(db, make.sip(version="2.0.0"))

    found = list_events(db, 10, None).items[::-1]
    assert [event.action for event in found] == ["evaluation.synced"] * 3
    assert [(event.subject_id, event.data["change"], event.data["version"]) for event in found] == [
        (EXAM, "new", "1.0.0"),
        (EXAM, "text", "1.0.0"),
        (EXAM, "version", "2.0.0"),
    ]
