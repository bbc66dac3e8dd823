"""Which address of X-Forwarded-For is the client's."""

from ipaddress import ip_network

import pytest

from viva.kit.proxies import Proxies

PROXIES = Proxies((ip_network("127.0.0.1"), ip_network("10.0.0.0/8")))


@pytest.mark.parametrize(
    ("forwarded_for", "client"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:4711", "203.0.113.7"),
        ("[2001:db8::1]:4711", "2001:db8::1"),
        ("198.51.100.1, 203.0.113.7", "203.0.113.7"),  # the first was sent by the client itself
        ("203.0.113.7, 10.0.0.9", "203.0.113.7"),  # two proxies in a row
        ("10.0.0.8, 10.0.0.9", "10.0.0.8"),  # the client is in the proxies' own network
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("unknown", "127.0.0.1"),
        ("203.0.113.7, unknown, 10.0.0.9", "10.0.0.9"),
        ("", "127.0.0.1"),
        ("9" * 100, "127.0.0.1"),
    ],
)
def test_the_last_address_that_is_no_proxy_is_the_client(forwarded_for: str, client: str):
    assert PROXIES.find_client("127.0.0.1", forwarded_for) == client


def test_proxies_are_recognised_by_address_and_by_network():
    hosts = ["127.0.0.1", "10.255.0.1", "::ffff:10.0.0.1", "127.0.0.2", "::1", "not an address", "unknown"]

    assert [PROXIES.include(host) for host in hosts] == [True, True, True, False, False, False, False]
