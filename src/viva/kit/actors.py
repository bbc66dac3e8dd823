"""Who acts in a unit of work: an account with its key and address, the worker, or a command."""

from typing import Literal

from msgspec import Struct

Way = Literal["api", "page", "worker", "command", "hub"]


class Actor(Struct, frozen=True):
    """`via` is the way the unit came in. The other fields are None without a signed-in caller."""

    via: Way
    account_id: str | None = None
    key_prefix: str | None = None
    address_hash: str | None = None
    may_be_suspended: bool = False  # whether a suspended account may do this too

    @property
    def is_writing(self) -> bool:
        """Whether this is a request that writes. Units that only read have no actor of their own."""
        return self.via in ("api", "page")

    def signed_in(self, account_id: str, key_prefix: str) -> "Actor":
        """The same actor with its account."""
        return Actor(self.via, account_id, key_prefix, self.address_hash, self.may_be_suspended)


HUB = Actor("hub")  # the default, until a unit names its actor
WORKER = Actor("worker")
COMMAND = Actor("command")
