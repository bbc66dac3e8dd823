"""Base58, and public keys in the form of `did:key`: z6Mk… names an Ed25519 key by all its bytes."""

BASE58_LETTERS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BASE58_MARK = "z"  # of Multibase
ED25519_PREFIX = bytes([0xED, 0x01])  # of Multicodec
PUBLIC_KEY_BYTES = 32
MAX_BASE58_CHARACTERS = 200  # more than any key or signature has


class BadMultibase(ValueError):
    """This is not a value in base 58."""


def encode_base58(value: bytes) -> str:
    number, letters = int.from_bytes(value, "big"), ""
    while number:
        number, place = divmod(number, len(BASE58_LETTERS))
        letters = BASE58_LETTERS[place] + letters
    zeros = len(value) - len(value.lstrip(b"\0"))
    return BASE58_MARK + BASE58_LETTERS[0] * zeros + letters


def decode_base58(text: str) -> bytes:
    letters = text.removeprefix(BASE58_MARK)
    if not text.startswith(BASE58_MARK) or len(text) > MAX_BASE58_CHARACTERS or set(letters) - set(BASE58_LETTERS):
        raise BadMultibase(BadMultibase.__doc__)
    number = 0
    for letter in letters:
        number = number * len(BASE58_LETTERS) + BASE58_LETTERS.index(letter)
    zeros = len(letters) - len(letters.lstrip(BASE58_LETTERS[0]))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def key_id_of(public_key: bytes) -> str:
    return encode_base58(ED25519_PREFIX + public_key)


def public_key_of(key_id: str) -> bytes:
    value = decode_base58(key_id)
    if not value.startswith(ED25519_PREFIX) or len(value) != len(ED25519_PREFIX) + PUBLIC_KEY_BYTES:
        raise BadMultibase("This is not the id of an Ed25519 key.")
    return value[len(ED25519_PREFIX) :]
