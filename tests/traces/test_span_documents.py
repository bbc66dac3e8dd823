"""Exports that a hub splits and joins: whatever they hold, they are read or refused."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.intake.test_span_hostile import VALUES
from tests.engine.intake.test_spans import export, model
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.otlp import LOGS
from viva.engine.intake.span_sources.otlp_logs import READ_EVENTS
from viva.traces.reading import read_trace
from viva.traces.span_documents import join_exports, split_export

NAMES = st.one_of(st.sampled_from(sorted(READ_EVENTS)), VALUES)
RECORDS = st.builds(
    lambda name, body, attributes, at: {
        "traceId": "run1",
        "spanId": "m1",
        "timeUnixNano": at,
        "eventName": name,
        "body": body,
        "attributes": [{"key": key, "value": value} for key, value in attributes.items()],
    },
    NAMES,
    st.one_of(VALUES, VALUES.map(lambda value: {"stringValue": msgspec.json.encode(value).decode()})),
    st.dictionaries(st.sampled_from(("event.name", "gen_ai.input.messages", "gen_ai.system_instructions")), VALUES),
    st.one_of(st.integers(0, 9), VALUES),
)


@given(st.lists(RECORDS, max_size=4))
def test_records_with_any_values_are_read_or_refused(records):
    spans = split_export(export(model("m1", 0, 1, [], []))).groups
    events = split_export({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}, LOGS).groups

    assert is_read_or_refused(join_exports([*spans.values(), *events.values()]))


def is_read_or_refused(document: bytes) -> bool:
    try:
        return bool(read_trace(document, b"key").content)
    except BadTrace as error:
        return bool(error.faults)
