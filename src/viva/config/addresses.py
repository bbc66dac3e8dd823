"""Checking addresses: of the hub itself, its database, its mail server, GitHub and judges."""

from email.utils import parseaddr
from ipaddress import ip_address
from urllib.parse import urlsplit

from viva.config.reading import BadSetting

GITHUB_URL = "https://api.github.com"


def check_base_url(url: str) -> str:
    """The address without a final slash, if a browser can open it and a path can follow it."""
    is_plain = url.isprintable() and not any(letter in url for letter in " ?#@")
    if not is_plain or not url.lower().startswith(("http://", "https://")) or not is_address(url):
        raise BadSetting(f"VIVA_BASE_URL has to be an address such as https://viva.example, not {url!r}.")
    return url.rstrip("/")


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


def check_github_url(url: str) -> str:
    """The address without a final slash. The token would be readable on its way over plain HTTP."""
    is_safe = url.lower().startswith("https://") or is_loopback(urlsplit(url).hostname or "")
    if not is_safe or not url.lower().startswith(("http://", "https://")) or not is_address(url):
        raise BadSetting(f"VIVA_GITHUB_URL has to be an https:// address such as {GITHUB_URL}, not {url!r}.")
    return url.rstrip("/")


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


def is_address(url: str) -> bool:
    """Whether a request can be sent to this address: both the standard library and HTTPX must accept it."""
    from httpx import URL, InvalidURL  # imported late, as above

    try:
        urlsplit(url).port  # noqa: B018 - reading it checks it
        return bool(URL(url).host.encode("idna"))
    except (ValueError, InvalidURL):
        return False


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
