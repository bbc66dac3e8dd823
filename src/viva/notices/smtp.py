"""Sending one e-mail through a mail server."""

import asyncio
import ssl
from contextlib import suppress
from email.message import EmailMessage
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    import aiosmtplib

SMTP_TIMEOUT_SECONDS = 30.0  # for one e-mail, from connecting until the server has taken it
LAST_STEPS_SECONDS = 0.05  # for the loop to close what a failed handshake left open
QUIT_TIMEOUT_SECONDS = 2.0  # a farewell that nothing depends on
SMTP_PORTS = {"smtp": 587, "smtps": 465}
PERMANENT_SMTP_CODE = 500  # from here on the server will never take this e-mail (RFC 5321)


class NotSent(Exception):
    """The mail server did not take the e-mail. `is_final` if it never will."""

    def __init__(self, reason: str, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final


class SmtpServer(NamedTuple):
    """A mail server. `trust` overrides the default certificates."""

    host: str
    port: int
    user: str | None = None
    password: str | None = None
    is_tls: bool = False  # from the first byte; otherwise STARTTLS
    seconds: float = SMTP_TIMEOUT_SECONDS
    trust: ssl.SSLContext | None = None

    def send(self, message: EmailMessage, sender: str, recipient: str) -> None:
        """Send the e-mail, or say in NotSent why not."""
        import aiosmtplib  # imported late, for a quick start

        try:
            asyncio.run(self.send_message(message, sender, recipient))
        except TimeoutError:
            raise NotSent(f"The mail server did not answer within {self.seconds:g} seconds.") from None
        except aiosmtplib.SMTPRecipientsRefused as error:
            raise to_not_sent(error.recipients[0]) from error
        except aiosmtplib.SMTPResponseException as error:
            raise to_not_sent(error) from error
        except (aiosmtplib.SMTPException, OSError, ValueError) as error:
            raise NotSent(f"The mail server could not be used ({type(error).__name__}).") from error

    async def send_message(self, message: EmailMessage, sender: str, recipient: str) -> None:
        """Send it within the time limit. Once the server has taken it, nothing that follows matters."""
        import aiosmtplib

        client = self.make_client()
        try:
            await asyncio.wait_for(send_with(client, message, sender, recipient), self.seconds)
            with suppress(aiosmtplib.SMTPException):
                await client.quit(timeout=QUIT_TIMEOUT_SECONDS)
        finally:
            if client.transport:
                client.transport.abort()  # type: ignore[attr-defined]  # every transport of asyncio has it
            client.close()
            await asyncio.sleep(LAST_STEPS_SECONDS)

    def make_client(self) -> "aiosmtplib.SMTP":
        import aiosmtplib

        return aiosmtplib.SMTP(
            hostname=self.host,
            port=self.port,
            username=self.user,
            password=self.password,
            use_tls=self.is_tls,
            start_tls=self.start_tls,
            tls_context=self.trust,
            timeout=self.seconds,
        )

    @property
    def start_tls(self) -> bool | None:
        """None: encrypt if the server offers it. A password is never sent unencrypted, except to this machine."""
        if self.is_tls:
            return False
        return True if self.password and not is_this_machine(self.host) else None


async def send_with(client: "aiosmtplib.SMTP", message: EmailMessage, sender: str, recipient: str) -> None:
    await client.connect()
    await client.send_message(message, sender=sender, recipients=[recipient])


def to_not_sent(error: "aiosmtplib.SMTPResponseException") -> NotSent:
    """A wrong password is for the maintainer to correct, so such an e-mail is tried again."""
    import aiosmtplib

    is_final = error.code >= PERMANENT_SMTP_CODE and not isinstance(error, aiosmtplib.SMTPAuthenticationError)
    return NotSent(f"The mail server answered {error.code}: {error.message}", is_final)


def read_smtp_url(url: str) -> SmtpServer:
    """The server of `smtp://user:password@host:port` or `smtps://…`. ValueError if it is another address."""
    parts = urlsplit(url)
    if parts.scheme not in SMTP_PORTS or not parts.hostname or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(url)
    return SmtpServer(
        parts.hostname,
        SMTP_PORTS[parts.scheme] if parts.port is None else parts.port,
        unquote(parts.username) if parts.username else None,
        unquote(parts.password) if parts.password else None,
        parts.scheme == "smtps",
    )


def is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
