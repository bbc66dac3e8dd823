"""An answer of a known length begins with its body; a stream begins at once."""

from viva.kit.joined_answer import JoinedAnswer


class SystemCalls:
    """What the server asks of the connection, a line for each system call."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.sent.append(data)

    def writelines(self, parts: list[bytes]) -> None:
        self.sent.append(b"".join(parts))

    def close(self) -> None:
        self.sent.append(b"closed")

    def is_closing(self) -> bool:
        return False


def sent_by(*writes: bytes) -> list[bytes]:
    calls = SystemCalls()
    answer = JoinedAnswer(calls)
    for data in writes:
        answer.write(data)
    return calls.sent


HEAD = b"HTTP/1.1 200 OK\r\nserver: viva\r\ncontent-length: 6\r\n\r\n"


def test_a_head_waits_for_the_first_part_of_its_body():
    assert sent_by(HEAD) == []
    assert sent_by(HEAD, b"ab", b"cd", b"ef") == [HEAD + b"ab", b"cd", b"ef"]


def test_an_empty_body_sends_its_head():
    assert sent_by(HEAD, b"") == [HEAD]


def test_a_part_that_looks_like_a_head_does_not_wait():
    assert sent_by(HEAD, b"", HEAD, HEAD) == [HEAD, HEAD, HEAD]


def test_a_stream_begins_at_once():
    stream = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    assert sent_by(stream, HEAD) == [stream, HEAD]
