"""What chains and signatures are made of: salted hashes of texts, and hashes of lines. All are SHA-256 as hexadecimal digits."""

import hashlib

from viva.kit.ids import take_random

SALT_BYTES = 16  # too many to try all of them for a short text
NO_HASH = "0" * 64  # stands before the first link of a chain


def new_salt() -> str:
    return take_random(SALT_BYTES).hex()


def hash_text(salt: str, text: str) -> str:
    """The hash of a salt and a text. Without the salt, nobody can find a text that fits."""
    return hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest()


def hash_lines(*lines: str) -> str:
    """The hash of lines in order. At most one of them may contain a line break, or two texts could give the same lines."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def hash_joined(text: str) -> str:
    """The hash of lines that are joined already. SQLite calls it as a function of SQL."""
    return hashlib.sha256(text.encode()).hexdigest()
