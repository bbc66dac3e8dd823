"""Files: every layout gives its traces one after the other, with places in the faults."""

import gzip
import io
import json
import re
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from viva.engine.intake.faults import BadTrace
from viva.engine.intake.files import items, parse, read_traces
from viva.engine.intake.limits import LIMITS, Limits

ONE = {"id": "one", "turns": [{"user_message": "Hello"}]}
TWO = {"turns": [{"user_message": "Bye"}]}
CHAT = {"messages": [{"role": "user", "content": "Hey"}]}
LINES = "\n".join(map(json.dumps, [ONE, TWO, CHAT])) + "\n"


@pytest.fixture
def write(tmp_path):
    def written(name, data):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return written


def ids(path, limits=LIMITS):
    return [parse(item, limits).id for item in read_traces(path, limits)]


def problems(path, limits=LIMITS):
    """The messages of the faults, without the folder."""
    found = []
    for item in read_traces(path, limits):
        with pytest.raises(BadTrace) as caught:
            parse(item, limits)
        found.append(str(caught.value).replace(f"{path.parent}/", ""))
    return found


def messages(path):
    return [[turn.user_message for turn in parse(item).turns] for item in read_traces(path)]


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.json", "runs"])
def test_a_document_a_line_whatever_the_name(write, name):
    assert ids(write(name, LINES)) == ["one", "trace-2", "trace-3"]


def test_empty_lines_count_but_say_nothing(write):
    path = write("runs.jsonl", "\n" + LINES.replace("\n", "\r\n\r\n"))

    assert ids(path) == ["one", "trace-4", "trace-6"]


def test_one_document_over_many_lines(write):
    assert ids(write("run.json", json.dumps(ONE, indent=2))) == ["one"]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_list_of_traces_is_cut(write, indent):
    path = write("runs.json", json.dumps([ONE, TWO, CHAT], indent=indent))

    assert ids(path) == ["one", "trace-2", "trace-3"]


def test_a_list_of_messages_is_one_trace(write):
    assert messages(write("chat.json", json.dumps(CHAT["messages"]))) == [["Hey"]]


def test_a_data_set_is_parted(write):
    conversations = [{"id": "c1", **CHAT}, {"id": "c2", **CHAT}]

    assert ids(write("set.json", json.dumps({"dataset": {"conversations": conversations}}, indent=1))) == ["c1", "c2"]


def test_a_log_of_inspect_is_parted(write):
    samples = [{"id": "s", "epoch": epoch, "input": "x", "target": "y", **CHAT} for epoch in (1, 2)]

    assert ids(write("log.json", json.dumps({"eval": {}, "samples": samples}, indent=1))) == ["s-1", "s-2"]


def test_spans_of_a_trace_may_be_spread_over_lines(write):
    def batch(id, trace, words):
        attributes = [{"key": "openinference.span.kind", "value": {"stringValue": "LLM"}}]
        attributes += [{"key": "llm.output_messages.0.message.content", "value": {"stringValue": words}}]
        span = {"traceId": trace, "spanId": id, "startTimeUnixNano": str(ord(id)), "attributes": attributes}
        return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})

    path = write("spans.jsonl", "\n".join([batch("a", "x", "1"), batch("b", "y", "2"), batch("c", "x", "3")]))

    traces = [parse(item) for item in read_traces(path)]

    assert [trace.id for trace in traces] == ["x", "y"]
    assert [part.agent_response for part in traces[0].turns[0].agent_interactions] == ["1", "3"]


@pytest.mark.parametrize("data", [LINES, json.dumps([ONE, TWO, CHAT], indent=1)])
def test_what_is_packed_is_read_whatever_the_name(write, data):
    assert len(ids(write("runs.data", gzip.compress(data.encode())))) == 3


def test_standard_input_is_a_dash(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b'{"turns": 1}'))))

    (item,) = read_traces("-")

    with pytest.raises(BadTrace, match=r"^stdin: turns: expected a list, got a number$"):
        parse(item)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"  \r\n"])
def test_a_file_that_says_nothing_has_no_traces(write, data):
    assert list(read_traces(write("runs.jsonl", data))) == []


