"""Notifying accounts and addresses, in the transaction of what they are notified about."""

import logging
import re
from collections.abc import Iterable
from typing import Any

from viva.kit.db import Connection
from viva.kit.limits import grant_today
from viva.notices import addresses, deliveries, emails, store
from viva.notices.model import MAX_RECIPIENTS, MAX_SUBJECT_CHARACTERS, MAX_TEXT_CHARACTERS, NoticeContent

# A stranger may have given any address. Ten are enough for one person's contributions of a day.
MAX_EMAILS_TO_STRANGER_PER_DAY = 10
MAX_EMAILS_TO_ACCOUNT_PER_DAY = 100  # its owner confirmed the address
# Everything that ends a line or is invisible: line and paragraph separators, controls, direction marks, lone surrogates.
UNPRINTABLE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
UNPRINTABLE_IN_TEXT = re.compile(UNPRINTABLE.pattern.replace(r"\x00-\x1f", r"\x00-\x09\x0b-\x1f"))

log = logging.getLogger(__name__)


def notify(
    db: Connection,
    event: str,
    recipients: Iterable[str],
    subject: str,
    text: str,
    link: str | None = None,
    data: dict[str, Any] | None = None,
) -> None:
    """Notify each recipient, an account's id or an e-mail address. Nothing is sent if the transaction rolls back.

    For accounts without e-mail address and webhook this is one statement. `link` is a path of this hub."""
    content = NoticeContent(event, clean_line(subject), clean_text(text), link, data or {})
    # Sorted, so that two notices for the same people lock their rows in one order.
    everybody = sorted(set(recipients))[:MAX_RECIPIENTS]
    added = store.add(db, [name for name in everybody if "@" not in name], content)
    write_to_accounts(db, sorted(notice.account_id for notice in added if notice.has_routes), content)
    for address in everybody:
        if "@" in address:
            write_to(db, None, address, content, MAX_EMAILS_TO_STRANGER_PER_DAY)


def write_to_accounts(db: Connection, account_ids: list[str], content: NoticeContent) -> None:
    """Add an e-mail for each account with an address, and a delivery for each of their webhooks."""
    if not account_ids:
        return
    for account_id, address in sorted(addresses.list_addresses(db, account_ids).items()):
        write_to(db, account_id, address, content, MAX_EMAILS_TO_ACCOUNT_PER_DAY)
    deliveries.add_for_accounts(db, account_ids, content)


def write_to(db: Connection, account_id: str | None, address: str, content: NoticeContent, max_per_day: int) -> None:
    """Add an e-mail, unless the mailbox has had as many today as it may get."""
    if not addresses.is_address(address):
        log.warning("No e-mail about %s: the address is not valid.", content.event)
    elif not grant_today(db, f"mailbox:{addresses.mailbox_of(address)}", max_per_day):
        log.warning("No e-mail about %s: its mailbox has had %d today.", content.event, max_per_day)
    else:
        emails.add(db, account_id, address, content)


def clean_line(text: str) -> str:
    """One printable line. Names of people and of their work are part of it, and may hold anything."""
    line = " ".join(UNPRINTABLE.sub(" ", text[: 4 * MAX_SUBJECT_CHARACTERS]).split())
    return line if len(line) <= MAX_SUBJECT_CHARACTERS else line[: MAX_SUBJECT_CHARACTERS - 1] + "…"


def clean_text(text: str) -> str:
    """Printable lines."""
    lines = UNPRINTABLE_IN_TEXT.sub(" ", text.replace("\r\n", "\n")).strip()
    return lines if len(lines) <= MAX_TEXT_CHARACTERS else lines[: MAX_TEXT_CHARACTERS - 1] + "…"
