"""The settings, read once from the environment; only the top floors see them."""

import os
import re
import secrets
import sys
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast, get_args
from urllib.parse import urlsplit

from msgspec import Struct

from viva.kit.files import write_once
from viva.kit.http_limits import HttpLimits
from viva.kit.logs import LogForm, LogSettings
from viva.kit.proxies import Proxies

if TYPE_CHECKING:
    from viva.judging.http_judge import HttpJudge

PROOF_HOST_PATTERN = re.compile(r"\*|([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
SHIPPED_SIPS = Path(__file__).parent / "sips"
KIB = 1024
MESSAGE_BYTES = 64 * KIB
MAX_PORT = 65_535
MAX_LEASE_SECONDS = 86_400  # seconds; what a dead worker had begun should not wait for days
MAX_JUDGE_TIMEOUT_SECONDS = 3_600  # seconds; whoever waits longer for one answer has no judge
NO_JUDGE = "To ask a judge, set VIVA_JUDGE_URL and VIVA_JUDGE_MODEL to an OpenAI-compatible endpoint."
MIN_SECRET_CHARACTERS = 32  # characters; a shorter one can be found by trying, from any login cookie


LOG_LEVELS = ("debug", "info", "warning", "error")
# What may stand in no line of a log: API keys, and the tokens of claim links.
SECRETS = re.compile(r"viva_[A-Za-z0-9_-]{40,}|(?<=/claim/)[^\s?\"']+")
# Every setting there is; what else begins with VIVA_ is a slip.
SETTINGS = (
    "VIVA_BASE_URL",
    "VIVA_BODY_BYTES",
    "VIVA_CONNECTIONS",
    "VIVA_DATABASE_URL",
    "VIVA_DATA_DIR",
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
    "VIVA_MESSAGE_BYTES",
    "VIVA_NO_WORKER",
    "VIVA_PORT",
    "VIVA_PROOF_HOSTS",
    "VIVA_PROXIES",
    "VIVA_RATE_LIMIT",
    "VIVA_REQUEST_SECONDS",
    "VIVA_SECRET",
    "VIVA_SIPS_DIR",
)


class BadSetting(ValueError):
    """A setting cannot be used; the message names it."""


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
    rate_limit: int | None  # requests a minute for one key; None lifts every limit of frequency
    has_worker: bool
    lease_seconds: int  # how long a job stays with a worker that gives no sign of life
    http: HttpLimits
    log: LogSettings
    proof_hosts: tuple[str, ...] = ()  # whose pages may be fetched for an agent to prove itself

    @classmethod
    def from_environment(cls, environment: dict[str, str] | None = None) -> Self:
        given = dict(os.environ) if environment is None else environment
        data_dir = find_data_dir(given)
        host = given.get("VIVA_HOST") or "127.0.0.1"
        port = number(given, "VIVA_PORT", 8000, least=0, most=MAX_PORT)
        address = f"[{host}]" if ":" in host else host
        return cls(
            database_url=find_database_url(given),
            data_dir=data_dir,
            host=host,
            port=port,
            base_url=check_base_url(given["VIVA_BASE_URL"])
            if given.get("VIVA_BASE_URL")
            else f"http://{address}:{port}",
            sips_dir=find_sips_dir(given),
            message_bytes=number(given, "VIVA_MESSAGE_BYTES", MESSAGE_BYTES),
            body_bytes=number(given, "VIVA_BODY_BYTES", 8 * KIB * KIB),
            rate_limit=None if given.get("VIVA_RATE_LIMIT") == "off" else number(given, "VIVA_RATE_LIMIT", 6_000),
            has_worker=not given.get("VIVA_NO_WORKER"),
            lease_seconds=number(given, "VIVA_LEASE_SECONDS", 30, most=MAX_LEASE_SECONDS),
            http=read_http_limits(given),
            log=read_log_settings(given),
            proof_hosts=proof_hosts(given.get("VIVA_PROOF_HOSTS", "")),
            # Last, so that no file is made where another setting is refused.
            secret=given["VIVA_SECRET"].encode() if given.get("VIVA_SECRET") else kept_secret(data_dir),
        )

    @property
    def sip_folders(self) -> list[Path]:
        """Where SIPs are read from: the configured folder, or the shipped ones and those imported beside the data."""
        return [self.sips_dir] if self.sips_dir else [SHIPPED_SIPS, self.own_sips]

    @property
    def folders(self) -> dict[str, Path]:
        """Where the hub writes; a PostgreSQL server's disk is not ours to see."""
        is_file = self.database_url.startswith("sqlite:")
        database = {"database": Path(self.database_url.removeprefix("sqlite:///")).absolute().parent} if is_file else {}
        return {"data": self.data_dir, **database}

    @property
    def own_sips(self) -> Path:
        """Where imported SIPs go."""
        return self.sips_dir or self.data_dir / "sips"


def unknown_settings(given: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each variable that looks like a setting and is none."""
    for name in sorted(given):
        if name.startswith("VIVA_") and name not in SETTINGS:
            from difflib import get_close_matches  # late: most of the time there is no such name

            meant = get_close_matches(name, SETTINGS, n=1)
            yield f"{name} is not a setting and is ignored." + (f" Did you mean {meant[0]}?" if meant else "")


def find_data_dir(given: Mapping[str, str]) -> Path:
    return Path(given.get("VIVA_DATA_DIR") or "~/.local/share/viva").expanduser().absolute()


def find_database_url(given: Mapping[str, str]) -> str:
    return database_url(given.get("VIVA_DATABASE_URL") or f"sqlite:///{find_data_dir(given) / 'viva.db'}")


def find_sips_dir(given: Mapping[str, str]) -> Path | None:
    if not given.get("VIVA_SIPS_DIR"):
        return None
    folder = Path(given["VIVA_SIPS_DIR"]).absolute()
    if not folder.is_dir():
        raise BadSetting(f"VIVA_SIPS_DIR has to be a folder, and there is none at {folder}.")
    return folder


def check_base_url(url: str) -> str:
    """The address without a slash at its end, if a browser could open it and a path can follow it."""
    is_plain = url.isprintable() and not any(letter in url for letter in " ?#@")
    if not is_plain or not url.lower().startswith(("http://", "https://")) or not is_address(url):
        raise BadSetting(f"VIVA_BASE_URL has to be an address such as https://viva.example, not {url!r}.")
    return url.rstrip("/")


def configured_judge(environment: dict[str, str] | None = None) -> "HttpJudge":
    """The first judge that VIVA_JUDGE_URL and its companions name."""
    judges = named_judges(environment, again=0)
    if not judges:
        raise BadSetting(NO_JUDGE)
    return judges[0]


def configured_judges(environment: dict[str, str] | None = None) -> "list[HttpJudge]":
    """Every judge that they name, none if they name none; what one replies off the menu it is asked again."""
    return named_judges(environment, again=2)


def named_judges(environment: dict[str, str] | None, again: int) -> "list[HttpJudge]":
    given = dict(os.environ) if environment is None else environment
    models, urls = split_list(given.get("VIVA_JUDGE_MODEL", "")), split_list(given.get("VIVA_JUDGE_URL", ""))
    if not models and not urls:
        return []
    if not models or not urls:
        raise BadSetting(NO_JUDGE)
    urls = for_each(models, urls, "VIVA_JUDGE_URL")
    key = given.get("VIVA_JUDGE_KEY", "").strip()
    is_broken = len(models) == 1 and not key.isprintable()  # a line break in the only key is a slip, not a list
    keys = for_each(models, [key] if is_broken else split_list(key), "VIVA_JUDGE_KEY")
    check_judges(urls, keys)
    from viva.judging.http_judge import (  # late: an HTTP client takes longer to import than help may take
        JUDGE_TIMEOUT_SECONDS,
        HttpJudge,
    )
    from viva.judging.model import Budget

    budget = Budget(calls=number(given, "VIVA_JUDGE_CALLS", Budget().calls))
    patience = seconds(given, "VIVA_JUDGE_SECONDS", JUDGE_TIMEOUT_SECONDS)
    return [
        HttpJudge(url, model, key, budget=budget, timeout_seconds=patience, invalid_reply_retries=again)
        for url, model, key in zip(urls, models, keys, strict=True)
    ]


def read_http_limits(given: dict[str, str]) -> HttpLimits:
    return HttpLimits(
        header_bytes=number(given, "VIVA_HEADER_BYTES", 32 * KIB, least=KIB),
        request_seconds=seconds(given, "VIVA_REQUEST_SECONDS", 30),
        connections=number(given, "VIVA_CONNECTIONS", 128),
        proxies=Proxies(tuple(map(read_proxy, listed_proxies(given.get("VIVA_PROXIES") or "127.0.0.1")))),
    )


def listed_proxies(value: str) -> list[str]:
    return [] if value.strip().lower() == "none" else split_list(value)


def read_proxy(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError:
        raise BadSetting(f"VIVA_PROXIES lists addresses or networks such as 10.0.0.0/8, not {text!r}.") from None


def read_log_settings(given: dict[str, str]) -> LogSettings:
    form = one_of(given, "VIVA_LOG", "text", get_args(LogForm))
    level = one_of(given, "VIVA_LOG_LEVEL", "info", LOG_LEVELS)
    return LogSettings(cast(LogForm, form), level, SECRETS)


def one_of(given: dict[str, str], name: str, default: str, choices: tuple[str, ...]) -> str:
    value = (given.get(name) or default).lower()
    if value not in choices:
        raise BadSetting(f"{name} has to be one of {', '.join(choices)}, not {given[name]!r}.")
    return value


def proof_hosts(value: str) -> tuple[str, ...]:
    """The hosts as addresses will name them: in small letters."""
    hosts = tuple(host.lower() for host in split_list(value))
    for host in hosts:
        if not PROOF_HOST_PATTERN.fullmatch(host):
            raise BadSetting(
                f"VIVA_PROOF_HOSTS lists hosts such as example.org or example.org:8080, or *, not {host!r}."
            )
    return hosts


def split_list(value: str) -> list[str]:
    """What a setting lists, separated by commas or white space."""
    return value.replace(",", " ").split()


def for_each(models: list[str], values: list[str], name: str) -> list[str]:
    """One value for each model; one alone, or none, is for all."""
    if len(values) not in (0, 1, len(models)):
        raise BadSetting(
            f"{name} has {len(values)} parts for {len(models)} of VIVA_JUDGE_MODEL: give one, or one each."
        )
    return values if len(values) == len(models) else (values or [""]) * len(models)


def check_judges(urls: list[str], keys: list[str]) -> None:
    """Say now what would fail when they are asked."""
    if not all(url.lower().startswith(("http://", "https://")) for url in urls):
        raise BadSetting("VIVA_JUDGE_URL has to begin with http:// or https://.")
    if not all(map(is_address, urls)):
        raise BadSetting("VIVA_JUDGE_URL has to be an address such as http://127.0.0.1:11434/v1.")
    if not all(key.isascii() and key.isprintable() for key in keys):  # a header carries nothing else
        raise BadSetting("VIVA_JUDGE_KEY has to consist of printable ASCII characters.")


def is_address(url: str) -> bool:
    """Whether a request can be sent there, in the eyes of everything that it passes on its way."""
    from httpx import URL, InvalidURL  # late, as above

    try:
        urlsplit(url).port  # noqa: B018 - it is read to be checked
        return bool(URL(url).host.encode("idna"))
    except (ValueError, InvalidURL):
        return False


def number(given: dict[str, str], name: str, default: int, least: int = 1, most: int = sys.maxsize) -> int:
    try:
        value = int(given.get(name) or default)
    except ValueError:
        raise BadSetting(f"{name} has to be a whole number, not {given[name]!r}.") from None
    if not least <= value <= most:
        limits = f"from {least} to {most}" if most < sys.maxsize else f"of at least {least}"
        raise BadSetting(f"{name} has to be a number {limits}, not {value}.")
    return value


def seconds(given: dict[str, str], name: str, default: float) -> float:
    try:
        value = float(given.get(name) or default)
    except ValueError:
        raise BadSetting(f"{name} has to be a number of seconds, not {given[name]!r}.") from None
    if not 0 < value <= MAX_JUDGE_TIMEOUT_SECONDS:  # also not NaN
        raise BadSetting(
            f"{name} has to be more than 0 and at most {MAX_JUDGE_TIMEOUT_SECONDS} seconds, not {value:g}."
        )
    return value


def database_url(url: str) -> str:
    """The address, if it is one of a SQLite file or of a PostgreSQL server."""
    try:
        urlsplit(url).port  # noqa: B018 - it is read to be checked
    except ValueError as error:
        raise BadSetting(f"The address of the database cannot be read: {error}.") from None
    names_no_file = url in ("sqlite:///", "sqlite:///:memory:")
    if names_no_file or not url.startswith(("sqlite:///", "postgresql://", "postgres://")):
        scheme = url.partition(":")[0]  # the rest may hold a password
        raise BadSetting(f"The address of a database is sqlite:///FILE or postgresql://…, not {scheme}:…")
    return url


def kept_secret(data_dir: Path) -> bytes:
    """The secret of this hub, made the first time; of two processes that start at once, both read what the first wrote."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        return made_once(data_dir)
    except OSError as error:
        raise BadSetting(f"The data folder {data_dir} (VIVA_DATA_DIR) cannot be used: {error.strerror}.") from error


def made_once(data_dir: Path) -> bytes:
    path = data_dir / "secret"
    if not path.exists():
        write_once(path, secrets.token_hex(32))
    return path.read_text().strip().encode()


def check_reachable_safely(config: Config, secret_given: bool) -> None:
    """Refuse to serve the network with a secret nobody chose."""
    if not is_loopback(config.host) and not (secret_given and len(config.secret) >= MIN_SECRET_CHARACTERS):
        raise BadSetting(
            f"To listen on {config.host}, which others can reach, set VIVA_SECRET to a random text of at least {MIN_SECRET_CHARACTERS} characters."
        )


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
