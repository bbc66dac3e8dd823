"""`python -m bench.probe PORT PID PATH`: poll a hub until standard input ends, then print latencies and memory as JSON.

It is a separate process, so that the load of the attacker's process does not distort the times."""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import psutil

PAUSE_SECONDS = 0.01
TIMEOUT_SECONDS = 20
MIB = 1024 * 1024


class Report(NamedTuple):
    """Latencies in milliseconds on one open connection and on new ones, and the server's memory in MiB."""

    open: list[float]
    new: list[float]
    failed: int
    before: float
    peak: float


class Probe:
    def __init__(self, port: int, pid: int, path: str) -> None:
        self.port = port
        self.request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        server = psutil.Process(pid)
        self.processes = [server, *server.children(recursive=True)]
        self.connection: socket.socket | None = None
        self.failed = 0

    def poll_until(self, ended: threading.Event) -> Report:
        on_open, on_new, memory = [], [], [self.memory()]
        while not ended.is_set():
            on_open.append(self.measure(self.request_on_open))
            on_new.append(self.measure(self.request_on_new))
            memory.append(self.memory())
            time.sleep(PAUSE_SECONDS)
        return Report(on_open, on_new, self.failed, memory[0], max(memory))

    def memory(self) -> float:
        return float(sum(process.memory_info().rss for process in self.processes)) / MIB

    def measure(self, send_request: Callable[[], None]) -> float:
        started = time.perf_counter()
        try:
            send_request()
        except OSError:
            self.failed += 1
            self.connection = None
        return (time.perf_counter() - started) * 1000

    def request_on_open(self) -> None:
        if self.connection is None:
            self.connection = self.connect()
        self.send(self.connection)

    def request_on_new(self) -> None:
        with self.connect() as connection:
            self.send(connection)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_SECONDS)

    def send(self, connection: socket.socket) -> None:
        connection.sendall(self.request)
        received = b""
        while not received.endswith(b"}"):  # the end of the JSON, which may arrive after the headers
            part = connection.recv(65536)
            if not part:
                raise ConnectionError
            received += part
        if not received.startswith(b"HTTP/1.1 200"):
            raise ConnectionError


if __name__ == "__main__":
    ended = threading.Event()

    def wait_for_end() -> None:
        with suppress(OSError):
            sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    print(json.dumps(Probe(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]).poll_until(ended)._asdict()))
