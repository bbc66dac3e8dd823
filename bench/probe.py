"""`python -m bench.probe PORT PID PATH`: poll a hub until standard input ends; then print latencies and memory as JSON.

A process of its own, so that what an attacker in the other one does is not measured."""

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
    """Latencies in milliseconds, and how many MiB the server had before and at most."""

    kept: list[float]
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
        self.kept: socket.socket | None = None
        self.failed = 0

    def poll_until(self, ended: threading.Event) -> Report:
        kept, new, memory = [], [], [self.memory()]
        while not ended.is_set():
            kept.append(self.timed(self.ask_kept))
            new.append(self.timed(self.ask_new))
            memory.append(self.memory())
            time.sleep(PAUSE_SECONDS)
        return Report(kept, new, self.failed, memory[0], max(memory))

    def memory(self) -> float:
        return float(sum(process.memory_info().rss for process in self.processes)) / MIB

    def timed(self, ask: Callable[[], None]) -> float:
        began = time.perf_counter()
        try:
            ask()
        except OSError:
            self.failed += 1
            self.kept = None
        return (time.perf_counter() - began) * 1000

    def ask_kept(self) -> None:
        if self.kept is None:
            self.kept = self.connect()
        self.ask(self.kept)

    def ask_new(self) -> None:
        with self.connect() as opened:
            self.ask(opened)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_SECONDS)

    def ask(self, opened: socket.socket) -> None:
        opened.sendall(self.request)
        heard = b""
        while not heard.endswith(b"}"):  # the end of the JSON, which may come after the head
            part = opened.recv(65536)
            if not part:
                raise ConnectionError
            heard += part
        if not heard.startswith(b"HTTP/1.1 200"):
            raise ConnectionError


if __name__ == "__main__":
    ended = threading.Event()

    def wait_for_end() -> None:
        with suppress(OSError):
            sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    print(json.dumps(Probe(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]).poll_until(ended)._asdict()))
