"""The settings, read once from the environment; only the top floors see them."""

import hmac
import os
from pathlib import Path
from typing import TYPE_CHECKING, Self

from msgspec import Struct

from viva.config.addresses import check_base_url, check_mail_from, check_smtp_url, is_loopback
from viva.config.judges import configured_judge, configured_judges, read_judge_settings
from viva.config.names import SETTINGS, unknown_settings
from viva.config.places import (
    SHIPPED_SIPS,
    find_data_dir,
    find_database_url,
    find_secret,
    find_sips_dir,
    find_sips_repository,
    load_secret,
)
from viva.config.reading import BadSetting, read_choice, read_days, read_hosts, read_number
from viva.config.services import KIB, SECRETS, read_github, read_http_limits, read_log_settings, read_proctors
from viva.contributions.destination import Destination, GitHub
from viva.exams.model import ProctorPolicy
from viva.kit.http_limits import HttpLimits
from viva.kit.logs import LogSettings
from viva.kit.opening import sqlite_path

if TYPE_CHECKING:
    from viva.notices.settings import NoticeSettings

__all__ = [
    "MESSAGE_BYTES",
    "MIN_SECRET_CHARACTERS",
    "SECRETS",
    "SETTINGS",
    "SHIPPED_SIPS",
    "BadSetting",
    "Config",
    "check_network_secret",
    "configured_judge",
    "configured_judges",
    "find_database_url",
    "find_secret",
    "read_judge_settings",
    "unknown_settings",
]
MESSAGE_BYTES = 64 * KIB
MAX_PORT = 65_535
MAX_LEASE_SECONDS = 86_400  # the jobs of a dead worker should not wait longer than a day
MIN_SECRET_CHARACTERS = 32  # an attacker with a login cookie could guess a shorter one by trying


