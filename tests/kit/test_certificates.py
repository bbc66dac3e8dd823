"""The certificates that connections trust: read once, and checked."""

import contextlib
import socket
import ssl
import threading
from pathlib import Path

import pytest

from tests.kit.test_fetching import certified
from viva.kit.certificates import trusted_certificates


@pytest.fixture
def unread():
    trusted_certificates.cache_clear()
    yield
    trusted_certificates.cache_clear()


def test_they_are_read_once_and_every_server_has_to_prove_its_name(unread):
    found = [trusted_certificates() for _ in range(3)]

    assert all(each is found[0] for each in found)
    assert (found[0].verify_mode, found[0].check_hostname) == (ssl.CERT_REQUIRED, True)


def test_the_environment_may_name_others_where_it_is_asked(unread, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    server, _ = certified(tmp_path, "judge.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.pem"))

    assert trusts(trusted_certificates(), server, "judge.example")
    assert not trusts(trusted_certificates(), server, "other.example")
    assert not trusts(trusted_certificates(uses_environment=False), server, "judge.example")


def trusts(context: ssl.SSLContext, server: ssl.SSLContext, name: str) -> bool:
    """Whether a client with the context goes on with the server after its greeting."""
    ours, theirs = socket.socketpair()
    ours.settimeout(30)
    theirs.settimeout(30)

    def greet() -> None:
        with theirs, contextlib.suppress(OSError):
            server.wrap_socket(theirs, server_side=True).close()

    greeting = threading.Thread(target=greet)
    greeting.start()
    try:
        with context.wrap_socket(ours, server_hostname=name):
            return True
    except ssl.SSLCertVerificationError:
        return False
    finally:
        ours.close()
        greeting.join()
