"""Which addresses of the web the hub may ask on a stranger's behalf: those of listed hosts, or, with `*`, any public one."""

import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

import httpx

ANY = "*"
HOST_PATTERN = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
MAX_PORT = 65_535
DEFAULT_PORTS = {"http": 80, "https": 443}
ROUTED = IPv6Network(
    "2000::/3"
)  # all that is given out; forms that carry an IPv4 address inside lie elsewhere, bar two

Address = IPv4Address | IPv6Address


class NotFetchable(Exception):
    """The hub does not fetch pages from this address."""


class FetchAddress(NamedTuple):
    """An address that has been read once and for all, so that nobody later reads it in another way."""

    url: httpx.URL
    host: str
    port: int
    is_listed: bool  # its host was listed by name, so it may be a private one


def place_of(address: str, hosts: Collection[str]) -> FetchAddress:
    """The place of the address, if pages may be fetched there as far as can be told without asking for its host."""
    place = read(address, hosts)
    if not place.is_listed and ANY not in hosts:
        raise NotFetchable(f"This hub fetches no pages from {host_and_port(place.host, place.port)}.")
    if not place.is_listed and not may_be_public(place.host):
        raise NotFetchable("The host has to have a public address.")
    return place


def read(address: str, hosts: Collection[str]) -> FetchAddress:
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
        raise NotFetchable("The host or the port of the address cannot be one.")
    names = {host_and_port(host, port)} | ({host_and_port(host)} if port == default else set())
    return FetchAddress(url, host, port, not names.isdisjoint(hosts))


def host_and_port(host: str, port: int | None = None) -> str:
    """As settings write it."""
    shown = f"[{host}]" if ":" in host else host
    return shown if port is None else f"{shown}:{port}"


def may_be_public(host: str) -> bool:
    """Whether the host is a name, of which nothing is known yet, or a public address."""
    try:
        return is_public(ip_address(host))
    except ValueError:
        return True


def is_public(address: Address) -> bool:
    """Whether anybody may reach the address: it is not private, loopback, link-local, multicast or reserved."""
    if address.is_multicast or address.is_reserved or not address.is_global:
        return False
    if isinstance(address, IPv4Address):
        return True
    return address in ROUTED and address.sixtofour is None and address.teredo is None