def test_a_byte_order_mark_and_carriage_returns_are_no_fault(write):
    assert ids(write("runs.jsonl", b"\xef\xbb\xbf" + LINES.replace("\n", "\r\n").encode())) == [
        "one",
        "trace-2",
        "trace-3",
    ]


def test_a_fault_names_file_and_line(write):
    path = write("runs.jsonl", '{"turns": [{"user_message": 1}]}\n{"turns": [\n\n"a\xff"\n'.encode("latin-1"))

    assert problems(path) == [
        "runs.jsonl:1: turns[0].user_message: expected text, got a number",
        "runs.jsonl:2: trace: is not JSON: Input data was truncated",
        "runs.jsonl:4: trace: is not UTF-8: byte 0xff at byte 2, line 1",
    ]


def test_a_fault_in_a_list_names_the_position(write):
    assert problems(write("runs.json", '[{"turns": []}, 5]')) == [
        "runs.json[0]: turns: must not be empty",
        "runs.json[1]: trace: expected an object, got a number",
    ]


def test_one_bad_trace_of_a_list_leaves_the_others(write):
    first, second = read_traces(write("runs.json", b'["\xff", ' + json.dumps(ONE).encode() + b"]"))

    with pytest.raises(BadTrace, match="is not UTF-8"):
        parse(first)
    assert parse(second).id == "one"


def test_many_empty_lines_before_the_first_trace_are_passed_over(write):
    path = write("runs.jsonl.gz", gzip.compress(b"\n" * 200_000 + json.dumps(TWO).encode()))

    assert ids(path, Limits(bytes=1000)) == ["trace-200001"]


def test_a_line_that_is_too_long_is_a_fault_and_the_next_is_read(write):
    path = write("runs.jsonl", json.dumps(ONE) + "\n" + "x" * 5000 + "\n" + json.dumps(TWO))

    first, long, last = read_traces(path, Limits(bytes=1000))

    assert parse(first).id == "one"
    assert str(long.fault) == "line: has more than 1,000 bytes"
    assert long.where.endswith("runs.jsonl:2")
    assert parse(last).id == "trace-3"


def test_a_line_without_end_is_given_up_at_the_bound_of_a_file(write):
    path = write("runs.jsonl.gz", gzip.compress(b"x" * 1_000_000 + b"\n" + json.dumps(ONE).encode()))

    (item,) = read_traces(path, Limits(bytes=1000, file=10_000))

    assert str(item.fault) == "line: has more than 1,000 bytes"


def test_a_document_larger_than_a_file_may_be_asks_for_lines(write):
    path = write("runs.json", json.dumps([ONE] * 100, indent=1))

    (problem,) = problems(path, Limits(file=1000))

    assert problem.startswith("runs.json: file: has more than 1,000 bytes; write one trace a line (JSONL)")


