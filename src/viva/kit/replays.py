"""Answers kept under an Idempotency-Key, so that a request sent twice is carried out once."""

import base64
import hashlib
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Invalid

KEPT_FOR = timedelta(days=1)
LONGEST_KEY = 255


class KeyReused(Conflict):
    """This Idempotency-Key was used for another request; use a new one for a new request."""


class AnswerSealed(Conflict):
    """This request was carried out, but its answer can no longer be opened, since the hub's secret has changed."""


class BadIdempotencyKey(Invalid):
    """An Idempotency-Key has 1 to 255 characters."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("Idempotency-Key", "bad_idempotency_key", self.__doc__ or ""),))


class KeptAnswer(NamedTuple):
    status: int
    body: bytes


class Replay:
    """One request that carries an Idempotency-Key: the answer kept for it, if any, and the place to keep one."""

    def __init__(self, caller: str, key: str, request: bytes, secret: bytes) -> None:
        if not 1 <= len(key) <= LONGEST_KEY:
            raise BadIdempotencyKey()
        self.caller = caller
        self.key_hash = hashlib.sha256(key.encode()).hexdigest()
        self.request_digest = hashlib.sha256(request).hexdigest()
        self._seal_key = hashlib.sha256(secret + b"replay" + key.encode()).digest()

    def begin(self, db: Connection) -> KeptAnswer | None:
        """The kept answer; with None, the request is new and its place is taken until commit."""
        is_new = db.execute(
            """
            INSERT INTO kept_answers (caller, key_hash, request_digest, kept_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (caller, key_hash) DO NOTHING
            """,
            [self.caller, self.key_hash, self.request_digest, now()],
        ).rowcount
        if is_new:
            return None
        request_digest, answer = db.execute(
            "SELECT request_digest, answer FROM kept_answers WHERE caller = ? AND key_hash = ?",
            [self.caller, self.key_hash],
        ).fetchone()
        if request_digest != self.request_digest:
            raise KeyReused()
        return self._opened(bytes(answer))

    def keep(self, db: Connection, answer: KeptAnswer) -> None:
        """An answer may hold a new API key, so it is sealed: only the hub, given the same Idempotency-Key, can open it."""
        db.execute(
            "UPDATE kept_answers SET answer = ? WHERE caller = ? AND key_hash = ?",
            [self._box().encrypt(msgspec.json.encode(answer)), self.caller, self.key_hash],
        )

    def _opened(self, answer: bytes) -> KeptAnswer:
        from cryptography.fernet import InvalidToken

        try:
            return msgspec.json.decode(self._box().decrypt(answer), type=KeptAnswer)
        except InvalidToken as error:
            raise AnswerSealed() from error

    def _box(self) -> "Fernet":
        from cryptography.fernet import Fernet  # slow to import, and few requests need it

        return Fernet(base64.urlsafe_b64encode(self._seal_key))


def forget_old(db: Connection) -> None:
    db.execute("DELETE FROM kept_answers WHERE kept_at < ?", [now() - KEPT_FOR])
