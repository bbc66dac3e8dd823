"""The secret of each webhook, and the signature by which its owner recognizes the hub."""

import base64
import hashlib
import hmac

WEBHOOK_SECRET_PREFIX = "whsec_"  # noqa: S105 - not a secret, but how one begins


def webhook_secret(hub_secret: bytes, webhook_id: str) -> str:
    """The secret is derived from the hub's own, so that the database does not hold it. It is shown once."""
    derived = hmac.digest(hub_secret, b"viva webhook " + webhook_id.encode(), hashlib.sha256)
    return WEBHOOK_SECRET_PREFIX + base64.urlsafe_b64encode(derived).decode().rstrip("=")


def sign(secret: str, moment: int, body: bytes) -> str:
    """The value of the header Viva-Signature. The time is signed too, so that a receiver can refuse old requests."""
    signature = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={signature}"
