"""The digest of an evaluation as it is published: keyed, so that nobody can search for the answers behind it."""

import hashlib
import hmac
from functools import lru_cache
from typing import Any, NamedTuple

DIGEST_KEY_BYTES = 32
DIGEST_PURPOSE = b"viva published digest of evaluations, 1"
KEY_ID_DIGITS = 12


class DigestKey(NamedTuple):
    """A key derived from the hub's secret. Its id is published beside each digest."""

    id: str
    key: bytes

    def publish(self, digest: str | None) -> str | None:
        """The keyed digest; None if there is no digest."""
        return None if digest is None else keyed_hash(self.key, digest)


@lru_cache(256)  # the results of a version all have its digest
def keyed_hash(key: bytes, digest: str) -> str:
    return hmac.new(key, digest.encode(), hashlib.sha256).hexdigest()


@lru_cache(8)  # a process has one hub; tests have a few
def digest_key(secret: bytes) -> DigestKey:
    # One block of HKDF without salt (RFC 5869). To load a library for it would take 7 ms of each command that exports.
    extracted = hmac.digest(bytes(DIGEST_KEY_BYTES), secret, "sha256")
    key = hmac.digest(extracted, DIGEST_PURPOSE + b"\x01", "sha256")
    return DigestKey(hashlib.sha256(b"id of " + key).hexdigest()[:KEY_ID_DIGITS], key)


def publish_digest(secret: bytes, digest: str | None) -> dict[str, Any]:
    """The fields of an answer that publish a digest."""
    key = digest_key(secret)
    return {"evaluation_digest": key.publish(digest), "evaluation_digest_key": key.id if digest else None}
