"""Idempotent responses: stored under an Idempotency-Key, so that a repeated request runs only once."""

import base64
import hashlib
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

from viva.kit import limits
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Invalid, TooMany

RESPONSE_LIFETIME = timedelta(days=1)
MAX_KEY_CHARACTERS = 255
# A row takes about 500 bytes besides the response.
MAX_RESPONSES_PER_DAY = 10_000  # for each caller
MAX_BYTES_PER_DAY = 16 * 1024 * 1024  # for each caller
RESPONSES_DELETED_PER_SWEEP = 1_000  # keeps the locks of a sweep short


class KeyReused(Conflict):
    """This Idempotency-Key was used for another request; use a new one for a new request."""


class AnswerSealed(Conflict):
    """This request was carried out, but its answer cannot be decrypted, since the hub's secret has changed."""


class TooManyIdempotencyKeys(TooMany):
    """Too many of your answers were stored today; send the request without an Idempotency-Key, or wait."""


class BadIdempotencyKey(Invalid):
    """An Idempotency-Key has 1 to 255 characters."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("Idempotency-Key", "bad_idempotency_key", self.__doc__ or ""),))


class IdempotentResponse(NamedTuple):
    """A stored response. A large one is stored only as a reference, by which it is read again."""

    status: int
    body: bytes | None
    reference: str = ""


class IdempotentRequest:
    """One request with an Idempotency-Key, and its stored response."""

    def __init__(self, caller: str, key: str, request: bytes, secret: bytes) -> None:
        if not 1 <= len(key) <= MAX_KEY_CHARACTERS:
            raise BadIdempotencyKey()
        self.caller = caller
        self.key_hash = hashlib.sha256(key.encode()).hexdigest()
        self.request_digest = hashlib.sha256(request).hexdigest()
        self._seal_key = hashlib.sha256(secret + b"replay" + key.encode()).digest()

    def begin(self, db: Connection) -> IdempotentResponse | None:
        """The stored response. None means that the request is new; its row is locked until the commit."""
        is_new = db.execute(
            """
            INSERT INTO kept_answers (caller, key_hash, request_digest, kept_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (caller, key_hash) DO NOTHING
            """,
            [self.caller, self.key_hash, self.request_digest, now()],
        ).rowcount
        if is_new:
            # The count comes before the work, so that parallel requests of a caller lock the counter's row first.
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
        """Store the response. It may hold a new API key, so decrypting it needs the same Idempotency-Key."""
        sealed = self._box().encrypt(msgspec.json.encode(response))
        self._count(db, "bytes", len(sealed), MAX_BYTES_PER_DAY)
        db.execute(
            "UPDATE kept_answers SET answer = ? WHERE caller = ? AND key_hash = ?",
            [sealed, self.caller, self.key_hash],
        )

    def forget(self, db: Connection) -> None:
        """Let a repeated request run again."""
        db.execute("DELETE FROM kept_answers WHERE caller = ? AND key_hash = ?", [self.caller, self.key_hash])

    def _count(self, db: Connection, counted: str, amount: int, max_per_day: int) -> None:
        """Count what is stored for the caller today. Beyond the maximum, the request is refused."""
        day_end = limits.end_of_period(limits.DAY_SECONDS)
        if not limits.grant(db, f"idempotent {counted}:{self.caller}", day_end, amount, max_per_day):
            raise TooManyIdempotencyKeys(retry_after=limits.seconds_until(day_end))

    def _open(self, answer: bytes) -> IdempotentResponse:
        from cryptography.fernet import InvalidToken

        try:
            return msgspec.json.decode(self._box().decrypt(answer), type=IdempotentResponse)
        except InvalidToken as error:
            raise AnswerSealed() from error

    def _box(self) -> "Fernet":
        from cryptography.fernet import Fernet  # imported late: it is slow, and few requests need it

        return Fernet(base64.urlsafe_b64encode(self._seal_key))


def forget_old(db: Connection) -> int:
    """Delete responses that are no longer promised. Returns how many, since there may be more."""
    return db.execute(
        """
        DELETE FROM kept_answers WHERE (caller, key_hash) IN
            (SELECT caller, key_hash FROM kept_answers WHERE kept_at < ? LIMIT ?)
        """,
        [now() - RESPONSE_LIFETIME, RESPONSES_DELETED_PER_SWEEP],
    ).rowcount
