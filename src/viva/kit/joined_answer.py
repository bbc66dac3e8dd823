"""An answer whose head is sent together with the first part of its body."""

from collections.abc import Callable
from typing import Any


class JoinedAnswer:
    """Where the server writes one answer. Each write is a system call, and a short answer would need two of them.

    A head without a length begins a stream, which may say nothing for a long time. So it is sent at once."""

    __slots__ = ("close", "head", "is_closing", "transport", "write")

    def __init__(self, transport: Any) -> None:
        self.transport = transport
        self.close = transport.close
        self.is_closing = transport.is_closing
        self.write: Callable[[bytes], None] = self.write_head

    def write_head(self, head: bytes) -> None:
        if b"\r\ncontent-length: " in head:
            self.head = head
            self.write = self.write_first_part
        else:
            self.write = self.transport.write
            self.write(head)

    def write_first_part(self, part: bytes) -> None:
        self.write = self.transport.write
        self.transport.writelines([self.head, part])
