"""Reads an open file line by line in constant memory, compressed or not."""

import gzip
import io
from collections import deque
from collections.abc import Iterator
from typing import IO, NamedTuple, cast

from viva.engine.intake.faults import BadTrace, bad_trace
from viva.engine.intake.limits import Limits
from viva.engine.intake.plain import BOM
from viva.kit.errors import Fault

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
BLANK_LINE = b"\n"  # stands for a blank line that is put back


class SourceLine(NamedTuple):
    """One line of a file without its end. `fault` says why it was not read."""

    number: int
    raw: bytes
    fault: BadTrace | None = None


class TraceFile:
    """A file that can put back the lines it has read."""

    def __init__(self, file: IO[bytes], limits: Limits) -> None:
        self.file = unpack(file)
        self.limits = limits
        self.number = 0
        self.put_back: deque[tuple[bytes, int]] = deque()  # a line, and how often it comes

    def chunk(self) -> bytes:
        """The next line with its end, or the beginning of a line that is too long."""
        if self.put_back:
            chunk, times = self.put_back.popleft()
            if times > 1:
                self.put_back.appendleft((chunk, times - 1))
            return chunk
        chunk = self.file.readline(self.limits.bytes + 2)
        self.number += 1
        return chunk.removeprefix(BOM) if self.number == 1 else chunk

    def opening(self) -> list[bytes]:
        """The first two lines that are not blank. They show the layout, and they will be read again."""
        seen: deque[tuple[bytes, int]] = deque()
        first_lines: list[bytes] = []
        size = 0
        while len(first_lines) < 2 and size <= self.limits.bytes and (chunk := self.chunk()):
            size += len(chunk)
            if chunk.strip():
                first_lines.append(chunk)
            elif chunk.endswith(b"\n"):  # there may be millions, so they are only counted
                chunk = BLANK_LINE
            times = seen.pop()[1] if seen and chunk is BLANK_LINE is seen[-1][0] else 0
            seen.append((chunk, times + 1))
        self.put_back = seen
        return first_lines

    def is_zip(self) -> bool:
        """Whether the file begins as a zip archive does. Nothing may have been read."""
        return isinstance(self.file, io.BufferedReader) and self.file.peek(4)[:4] == ZIP

    def whole(self) -> IO[bytes]:
        """The file for reading at any place. What cannot be rewound is held in memory, within the size limit of a trace."""
        return self.file if self.file.seekable() else io.BytesIO(self.file.read(self.limits.bytes))

    def rest(self) -> bytes:
        """The rest of the file, or one byte more than the size limit."""
        head = b"".join(chunk * times for chunk, times in self.put_back)
        return head + self.file.read(max(0, self.limits.file + 1 - len(head)))

    def lines(self) -> Iterator[SourceLine]:
        """The lines that are not blank, with their numbers."""
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
        """Skip the rest of a line. False if it does not end within the size limit of a file."""
        for _ in range(0, self.limits.file, self.limits.bytes):
            chunk = self.file.readline(self.limits.bytes)
            if not chunk or chunk.endswith(b"\n"):
                return True
        return False

    def too_long(self) -> BadTrace:
        return bad_trace([Fault("line", "too_large", f"has more than {self.limits.bytes:,} bytes")])


def unpack(file: IO[bytes]) -> IO[bytes]:
    """The file itself, or its decompressed content if it begins as gzip does."""
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, file))
    packed = buffered.peek(2)[:2] == GZIP
    return cast(IO[bytes], gzip.GzipFile(fileobj=buffered) if packed else buffered)
