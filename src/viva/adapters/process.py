"""A child process that answers lines, within a time and a size."""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections import deque
from threading import Thread
from typing import IO, cast

ERROR_TAIL_BYTES = 4_096  # kept of what a process writes to its standard error
PIPE_PART_BYTES = 64 * 1024
END_SECONDS = 5.0  # for a process that closed its output, to end


class EndedProcess(Exception):
    """The process ended without an answer."""

    def __init__(self, code: int, errors: bytes) -> None:
        super().__init__()
        self.code = code
        self.errors = errors


class LongLine(Exception):
    """The process writes more than a line may have."""


class LineProcess:
    """A process in a group of its own, so that its children end with it."""

    def __init__(self, arguments: list[str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - the user named the program
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self._input, self._output, error_pipe = self._pipes = [
            cast(IO[bytes], pipe) for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        ]
        self._errors: deque[int] = deque(maxlen=ERROR_TAIL_BYTES)
        self._error_reader = Thread(target=read_all, args=[error_pipe, self._errors], daemon=True)
        self._error_reader.start()

    def ask(self, line: bytes, seconds: float, max_bytes: int) -> bytes:
        """The next line of the process; TimeoutError, LongLine, or EndedProcess if there is none."""
        until = time.monotonic() + seconds
        # A thread writes, because a process that reads nothing would block a long line for ever.
        Thread(target=write_all, args=[self._input, line], daemon=True).start()
        read = b""
        while b"\n" not in read:
            if len(read) > max_bytes:
                raise LongLine()
            part = self._read_part(until)
            if not part:
                raise EndedProcess(self._wait_for_end(), self.read_errors())
            read += part
        return read.partition(b"\n")[0]

    def _read_part(self, until: float) -> bytes:
        ready, _, _ = select.select([self._output], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            raise TimeoutError
        return os.read(self._output.fileno(), PIPE_PART_BYTES)

    def _wait_for_end(self) -> int:
        try:
            code = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill()
            code = self._process.wait()
        self._error_reader.join(END_SECONDS)
        return code

    def read_errors(self) -> bytes:
        """The end of what it wrote to its standard error."""
        return bytes(self._errors.copy())

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process and its children."""
        self._kill()
        self._process.wait()
        self._error_reader.join(END_SECONDS)
        for pipe in self._pipes:
            with contextlib.suppress(OSError):
                pipe.close()


def write_all(pipe: IO[bytes], line: bytes) -> None:
    unwritten = memoryview(line)
    with contextlib.suppress(OSError, ValueError):  # it has ended, which the end of its output tells
        while unwritten:
            unwritten = unwritten[pipe.write(unwritten) :]


def read_all(pipe: IO[bytes], kept: "deque[int]") -> None:
    with contextlib.suppress(OSError, ValueError):
        while part := pipe.read(PIPE_PART_BYTES):
            kept.extend(part)
