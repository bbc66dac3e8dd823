"""The nonce of a challenge: shown at the start, sent back at submission, and signed against forgery."""

import base64
import hashlib
import hmac

from viva.exams.model import Challenge
from viva.kit.clock import format_time

NONCE_SALT = b"viva nonce"  # separates this signature from others made with the same secret


def nonce_of(challenge: Challenge, secret: bytes) -> str:
    """The nonce, which is always the same for a challenge, so it is not stored."""
    key = hmac.digest(secret, NONCE_SALT, hashlib.sha256)
    signed = f"{challenge.id}\n{challenge.registration_id}\n{format_time(challenge.expires_at)}"
    return base64.urlsafe_b64encode(hmac.digest(key, signed.encode(), hashlib.sha256)).decode().rstrip("=")


def is_nonce_of(given: str, challenge: Challenge, secret: bytes) -> bool:
    """Compare in constant time, so that timing reveals nothing about the nonce."""
    return hmac.compare_digest(given.encode(errors="replace"), nonce_of(challenge, secret).encode())
