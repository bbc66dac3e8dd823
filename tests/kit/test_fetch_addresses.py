"""Which addresses may be asked: those of listed hosts, and public ones where all are allowed."""

from ipaddress import ip_address

import pytest

from viva.kit.fetch_addresses import NotFetchable, check_fetchable, is_public

LISTED = ("example.org", "intranet:8080", "127.0.0.1:9000", "[::1]:9000", "xn--bcher-kva.example")


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/viva.txt",
        "http://EXAMPLE.org/",
        "http://example.org.:80/",
        "http://intranet:8080/~ada?raw=1#top",
        "http://127.0.0.1:9000/",
        "http://[::1]:9000/",
        "https://bücher.example/",
    ],
)
def test_a_listed_host_may_be_asked(address):
    assert check_fetchable(address, LISTED).is_listed


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org:8443/",
        "http://example.org:22/",
        "http://intranet/",
        "https://intranet:80/",
        "http://127.0.0.1:9001/",
        "http://example.org.evil.example/",
        "http://evil.example/example.org",
        "http://evil.example\\@example.org/",
        "http://evil.example#@example.org/",
        "http://sub.example.org/",
    ],
)
def test_another_host_or_port_may_not(address):
    with pytest.raises(NotFetchable):
        check_fetchable(address, LISTED)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "example.org",
        "//example.org/",
        "http://",
        "http:///viva.txt",
        "ftp://example.org/",
        "file:///etc/passwd",
        "gopher://example.org:70/",
        "javascript:alert(1)",
        "http://ada@example.org/",
        "http://:secret@example.org/",
        "http://example.org:99999/",
        "http://exa mple.org/",
        "http://example.org\r\nHost: evil.example/",
        "http://[::1/",
        "http://" + "x" * 300 + ".example/\x00",
    ],
)
@pytest.mark.parametrize("hosts", [LISTED, ("*",)])
def test_what_is_no_plain_address_of_the_web_may_not(address, hosts):
    with pytest.raises(NotFetchable):
        check_fetchable(address, hosts)


def test_where_all_are_allowed_a_name_may_be_asked_and_is_not_listed():
    assert check_fetchable("https://example.com:8443/", ("*",)).is_listed is False
    assert check_fetchable("https://intranet:8080/", ("*", "intranet:8080")).is_listed is True


@pytest.mark.parametrize("host", ["127.0.0.1", "10.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254"])
def test_where_all_are_allowed_a_private_address_may_not(host):
    with pytest.raises(NotFetchable, match="public address"):
        check_fetchable(f"http://{host}/", ("*",))


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fc00::1",
        "fd12:3456::1",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::7f00:1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "fe80::1%1",
    ],
)
def test_what_is_not_public_is_known(address):
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e"])
def test_what_is_public_is_known(address):
    assert is_public(ip_address(address))
