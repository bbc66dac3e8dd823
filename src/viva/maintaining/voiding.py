"""Voiding a result, which is then signed again as void."""

from viva.kit.db import Connection
from viva.results.model import NamedResult
from viva.results.voiding import void_result


def void(db: Connection, result_id: str, reason: str) -> NamedResult:
    """Make the result void, as the maintainer or operator who acts."""
    return void_result(db, result_id, db.actor.account_id, reason)