class Config(Struct, frozen=True):
    database_url: str
    data_dir: Path
    host: str
    port: int
    base_url: str
    secret: bytes
    sips_dir: Path | None
    message_bytes: int
    body_bytes: int
    rate_limit: int | None  # requests of one key in a minute; None means no rate limit
    has_worker: bool
    lease_seconds: int  # how long a job stays with a worker that does not renew its lease
    http: HttpLimits
    log: LogSettings
    proctors: ProctorPolicy = "qualified"  # whose verdict is official
    is_demo: bool = False  # the demo's agents take part in exams
    proof_hosts: tuple[str, ...] = ()  # the hub may fetch pages of these hosts to verify an account
    judge_settings: dict[str, str] = {}  # of all judges, as the environment has them
    sips_repository: Path | None = None  # a git repository that gets a branch for each approved contribution
    github: GitHub | None = None
    smtp_url: str = ""  # empty: e-mails stay in the outbox
    mail_from: str = ""  # empty: an address at the host of the hub
    trace_days: int | None = None  # traces are deleted after so many days; None keeps them for ever
    event_days: int | None = None  # the same of events
    redacts: bool = True  # keys, e-mail addresses and card numbers of traces are masked
    webhook_hosts: tuple[str, ...] = ()  # webhooks may reach these hosts by http, and inside the network
    registration: str = "open"  # who may make an account: everybody, with an invitation, or nobody

    @classmethod
    def from_environment(cls, environment: dict[str, str] | None = None) -> Self:
        environment = dict(os.environ) if environment is None else environment
        data_dir = find_data_dir(environment)
        host = environment.get("VIVA_HOST") or "127.0.0.1"
        port = read_number(environment, "VIVA_PORT", 8000, minimum=0, maximum=MAX_PORT)
        address = f"[{host}]" if ":" in host else host
        base_url = environment.get("VIVA_BASE_URL", "") and check_base_url(environment["VIVA_BASE_URL"])
        return cls(
            database_url=find_database_url(environment),
            data_dir=data_dir,
            host=host,
            port=port,
            base_url=base_url or f"http://{address}:{port}",
            proctors=read_proctors(environment, host, base_url),
            sips_dir=find_sips_dir(environment),
            message_bytes=read_number(environment, "VIVA_MESSAGE_BYTES", MESSAGE_BYTES),
            body_bytes=read_number(environment, "VIVA_BODY_BYTES", 8 * KIB * KIB),
            rate_limit=None
            if environment.get("VIVA_RATE_LIMIT") == "off"
            else read_number(environment, "VIVA_RATE_LIMIT", 6_000),
            has_worker=not environment.get("VIVA_NO_WORKER"),
            is_demo=bool(environment.get("VIVA_DEMO")),
            lease_seconds=read_number(environment, "VIVA_LEASE_SECONDS", 30, maximum=MAX_LEASE_SECONDS),
            http=read_http_limits(environment),
            log=read_log_settings(environment),
            judge_settings=read_judge_settings(environment),
            sips_repository=find_sips_repository(environment),
            github=read_github(environment),
            proof_hosts=read_hosts(environment, "VIVA_PROOF_HOSTS"),
            smtp_url=check_smtp_url(environment.get("VIVA_SMTP_URL", "")),
            mail_from=check_mail_from(environment.get("VIVA_MAIL_FROM", "")),
            webhook_hosts=read_hosts(environment, "VIVA_WEBHOOK_HOSTS"),
            trace_days=read_days(environment, "VIVA_TRACE_DAYS"),
            event_days=read_days(environment, "VIVA_EVENT_DAYS"),
            registration=read_choice(environment, "VIVA_REGISTRATION", "open", ("open", "invite", "closed")),
            redacts=read_choice(environment, "VIVA_REDACT", "on", ("on", "off")) == "on",
            # Last, so that a wrong setting creates no file.
            secret=environment["VIVA_SECRET"].encode() if environment.get("VIVA_SECRET") else load_secret(data_dir),
        )

    @property
    def sip_folders(self) -> list[Path]:
        """The folders of SIPs: the configured one, or the shipped SIPs and the hub's own ones."""
        if self.sips_dir:
            return [self.sips_dir]
        return list(dict.fromkeys([SHIPPED_SIPS, self.keys_folder, self.own_sips]))

    @property
    def keys_folder(self) -> Path:
        """The folder for answers of SIPs that git brings. It is in no repository."""
        return self.data_dir / "sips"

    @property
    def keys_folders(self) -> list[Path]:
        """Where a sync looks for companions and handlers, beside the folder of the SIP itself."""
        return list(dict.fromkeys([self.keys_folder, self.own_sips]))

    @property
    def masking_key(self) -> bytes | None:
        """The key that decides the placeholders for secrets in traces; None if they are not masked."""
        return hmac.digest(self.secret, b"masking", "sha256") if self.redacts else None

    @property
    def folders(self) -> dict[str, Path]:
        """The folders that the hub writes to. It cannot see the disk of a PostgreSQL server."""
        file = sqlite_path(self.database_url)
        return {"data": self.data_dir} | ({"database": file.absolute().parent} if file else {})

    @property
    def notices(self) -> "NoticeSettings":
        """What the background work of notices needs."""
        from viva.notices.addresses import default_sender
        from viva.notices.settings import NoticeSettings  # imported late: a mail client is slow to import
        from viva.notices.smtp import read_smtp_url

        return NoticeSettings(
            base_url=self.base_url,
            secret=self.secret,
            mail_from=self.mail_from or default_sender(self.base_url),
            smtp=read_smtp_url(self.smtp_url) if self.smtp_url else None,
            outbox=self.data_dir / "outbox",
            webhook_hosts=self.webhook_hosts,
        )

    @property
    def own_sips(self) -> Path:
        """The folder of imported and contributed SIPs. It is beside the database if that is a file."""
        return self.sips_dir or self.folders.get("database", self.data_dir) / "sips"

    @property
    def destination(self) -> Destination:
        return Destination(self.own_sips, self.sips_repository, self.github, self.base_url, self.keys_folder)


def check_network_secret(config: Config, is_secret_set: bool) -> None:
    """Refuse to serve a network without a secret that the operator has set."""
    if not is_loopback(config.host) and not (is_secret_set and len(config.secret) >= MIN_SECRET_CHARACTERS):
        raise BadSetting(
            f"Others can reach {config.host}. To listen there, set VIVA_SECRET to a random text "
            f"of at least {MIN_SECRET_CHARACTERS} characters."
        )
