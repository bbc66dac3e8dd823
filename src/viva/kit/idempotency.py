"""Idempotent responses: kept under an Idempotency-Key, so that a request that is sent twice is carried out once."""

import base64
import hashlib
import time
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

from viva.kit import limits
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Invalid, TooMany

LIFETIME = timedelta(days=1)
MAX_KEY_CHARACTERS = 255
# A row of the table takes about 500 bytes beside the response.
MAX_RESPONSES_PER_DAY = 10_000  # for each caller
MAX_BYTES_PER_DAY = 16 * 1024 * 1024  # for each caller
DAY_SECONDS = 24 * 3600


class KeyReused(Conflict):
    """This Idempotency-Key was used for another request; use a new one for a new request."""


class AnswerSealed(Conflict):
    """This request was carried out, but its answer can no longer be opened, since the hub's secret has changed."""


class TooManyIdempotencyKeys(TooMany):
    """Too many of your answers are kept today; send the request without an Idempotency-Key, or wait."""


class BadIdempotencyKey(Invalid):
    """An Idempotency-Key has 1 to 255 characters."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("Idempotency-Key", "bad_idempotency_key", self.__doc__ or ""),))


class IdempotentResponse(NamedTuple):
    """A response as it is kept; of a large one only the reference by which it is read again."""

    status: int
    body: bytes | None
    reference: str = ""


class IdempotentRequest:
    """One request that carries an Idempotency-Key: the response kept for it, if any, and the place to keep one."""

    def __init__(self, caller: str, key: str, request: bytes, secret: bytes) -> None:
        if not 1 <= len(key) <= MAX_KEY_CHARACTERS:
            raise BadIdempotencyKey()
        self.caller = caller
        self.key_hash = hashlib.sha256(key.encode()).hexdigest()
        self.request_digest = hashlib.sha256(request).hexdigest()
        self._seal_key = hashlib.sha256(secret + b"replay" + key.encode()).digest()

    def begin(self, db: Connection) -> IdempotentResponse | None:
        """The kept response; with None, the request is new and its place is taken until commit."""
        is_new = db.execute(
            """
            INSERT INTO kept_answers (caller, key_hash, request_digest, kept_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (caller, key_hash) DO NOTHING
            """,
            [self.caller, self.key_hash, self.request_digest, now()],
        ).rowcount
        if is_new:
            # Counted before the work begins: the counter's row is then the first that two requests of a caller share.
            self._count(db, "responses", 1, MAX_RESPONSES_PER_DAY)
            return None
        request_digest, answer = db.execute(
            "SELECT request_digest, answer FROM kept_answers WHERE caller = ? AND key_hash = ?",
            [self.caller, self.key_hash],
        ).fetchone()
        if request_digest != self.request_digest:
            raise KeyReused()
        return self._open(bytes(answer))

    def keep(self, db: Connection, response: IdempotentResponse) -> None:
        """A response may hold a new API key, so it is sealed: the hub can open it with the same Idempotency-Key only."""
        sealed = self._box().encrypt(msgspec.json.encode(response))
        self._count(db, "bytes", len(sealed), MAX_BYTES_PER_DAY)
        db.execute(
            "UPDATE kept_answers SET answer = ? WHERE caller = ? AND key_hash = ?",
            [sealed, self.caller, self.key_hash],
        )

    def _count(self, db: Connection, what: str, amount: int, most: int) -> None:
        """Count what is kept for the caller on one day; beyond the most, nothing of this request is carried out."""
        moment = int(time.time())
        day_end = (moment // DAY_SECONDS + 1) * DAY_SECONDS
        if not limits.grant(db, f"idempotent {what}:{self.caller}", day_end, amount, most):
            raise TooManyIdempotencyKeys(retry_after=max(1, day_end - moment))

    def _open(self, answer: bytes) -> IdempotentResponse:
        from cryptography.fernet import InvalidToken

        try:
            return msgspec.json.decode(self._box().decrypt(answer), type=IdempotentResponse)
        except InvalidToken as error:
            raise AnswerSealed() from error

    def _box(self) -> "Fernet":
        from cryptography.fernet import Fernet  # slow to import, and few requests need it

        return Fernet(base64.urlsafe_b64encode(self._seal_key))


def forget_old(db: Connection) -> None:
    db.execute("DELETE FROM kept_answers WHERE kept_at < ?", [now() - LIFETIME])
