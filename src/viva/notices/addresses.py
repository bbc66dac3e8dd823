"""E-mail addresses: which ones the hub writes to, and the confirmed address of each account."""

import hashlib
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid

MAX_EMAIL_ADDRESS_CHARACTERS = 254  # RFC 5321 allows a path of 256 with its angle brackets
# Plain ASCII without quotes, comments or white space. No character of it can end a header or an SMTP command.
ADDRESS_PATTERN = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])"
)
MAX_LOCAL_PART_CHARACTERS = 64  # RFC 5321
NO_SENDER = "viva@hub.invalid"  # RFC 2606 reserves the domain


class BadEmailAddress(Invalid):
    """This is not an e-mail address that the hub can write to, such as ada@example.org."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("email", "bad_email_address", self.__doc__ or ""),))


def is_address(text: str) -> bool:
    fits = len(text) <= MAX_EMAIL_ADDRESS_CHARACTERS and len(text.partition("@")[0]) <= MAX_LOCAL_PART_CHARACTERS
    return fits and ADDRESS_PATTERN.fullmatch(text) is not None


def check_address(text: str) -> str:
    """The address without white space around it, or BadEmailAddress."""
    address = text.strip()
    if not is_address(address):
        raise BadEmailAddress()
    return address


def default_sender(base_url: str) -> str:
    """An address at the host of the hub, or one that cannot exist if the host has no name."""
    address = f"viva@{urlsplit(base_url).hostname}"
    return f"Viva <{address if is_address(address) else NO_SENDER}>"


def mailbox_of(address: str) -> str:
    """The same text for addresses of one mailbox: the case does not matter, nor a tag after a plus sign."""
    local, _, domain = address.lower().rpartition("@")
    return hashlib.sha256(f"{local.partition('+')[0]}@{domain}".encode()).hexdigest()[:32]


def find_address(db: Connection, account_id: str) -> str | None:
    row = db.execute("SELECT address FROM notice_addresses WHERE account_id = ?", [account_id]).fetchone()
    return None if row is None else row[0]


def list_addresses(db: Connection, account_ids: Sequence[str]) -> dict[str, str]:
    """The confirmed addresses of these accounts, by account."""
    places = ", ".join("?" for _ in account_ids)
    sql = f"SELECT account_id, address FROM notice_addresses WHERE account_id IN ({places})"
    return dict(db.execute(sql, account_ids).fetchall()) if account_ids else {}


def put_address(db: Connection, account_id: str, address: str) -> None:
    """Store the confirmed address. A deleted account gets none; the lock is that of notices.store.add."""
    db.execute(
        f"""
        INSERT INTO notice_addresses (account_id, address, confirmed_at)
        SELECT agents.id, ?, ? FROM agents WHERE agents.id = ? AND agents.deleted_at IS NULL
        {db.share_rows_of("agents")}
        ON CONFLICT (account_id) DO UPDATE SET address = excluded.address, confirmed_at = excluded.confirmed_at
        """,
        [address, now(), account_id],
    )


def drop_address(db: Connection, account_id: str) -> bool:
    return db.execute("DELETE FROM notice_addresses WHERE account_id = ?", [account_id]).rowcount == 1
