"""How soon a message that one process receives reaches 500 readers on two processes, on PostgreSQL."""

import asyncio
import gc
import re
from time import perf_counter
from typing import NamedTuple

from bench.hall import Exam, postgres_hub, start_exam
from tests.hub import Hub

READERS = 500
MESSAGES = 40
PAUSE_SECONDS = 0.25  # between messages, so that readers are idle again


def run() -> None:
    gc.freeze()  # a search for garbage among all modules stops this client for 0.1 s
    with postgres_hub(processes=2) as hub:
        delays = sorted(asyncio.run(measure_delays(hub, start_exam(hub))))
    print(f"  {len(delays):,} of {READERS * MESSAGES:,} deliveries to {READERS} readers on 2 processes")
    for share in (0.5, 0.9, 0.99, 1.0):
        delay = delays[min(len(delays) - 1, int(len(delays) * share))] * 1000
        print(f"  {share:>6.0%} within {delay:>8.1f} ms{'  goal 100 ms' if share == 0.99 else ''}")


async def measure_delays(hub: Hub, exam: Exam) -> list[float]:
    loop = asyncio.get_running_loop()
    arrivals: list[Arrival] = []
    readers = [Reader(exam, hub.port, arrivals, loop) for _ in range(READERS)]
    for reader in readers:
        await loop.create_connection(lambda reader=reader: reader, "127.0.0.1", hub.port)  # type: ignore[misc]
    await asyncio.gather(*(reader.listening for reader in readers))

    sent = {}
    for sequence in range(1, MESSAGES + 1):
        sent[sequence] = perf_counter()
        await asyncio.to_thread(exam.candidate.say, exam.session_id, f"Message {sequence}")
        await asyncio.sleep(PAUSE_SECONDS)
    await asyncio.to_thread(exam.proctor.submit, exam.registration_id)
    await asyncio.gather(*(reader.ended for reader in readers))
    return [arrival.moment - sent[arrival.sequence] for arrival in arrivals]


class Arrival(NamedTuple):
    sequence: int
    moment: float


class Reader(asyncio.Protocol):
    """A cheap reader, so that the benchmark measures the server and not 500 clients on the same machine."""

    def __init__(self, exam: Exam, port: int, arrivals: list[Arrival], loop: asyncio.AbstractEventLoop) -> None:
        self.request = (
            f"GET {exam.messages_path}/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Authorization: Bearer {exam.candidate.key}\r\n\r\n"
        )
        self.arrivals = arrivals
        self.listening = loop.create_future()
        self.ended = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.write(self.request.encode())  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        moment = perf_counter()
        for sequence in re.findall(rb"^id: (\d+)$", data, re.MULTILINE):
            self.arrivals.append(Arrival(int(sequence), moment))
        if b": listening" in data:
            self.listening.set_result(None)
        if b"event: end" in data:
            self.ended.set_result(None)
