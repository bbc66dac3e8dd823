"""Whatever bytes or values come in: a trace or BadTrace comes out, and nothing else."""

import json
import subprocess
import sys
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.steps import count_steps
from tests.values import require
from viva.engine.intake import formats, native
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.limits import Limits
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn

PARSE_STDIN = """
import sys
from viva.engine.intake import formats
from viva.engine.intake.faults import BadTrace
try:
    formats.parse(sys.stdin.buffer.read())
except BadTrace as error:
    print(error, end="")
"""
TEXT = st.text(max_size=12)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8)
WORDS = """
    id turns agents user_message agent_interactions agent_id agent_steps agent_response tool_call parameters tool_name
    messages role content tool_calls function name arguments tool_call_id conversations dataset samples eval epoch input
    scores events attachments resourceSpans scopeSpans spans attributes spanId traceId key value stringValue parts type
    turn_index capabilities tools_available tools latency_ms from status code startTimeUnixNano output startTime
    trajectory history action observation thought info submission message payload item sessionId isSidechain response
    parentObservationId metadata choices candidates contents config prompt text result sample log query kwargs summary
"""
KEYS = st.sampled_from(WORDS.split())
VALUES = st.recursive(
    LEAVES
    | st.sampled_from(["user", "assistant", "tool", "chat", "execute_tool", "{}", "[", "LLM", "text", "tool_use"])
    | st.sampled_from(["GENERATION", "TOOL", "AGENT", "message", "function_call", "[{'a': 1}]", '"[{}]"', "human"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | TEXT, inner, max_size=6),
    max_leaves=30,
)


def shaped(key, inner):
    return st.lists(st.dictionaries(KEYS, inner, max_size=5), max_size=4).map(lambda parts: {key: parts})


DOCUMENTS = (
    VALUES
    | shaped("turns", VALUES)
    | shaped("messages", VALUES)
    | shaped("conversations", VALUES)
    | shaped("observations", VALUES)
    | shaped("observations", VALUES).map(lambda part: {"trace": {"input": part}} | part)
    | shaped("trajectory", VALUES).map(
        lambda part: {"trajectory": [{"action": "ls", "observation": "a"} | step for step in part["trajectory"]]}
    )
    | st.lists(st.dictionaries(KEYS, VALUES, max_size=5).map(lambda line: {"sessionId": "s", "type": "user"} | line))
    | st.lists(
        st.dictionaries(KEYS, VALUES, max_size=5).map(lambda item: {"type": "response_item", "payload": item}),
        max_size=4,
    )
    | shaped("messages", VALUES).map(lambda part: part | {"epoch": 1, "input": "x", "scores": {}, "events": []})
    | st.lists(
        st.dictionaries(KEYS, VALUES, max_size=5).map(lambda s: {"spanId": "a", "attributes": {}} | s), max_size=4
    )
)


def read_or_refuse(reading, *arguments):
    """A trace that can be written again, or a refusal with faults; anything else is an error of the test."""
    refused = None
    try:
        trace = reading(*arguments)
    except BadTrace as error:
        refused = error
    if refused:
        assert refused.faults
    else:
        assert formats.parse(msgspec.json.encode(trace)) == trace


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS)
def test_any_value_is_read_or_refused(document):
    read_or_refuse(formats.read, document)
    read_or_refuse(native.read, document)


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, st.sampled_from(list(formats.TRACE_FORMATS)))
def test_every_form_reads_or_refuses_any_plain_value(document, form):
    try:
        plain = msgspec.json.decode(msgspec.json.encode(document))
    except (msgspec.MsgspecError, UnicodeError, OverflowError):
        return

    read_or_refuse(formats.TRACE_FORMATS[form].read, plain, "trace-1", Limits())


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60) | DOCUMENTS.map(lambda value: json.dumps(value).encode()))
@example(b"")
@example(b"\x00")
@example(b"\xef\xbb\xbf")
@example(b'{"turns": NaN}')
def test_any_bytes_are_read_or_refused(raw):
    read_or_refuse(formats.parse, raw)


