"""EvaluationClosing an evaluation: nobody can register for it, and attempts that run end as usual. Reopening it."""

from viva.evaluations import closing as stored
from viva.evaluations.store import id_of
from viva.kit import events
from viva.kit.db import Connection
from viva.kit.errors import Conflict
from viva.maintaining.reasons import check_reason


class ClosedAlready(Conflict):
    """This evaluation is closed already."""


class NotClosed(Conflict):
    """This evaluation is not closed."""


def close(db: Connection, evaluation_id: str, reason: str) -> stored.EvaluationClosing:
    reason = check_reason(reason)
    evaluation_id = id_of(db, evaluation_id)

    if not stored.close(db, evaluation_id, db.actor.account_id, reason):
        stored.check_exists(db, evaluation_id)
        raise ClosedAlready()
    events.record(db, "evaluation.closed", "evaluation", evaluation_id)
    return stored.get(db, evaluation_id)


def reopen(db: Connection, evaluation_id: str) -> None:
    evaluation_id = id_of(db, evaluation_id)

    if not stored.reopen(db, evaluation_id):
        stored.check_exists(db, evaluation_id)
        raise NotClosed()
    events.record(db, "evaluation.reopened", "evaluation", evaluation_id)
