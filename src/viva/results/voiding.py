"""Voiding a result: it stays readable with the reason, and counts nowhere."""

import msgspec

from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Invalid
from viva.results import statements, store, subtracting
from viva.results.model import NamedResult
from viva.results.official import PracticeReason

MAX_VOID_REASON_CHARACTERS = 2_000
VOIDED: PracticeReason = "voided"


class AlreadyVoid(Conflict):
    """This result is void already."""


class BadVoidReason(Invalid):
    """A reason has 1 to 2,000 characters."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("reason", "bad_reason", self.__doc__ or ""),))


def void_result(db: Connection, result_id: str, by: str | None, reason: str) -> NamedResult:
    """Make the result void. `by` is the maintainer, or None for a command."""
    if not 1 <= len(reason.strip()) <= MAX_VOID_REASON_CHARACTERS:
        raise BadVoidReason()
    result = store.hold(db, result_id)
    if result.voided_at is not None:
        raise AlreadyVoid()

    reasons = list(dict.fromkeys([*result.official_reasons, VOIDED]))
    db.execute(
        """
        UPDATE evaluation_results SET official = FALSE, official_reasons = ?, points_earned = 0,
            voided_at = ?, void_reason = ?, voided_by = ?
        WHERE id = ?
        """,
        [msgspec.json.encode(reasons).decode(), now(), reason.strip(), by, result.id],
    )
    subtracting.subtract(db, result)
    events.record(db, "result.voided", "result", result.id, evaluation_id=result.evaluation_id)
    voided = store.get(db, result.id)
    statements.state(db, voided, "voided")
    return voided
