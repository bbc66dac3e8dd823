"""What it costs to deliver one message to one of many readers of a session."""

import asyncio

from bench.cost_model import Cost
from bench.hall import Exam, start_exam
from bench.live import Arrival, Reader
from bench.metering import Meter, cost_between

READERS = 100
MESSAGES = 30
WAIT_SECONDS = 120


class CountingReader(Reader):
    """A reader that counts the bytes that come."""

    bytes_received = 0

    def data_received(self, data: bytes) -> None:
        self.bytes_received += len(data)
        super().data_received(data)


async def measure_delivery(meter: Meter) -> Cost:
    """The cost of a delivery, without the post that caused it."""
    loop, arrivals = asyncio.get_running_loop(), list[Arrival]()
    exam = await asyncio.to_thread(start_exam, meter.hub)
    alone = await measure_posts(meter, exam, [], 0)
    readers = [CountingReader(exam, meter.hub.port, arrivals, loop) for _ in range(READERS)]
    for reader in readers:
        await loop.create_connection(lambda reader=reader: reader, "127.0.0.1", meter.hub.port)  # type: ignore[misc]
    await asyncio.gather(*(reader.listening for reader in readers))
    heads = sum(reader.bytes_received for reader in readers)
    heard = await measure_posts(meter, exam, arrivals, READERS)
    received = sum(reader.bytes_received for reader in readers) - heads
    await asyncio.to_thread(exam.proctor.submit, exam.registration_id)
    await asyncio.gather(*(reader.ended for reader in readers))
    return heard.minus(alone).divide(READERS * MESSAGES)._replace(bytes_out=received / (READERS * MESSAGES))


async def measure_posts(meter: Meter, exam: Exam, arrivals: list[Arrival], readers: int) -> Cost:
    """The cost of all posts, each sent once every reader has the one before."""
    before = await asyncio.to_thread(meter.read)
    for number in range(1, MESSAGES + 1):
        await asyncio.to_thread(exam.candidate.say, exam.session_id, f"Message {number}")
        async with asyncio.timeout(WAIT_SECONDS):
            while len(arrivals) < number * readers:
                await asyncio.sleep(0.001)
    return cost_between(before, await asyncio.to_thread(meter.read))