STEPS = st.builds(
    Step,
    st.none() | TEXT,
    st.none() | TEXT,
    st.none() | TEXT,
    st.none()
    | st.builds(ToolCall, TEXT, st.dictionaries(TEXT, st.integers(-5, 5) | TEXT), st.none() | TEXT, st.none() | TEXT),
)
NAMES = st.text(min_size=1, max_size=5)
INTERACTIONS = st.builds(
    Interaction, NAMES, st.none() | TEXT, st.lists(STEPS, max_size=2).map(tuple), st.none() | st.floats(0, 9)
)
AGENTS = st.builds(
    TraceAgent,
    NAMES,
    st.none() | TEXT,
    st.none() | TEXT,
    st.none() | TEXT,
    st.just(()),
    st.none() | st.just((Tool("find"),)),
)
TRACES = st.builds(
    lambda id, turns, agents: Trace(
        id, tuple(Turn(n, text, None, tuple(parts)) for n, (text, parts) in enumerate(turns)), tuple(agents)
    ),
    NAMES,
    st.lists(st.tuples(TEXT, st.lists(INTERACTIONS, max_size=3)), min_size=1, max_size=4),
    st.lists(AGENTS, max_size=3, unique_by=lambda agent: agent.id),
)


@settings(max_examples=80, deadline=None)
@given(TRACES)
def test_a_trace_that_is_written_is_read_again(trace):
    raw = msgspec.json.encode(trace)

    again = formats.parse(raw)

    assert again.turns == trace.turns
    assert again.agents[: len(trace.agents)] == trace.agents
    assert native.read(msgspec.json.decode(raw)) == again
    assert formats.parse(msgspec.json.encode(again)) == again


def message(raw, **limits):
    with pytest.raises(BadTrace) as caught:
        formats.parse(raw, None, Limits(**limits))
    return str(caught.value)


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'{"turns":' * 100_000, b"[" * 200 + b"]" * 200])
def test_deep_json_is_refused(raw):
    assert message(raw) == "trace: is nested more than 64 deep"


def test_brackets_inside_texts_are_not_depth():
    raw = msgspec.json.encode({"turns": [{"user_message": '[{"\\' * 1000, "agent_response": "]" * 10}]})

    assert formats.parse(raw).turns[0].user_message == '[{"\\' * 1000


def test_depth_is_found_in_linear_time_where_no_quote_is_closed():
    raw = b"[" * 65 + b'"' + b'\\"' * 2_000_000

    # In quadratic time this takes hours.
    done = subprocess.run([sys.executable, "-c", PARSE_STDIN], input=raw, capture_output=True, timeout=60)

    assert done.stdout == b"trace: is nested more than 64 deep"


def test_bytes_that_are_no_utf8_are_refused_with_their_place():
    raw = b'{"turns":\n[{"user_message": "a\xffb"}]}'

    assert message(raw) == "trace: is not UTF-8: byte 0xff at byte 30, line 2"


def test_half_a_surrogate_pair_becomes_the_replacement_character():
    raw = rb'{"turns": [{"user_message": "\ud83d cut \ud83d\ude00 \\ud800 \udc00"}]}'

    assert formats.parse(raw).turns[0].user_message == "\ufffd cut \U0001f600 \\ud800 \ufffd"
    assert native.read({"turns": [{"user_message": "a\ud800"}]}).turns[0].user_message == "a\ufffd"


def test_a_nul_escape_is_text_and_a_nul_byte_is_no_json():
    assert formats.parse(rb'{"turns": [{"user_message": "a\u0000b"}]}').turns[0].user_message == "a\0b"
    assert message(b'{"turns": [{"user_message": "a\x00b"}]}').startswith("trace: is not JSON")


@pytest.mark.parametrize("number", [b"1e999", b"9" * 5000, b"NaN", b"-Infinity"])
def test_numbers_that_cannot_be_kept_are_refused(number):
    assert message(b'{"turns": [{"user_message": "a"}], "total_cost": ' + number + b"}").startswith(
        "trace: is not JSON"
    )


def test_a_huge_whole_number_is_kept_in_a_result():
    raw = b'{"turns": [{"agent_steps": [{"tool_call": {"tool_name": "f", "result": 123456789012345678901234567890}}]}]}'

    step = formats.parse(raw).turns[0].agent_interactions[0].agent_steps[0]

    assert require(step.tool_call).result == 123456789012345678901234567890


def test_of_a_key_that_occurs_twice_the_last_counts():
    assert formats.parse(b'{"turns": [{"user_message": "a", "user_message": "b"}]}').turns[0].user_message == "b"


