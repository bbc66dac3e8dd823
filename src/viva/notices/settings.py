"""What the background work of notices knows of its hub."""

from pathlib import Path
from typing import NamedTuple

from viva.notices.smtp import SmtpServer


class NoticeSettings(NamedTuple):
    base_url: str  # before the path of a link
    secret: bytes  # the secrets of webhooks are derived from it
    mail_from: str  # the sender of e-mails
    smtp: SmtpServer | None  # None: e-mails stay in the outbox
    outbox: Path  # the folder of e-mails that were not sent
    webhook_hosts: tuple[str, ...]  # reached by http and inside the network too
