"""Trusted proxies in front of the server, and the clients that they name."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

MAX_ADDRESS_CHARACTERS = 64  # an IPv6 address in brackets, with a zone and a port


class Proxies(NamedTuple):
    """Networks of proxies that are trusted to name their client."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    def include(self, host: str) -> bool:
        address = read_address(host)
        return address is not None and any(address in network for network in self.networks)

    def find_client(self, peer: str, forwarded_for: str) -> str:
        """The last address in X-Forwarded-For that is not a trusted proxy. A client can forge those before it."""
        client = peer
        for part in reversed(forwarded_for.split(",")):
            address = read_address(part.strip())
            if address is None:
                return client
            client = str(address)
            if not self.include(client):
                return client
        return client


def read_address(text: str) -> IPv4Address | IPv6Address | None:
    """The address, without its port; None for any other text."""
    return parse_address(text) if len(text) <= MAX_ADDRESS_CHARACTERS else None


@lru_cache(4096)  # called for each proxied request
def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
