"""Who acts in a unit of work: an account with its key at an address, the worker, or a command."""

from typing import Literal

from msgspec import Struct

Way = Literal["api", "page", "worker", "command", "hub"]


class Actor(Struct, frozen=True):
    """`via` is the way the unit came in. The rest is None where nobody signed in, or where nobody called."""

    via: Way
    account_id: str | None = None
    key_prefix: str | None = None
    address_hash: str | None = None

    def signed_in(self, account_id: str, key_prefix: str) -> "Actor":
        """The same, once the account is known."""
        return Actor(self.via, account_id, key_prefix, self.address_hash)


HUB = Actor("hub")  # nobody has said who acts
WORKER = Actor("worker")
COMMAND = Actor("command")
