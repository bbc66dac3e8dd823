"""Invitations: who may register with which, and that a limit is one."""

import uuid
from datetime import timedelta

import pytest

from tests import make
from viva.agents import accounts, invitations
from viva.agents.invitations import (
    BadInvitation,
    InvitationInvalid,
    InvitationNeeded,
    NoSuchJoinInvitation,
    RegistrationClosed,
    RevokedAlready,
)
from viva.kit.clock import now


def test_an_open_hub_needs_none_and_counts_those_that_are_used(db):
    made = invitations.make_invitation(db, 2, 7, "For the class")

    assert invitations.admit(db, "open", None) is None
    assert invitations.admit(db, "open", made.code) == made.invitation.id
    assert invitations.get(db, made.invitation.id).uses == 1


def test_a_closed_hub_takes_nobody(db):
    made = invitations.make_invitation(db, 2, 7, "")

    with pytest.raises(RegistrationClosed):
        invitations.admit(db, "closed", made.code)


def test_a_hub_by_invitation_takes_each_code_as_often_as_it_says(db):
    made = invitations.make_invitation(db, 2, 7, "")
    with pytest.raises(InvitationNeeded):
        invitations.admit(db, "invite", None)
    for _ in range(2):
        assert invitations.admit(db, "invite", made.code)

    for code in (made.code, "viva_invite_guess", "é" * 50):
        with pytest.raises(InvitationInvalid):
            invitations.admit(db, "invite", code)


def test_a_revoked_or_old_one_is_not_valid(db):
    revoked, old = (invitations.make_invitation(db, 5, 7, "") for _ in range(2))
    invitations.revoke_invitation(db, revoked.invitation.id)
    db.execute("UPDATE invitations SET expires_at = ? WHERE id = ?", [now() - timedelta(1), old.invitation.id])

    for made in (revoked, old):
        with pytest.raises(InvitationInvalid):
            invitations.admit(db, "invite", made.code)
    with pytest.raises(RevokedAlready):
        invitations.revoke_invitation(db, revoked.invitation.id)
    with pytest.raises(NoSuchJoinInvitation):
        invitations.revoke_invitation(db, "invitation_x")


def test_the_code_is_nowhere_in_the_database(db):
    made = invitations.make_invitation(db, 1, 7, "")

    assert made.code not in repr([tuple(row) for row in db.execute("SELECT * FROM invitations").fetchall()])


@pytest.mark.parametrize(
    ("uses", "days", "note"), [(0, 1, ""), (10_001, 1, ""), (1, 0, ""), (1, 367, ""), (1, 1, "x" * 201)]
)
def test_limits_of_an_invitation(db, uses, days, note):
    with pytest.raises(BadInvitation):
        invitations.make_invitation(db, uses, days, note)


@pytest.mark.soak
def test_fifty_at_once_do_not_exceed_the_limit(database):
    made = database.write_now(lambda db: invitations.make_invitation(db, 7, 1, ""))

    def join(db):
        invitation_id = invitations.admit(db, "invite", made.code)
        return accounts.register(db, f"joiner {uuid.uuid4().hex}", "", invitation_id)

    outcomes = make.together(*(lambda: database.write_now(join) for _ in range(50)))

    assert sum(isinstance(outcome, accounts.Account) for outcome in outcomes) == 7
    refused = [outcome for outcome in outcomes if not isinstance(outcome, accounts.Account)]
    assert {type(outcome) for outcome in refused} == {InvitationInvalid}, refused
    assert database.read_now(lambda db: invitations.get(db, made.invitation.id)).uses == 7
