"""How often a hub waits for its database: a proxy between them that counts questions which are followed by an answer."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.hub import free_port

PART_BYTES = 65_536
POSTGRES_PORT = 5432


class CountingProxy:
    """Passes bytes on, both ways. What follows an answer on the same connection begins a new round trip."""

    def __init__(self, socket_path: str) -> None:
        self.round_trips = 0
        self._socket_path = socket_path
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", free_port()))
        self.port = self._listener.getsockname()[1]
        start_thread(self._accept)

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                hub, _ = self._listener.accept()
                database = socket.socket(socket.AF_UNIX)
                database.connect(self._socket_path)
                RelayedConnection(hub, database, self._count)

    def _count(self) -> None:
        with self._lock:
            self.round_trips += 1


class RelayedConnection:
    """One connection of the hub with its database."""

    def __init__(self, hub: socket.socket, database: socket.socket, count: Callable[[], None]) -> None:
        self._count = count
        self._is_asked = False
        hub.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        start_thread(lambda: pass_on(hub, database, self._note_question))
        start_thread(lambda: pass_on(database, hub, self._note_answer))

    def _note_question(self) -> None:
        self._is_asked = True

    def _note_answer(self) -> None:
        if self._is_asked:  # further parts of the answer, and notifications, are no round trips
            self._is_asked = False
            self._count()


def pass_on(source: socket.socket, sink: socket.socket, note: Callable[[], None]) -> None:
    with suppress(OSError):  # the other side is gone
        while part := source.recv(PART_BYTES):
            note()
            sink.sendall(part)
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def start_thread(run: Callable[[], None]) -> None:
    threading.Thread(target=run, daemon=True).start()


@contextlib.contextmanager
def counting_proxy(database_url: str) -> Iterator[tuple[CountingProxy, str]]:
    """A proxy in front of a server that listens on a socket in a folder, and the address by which a hub uses it."""
    parts = urlsplit(database_url)
    (folder,) = parse_qs(parts.query)["host"]
    proxy = CountingProxy(str(Path(folder) / f".s.PGSQL.{POSTGRES_PORT}"))
    try:
        yield proxy, f"postgresql://postgres@127.0.0.1:{proxy.port}{parts.path}?sslmode=disable&gssencmode=disable"
    finally:
        proxy.close()
