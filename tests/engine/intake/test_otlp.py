"""Bodies of OTLP/HTTP requests: protobuf and JSON become the same document."""

import json
import subprocess
import sys

import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from viva.engine.intake import otlp
from viva.engine.intake.faults import BadTrace
from viva.kit.errors import WrongMediaType

PROTOBUF = "application/x-protobuf"


def request(*values):
    span = Span(
        trace_id=bytes(range(16)),
        span_id=b"\x01" * 8,
        name="chat",
        start_time_unix_nano=1,
        end_time_unix_nano=2,
        attributes=[KeyValue(key=f"k{index}", value=value) for index, value in enumerate(values)],
        events=[Span.Event(name="gen_ai.choice", time_unix_nano=3, attributes=[KeyValue(key="index", value=AnyValue(int_value=0))])],
        status=Status(code=Status.STATUS_CODE_ERROR, message="down"),
    )  # fmt: skip
    scope = ScopeSpans(spans=[span])
    scope.scope.name, scope.scope.version = "hotel", "1.0"
    return ExportTraceServiceRequest(resource_spans=[ResourceSpans(scope_spans=[scope])])


def decode_span(*values):
    document = otlp.decode(request(*values).SerializeToString(), PROTOBUF)
    return document["resourceSpans"][0]["scopeSpans"][0]["spans"][0]


def test_protobuf_becomes_the_json_of_the_specification():
    document = otlp.decode(request(AnyValue(string_value="Ulm")).SerializeToString(), PROTOBUF)

    assert document == {
        "resourceSpans": [
            {
                "resource": {"attributes": []},
                "scopeSpans": [
                    {
                        "scope": {"name": "hotel", "version": "1.0"},
                        "spans": [
                            {
                                "traceId": "000102030405060708090a0b0c0d0e0f",
                                "spanId": "0101010101010101",
                                "name": "chat",
                                "kind": 0,
                                "startTimeUnixNano": "1",
                                "endTimeUnixNano": "2",
                                "attributes": [{"key": "k0", "value": {"stringValue": "Ulm"}}],
                                "events": [
                                    {
                                        "timeUnixNano": "3",
                                        "name": "gen_ai.choice",
                                        "attributes": [{"key": "index", "value": {"intValue": "0"}}],
                                    }
                                ],
                                "status": {"code": 2, "message": "down"},
                            }
                        ],
                    }
                ],
            }
        ]
    }


def values():
    single = st.one_of(
        st.builds(lambda value: AnyValue(string_value=value), st.text()),
        st.builds(lambda value: AnyValue(bool_value=value), st.booleans()),
        st.builds(lambda value: AnyValue(int_value=value), st.integers(-(2**63), 2**63 - 1)),
        st.builds(lambda value: AnyValue(double_value=value), st.floats(allow_nan=False, allow_infinity=False)),
        st.builds(lambda value: AnyValue(bytes_value=value), st.binary()),
        st.just(AnyValue()),
    )
    return st.recursive(
        single,
        lambda inner: st.one_of(
            st.builds(lambda parts: AnyValue(array_value=ArrayValue(values=parts)), st.lists(inner, min_size=1)),
            st.builds(
                lambda parts: AnyValue(
                    kvlist_value=KeyValueList(values=[KeyValue(key=key, value=part) for key, part in parts.items()])
                ),
                st.dictionaries(st.text(min_size=1), inner, min_size=1),
            ),
        ),
        max_leaves=10,
    )


@given(values())
def test_a_value_is_written_as_the_library_of_protobuf_writes_it(value):
    assert decode_span(value)["attributes"][0]["value"] == MessageToDict(value)


def test_a_number_that_json_does_not_have_is_a_text():
    assert decode_span(AnyValue(double_value=float("nan")))["attributes"][0]["value"] == {"doubleValue": "nan"}


def test_json_stays_as_it_is():
    body: dict[str, list] = {"resourceSpans": [{"scopeSpans": []}], "resourceLogs": []}

    assert otlp.decode(json.dumps(body).encode(), "application/json; charset=utf-8") == body
    assert otlp.decode(b"{}", "application/json") == {"resourceSpans": []}


@pytest.mark.parametrize(
    ("body", "content_type", "message"),
    [
        (b"\xff\xff\xff", PROTOBUF, "its protobuf cannot be decoded"),
        (b"[]", "application/json", "expected an object with a list of resourceSpans"),
        (b'{"resourceSpans": 1}', "application/json", "expected an object with a list of resourceSpans"),
        (b"{", "application/json", "is not JSON"),
        (b"\xff", "application/json", "UTF-8"),
    ],
)
def test_a_body_that_is_not_otlp_is_refused(body, content_type, message):
    with pytest.raises(BadTrace, match=message):
        otlp.decode(body, content_type)


def test_values_nested_without_end_are_refused():
    value = AnyValue(string_value="x").SerializeToString()
    for _ in range(200):
        value = field(5, field(1, value))  # an array in an array
    body = field(1, field(2, field(2, field(9, field(2, value)))))  # of an attribute of the only span

    with pytest.raises(BadTrace, match="its protobuf cannot be decoded"):
        otlp.decode(body, PROTOBUF)


def field(number, content):
    """A field of a protobuf message: its number, its length and its content."""
    length, rest = len(content), b""
    while length > 127:
        rest += bytes([length & 127 | 128])
        length >>= 7
    return bytes([number << 3 | 2]) + rest + bytes([length]) + content


def test_another_media_type_is_refused():
    with pytest.raises(WrongMediaType, match="OTLP is sent as application/x-protobuf or application/json"):
        otlp.decode(b"", "text/plain")


@pytest.mark.slow
@pytest.mark.parametrize("program", ["import viva.cli", "from viva import analyze", "import viva.engine.intake.otlp"])
def test_the_library_of_protobuf_is_loaded_only_when_needed(program):
    check = f"{program}; import sys; print([name for name in sys.modules if name.startswith(('opentelemetry', 'google.protobuf'))])"

    assert subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_small_body_of_very_many_empty_values_is_refused():
    """Each has two bytes in protobuf, and hundreds once it is decoded."""
    body = request(AnyValue(array_value=ArrayValue(values=[AnyValue()] * 600_000))).SerializeToString()

    with pytest.raises(BadTrace, match="more than 500,000 spans, events and attributes"):
        otlp.decode(body, PROTOBUF)
