"""The key of published digests."""

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from viva.evaluations.published_digest import DIGEST_KEY_BYTES, DIGEST_PURPOSE, digest_key


@pytest.mark.parametrize("secret", [b"x", b"secret" * 30])
def test_the_key_is_what_hkdf_derives_from_the_secret(secret: bytes):
    assert digest_key(secret).key == HKDF(SHA256(), DIGEST_KEY_BYTES, salt=None, info=DIGEST_PURPOSE).derive(secret)
