"""A real mail server on this machine that accepts, refuses, is slow or hangs up; use it as a context."""

import asyncio
import ssl
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from typing import Any, Self

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.hub import free_port
from viva.notices.smtp import SmtpServer


class MailServer:
    """`answers` are given to the e-mails in their order: a text, "hang up" or "hang up late"; then all are accepted."""

    def __init__(
        self,
        *answers: str,
        tls: ssl.SSLContext | None = None,
        smtps: ssl.SSLContext | None = None,
        password: str | None = None,
    ) -> None:
        self.answers = list(answers)
        self.taken: list[EmailMessage] = []
        self.raw: list[bytes] = []
        self.recipients: list[list[str]] = []
        self.is_encrypted: list[bool] = []
        options: dict[str, Any] = {"tls_context": tls, "ssl_context": smtps}
        if password:
            options |= {"authenticator": accept_only(password), "auth_require_tls": bool(tls)}
        self.port = free_port()
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port, **options)

    def __enter__(self) -> Self:
        self.controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.controller.stop()

    @property
    def server(self) -> SmtpServer:
        return SmtpServer("127.0.0.1", self.port)

    async def handle_RCPT(  # noqa: N802 - the name that aiosmtpd calls
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.answers and self.answers[0].startswith("rcpt "):
            return self.answers.pop(0).removeprefix("rcpt ")
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if answer == "wait":
            await asyncio.sleep(30)
        if answer != "hang up":
            assert isinstance(envelope.content, bytes)
            self.raw.append(envelope.content)
            self.taken.append(BytesParser(EmailMessage, policy=default).parsebytes(envelope.content))
            self.recipients.append(envelope.rcpt_tos)
            self.is_encrypted.append(session.ssl is not None)
        if answer.startswith("hang up"):
            assert server.transport
            server.transport.close()
            return "250 OK"
        if not answer.startswith("2"):
            self.taken.pop()
        return answer


def accept_only(password: str) -> Any:
    def authenticate(server: Any, session: Any, envelope: Any, mechanism: Any, given: Any) -> AuthResult:
        is_right = isinstance(given, LoginPassword) and given.password == password.encode()
        return AuthResult(success=is_right, handled=False)

    return authenticate
