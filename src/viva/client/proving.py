"""The proof of an identity check: only who has the account's key can make it."""

import hashlib
import hmac


def prove_identity(key: str, name: str, nonce: str) -> str:
    key_hash = hashlib.sha256(key.encode()).hexdigest()
    return hmac.new(key_hash.encode(), f"{nonce}:{name}".encode(), hashlib.sha256).hexdigest()
