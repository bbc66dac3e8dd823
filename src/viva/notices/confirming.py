"""Confirming an e-mail address: the owner of the mailbox opens a signed link, and the account gets e-mails there."""

from typing import NamedTuple

from itsdangerous import BadSignature, URLSafeTimedSerializer

from viva.kit import events
from viva.kit.db import Connection
from viva.kit.errors import NotFound, TooMany
from viva.kit.limits import DAY_SECONDS, end_of_period, grant_today, seconds_until
from viva.notices import addresses
from viva.notices.model import NoticeContent
from viva.notices.notifying import MAX_EMAILS_TO_STRANGER_PER_DAY, write_to

CONFIRMATION_LIFETIME_SECONDS = 2 * 86_400
MAX_CONFIRMATIONS_PER_DAY = 5  # of one account; somebody else may own the address
CONFIRMATION_EVENT = "address.confirmation"
CONFIRMATION_TEXT = (
    "An account of this hub asks to get its notices at this address. Open the link if it is your account, and confirm. "
    "Otherwise ignore this e-mail. The link is valid for two days."
)


class NoSuchConfirmation(NotFound):
    """This link is not valid on this hub, or it is older than two days. Enter the address again."""


class TooManyConfirmations(TooMany):
    """You have asked for 5 confirmations today; try again tomorrow."""


class Confirmation(NamedTuple):
    account_id: str
    address: str


def ask_confirmation(db: Connection, secret: bytes, account_id: str, text: str) -> str:
    """Send a link to the address, and return the address. Until it is opened, the account's address stays as it is."""
    address = addresses.check_address(text)
    if not grant_today(db, f"confirmations:{account_id}", MAX_CONFIRMATIONS_PER_DAY):
        raise TooManyConfirmations(retry_after=seconds_until(end_of_period(DAY_SECONDS)))
    link = f"/notices/confirm/{make_signer(secret).dumps([account_id, address])}"
    content = NoticeContent(CONFIRMATION_EVENT, "Confirm your address", CONFIRMATION_TEXT, link, {})
    write_to(db, account_id, address, content, MAX_EMAILS_TO_STRANGER_PER_DAY)
    return address


def read_confirmation(secret: bytes, token: str) -> Confirmation:
    try:
        return Confirmation(*make_signer(secret).loads(token, max_age=CONFIRMATION_LIFETIME_SECONDS))
    except BadSignature:
        raise NoSuchConfirmation() from None


def confirm(db: Connection, secret: bytes, token: str) -> Confirmation:
    """Let the account get e-mails at the address."""
    confirmation = read_confirmation(secret, token)
    addresses.put_address(db, confirmation.account_id, confirmation.address)
    events.record(db, "address.confirmed", "agent", confirmation.account_id)
    return confirmation


def make_signer(secret: bytes) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret, salt="viva address")
