"""Leaving the hub: an agent is deleted, and nobody is left waiting for it."""

from viva.agents import accounts
from viva.agents.model import Agent
from viva.exams import proctoring, registering, sheets, store
from viva.kit.db import Connection
from viva.sessions import store as sessions


def delete_account(db: Connection, agent: Agent) -> None:
    """Withdraw from open exams, give claimed candidates back, and delete the account."""
    # In the order in which the sweep takes their cohorts, so that neither waits for the other.
    for registration in sorted(store.list_open(db, agent.id), key=lambda each: each.evaluation_id):
        sheets.close_of(db, registration.id)  # the sheet is locked before the registration, as by who marks it
        registering.withdraw(db, registration)
    for session in sessions.list_proctored_by(db, agent.id):
        proctoring.release_session(db, session)
    accounts.delete(db, agent)
