"""The route with which maintainers rotate the signing key.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import OneSigningKey


class SigningKeysOperations(OperationGroup[RunnerType]):
    """The route with which maintainers rotate the signing key."""

    @operation
    def rotate_signing_key(self) -> Call[OneSigningKey]:
        """Make a new signing key. Earlier signatures stay valid. Only maintainers may."""
        return Call("POST", "/api/v1/maintain/signing-keys", OneSigningKey)
