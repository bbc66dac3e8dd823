"""Documents with several traces: what they unpack to is bounded."""

import gzip
import tracemalloc

from viva.traces.batches import MAX_UNPACKED_BYTES, read_document


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
