"""The web addresses that the hub may fetch for a stranger: listed hosts, or with `*` any public one."""

import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import httpx

ANY_HOST = "*"
HOST_PATTERN = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
MAX_PORT = 65_535
DEFAULT_PORTS = {"http": 80, "https": 443}
# The whole allocated space. Only 6to4 and Teredo addresses in it embed an IPv4 address.
GLOBAL_UNICAST = IPv6Network("2000::/3")

Address = IPv4Address | IPv6Address


class NotFetchable(Exception):
    """The hub does not fetch pages from this address."""


class FetchAddress(NamedTuple):
    """A parsed address. It is parsed once, so that no later step can read it differently."""

    url: "httpx.URL"
    host: str
    port: int
    is_listed: bool  # its host is in the list, so it may be private


def check_fetchable(address: str, hosts: Collection[str]) -> FetchAddress:
    """The parsed address, if the hub may fetch it. Its host name is not resolved yet."""
    parsed = parse_fetch_address(address, hosts)
    if not parsed.is_listed and ANY_HOST not in hosts:
        raise NotFetchable(f"This hub fetches no pages from {format_host(parsed.host, parsed.port)}.")
    if not parsed.is_listed and not may_be_public(parsed.host):
        raise NotFetchable("The host has to have a public address.")
    return parsed


def parse_fetch_address(address: str, hosts: Collection[str]) -> FetchAddress:
    import httpx  # imported late: an HTTP client is slow to import

    try:
        url = httpx.URL(address)
        host = url.raw_host.decode().rstrip(".")
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise NotFetchable("This is not an address of the web.") from None
    if url.scheme not in DEFAULT_PORTS or not host:
        raise NotFetchable("The address has to begin with http:// or https:// and a host.")
    if url.userinfo:
        raise NotFetchable("The address must not hold a name or a password.")
    default = DEFAULT_PORTS[url.scheme]
    port = default if url.port is None else url.port
    if not HOST_PATTERN.fullmatch(host) or not 0 < port <= MAX_PORT:
        raise NotFetchable("The host or the port of the address is not valid.")
    names = {format_host(host, port)} | ({format_host(host)} if port == default else set())
    return FetchAddress(url, host, port, not names.isdisjoint(hosts))


def format_host(host: str, port: int | None = None) -> str:
    """The host as in the settings."""
    name = f"[{host}]" if ":" in host else host
    return name if port is None else f"{name}:{port}"


def may_be_public(host: str) -> bool:
    """Whether the host is a public address, or a name that is not resolved yet."""
    try:
        return is_public(ip_address(host))
    except ValueError:
        return True


def is_public(address: Address) -> bool:
    """Whether the address is public: not private, loopback, link-local, multicast or reserved."""
    if address.is_multicast or address.is_reserved or not address.is_global:
        return False
    if isinstance(address, IPv4Address):
        return True
    return address in GLOBAL_UNICAST and address.sixtofour is None and address.teredo is None
