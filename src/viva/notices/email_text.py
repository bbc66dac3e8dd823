"""An e-mail as it is sent: plain text with a link, and headers that no name can break."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr

from viva.notices.model import Email

FOOTER = "You get this because your address was given at {hub}. Answers to this e-mail are not read."


def make_message(email: Email, sender: str, base_url: str) -> EmailMessage:
    """The message. Its Message-ID stays the same however often it is sent."""
    name, address = parseaddr(sender)
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(name, addr_spec=address)
    message["To"] = Address(addr_spec=email.address)
    message["Subject"] = email.subject
    message["Date"] = format_datetime(email.created_at)
    message["Message-ID"] = f"<{email.id}@{address.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no answer from a machine
    message.set_content(text_of(email, base_url), cte="quoted-printable")
    return message


def text_of(email: Email, base_url: str) -> str:
    parts = [email.text, base_url + email.link if email.link else "", "-- \n" + FOOTER.format(hub=base_url)]
    return "\n\n".join(part for part in parts if part) + "\n"
