"""The nonce of a challenge: shown when an attempt starts, sent back when it is handed in, signed so that nobody can make one."""

import base64
import hashlib
import hmac

from viva.exams.model import Challenge
from viva.kit.clock import format_time

NONCE_SALT = b"viva nonce"  # so that what is signed here is of no use where the same secret signs something else


def nonce_of(challenge: Challenge, secret: bytes) -> str:
    """Always the same for a challenge, so that it need not be kept."""
    key = hmac.digest(secret, NONCE_SALT, hashlib.sha256)
    signed = f"{challenge.id}\n{challenge.registration_id}\n{format_time(challenge.expires_at)}"
    return base64.urlsafe_b64encode(hmac.digest(key, signed.encode(), hashlib.sha256)).decode().rstrip("=")


def is_nonce_of(given: str, challenge: Challenge, secret: bytes) -> bool:
    """Compared in constant time: how long it takes tells nothing about how much of it is right."""
    return hmac.compare_digest(given.encode(errors="replace"), nonce_of(challenge, secret).encode())
