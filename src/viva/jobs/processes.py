"""A pool of processes for work that needs a core for long. A process that dies loses only what it was working on."""

import asyncio
import contextlib
import os
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, NamedTuple

ITEM_TIMEOUT_SECONDS = 600.0  # the largest trace takes minutes; a process that is stuck must not stay for ever
SIZE_BYTES = 8  # before each message


class ProcessDied(Exception):
    """A process ended before it had done its work."""


class ItemOutcome(NamedTuple):
    """What the function returned for one item, or the text of its error."""

    value: Any
    error: str | None


class ItemProgress(NamedTuple):
    """What a function reports before it returns."""

    value: Any


ProgressReport = Callable[[Any], None]
reports: list[ProgressReport] = []  # where `report_progress` goes; the loop of a process adds its own


def report_progress(value: Any) -> None:
    """Report how far the work is. Nobody listens outside of a pool's process."""
    for report in reports:
        report(value)


class ProcessPool:
    """At most `size` processes. They start when they are needed, and each stays for the next call."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._slots = asyncio.Semaphore(size)
        self.pending: Counter[str] = Counter()  # calls that run or wait for a process, by caller
        self._loop: asyncio.AbstractEventLoop | None = None
        self._idle: list[Process] = []
        self._all: set[Process] = set()

    async def run_all(
        self,
        function: Callable[[Any], Any],
        items: Sequence[Any],
        timeout: float = ITEM_TIMEOUT_SECONDS,
        on_progress: ProgressReport = lambda value: None,
    ) -> AsyncGenerator[ItemOutcome, None]:
        """The outcome of each item in order, as soon as there is one. ProcessDied if the process ends before."""
        async with self._slots:
            process = self._idle.pop() if self._idle else await self._start()
            is_complete = False
            try:
                await send(process, (function, list(items)))
                for _ in items:
                    while isinstance(message := await receive(process, timeout), ItemProgress):
                        on_progress(message.value)
                    yield message
                is_complete = True
            finally:
                if is_complete:
                    self._idle.append(process)
                else:  # it died, it is stuck, or nobody waits for the rest
                    await self._end(process)

    async def run(
        self, function: Callable[[Any], Any], item: Any, timeout: float = ITEM_TIMEOUT_SECONDS, caller: str = ""
    ) -> Any:
        """What the function returns for one item. Its error becomes a RuntimeError with the same text."""
        self.pending[caller] += 1
        try:
            outcomes = [outcome async for outcome in self.run_all(function, [item], timeout)]
        finally:
            self.pending -= Counter([caller])  # it forgets who has none left
        if outcomes[0].error is not None:
            raise RuntimeError(outcomes[0].error)
        return outcomes[0].value

    def attach(self) -> None:
        """Let threads use the pool through the event loop that runs now."""
        self._loop = asyncio.get_running_loop()

    def run_from_thread(self, function: Callable[[Any], Any], item: Any) -> Any:
        """`run` for a thread other than the event loop's. Without an event loop, the thread does the work itself."""
        if self._loop is None:
            return function(item)
        return asyncio.run_coroutine_threadsafe(self.run(function, item), self._loop).result()

    async def _start(self) -> Process:
        # Not multiprocessing: it would import the main module of a program that has a hub embedded.
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = (sys.executable, "-m", "viva.jobs.process_loop", str(os.getpid()))
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=environment)
        self._all.add(process)
        return process

    async def _end(self, process: Process) -> None:
        self._all.discard(process)
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()

    async def close(self) -> None:
        """End every process at once. What they work on is not done."""
        self._loop = None
        self._idle.clear()
        for process in list(self._all):
            await self._end(process)


def frame_message(message: Any) -> bytes:
    """A message as it goes through a pipe: its size, then itself."""
    encoded = pickle.dumps(message)
    return len(encoded).to_bytes(SIZE_BYTES, "big") + encoded


async def send(process: Process, message: Any) -> None:
    writer = process.stdin
    assert writer is not None  # noqa: S101 - for the type; it was asked for at the start
    try:
        writer.write(frame_message(message))
        await writer.drain()
    except OSError as error:
        raise ProcessDied from error


async def receive(process: Process, timeout: float) -> ItemOutcome | ItemProgress:
    reader = process.stdout
    assert reader is not None  # noqa: S101 - as above
    try:
        async with asyncio.timeout(timeout):
            size = int.from_bytes(await reader.readexactly(SIZE_BYTES), "big")
            message: ItemOutcome | ItemProgress = pickle.loads(await reader.readexactly(size))  # noqa: S301 - our own process wrote it
    except (EOFError, OSError) as error:  # IncompleteReadError is an EOFError, TimeoutError an OSError
        raise ProcessDied from error
    return message
