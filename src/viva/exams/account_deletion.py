"""Deleting an account: open exams end first, so that no other agent waits for the deleted one."""

from viva.agents import accounts
from viva.agents.model import Agent
from viva.exams import a2a_addresses, appointments, key_readers, proctoring, registering, rereading, sheets, store
from viva.kit.db import Connection
from viva.results import appeals
from viva.sessions import store as sessions


def delete_account(db: Connection, agent: Agent) -> None:
    """Withdraw from open exams, release claimed candidates, and delete the account."""
    # The sweep locks cohorts in the same order, so that no deadlock is possible.
    for registration in sorted(store.list_open(db, agent.id), key=lambda registration: registration.evaluation_id):
        sheets.close_of(db, registration.id)  # lock order: sheet, then registration, as in marking
        registering.withdraw(db, registration)
    for session in sessions.list_proctored_by(db, agent.id):
        proctoring.release_session(db, session)
    rereading.end_readings_of(db, agent)
    a2a_addresses.erase_urls(db, agent.id)
    appeals.erase_reasons(db, agent.id)
    appointments.dismiss_everywhere(db, agent.id)
    if agent.is_maintainer:
        key_readers.record_right(db, agent.id, None)
    accounts.delete(db, agent)
