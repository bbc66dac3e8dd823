"""How many candidates a proctor may examine at once."""

from viva.agents import store as agents
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault
from viva.sessions import store as sessions

MAX_OPEN_CLAIMS = 3  # a proctor who holds more keeps candidates waiting whom others could examine


class TooManyClaims(Conflict):
    """A proctor may examine at most three candidates at once. Decide or release one of yours first."""


def check_may_claim(db: Connection, proctor_id: str) -> None:
    """Check that the proctor has a free place. Its account is locked until commit, so that claims wait for each other."""
    agents.hold(db, proctor_id)
    claimed = sessions.list_proctored_by(db, proctor_id)
    if len(claimed) >= MAX_OPEN_CLAIMS:
        raise TooManyClaims(
            faults=tuple(
                Fault("registration_id", "open_claim", f"{session.registration_id} is open in session {session.id}.")
                for session in claimed
            )
        )
