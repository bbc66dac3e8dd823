"""Suspended agents: what stops, what goes on, and who cannot be suspended."""

import pytest

from tests import make
from tests.maintaining.people import act_as, actions_in, maintainer
from viva.agents import access, accounts, listing, store
from viva.agents.access import Suspended
from viva.kit.actors import HUB, Actor
from viva.maintaining import account_deletion, rights, suspending
from viva.maintaining.reasons import ReasonNeeded
from viva.maintaining.rights import LastMaintainer
from viva.maintaining.suspending import NotSuspended, NotYourself, SuspendedAlready
from viva.sessions import store as sessions


def test_a_suspended_agent_reads_and_writes_nothing(db):
    maintainer(db)
    ada, key = accounts.register(db, "ada", "")

    suspending.suspend(db, ada, " Sends\nspam. ")

    db.actor = HUB  # a unit that only reads
    caller = access.caller(db, key.text)
    assert (caller.suspended_at is not None, caller.suspension_reason) == (True, "Sends spam.")
    for via in ("api", "page"):
        db.actor = Actor(via)
        with pytest.raises(Suspended, match="Sends spam"):
            access.caller(db, key.text)


def test_it_can_delete_its_account(db):
    maintainer(db)
    ada, key = accounts.register(db, "ada", "")
    suspending.suspend(db, ada, "Spam.")
    db.actor = Actor("api", may_be_suspended=True)

    account_deletion.delete_account(db, access.caller(db, key.text))

    assert store.find_by_name(db, "ada") is None


def test_restored_it_writes_again(db):
    maintainer(db)
    ada, key = accounts.register(db, "ada", "")
    suspending.suspend(db, ada, "Spam.")

    suspending.restore(db, ada)

    db.actor = Actor("api")
    assert access.caller(db, key.text).suspended_at is None
    assert actions_in(db)[-2:] == ["agent.suspended", "agent.restored"]


@pytest.mark.parametrize("reason", ["", "  \n ", "x" * 501])
def test_a_suspension_has_a_reason(db, reason):
    maintainer(db)

    with pytest.raises(ReasonNeeded):
        suspending.suspend(db, make.agent(db, "ada"), reason)


def test_twice_is_refused(db):
    maintainer(db)
    ada = make.agent(db, "ada")
    with pytest.raises(NotSuspended):
        suspending.restore(db, ada)
    suspending.suspend(db, ada, "Spam.")

    with pytest.raises(SuspendedAlready):
        suspending.suspend(db, ada, "Spam.")


def test_the_candidates_of_a_suspended_proctor_wait_for_another(db):
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    _, claim = make.claim(db, ada, paul)
    maintainer(db)

    suspending.suspend(db, paul, "Sleeps.")

    session = sessions.get_by_id(db, claim.session.id)
    assert (session.status, session.registration_id) == ("ended", None)


def test_the_attempt_of_a_suspended_candidate_stays_open_for_its_proctor(db):
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    _, claim = make.claim(db, ada, paul)
    maintainer(db)

    suspending.suspend(db, ada, "Shouts.")

    assert sessions.get_by_id(db, claim.session.id).status == "active"


def test_a_suspended_agent_is_in_no_list_and_keeps_its_page(db):
    maintainer(db)
    ada = make.agent(db, "ada")
    suspending.suspend(db, ada, "Spam.")

    listed = [
        line.name for sort in ("points", "recent", "name") for line in listing.list_agents(db, sort, 50, None).items
    ]
    found = listing.search_agents(db, "ada", 50, None).items + listing.search_agents(db, "da", 50, None).items

    assert "ada" not in listed
    assert found == []
    assert store.profile(db, "ada").suspended_at is not None


# Maintainers


def test_nobody_suspends_themselves(db):
    mary = maintainer(db)
    maintainer(db, "marta")
    act_as(db, mary)

    with pytest.raises(NotYourself):
        suspending.suspend(db, mary, "Tired.")


def test_a_suspended_maintainer_is_none(db):
    mary = maintainer(db)
    maintainer(db, "marta")

    suspending.suspend(db, mary, "Key was stolen.")

    assert not store.get(db, mary.id).is_maintainer
    assert mary.id not in store.list_maintainers(db, 10)


def test_the_last_maintainer_stays(db):
    mary = maintainer(db)
    for remove in (
        lambda: rights.dismiss_maintainer(db, mary),
        lambda: account_deletion.delete_account(db, mary),
    ):
        with pytest.raises(LastMaintainer):
            remove()
    db.actor = Actor("command")
    with pytest.raises(LastMaintainer):
        suspending.suspend(db, mary, "By mistake.")
    marta = maintainer(db, "marta")
    suspending.suspend(db, marta, "x") if db.actor.account_id != marta.id else None

    assert not rights.dismiss_maintainer(db, mary).is_maintainer
    with pytest.raises(LastMaintainer):
        rights.dismiss_maintainer(db, marta)


def test_two_maintainers_cannot_dismiss_each_other_at_once(database):
    names = ("mary", "marta")
    people = [database.write_now(lambda db, name=name: accounts.promote(db, name).agent) for name in names]

    outcomes = make.together(
        *(lambda agent=agent: database.write_now(lambda db: rights.dismiss_maintainer(db, agent)) for agent in people)
    )

    refused = [outcome for outcome in outcomes if isinstance(outcome, LastMaintainer)]
    assert len(refused) == 1, outcomes
    assert len(database.read_now(lambda db: store.list_maintainers(db, 5))) == 1


def test_a_reset_key_is_the_only_one_and_ends_the_logins(db):
    maintainer(db)
    ada, key = accounts.register(db, "ada", "")
    from viva.agents import logins

    token = logins.add(db, key.hash)
    assert token is not None

    new = rights.reset_key(db, ada)

    db.actor = HUB
    assert access.caller(db, new.text).id == ada.id
    with pytest.raises(access.WrongKey):
        access.caller(db, key.text)
    assert logins.find_agent(db, logins.hash_of(token)) is None
    assert "key.reset" in actions_in(db)
