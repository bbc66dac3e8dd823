"""The settings, read once from the environment; only the top floors see them."""

import os
import re
import secrets
import sys
from collections.abc import Iterator, Mapping
from email.utils import parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast, get_args
from urllib.parse import urlsplit

from msgspec import Struct

from viva.contributions.destination import Destination, GitHub
from viva.kit.files import write_once
from viva.kit.http_limits import HttpLimits
from viva.kit.logs import LogForm, LogSettings
from viva.kit.proxies import Proxies

if TYPE_CHECKING:
    from viva.judging.http_judge import HttpJudge
    from viva.notices.settings import NoticeSettings

HOST_LIST_PATTERN = re.compile(r"\*|([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
GITHUB_URL = "https://api.github.com"
GITHUB_REPOSITORY_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/[A-Za-z0-9_.-]{1,100}")
SHIPPED_SIPS = Path(__file__).parent / "sips"
KIB = 1024
MESSAGE_BYTES = 64 * KIB
MAX_PORT = 65_535
MAX_LEASE_SECONDS = 86_400  # the jobs of a dead worker should not wait longer than a day
MAX_TIMEOUT_SECONDS = 3_600  # a judge or a request that takes longer does not work
NO_JUDGE = "To ask a judge, set VIVA_JUDGE_URL and VIVA_JUDGE_MODEL to an OpenAI-compatible endpoint."
MIN_SECRET_CHARACTERS = 32  # an attacker with a login cookie could guess a shorter one by trying


LOG_LEVELS = ("debug", "info", "warning", "error")
# Log lines never contain API keys or the tokens of claim links and of confirmations.
SECRETS = re.compile(r"viva_[A-Za-z0-9_-]{40,}|(?<=/claim/)[^\s?\"']+|(?<=/confirm/)[^\s?\"']+")
# Every setting. Any other variable that begins with VIVA_ is a mistake.
SETTINGS = (
    "VIVA_BASE_URL",
    "VIVA_BODY_BYTES",
    "VIVA_CONNECTIONS",
    "VIVA_DATABASE_URL",
    "VIVA_DATA_DIR",
    "VIVA_GITHUB_REPO",
    "VIVA_GITHUB_TOKEN",
    "VIVA_GITHUB_URL",
    "VIVA_HEADER_BYTES",
    "VIVA_HOST",
    "VIVA_JUDGE_CALLS",
    "VIVA_JUDGE_KEY",
    "VIVA_JUDGE_MODEL",
    "VIVA_JUDGE_SECONDS",
    "VIVA_JUDGE_URL",
    "VIVA_LEASE_SECONDS",
    "VIVA_LOG",
    "VIVA_LOG_LEVEL",
    "VIVA_MAIL_FROM",
    "VIVA_MESSAGE_BYTES",
    "VIVA_NO_WORKER",
    "VIVA_PORT",
    "VIVA_PROOF_HOSTS",
    "VIVA_PROXIES",
    "VIVA_RATE_LIMIT",
    "VIVA_REQUEST_SECONDS",
    "VIVA_SECRET",
    "VIVA_SIPS_DIR",
    "VIVA_SIPS_REPO",
    "VIVA_SMTP_URL",
    "VIVA_WEBHOOK_HOSTS",
)


class BadSetting(ValueError):
    """A setting cannot be used. The message names it."""


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
    proof_hosts: tuple[str, ...] = ()  # the hub may fetch pages of these hosts to verify an account
    judge_settings: dict[str, str] = {}  # of all judges, as the environment has them
    sips_repository: Path | None = None  # a git repository that gets a branch for each approved contribution
    github: GitHub | None = None
    smtp_url: str = ""  # empty: e-mails stay in the outbox
    mail_from: str = ""  # empty: an address at the host of the hub
    webhook_hosts: tuple[str, ...] = ()  # webhooks may reach these hosts by http, and inside the network

    @classmethod
    def from_environment(cls, environment: dict[str, str] | None = None) -> Self:
        environment = dict(os.environ) if environment is None else environment
        data_dir = find_data_dir(environment)
        host = environment.get("VIVA_HOST") or "127.0.0.1"
        port = read_number(environment, "VIVA_PORT", 8000, minimum=0, maximum=MAX_PORT)
        address = f"[{host}]" if ":" in host else host
        return cls(
            database_url=find_database_url(environment),
            data_dir=data_dir,
            host=host,
            port=port,
            base_url=check_base_url(environment["VIVA_BASE_URL"])
            if environment.get("VIVA_BASE_URL")
            else f"http://{address}:{port}",
            sips_dir=find_sips_dir(environment),
            message_bytes=read_number(environment, "VIVA_MESSAGE_BYTES", MESSAGE_BYTES),
            body_bytes=read_number(environment, "VIVA_BODY_BYTES", 8 * KIB * KIB),
            rate_limit=None
            if environment.get("VIVA_RATE_LIMIT") == "off"
            else read_number(environment, "VIVA_RATE_LIMIT", 6_000),
            has_worker=not environment.get("VIVA_NO_WORKER"),
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
            # Last, so that a wrong setting creates no file.
            secret=environment["VIVA_SECRET"].encode() if environment.get("VIVA_SECRET") else load_secret(data_dir),
        )

    @property
    def sip_folders(self) -> list[Path]:
        """The folders of SIPs: the configured one, or the shipped SIPs and the hub's own ones."""
        if self.sips_dir:
            return [self.sips_dir]
        return list(dict.fromkeys([SHIPPED_SIPS, self.data_dir / "sips", self.own_sips]))

    @property
    def folders(self) -> dict[str, Path]:
        """The folders that the hub writes to. It cannot see the disk of a PostgreSQL server."""
        is_file = self.database_url.startswith("sqlite:")
        database = {"database": Path(self.database_url.removeprefix("sqlite:///")).absolute().parent} if is_file else {}
        return {"data": self.data_dir, **database}

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
        return Destination(self.own_sips, self.sips_repository, self.github, self.base_url)


def unknown_settings(environment: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each variable that looks like a setting but is not one."""
    for name in sorted(environment):
        if name.startswith("VIVA_") and name not in SETTINGS:
            from difflib import get_close_matches  # imported late, because it is rarely needed

            endings = [setting.removeprefix("VIVA_") for setting in SETTINGS]  # all begin alike
            meant = get_close_matches(name.removeprefix("VIVA_"), endings, n=1)
            yield f"{name} is not a setting and is ignored." + (f" Did you mean VIVA_{meant[0]}?" if meant else "")


def find_data_dir(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("VIVA_DATA_DIR") or "~/.local/share/viva").expanduser().absolute()


def find_database_url(environment: Mapping[str, str]) -> str:
    return check_database_url(
        environment.get("VIVA_DATABASE_URL") or f"sqlite:///{find_data_dir(environment) / 'viva.db'}"
    )


def find_sips_dir(environment: Mapping[str, str]) -> Path | None:
    if not environment.get("VIVA_SIPS_DIR"):
        return None
    folder = Path(environment["VIVA_SIPS_DIR"]).absolute()
    if not folder.is_dir():
        raise BadSetting(f"VIVA_SIPS_DIR has to be a folder, but {folder} is not one.")
    return folder


def find_sips_repository(environment: Mapping[str, str]) -> Path | None:
    if not environment.get("VIVA_SIPS_REPO"):
        return None
    folder = Path(environment["VIVA_SIPS_REPO"]).absolute()
    if not (folder / ".git").exists() and not (folder / "HEAD").is_file():
        raise BadSetting(f"VIVA_SIPS_REPO has to be a git repository, but {folder} is not one.")
    return folder


def read_github(environment: Mapping[str, str]) -> GitHub | None:
    repository, token = (
        environment.get("VIVA_GITHUB_REPO", "").strip(),
        environment.get("VIVA_GITHUB_TOKEN", "").strip(),
    )
    if not repository and not token:
        return None
    if not repository or not token:
        raise BadSetting("To open pull requests, set both VIVA_GITHUB_REPO and VIVA_GITHUB_TOKEN.")
    if not GITHUB_REPOSITORY_PATTERN.fullmatch(repository):
        raise BadSetting(f"VIVA_GITHUB_REPO has to be owner/name, not {repository!r}.")
    if not token.isascii() or not token.isprintable():  # a header allows nothing else
        raise BadSetting("VIVA_GITHUB_TOKEN has to consist of printable ASCII characters.")
    return GitHub(check_github_url(environment.get("VIVA_GITHUB_URL") or GITHUB_URL), repository, token)


def check_github_url(url: str) -> str:
    """The address without a final slash. The token would be readable on its way over plain HTTP."""
    is_safe = url.lower().startswith("https://") or is_loopback(urlsplit(url).hostname or "")
    if not is_safe or not url.lower().startswith(("http://", "https://")) or not is_address(url):
        raise BadSetting(f"VIVA_GITHUB_URL has to be an https:// address such as {GITHUB_URL}, not {url!r}.")
    return url.rstrip("/")


def check_base_url(url: str) -> str:
    """The address without a final slash, if a browser can open it and a path can follow it."""
    is_plain = url.isprintable() and not any(letter in url for letter in " ?#@")
    if not is_plain or not url.lower().startswith(("http://", "https://")) or not is_address(url):
        raise BadSetting(f"VIVA_BASE_URL has to be an address such as https://viva.example, not {url!r}.")
    return url.rstrip("/")


def configured_judge(environment: dict[str, str] | None = None) -> "HttpJudge":
    """The first judge of the VIVA_JUDGE_… settings."""
    judges = read_judges(environment, retries=0)
    if not judges:
        raise BadSetting(NO_JUDGE)
    return judges[0]


def configured_judges(environment: dict[str, str] | None = None) -> "list[HttpJudge]":
    """Every judge of the VIVA_JUDGE_… settings. A judge is asked again after a reply that is not a valid answer."""
    return read_judges(environment, retries=2)


def read_judge_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """The settings of all judges, as text."""
    return {name: environment[name] for name in SETTINGS if "_JUDGE_" in name and name in environment}


def read_judges(environment: dict[str, str] | None, retries: int) -> "list[HttpJudge]":
    environment = dict(os.environ) if environment is None else environment
    models, urls = (
        split_list(environment.get("VIVA_JUDGE_MODEL", "")),
        split_list(environment.get("VIVA_JUDGE_URL", "")),
    )
    if not models and not urls:
        return []
    if not models or not urls:
        raise BadSetting(NO_JUDGE)
    urls = one_per_model(models, urls, "VIVA_JUDGE_URL")
    key = environment.get("VIVA_JUDGE_KEY", "").strip()
    is_broken = len(models) == 1 and not key.isprintable()  # one key with a line break is a mistake, not a list
    keys = one_per_model(models, [key] if is_broken else split_list(key), "VIVA_JUDGE_KEY")
    check_judges(urls, keys)
    from viva.judging.http_judge import (  # imported late: an HTTP client is slow to import
        JUDGE_TIMEOUT_SECONDS,
        HttpJudge,
    )
    from viva.judging.model import Budget

    budget = Budget(calls=read_number(environment, "VIVA_JUDGE_CALLS", Budget().calls))
    timeout_seconds = read_seconds(environment, "VIVA_JUDGE_SECONDS", JUDGE_TIMEOUT_SECONDS)
    return [
        HttpJudge(url, model, key, budget=budget, timeout_seconds=timeout_seconds, invalid_reply_retries=retries)
        for url, model, key in zip(urls, models, keys, strict=True)
    ]


def read_http_limits(environment: dict[str, str]) -> HttpLimits:
    return HttpLimits(
        header_bytes=read_number(environment, "VIVA_HEADER_BYTES", 32 * KIB, minimum=KIB),
        request_seconds=read_seconds(environment, "VIVA_REQUEST_SECONDS", 30),
        connections=read_number(environment, "VIVA_CONNECTIONS", 128),
        proxies=Proxies(tuple(map(read_proxy, split_proxies(environment.get("VIVA_PROXIES") or "127.0.0.1")))),
    )


def split_proxies(value: str) -> list[str]:
    return [] if value.strip().lower() == "none" else split_list(value)


def read_proxy(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError:
        raise BadSetting(f"VIVA_PROXIES lists addresses or networks such as 10.0.0.0/8, not {text!r}.") from None


def read_log_settings(environment: dict[str, str]) -> LogSettings:
    form = read_choice(environment, "VIVA_LOG", "text", get_args(LogForm))
    level = read_choice(environment, "VIVA_LOG_LEVEL", "info", LOG_LEVELS)
    return LogSettings(cast(LogForm, form), level, SECRETS)


def read_choice(environment: dict[str, str], name: str, default: str, choices: tuple[str, ...]) -> str:
    value = (environment.get(name) or default).lower()
    if value not in choices:
        raise BadSetting(f"{name} has to be one of {', '.join(choices)}, not {environment[name]!r}.")
    return value


def read_hosts(environment: dict[str, str], name: str) -> tuple[str, ...]:
    """The hosts in lower case, as addresses have them."""
    hosts = tuple(host.lower() for host in split_list(environment.get(name, "")))
    for host in hosts:
        if not HOST_LIST_PATTERN.fullmatch(host):
            raise BadSetting(f"{name} lists hosts such as example.org or example.org:8080, or *, not {host!r}.")
    return hosts


def check_smtp_url(url: str) -> str:
    """The address, if it names a mail server. The message does not repeat it, since it may hold a password."""
    if url:
        from viva.notices.smtp import read_smtp_url  # imported late, as above

        try:
            read_smtp_url(url)
        except ValueError:
            raise BadSetting(
                "VIVA_SMTP_URL has to be smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ if needed."
            ) from None
    return url


def check_mail_from(sender: str) -> str:
    """The sender of e-mails, if it is an address, with or without a name."""
    from viva.notices.addresses import is_address  # imported late, as above

    if sender and not (sender.isprintable() and is_address(parseaddr(sender)[1])):
        raise BadSetting(f"VIVA_MAIL_FROM has to be an address such as Viva <viva@example.org>, not {sender!r}.")
    return sender


def split_list(value: str) -> list[str]:
    """The parts of a setting, separated by commas or white space."""
    return value.replace(",", " ").split()


def one_per_model(models: list[str], values: list[str], name: str) -> list[str]:
    """One value for each model. A single value, or none, applies to all models."""
    if len(values) not in (0, 1, len(models)):
        raise BadSetting(
            f"{name} has {len(values)} parts, but VIVA_JUDGE_MODEL has {len(models)}. Give one, or one for each model."
        )
    return values if len(values) == len(models) else (values or [""]) * len(models)


def check_judges(urls: list[str], keys: list[str]) -> None:
    """Check addresses and keys now, before the first question to a judge."""
    if not all(url.lower().startswith(("http://", "https://")) for url in urls):
        raise BadSetting("VIVA_JUDGE_URL has to begin with http:// or https://.")
    if not all(map(is_address, urls)):
        raise BadSetting("VIVA_JUDGE_URL has to be an address such as http://127.0.0.1:11434/v1.")
    if not all(key.isascii() and key.isprintable() for key in keys):  # a header allows nothing else
        raise BadSetting("VIVA_JUDGE_KEY has to consist of printable ASCII characters.")


def is_address(url: str) -> bool:
    """Whether a request can be sent to this address: both the standard library and HTTPX must accept it."""
    from httpx import URL, InvalidURL  # imported late, as above

    try:
        urlsplit(url).port  # noqa: B018 - reading it checks it
        return bool(URL(url).host.encode("idna"))
    except (ValueError, InvalidURL):
        return False


def read_number(
    environment: dict[str, str], name: str, default: int, minimum: int = 1, maximum: int = sys.maxsize
) -> int:
    try:
        value = int(environment.get(name) or default)
    except ValueError:
        raise BadSetting(f"{name} has to be a whole number, not {environment[name]!r}.") from None
    if not minimum <= value <= maximum:
        limits = f"from {minimum} to {maximum}" if maximum < sys.maxsize else f"of at least {minimum}"
        raise BadSetting(f"{name} has to be a number {limits}, not {value}.")
    return value


def read_seconds(environment: dict[str, str], name: str, default: float) -> float:
    try:
        value = float(environment.get(name) or default)
    except ValueError:
        raise BadSetting(f"{name} has to be a number of seconds, not {environment[name]!r}.") from None
    if not 0 < value <= MAX_TIMEOUT_SECONDS:  # this also refuses NaN
        raise BadSetting(f"{name} has to be more than 0 and at most {MAX_TIMEOUT_SECONDS} seconds, not {value:g}.")
    return value


def check_database_url(url: str) -> str:
    """The address, if it names a SQLite file or a PostgreSQL server."""
    try:
        urlsplit(url).port  # noqa: B018 - reading it checks it
    except ValueError as error:
        raise BadSetting(f"The address of the database cannot be read: {error}.") from None
    names_no_file = url in ("sqlite:///", "sqlite:///:memory:")
    if names_no_file or not url.startswith(("sqlite:///", "postgresql://", "postgres://")):
        scheme = url.partition(":")[0]  # the rest may contain a password
        raise BadSetting(f"The address of the database has to be sqlite:///FILE or postgresql://…, not {scheme}:…")
    return url


def load_secret(data_dir: Path) -> bytes:
    """The secret of this hub, created at the first start. Two processes that start together get the same one."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        return read_or_create_secret(data_dir)
    except OSError as error:
        raise BadSetting(f"The data folder {data_dir} (VIVA_DATA_DIR) cannot be used: {error.strerror}.") from error


def read_or_create_secret(data_dir: Path) -> bytes:
    path = data_dir / "secret"
    if not path.exists():
        write_once(path, secrets.token_hex(32))
    return path.read_text().strip().encode()


def check_network_secret(config: Config, is_secret_set: bool) -> None:
    """Refuse to serve a network without a secret that the operator has set."""
    if not is_loopback(config.host) and not (is_secret_set and len(config.secret) >= MIN_SECRET_CHARACTERS):
        raise BadSetting(
            f"Others can reach {config.host}. To listen there, set VIVA_SECRET to a random text "
            f"of at least {MIN_SECRET_CHARACTERS} characters."
        )


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
