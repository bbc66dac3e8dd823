"""Spans with any value under the keys that their readers know are read or refused."""

from hypothesis import given
from hypothesis import strategies as st

from viva.engine.intake import spans
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import read
from viva.engine.model import Trace

KEYS = (
    *("gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.tool.call.result"),
    *("gen_ai.tool.call.arguments", "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.definitions"),
    *("gen_ai.system_instructions", "gen_ai.conversation.id", "gen_ai.prompt", "gen_ai.completion", "gen_ai.usage.cost"),
    *("gen_ai.prompt.0.content", "gen_ai.completion.0.tool_calls.0.name", "gen_ai.retrieval.documents"),
    *("openinference.span.kind", "llm.input_messages", "llm.output_messages.0.message.content", "tool.parameters"),
    *("metadata", "session.id", "input.value", "output.value", "error", "error.type", "retrieval.documents"),
    *("mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.llm.cost", "mlflow.chat.tokenUsage"),
    *("ai.operationId", "ai.telemetry.functionId", "ai.prompt", "ai.prompt.messages", "ai.prompt.tools"),
    *("ai.response.text", "ai.response.toolCalls", "ai.response.reasoning", "ai.toolCall.name", "ai.toolCall.args"),
    *("traceloop.span.kind", "traceloop.entity.name", "traceloop.entity.input", "llm.request.type"),
    *("logfire.msg_template", "name", "input", "events", "request_data", "response_data", "to_agent"),
)  # fmt: skip
WORDS = (
    *("chat", "execute_tool", "invoke_agent", "handoff", "retrieval", "LLM", "TOOL", "AGENT", "RETRIEVER", "CHAT_MODEL"),
    *("ai.toolCall", "ai.generateText.doGenerate", "ai.generateText", "tool", "agent", "Function: {name}", "desk", ""),
    *('[{"role": "user", "content": "Hi"}]', '[{"role": "assistant", "parts": [{"type": "text", "content": "x"}]}]'),
    *('{"messages": [{"role": "user", "content": "Hi"}]}', '{"choices": [{"message": {"role": "assistant"}}]}'),
    *("ResponseFunctionToolCall(name='f', arguments='{}')", "ResponseFunctionToolCall(", "{'type': 'text'}", "[[]]"),
    *('[{"type": "text", "content": "ResponseFunctionToolCall(f"}]', '{"type": "tool", "data": {"content": 1}}'),
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(st.sampled_from(WORDS), st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(("role", "content", "type", "name", "id")), inner, max_size=3)),
    max_leaves=5,
)  # fmt: skip
ATTRIBUTES = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8)
SPANS = st.builds(
    lambda id, parent, name, start, attributes, rest: {
        "traceId": "t",
        "spanId": id,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": start,
        "attributes": [{"key": key, "value": value} for key, value in attributes.items()],
        "events": rest,
        "scope": rest,
    },
    st.sampled_from("abc"),
    st.sampled_from("abc"),
    st.sampled_from(("handoff to desk", "chat", "")),
    st.integers(0, 3),
    ATTRIBUTES,
    VALUES,
)


def is_read_or_refused(document):
    try:
        return isinstance(read(document), Trace)
    except BadTrace as error:
        return bool(error.faults)


@given(st.lists(SPANS, min_size=1, max_size=4))
def test_spans_with_any_values_are_read_or_refused(listed):
    assert all(map(is_read_or_refused, spans.parts(listed)))


JAEGER_SPAN = st.fixed_dictionaries(
    {"spanID": VALUES, "references": VALUES, "tags": VALUES, "logs": VALUES, "startTime": VALUES, "duration": VALUES}
)
DOCUMENTS = st.one_of(
    st.fixed_dictionaries({"resourceSpans": VALUES, "resourceLogs": VALUES}),
    st.builds(lambda value: {"batches": [{"scopeSpans": [{"spans": value}]}]}, VALUES),
    st.builds(lambda value: {"trace": value, "info": value, "data": {"spans": [value]}}, VALUES),
    st.builds(lambda value, span: {"info": value, "data": {"spans": [span, value]}}, VALUES, SPANS),
    st.builds(lambda value: {"traces": [{"trace_info": {"trace_metadata": value}, "spans": [{}]}]}, VALUES),
    st.builds(lambda span: {"data": [{"traceID": "t", "spans": [span, 1]}]}, JAEGER_SPAN),
    st.builds(lambda value: {"data": [{"span_id": value, "attributes": value}]}, VALUES),
    st.builds(lambda value: {"context.span_id": {"0": value}, "attributes.metadata": {"0": value}, "start_time": value}, VALUES),
)  # fmt: skip


@given(DOCUMENTS)
def test_documents_with_any_spans_are_read_or_refused(document):
    assert is_read_or_refused(document)
