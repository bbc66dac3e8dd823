"""An open file read line by line in constant memory, packed or not."""

import gzip
import io
from collections import deque
from collections.abc import Iterator
from typing import IO, NamedTuple, cast

from viva.engine.intake.faults import BadTrace, bad
from viva.engine.intake.limits import Limits
from viva.engine.intake.plain import BOM
from viva.kit.errors import Fault

GZIP = b"\x1f\x8b"
BLANK_LINE = b"\n"  # what a line that says nothing is put back as


class SourceLine(NamedTuple):
    """One line of a file without its end; `fault` says why it could not be kept."""

    number: int
    raw: bytes
    fault: BadTrace | None = None


class TraceFile:
    """A file from its beginning; lines that were looked at can be put back."""

    def __init__(self, file: IO[bytes], limits: Limits) -> None:
        self.file = unpack(file)
        self.limits = limits
        self.number = 0
        self.ahead: deque[tuple[bytes, int]] = deque()  # what was put back, and how many times it comes

    def chunk(self) -> bytes:
        """The next line with its end, or the beginning of one that is longer than a trace may be."""
        if self.ahead:
            chunk, times = self.ahead.popleft()
            if times > 1:
                self.ahead.appendleft((chunk, times - 1))
            return chunk
        chunk = self.file.readline(self.limits.bytes + 2)
        self.number += 1
        return chunk.removeprefix(BOM) if self.number == 1 else chunk

    def opening(self) -> list[bytes]:
        """The first two lines that say something: enough to tell the layout. They come again."""
        seen: deque[tuple[bytes, int]] = deque()
        said: list[bytes] = []
        size = 0
        while len(said) < 2 and size <= self.limits.bytes and (chunk := self.chunk()):
            size += len(chunk)
            if chunk.strip():
                said.append(chunk)
            elif chunk.endswith(b"\n"):  # there may be millions: they are counted, not kept
                chunk = BLANK_LINE
            times = seen.pop()[1] if seen and chunk is BLANK_LINE is seen[-1][0] else 0
            seen.append((chunk, times + 1))
        self.ahead = seen
        return said

    def rest(self) -> bytes:
        """All that follows, or one byte more than the largest file that is read whole."""
        head = b"".join(chunk * times for chunk, times in self.ahead)
        return head + self.file.read(max(0, self.limits.file + 1 - len(head)))

    def lines(self) -> Iterator[SourceLine]:
        """The lines that say something, with their numbers."""
        number = 0
        while chunk := self.chunk():
            number += 1
            if len(chunk) > self.limits.bytes and not chunk.endswith(b"\n"):
                yield SourceLine(number, b"", self.too_long())
                if not self.skip_line():
                    return
            elif raw := chunk.strip():
                yield SourceLine(number, raw)

    def skip_line(self) -> bool:
        """Pass over the rest of a line; false if it has no end within the bound of a whole file."""
        for _ in range(0, self.limits.file, self.limits.bytes):
            chunk = self.file.readline(self.limits.bytes)
            if not chunk or chunk.endswith(b"\n"):
                return True
        return False

    def too_long(self) -> BadTrace:
        return bad([Fault("line", "too_large", f"has more than {self.limits.bytes:,} bytes")])


def unpack(file: IO[bytes]) -> IO[bytes]:
    """The file itself, or what is packed in it, known by its first bytes."""
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, file))
    packed = buffered.peek(2)[:2] == GZIP
    return cast(IO[bytes], gzip.GzipFile(fileobj=buffered) if packed else buffered)
