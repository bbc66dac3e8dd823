"""Logins in the database."""

from datetime import timedelta

import pytest

from tests.values import require
from viva.agents import accounts, logins
from viva.agents import store as agents
from viva.kit.clock import now


@pytest.fixture
def ada(db):
    return accounts.register(db, "ada", "")


def sign_in(db, account):
    return logins.hash_of(require(logins.add(db, account.key.hash)))


def count(db):
    return db.execute("SELECT count(*) FROM logins").fetchone()[0]


def test_a_login_stands_for_its_agent(db, ada):
    login = sign_in(db, ada)

    assert logins.find_agent(db, login) == ada.agent
    assert logins.find_agent(db, "0" * 64) is None


def test_a_key_that_is_not_known_makes_no_login(db, ada):
    assert logins.add(db, "0" * 64) is None
    assert count(db) == 0


def test_the_database_has_no_token_that_could_be_used(db, ada):
    token = require(logins.add(db, ada.key.hash))

    assert token not in str(db.execute("SELECT * FROM logins").fetchall())


def test_an_ended_login_is_nobody_and_the_others_go_on(db, ada):
    first, second = sign_in(db, ada), sign_in(db, ada)

    logins.end(db, first)

    assert logins.find_agent(db, first) is None
    assert logins.find_agent(db, second) == ada.agent


def test_ending_everywhere_ends_all_of_this_agent_and_of_no_other(db, ada):
    bob = accounts.register(db, "bob", "")
    first, second, other = sign_in(db, ada), sign_in(db, ada), sign_in(db, bob)

    logins.end_everywhere(db, first)

    assert [logins.find_agent(db, login) for login in (first, second, other)] == [None, None, bob.agent]


@pytest.mark.parametrize(
    "revoke",
    [
        lambda db, account: agents.drop_keys(db, account.agent.id),
        lambda db, account: accounts.rotate(db, account.agent, account.key),
        lambda db, account: accounts.promote(db, "ada"),
        lambda db, account: accounts.delete(db, account.agent),
    ],
    ids=["revoked", "rotated", "promoted", "deleted"],
)
def test_with_its_key_a_login_ends(db, ada, revoke):
    login = sign_in(db, ada)

    revoke(db, ada)

    assert logins.find_agent(db, login) is None
    assert count(db) == 0


def test_a_login_ends_with_its_time_and_is_swept(db, ada):
    old, new = sign_in(db, ada), sign_in(db, ada)
    db.execute("UPDATE logins SET expires_at = ? WHERE hash = ?", [now() - timedelta(seconds=1), old])

    assert logins.find_agent(db, old) is None
    assert logins.forget_expired(db) == 1
    assert logins.forget_expired(db) == 0
    assert logins.find_agent(db, new) == ada.agent


def test_an_agent_has_so_many_logins_and_the_oldest_makes_room(db, ada):
    bob = accounts.register(db, "bob", "")
    other = sign_in(db, bob)
    made = [sign_in(db, ada) for _ in range(logins.MAX_LOGINS_PER_AGENT + 3)]

    kept = [login for login in made if logins.find_agent(db, login)]

    assert len(kept) == logins.MAX_LOGINS_PER_AGENT
    assert made[-1] in kept
    assert logins.find_agent(db, other) == bob.agent
