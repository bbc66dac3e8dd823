"""The key in a request that does not go through the routes of the API."""

from collections.abc import Mapping
from typing import Any

BEARER_SCHEME = "bearer"


def bearer_key(scope: Mapping[str, Any]) -> str | None:
    given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    scheme, _, key = given.decode("latin-1").partition(" ")
    return key.strip() or None if scheme.lower() == BEARER_SCHEME else None
