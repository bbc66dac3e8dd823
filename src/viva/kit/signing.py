"""Signatures with Ed25519. The private keys of a hub are derived from its secret, so that no file and no table holds one."""

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from viva.kit.multibase import key_id_of, public_key_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SEED_BYTES = 32


class PrivateKey(NamedTuple):
    """A key that signs. Its id is its public key, so a signature can be checked with the id alone."""

    id: str
    number: int
    public_key: bytes
    private: "Ed25519PrivateKey"

    def sign(self, data: bytes) -> bytes:
        return self.private.sign(data)


@lru_cache(64)
def derive_key(secret: bytes, number: int) -> PrivateKey:
    """The key of a hub with this number. All its processes have the secret, and so the same keys."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    seed = HKDF(SHA256(), SEED_BYTES, salt=None, info=f"viva signing key {number}".encode()).derive(secret)
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public_key = private.public_key().public_bytes_raw()
    return PrivateKey(key_id_of(public_key), number, public_key, private)


def is_signature(key_id: str, signature: bytes, data: bytes) -> bool:
    """Whether the key with this id signed the data. A malformed id or signature signed nothing."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key_of(key_id)).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True
