"""How many candidates a proctor may examine at once."""

from collections.abc import Sequence

from viva.agents import store as agents
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault
from viva.sessions import store as sessions
from viva.sessions.model import Session

MAX_OPEN_CLAIMS = 3  # a proctor who holds more keeps candidates waiting whom others could examine


MAX_OPEN_DRAWS = 1  # in one evaluation; a proctor who draws several could examine one and release the others


ONE_DRAW = "Candidates are drawn in this evaluation, so you examine one at a time. Decide or release yours first."


class TooManyClaims(Conflict):
    """A proctor may examine at most three candidates at once. Decide or release one of yours first."""

    def __init__(self, claimed: Sequence[Session], message: str = "") -> None:
        sentences = (f"{session.registration_id} is open in session {session.id}." for session in claimed)
        faults = tuple(Fault("registration_id", "open_claim", sentence) for sentence in sentences)
        super().__init__(message or self.__doc__ or "", faults=faults)


def check_may_claim(db: Connection, proctor_id: str) -> None:
    """Check that the proctor has a free place. Its account is locked until commit, so that claims wait for each other."""
    agents.hold(db, proctor_id)
    claimed = sessions.list_proctored_by(db, proctor_id)
    if len(claimed) >= MAX_OPEN_CLAIMS:
        raise TooManyClaims(claimed)


def check_may_draw(db: Connection, proctor_id: str, evaluation_id: str) -> None:
    """Check that the proctor holds no candidate where candidates are drawn. A released one is the next for it again."""
    agents.hold(db, proctor_id)
    drawn = [each for each in sessions.list_proctored_by(db, proctor_id) if each.evaluation_id == evaluation_id]
    if len(drawn) >= MAX_OPEN_DRAWS:
        raise TooManyClaims(drawn, ONE_DRAW)
