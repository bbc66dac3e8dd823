"""The address of a candidate's A2A agent: the candidate gives it at the start of a proctored exam, and it stays fixed."""

from msgspec import Struct

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Invalid
from viva.kit.fetch_addresses import NotFetchable
from viva.notices.webhook_urls import check_postable
from viva.sessions.model import Session


class BadA2aUrl(Invalid):
    """An A2A agent needs an https address of a public host, without name and password."""

    def __init__(self, reason: str = "") -> None:
        message = reason or self.__doc__ or ""
        super().__init__(message, faults=(Fault("a2a_url", "bad_a2a_url", message),))


class NoConversation(Conflict):
    """Only a proctored evaluation can be taken with the address of an A2A agent."""


class StartedWithoutAgent(Conflict):
    """This attempt has started already without this address. Withdraw and register again to give another."""


class A2aCandidate(Struct, frozen=True):
    """The A2A agent that the hub asks, and why the last message that got no reply got none."""

    url: str
    fault: str | None


def check_a2a_url(evaluation: Evaluation, url: str, hosts: tuple[str, ...]) -> None:
    """Check the address that a candidate gives. Its host is resolved and checked at each request."""
    if evaluation.type != "proctored":
        raise NoConversation()
    try:
        check_postable(url, hosts)
    except NotFetchable as error:
        raise BadA2aUrl(str(error)) from None


def find_url(db: Connection, registration_id: str) -> str | None:
    row = db.execute("SELECT a2a_url FROM evaluation_registrations WHERE id = ?", [registration_id]).fetchone()
    return None if row is None else row[0]


def find_shown(db: Connection, session: Session, viewer: Agent | None) -> A2aCandidate | None:
    """The agent that is asked in the session. Only its candidate and maintainers see it."""
    if viewer is None:
        return None
    row = db.execute(
        """
        SELECT r.a2a_url, s.a2a_fault FROM evaluation_sessions s
            JOIN evaluation_registrations r ON r.id = coalesce(s.registration_id, s.released_registration_id)
        WHERE s.id = ? AND r.a2a_url IS NOT NULL AND (r.agent_id = ? OR ?)
        """,
        [session.id, viewer.id, viewer.is_maintainer],
    ).fetchone()
    return None if row is None else A2aCandidate(*row)


def erase_urls(db: Connection, agent_id: str) -> None:
    db.execute(
        "UPDATE evaluation_registrations SET a2a_url = NULL WHERE agent_id = ? AND a2a_url IS NOT NULL", [agent_id]
    )
