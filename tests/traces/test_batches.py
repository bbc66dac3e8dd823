"""Documents with several traces: what they unpack to is bounded."""

import gzip
import tracemalloc
from pathlib import Path

from viva.traces.batches import MAX_QUICK_BYTES, MAX_UNPACKED_BYTES, read_document, read_quickly


def test_a_small_archive_of_a_huge_document_is_refused_before_it_fills_the_memory():
    bomb = gzip.compress(b"[" + b'{"id": "' + b"a" * 4 * MAX_UNPACKED_BYTES + b'"}]', 1)
    tracemalloc.start()

    batch = read_document(bomb, None)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not batch.traces
    assert [fault.code for fault in batch.faults] == ["too_large"]
    assert peak < 4 * MAX_UNPACKED_BYTES


def test_many_large_traces_of_an_archive_count_together():
    line = b'{"id": "' + b"a" * 1024 * 1024 + b'"}\n'

    batch = read_document(gzip.compress(line * 100, 1), None)

    assert [(fault.code, fault.line) for fault in batch.faults] == [("too_many", 1)]


FIXTURES = Path(__file__).parent.parent / "fixtures"
OWN_RUNS = [
    b'{"turns": [{"user_message": "Hi", "agent_response": "Hello."}]}',
    b' \n{"id": "r1", "turns": [{"user_message": "Hi", "agent_interactions": [{"agent_id": "a"}]}]}\n',
    b'{"id": "r1",\n "turns": [{"user_message": "Write to ana@example.org", "agent_interactions": [{"agent_id": "a"}]}]}',
    b'{"turns": [{"user_message": "x,conversation_id,role,content,y", "agent_interactions": [{"agent_id": "a"}]}]}',
    b'{"turns": []}',
    b'{"turns": [{"user_message": "Hi", "agent_interactions": [{"agent_id": ""}]}]}',
    b'{"turns": [{"user_message": "Hi", "agent_interactions": [{"agent_id": "a"}]}]}\n{"turns": []}',
    b'\xef\xbb\xbf{"turns": [{"user_message": "Hi", "agent_interactions": [{"agent_id": "a"}]}]}',
]


def test_what_is_read_quickly_is_what_is_read_at_length():
    key = b"a secret of the hub"
    files = [path.read_bytes() for path in FIXTURES.rglob("*.json")]
    quick = [(body, batch) for body in OWN_RUNS + files if (batch := read_quickly(body, key, ("nightly",)))]

    assert [body for body, _ in quick if body in OWN_RUNS] == [OWN_RUNS[1], OWN_RUNS[3]]
    assert [batch for _, batch in quick] == [read_document(body, key, ("nightly",)) for body, _ in quick]


def test_a_large_document_or_one_with_secrets_is_not_read_quickly():
    run = '{"turns": [{"user_message": "%s", "agent_interactions": [{"agent_id": "a"}]}]}'

    assert read_quickly((run % "a").encode(), b"key")
    assert not read_quickly((run % ("a" * MAX_QUICK_BYTES)).encode(), b"key")
    assert not read_quickly((run % "my password is hunter2!").encode(), b"key")
    assert read_quickly((run % "my password is hunter2!").encode(), None)