def test_a_byte_order_mark_is_passed_over():
    assert formats.parse(b'\xef\xbb\xbf{"turns": [{"user_message": "a"}]}').turns[0].user_message == "a"


def test_a_text_of_a_million_characters_is_read():
    assert (
        len(
            require(
                formats.parse(msgspec.json.encode({"turns": [{"user_message": "é" * 1_000_000}]})).turns[0].user_message
            )
        )
        == 1_000_000
    )


def test_a_trace_of_too_many_bytes_is_refused():
    assert message(b" " * 101, bytes=100) == "trace: has 101 bytes; at most 100 are read"


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("power", [1024, 20_000])
def test_whole_numbers_that_cannot_be_written_are_refused(sign, power):
    with pytest.raises(BadTrace) as caught:
        formats.read({"turns": [{"user_message": "a"}], "session_metadata": {"a": [sign * 2**power]}})

    assert [fault.code for fault in caught.value.faults] == ["too_large"]
    assert str(caught.value) == (f"session_metadata.a[0]: is a number of {power + 1:,} bits; at most 1,024 are read")


def test_a_large_whole_number_is_read():
    assert formats.read({"turns": [{"user_message": "a"}], "session_metadata": {"a": 10**300}}).session_metadata == {
        "a": 10**300
    }


LONG = "x" * 1_001


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("id", {"id": LONG}),
        ("agents[0].id", {"agents": [{"id": LONG}]}),
        ("agents[0].name", {"agents": [{"id": "a", "name": LONG}]}),
        ("agents[0].tools_available[1].name", {"agents": [{"id": "a", "tools_available": ["b", LONG]}]}),
        ("turns[0].agent_interactions[0].agent_id", {"turns": [{"agent_interactions": [{"agent_id": LONG}]}]}),
        (
            "turns[0].agent_interactions[0].agent_steps[0].tool_call.tool_name",
            {"turns": [{"agent_steps": [{"tool_call": {"tool_name": LONG}}]}]},
        ),
    ],
)
def test_ids_and_names_that_are_too_long_are_refused(path, document):
    raw = msgspec.json.encode({"turns": [{"user_message": "a"}]} | document)

    assert message(raw) == f"{path}: has 1,001 characters; at most 1,000 are read"


def turn_of_agents(count: int) -> bytes:
    parts = [{"agent_id": f"a{n}", "agent_response": "x"} for n in range(count)]
    return msgspec.json.encode({"turns": [{"user_message": "go", "agent_interactions": parts}]})


def test_twice_as_many_agents_take_twice_the_steps():
    one, two = (count_steps(partial(formats.parse, turn_of_agents(count))) for count in (1_000, 2_000))

    assert two <= 2 * one
    assert len(formats.parse(turn_of_agents(5_000)).agents) == 5_000


def chat_of_calls(count: int) -> dict[str, Any]:
    """A chat whose results come in the opposite order of their calls."""
    calls = [{"id": f"c{n}", "function": {"name": "f", "arguments": "{}"}} for n in range(count)]
    results = [{"role": "tool", "tool_call_id": f"c{n}", "content": str(n)} for n in reversed(range(count))]
    return {"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": calls}, *results]}


def test_twice_as_many_results_take_twice_the_steps_to_find_their_calls():
    one, two = (count_steps(partial(formats.read, chat_of_calls(count))) for count in (1_000, 2_000))
    trace = formats.read(chat_of_calls(10_000))

    assert two <= 2 * one
    assert require(trace.turns[0].agent_interactions[0].agent_steps[17].tool_call).result == "17"


def test_a_small_value_takes_few_steps():
    values = 100_000
    document = {"turns": [{"agent_steps": [{"tool_call": {"tool_name": "f", "result": [1] * values}}]}]}

    assert count_steps(lambda: formats.read(document)) < 4 * values  # a function call for each would take twice as many


def test_millions_of_small_values_are_read():
    raw = b'{"turns": [{"agent_steps": [{"tool_call": {"tool_name": "f", "result": [' + b"1," * 3_000_000 + b"1]}}]}]}"

    assert len(require(formats.parse(raw).turns[0].agent_interactions[0].agent_steps[0].tool_call).result) == 3_000_001


def test_a_chat_of_too_many_messages_is_refused_before_it_is_read():
    chat = {"messages": [{"role": "user", "content": "a"}] * 11}

    assert message(msgspec.json.encode(chat), messages=10) == "messages: has 11 entries; at most 10 are read"