def test_an_archive_cut_short_ends_with_a_fault(write):
    packed = gzip.compress(b"".join(msgspec.json.encode(ONE | {"id": str(n) * 50}) + b"\n" for n in range(2000)))
    path = write("runs.jsonl.gz", packed[: len(packed) // 2])

    *read, last = read_traces(path)

    assert len(read) > 100
    assert all(item.fault is None for item in read)
    with pytest.raises(BadTrace, match="the archive is damaged"):
        parse(last)


def test_an_archive_that_is_none_is_a_fault(write):
    assert "the archive is damaged" in problems(write("runs.gz", b"\x1f\x8bnonsense"))[0]


@pytest.mark.parametrize("data", [b"[" * 100_000, b"[1, 2", b"hello", b"\xff\xfe[\x00", b"[" * 5000 + b"]" * 5000])
def test_a_file_that_is_no_json_is_one_fault(write, data):
    assert len(problems(write("runs.json", data))) == 1


def test_a_long_file_of_lines_is_read_in_constant_memory():
    line = json.dumps(ONE | {"initial_task": "x" * 10_000}).encode() + b"\n"
    packed = io.BytesIO(gzip.compress(line * 5000, 1))  # 50 MB

    tracemalloc.start()
    count = sum(1 for _ in items(packed, "runs.jsonl"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert count == 5000
    assert peak < 2_000_000


def test_empty_lines_are_counted_and_not_kept():
    line = json.dumps(TWO).encode() + b"\n\n"
    packed = io.BytesIO(gzip.compress(b"\n \r\n" * 100_000 + line * 2))

    tracemalloc.start()
    found = [item.name for item in items(packed, "runs")]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert found == ["trace-200001", "trace-200003"]
    assert peak < 1_000_000


def test_empty_lines_before_a_table_count(write):
    (problem,) = problems(write("chats.csv", "\n \n\n" + HEAD + "\n\na,x,user,Hello\n"))

    assert problem.startswith("chats.csv:7: message_index: line 7")


HEAD = "conversation_id,message_index,role,content\n"


def test_rows_of_a_table_are_conversations(write):
    path = write("chats.csv", HEAD + 'a,0,user,Hello\na,1,assistant,"Hi, ""you""\nthere"\nb,0,user,Bye\n')

    first, second = (parse(item) for item in read_traces(path))

    assert (first.id, second.id) == ("a", "b")
    assert first.turns[0].user_message == "Hello"
    assert first.turns[0].agent_interactions[0].agent_response == 'Hi, "you"\nthere'


def test_rows_are_put_in_the_order_of_their_index(write):
    assert messages(write("chats.csv", HEAD + "a,10,user,third\na,2,user,second\na,1,user,first\n")) == [
        ["first", "second", "third"]
    ]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_columns_may_stand_in_any_order_and_be_parted_otherwise(write, delimiter):
    rows = [["Role", "content", "extra", "conversation_id"], ["user", "Hello", "x", "a"]]

    assert messages(write("chats", "\n".join(map(delimiter.join, rows)))) == [["Hello"]]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("a,x,user,Hello\n", "chats.csv:2: message_index: line 2: expected a whole number, got 'x'"),
        ("a,0,user\n", "chats.csv:2: row: line 2: has 3 of 4 columns"),
        ("a,0,wizard,Hello\n", "chats.csv:2: messages[0].role: expected one of"),
        ('a,0,user,"Hello\n', "chats.csv:2: row: line 2: unexpected end of data"),
    ],
)
def test_a_fault_of_a_row_names_its_line(write, rows, problem):
    (found,) = problems(write("chats.csv", HEAD + rows))

    assert found.startswith(problem)


def test_a_row_that_is_no_utf8_is_a_fault(write):
    assert problems(write("chats.csv", HEAD.encode() + b"a,0,user,\xff\n")) == [
        "chats.csv:2: row: line 2: is not UTF-8"
    ]


def test_a_conversation_that_goes_on_after_another_is_a_fault(write):
    path = write("chats.csv", HEAD + "a,0,user,1\nb,0,user,2\na,1,user,3\n")

    *_, last = read_traces(path)

    assert "line 4: conversation 'a' goes on after another; sort the rows by conversation_id" in str(last.fault)


def test_a_cell_of_a_million_characters_is_read(write):
    assert len(messages(write("chats.csv", HEAD + "a,0,user," + "x" * 1_000_000 + "\n"))[0][0]) == 1_000_000


def test_a_quotation_mark_that_is_never_closed_ends_within_the_limit(write):
    path = write("chats.csv", HEAD + 'a,0,user,"' + "x\n" * 10_000)

    (item,) = read_traces(path, Limits(bytes=1000))

    assert "is a quotation mark not closed?" in str(item.fault)


def test_every_example_of_the_page_about_traces_is_read(tmp_path):
    page = (Path(__file__).parents[3] / "docs/howto/traces.md").read_text()
    examples = re.findall(r"```(json)?\n(.*?)```", page, re.DOTALL)[3:]  # the first show what Viva prints
    counts = []

    for kind, example in examples:
        path = tmp_path / "example"
        path.write_text(example)
        counts.append((kind, len(ids(path))))

    assert counts == [("json", 1), ("json", 1), ("json", 1), ("", 1), *[("json", 1)] * 4]
