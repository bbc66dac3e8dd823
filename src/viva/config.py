"""The settings, read once from the environment; only the top floors see them."""

import contextlib
import os
import secrets
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from msgspec import Struct

if TYPE_CHECKING:
    from viva.judging.judge import Judge

SHIPPED_SIPS = Path(__file__).parent / "sips"
KIB = 1024
MESSAGE_BYTES = 64 * KIB
LAST_PORT = 65_535
SHORTEST_SECRET = 32  # characters; a shorter one can be found by trying, from any login cookie


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

    @classmethod
    def from_environment(cls, environment: dict[str, str] | None = None) -> Self:
        given = dict(os.environ) if environment is None else environment
        data_dir = Path(given.get("VIVA_DATA_DIR") or "~/.local/share/viva").expanduser().absolute()
        host = given.get("VIVA_HOST") or "127.0.0.1"
        port = number(given, "VIVA_PORT", 8000, least=0, most=LAST_PORT)
        address = f"[{host}]" if ":" in host else host
        return cls(
            database_url=database_url(given.get("VIVA_DATABASE_URL") or f"sqlite:///{data_dir / 'viva.db'}"),
            data_dir=data_dir,
            host=host,
            port=port,
            base_url=(given.get("VIVA_BASE_URL") or f"http://{address}:{port}").rstrip("/"),
            secret=given["VIVA_SECRET"].encode() if given.get("VIVA_SECRET") else kept_secret(data_dir),
            sips_dir=Path(given["VIVA_SIPS_DIR"]).absolute() if given.get("VIVA_SIPS_DIR") else None,
            message_bytes=number(given, "VIVA_MESSAGE_BYTES", MESSAGE_BYTES),
            body_bytes=number(given, "VIVA_BODY_BYTES", 8 * KIB * KIB),
            rate_limit=None if given.get("VIVA_RATE_LIMIT") == "off" else number(given, "VIVA_RATE_LIMIT", 6_000),
            has_worker=not given.get("VIVA_NO_WORKER"),
        )

    @property
    def sip_folders(self) -> list[Path]:
        """Where SIPs are read from: the configured folder, or the shipped ones and those imported beside the data."""
        return [self.sips_dir] if self.sips_dir else [SHIPPED_SIPS, self.own_sips]

    @property
    def own_sips(self) -> Path:
        """Where imported SIPs go."""
        return self.sips_dir or self.data_dir / "sips"


def configured_judge(environment: dict[str, str] | None = None) -> "Judge":
    """The judge that VIVA_JUDGE_URL and its companions name."""
    given = dict(os.environ) if environment is None else environment
    names = ("VIVA_JUDGE_URL", "VIVA_JUDGE_MODEL", "VIVA_JUDGE_KEY")
    url, model, key = (given.get(name, "").strip() for name in names)
    if not url or not model:
        raise BadSetting("To ask a judge, set VIVA_JUDGE_URL and VIVA_JUDGE_MODEL to an OpenAI-compatible endpoint.")
    if not url.lower().startswith(("http://", "https://")):
        raise BadSetting("VIVA_JUDGE_URL has to begin with http:// or https://.")
    if not is_address(url):
        raise BadSetting("VIVA_JUDGE_URL has to be an address such as http://127.0.0.1:11434/v1.")
    if not (key.isascii() and key.isprintable()):  # a header carries nothing else
        raise BadSetting("VIVA_JUDGE_KEY has to consist of printable ASCII characters.")
    from viva.judging.judge import Judge  # late: an HTTP client takes longer to import than help may take to come
    from viva.judging.model import Budget

    budget = Budget(calls=number(given, "VIVA_JUDGE_CALLS", Budget().calls))
    return Judge(url, model, key, budget=budget)


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
        draft = data_dir / f".secret-{secrets.token_hex(8)}"
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_hex(32))
        with contextlib.suppress(FileExistsError):  # another process was first
            path.hardlink_to(draft)
        draft.unlink()
    return path.read_text().strip().encode()


def check_reachable_safely(config: Config, secret_given: bool) -> None:
    """Refuse to serve the network with a secret nobody chose."""
    if not is_loopback(config.host) and not (secret_given and len(config.secret) >= SHORTEST_SECRET):
        raise BadSetting(
            f"To listen on {config.host}, which others can reach, set VIVA_SECRET to a random text of at least {SHORTEST_SECRET} characters."
        )


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
