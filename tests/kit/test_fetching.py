"""Fetching a stranger's page: from the address that was checked, within its time and size, and never into our own network."""

import socket
import ssl
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.hub import free_port
from tests.pages import Pages
from viva.kit.fetch_addresses import NotFetchable
from viva.kit.fetching import Fetched, Fetcher, Unreachable


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """A name server of the test's own: addresses by name; each is asked for by `asked`."""
    known: dict[str, list[str]] = {}
    real = socket.getaddrinfo

    def look_up(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host not in known:
            return real(host, port, *args, **options)
        known.setdefault("asked", []).append(host)
        rows = [real(address, port, *args, **options)[0] for address in known[host]]
        if not rows:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return rows

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


def test_a_page_comes_as_text():
    with Pages({"/viva.txt": "the proof, with ü"}) as pages:
        page = Fetcher((pages.host,)).fetch(pages.url("/viva.txt"))

    assert page == Fetched(200, "the proof, with ü")
    ((path, headers),) = pages.seen
    assert path == "/viva.txt"
    assert headers["host"] == pages.host
    assert headers["accept-encoding"] == "identity"
    assert not {"authorization", "cookie"} & headers.keys()


def test_the_host_is_named_and_the_checked_address_is_asked(names):
    names["pages.example"] = ["127.0.0.1"]
    with Pages({"/": "here"}) as pages:
        host = f"pages.example:{pages.port}"
        page = Fetcher((host,)).fetch(f"http://{host}/")

    assert page.text == "here"
    assert pages.seen[0][1]["host"] == host
    assert names["asked"] == ["pages.example"]


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1"], ["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["169.254.169.254"]],
)
def test_a_name_that_leads_into_our_own_network_is_not_followed(names, addresses):
    names["innocent.example"] = addresses
    with Pages({"/": "secret"}) as pages, pytest.raises(NotFetchable, match="public address"):
        Fetcher(("*",)).fetch(f"http://innocent.example:{pages.port}/")

    assert pages.seen == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]"])
def test_no_way_of_writing_this_machine_reaches_it(host):
    with Pages({"/": "secret"}) as pages, pytest.raises((NotFetchable, Unreachable)):
        Fetcher(("*",)).fetch(f"http://{host}:{pages.port}/")

    assert pages.seen == []


def test_a_host_that_is_not_listed_is_not_looked_up(names):
    names["other.example"] = ["8.8.8.8"]
    with pytest.raises(NotFetchable):
        Fetcher(("example.org",)).fetch("http://other.example/")

    assert "asked" not in names


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status):
    with Pages({"/": status, "/moved": "the proof"}) as pages:
        page = Fetcher((pages.host,)).fetch(pages.url("/"))

    assert page.status == status
    assert [path for path, _ in pages.seen] == ["/"]


def test_what_is_not_there_says_so():
    with Pages({}) as pages:
        assert Fetcher((pages.host,)).fetch(pages.url("/viva.txt")).status == 404


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_server_in_trouble_is_unreachable(status):
    with Pages({"/": status}) as pages, pytest.raises(Unreachable, match=f"status {status}"):
        Fetcher((pages.host,)).fetch(pages.url("/"))


def test_nobody_there_is_unreachable(names):
    names["nowhere.example"] = []

    with pytest.raises(Unreachable, match="could not be read"):
        Fetcher((host := f"127.0.0.1:{free_port()}",)).fetch(f"http://{host}/")
    with pytest.raises(Unreachable, match="could not be found"):
        Fetcher(("nowhere.example",)).fetch("http://nowhere.example/")


def test_the_next_address_of_a_host_is_tried(names):
    names["two.example"] = ["127.0.0.2", "127.0.0.1"]
    with Pages({"/": "here"}) as pages:
        page = Fetcher((host := f"two.example:{pages.port}",)).fetch(f"http://{host}/")

    assert page.text == "here"


def test_only_the_first_64_kib_are_read():
    def endless(handler: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"x" * 65536)
        except OSError:
            pass  # the reader has gone

    with Pages({"/": endless}) as pages:
        page = Fetcher((pages.host,)).fetch(pages.url("/"))

    assert page.text == "x" * 65536


@pytest.mark.slow
@pytest.mark.parametrize("part", ["head", "body"])
def test_who_drips_is_cut_off(part):
    is_cut_off = Event()

    def drip(handler: Any) -> None:
        if part == "body":
            handler.send_response(200)
            handler.end_headers()
        else:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        try:
            for _ in range(1_200):  # for a minute
                handler.wfile.write(b"x")
                handler.wfile.flush()
                time.sleep(0.05)
        except OSError:
            is_cut_off.set()

    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # empty: reading all certificates could take too long
    with Pages({"/": drip}) as pages, pytest.raises(Unreachable, match="within 2 seconds"):
        Fetcher((pages.host,), seconds=2, trust=trust).fetch(pages.url("/"))

    assert is_cut_off.wait(60), "it waited for the last drop"


def test_a_slow_name_server_is_not_waited_for(monkeypatch):
    over = Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [] if over.wait(30) else None)

    with pytest.raises(Unreachable, match="could not be found"):
        Fetcher(("slow.example",), seconds=0.1).fetch("http://slow.example/")

    over.set()


def test_what_is_packed_is_not_unpacked():
    def packed(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        handler.wfile.write(b"not gzip at all")

    with Pages({"/": packed}) as pages:
        assert Fetcher((pages.host,)).fetch(pages.url("/")).text == "not gzip at all"


def test_no_proxy_of_this_machine_is_used(monkeypatch):
    with Pages({"/": "here"}) as pages, Pages({}) as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.host}")
        monkeypatch.setenv("ALL_PROXY", f"http://{proxy.host}")
        page = Fetcher((pages.host,)).fetch(pages.url("/"))

    assert page.text == "here"
    assert proxy.seen == []


def certified(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's certificate for the name, and the trust of a client in it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    return server, ssl.create_default_context(cafile=str(file))


def test_over_tls_the_certificate_is_that_of_the_name(names, tmp_path):
    names["pages.example"] = names["other.example"] = ["127.0.0.1"]
    server, trust = certified(tmp_path, "pages.example")
    with Pages({"/": "here"}, server) as pages:
        right, wrong = f"pages.example:{pages.port}", f"other.example:{pages.port}"
        fetcher = Fetcher((right, wrong), trust=trust)

        assert fetcher.fetch(f"https://{right}/").text == "here"
        with pytest.raises(Unreachable):
            fetcher.fetch(f"https://{wrong}/")
        with pytest.raises(Unreachable):
            Fetcher((right,)).fetch(f"https://{right}/")
