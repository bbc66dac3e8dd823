"""Archives of Inspect: read within the limits, whatever the archive claims; anything else is refused by name."""

import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Mapping

import pytest

from tests.engine.intake.test_forms import FIXTURES
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.files import items, parse
from viva.engine.intake.limits import LIMITS, Limits

ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"
HEADER = json.dumps({"version": 2, "eval": {}})
SAMPLE = json.dumps({"id": 1, "epoch": 1, "input": "Hello?", "messages": [{"role": "assistant", "content": "Hello."}]})


def archive(entries: Mapping[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            packed.writestr(name, content)
    return made.getvalue()


class Pipe(io.RawIOBase):
    """Bytes that can be read only once, as those of a request or of standard input."""

    def __init__(self, data: bytes) -> None:
        self.data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        return self.data.readinto(buffer)


def answers(file, limits: Limits = LIMITS) -> list[str | None]:
    found = [parse(item, limits) for item in items(file, "log.eval", limits)]
    return [trace.turns[0].agent_interactions[0].agent_response for trace in found]


def refusals(data: bytes, limits: Limits = LIMITS) -> list[str]:
    found = []
    for item in items(io.BytesIO(data), "log.eval", limits):
        try:
            parse(item, limits)
        except BadTrace as error:
            found.append(str(error))
    return found


LOG = archive({"header.json": HEADER, "samples/1_epoch_1.json": SAMPLE, "summaries.json": "[]"})


@pytest.mark.parametrize("opened", [io.BytesIO, Pipe])
def test_an_archive_is_read_from_a_file_and_from_a_pipe(opened):
    assert answers(opened(LOG)) == ["Hello."]


def test_a_log_that_was_cut_off_has_only_its_start():
    assert answers(io.BytesIO(archive({"_journal/start.json": HEADER, "samples/1.json": SAMPLE}))) == ["Hello."]


def test_a_sample_that_unpacks_to_more_than_a_trace_may_have_is_refused_alone():
    bomb = archive({"header.json": HEADER, "samples/1.json": b" " * 50_000_000, "samples/2.json": SAMPLE})
    limits = Limits(bytes=10_000)

    tracemalloc.start()
    found = refusals(bomb, limits)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert len(bomb) < 100_000
    assert found == ["log.eval[samples/1.json]: file: has more than 10,000 bytes"]
    assert peak < 5_000_000


def test_all_samples_together_stay_below_the_limit_of_a_file():
    many = archive({"header.json": HEADER} | {f"samples/{number}.json": SAMPLE for number in range(20)})
    limits = Limits(bytes=10_000, file=len(HEADER) + 3 * len(SAMPLE))

    assert refusals(many, limits) == [f"log.eval[samples/3.json]: file: unpacks to more than {limits.file:,} bytes"]


def test_the_size_that_an_entry_claims_is_not_believed():
    forged = LOG.replace(struct.pack("<L", len(SAMPLE)), struct.pack("<L", 7))

    assert refusals(forged) != []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (archive({"a.txt": "x"}), "file: is a zip archive, but no log of Inspect with samples"),
        (archive({"header.json": HEADER}), "file: is a zip archive, but no log of Inspect with samples"),
        (LOG[:-30], "file: the archive is damaged: File is not a zip file"),
        (archive({"header.json": "{", "samples/1.json": SAMPLE}), "is not JSON"),
        (archive({"header.json": HEADER, "samples/1.json": "[" * 5000}), "is nested more than 64 deep"),
    ],
)
def test_what_is_no_log_is_refused(data, message):
    (found,) = refusals(data)

    assert message in found


def test_an_archive_in_zstandard_is_read():
    packed = (FIXTURES / "inspect/zstandard.eval").read_bytes()

    assert refusals(packed) == []
    assert answers(io.BytesIO(packed)) == ["The Brocken is 1141 m high.", "I see a dot."]


def test_a_damaged_archive_in_zstandard_is_refused():
    packed = bytearray((FIXTURES / "inspect/zstandard.eval").read_bytes())
    start = packed.rindex(ZSTANDARD_MAGIC)  # of header.json, which stands last
    packed[start + 6 : start + 40] = b"x" * 34

    (found,) = refusals(bytes(packed))
    assert "cannot be unpacked" in found


def test_a_sample_in_zstandard_that_unpacks_to_too_much_is_refused():
    packed = (FIXTURES / "inspect/zstandard.eval").read_bytes()

    assert "has more than 100 bytes" in refusals(packed, Limits(bytes=100))[0]


def test_a_text_that_was_encoded_very_often_stays_a_text():
    encoded = json.dumps([{"type": "text", "text": "Hello."}])
    for _ in range(10):
        encoded = json.dumps(encoded)
    sample = {"id": 1, "epoch": 1, "input": "Hello?", "messages": [{"role": "assistant", "content": encoded}]}

    assert answers(io.BytesIO(archive({"header.json": HEADER, "samples/1.json": json.dumps(sample)}))) == [encoded]


@pytest.mark.parametrize("nested", ["[" * 100_000, "[{'a': " * 5_000, '{"a":' * 50_000])
def test_a_text_that_is_nested_deeply_stays_a_text(nested):
    sample = {"id": 1, "epoch": 1, "input": nested, "messages": [{"role": "assistant", "content": nested}]}

    assert answers(io.BytesIO(archive({"header.json": HEADER, "samples/1.json": json.dumps(sample)}))) == [nested]
