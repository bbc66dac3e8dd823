"""Spans of OpenTelemetry and OpenInference: models, tools and agents with their times."""

import json

import pytest

from tests.values import require
from viva.engine.intake import spans
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import read
from viva.engine.model import Interaction, Step, ToolCall

MS = 1_000_000


def otlp(value):
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value}


def span(id, start, end, parent="", trace="run1", status=None, events=(), **attributes):
    return {
        "traceId": trace,
        "spanId": id,
        "parentSpanId": parent,
        "name": id,
        "startTimeUnixNano": str(start * MS),
        "endTimeUnixNano": str(end * MS),
        "attributes": [{"key": key.replace("__", "."), "value": otlp(value)} for key, value in attributes.items()],
        "events": list(events),
        "status": status or {},
    }


def export(*every):
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": list(every)}]}]}


def said(role, *parts):
    return {"role": role, "parts": list(parts)}


def text(words):
    return {"type": "text", "content": words}


ASK = said("user", text("Weather in Ulm?"))
CALL = said("assistant", {"type": "tool_call", "id": "c1", "name": "weather", "arguments": {"city": "Ulm"}})
GOT = said("tool", {"type": "tool_call_response", "id": "c1", "response": "rain"})
DONE = said("assistant", text("It rains.")) | {"finish_reason": "stop"}
TOOLS = json.dumps([{"type": "function", "name": "weather", "parameters": {"type": "object"}}])


def model(id, start, end, told, answer, **more):
    return span(
        id,
        start,
        end,
        "agent",
        gen_ai__operation__name="chat",
        gen_ai__input__messages=json.dumps(told),
        gen_ai__output__messages=json.dumps(answer),
        **more,
    )


def genai_run():
    return export(
        model("m2", 60, 90, [ASK, CALL, GOT], [DONE]),
        span("agent", 0, 100, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="Forecaster"),
        model(
            "m1",
            10,
            30,
            [ASK],
            [CALL],
            gen_ai__tool__definitions=TOOLS,
            gen_ai__system_instructions='[{"type":"text","content":"Be brief."}]',
        ),
        span(
            "t1",
            35,
            50,
            "agent",
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name="weather",
            gen_ai__tool__call__id="c1",
            gen_ai__tool__call__arguments='{"city": "Ulm"}',
            gen_ai__tool__call__result='{"sky": "rain"}',
        ),
    )


def test_a_run_of_genai_spans_is_put_in_the_order_of_its_times():
    trace = read(genai_run())

    call = ToolCall("weather", {"city": "Ulm"}, {"sky": "rain"}, None, 15)
    assert trace.id == "run1"
    assert trace.total_latency_ms == 100
    assert len(trace.turns) == 1
    assert trace.turns[0].user_message == "Weather in Ulm?"
    assert trace.turns[0].agent_interactions == (Interaction("Forecaster", "It rains.", (Step(tool_call=call),), 65),)
    assert trace.agents[0].description == "Be brief."
    assert [tool.name for tool in require(trace.agents[0].tools_available)] == ["weather"]


def test_a_history_that_grows_gives_each_turn_once():
    more = said("user", text("And in Rome?"))
    trace = read(
        export(
            model("m1", 0, 1, [ASK], [DONE]),
            model("m2", 2, 3, [ASK, DONE, more], [said("assistant", text("Sun."))]),
        )
    )

    assert [turn.user_message for turn in trace.turns] == ["Weather in Ulm?", "And in Rome?"]
    assert trace.turns[1].agent_interactions[0].agent_response == "Sun."


def test_a_result_told_to_the_model_answers_the_call_where_no_tool_was_recorded():
    trace = read(export(model("m1", 0, 1, [ASK], [CALL]), model("m2", 2, 3, [ASK, CALL, GOT], [DONE])))

    assert require(trace.turns[0].agent_interactions[0].agent_steps[0].tool_call).result == "rain"


def test_what_is_told_to_another_agent_is_not_the_users():
    order = said("user", text("Check the numbers"))
    trace = read(
        export(
            span("lead", 0, 9, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="lead"),
            model("m1", 1, 2, [ASK], [said("assistant", text("Checker, please check."))]) | {"parentSpanId": "lead"},
            span("check", 3, 8, "lead", gen_ai__operation__name="invoke_agent", gen_ai__agent__name="checker"),
            model("m2", 4, 5, [order], [said("assistant", text("Fine."))]) | {"parentSpanId": "check"},
        )
    )

    assert [turn.user_message for turn in trace.turns] == ["Weather in Ulm?"]
    assert [part.agent_id for part in trace.turns[0].agent_interactions] == ["lead", "checker"]


def test_a_tool_that_failed_has_its_error():
    trace = read(
        export(
            model("m1", 0, 1, [ASK], [CALL]),
            span(
                "t1",
                2,
                3,
                status={"code": 2, "message": "no network"},
                gen_ai__operation__name="execute_tool",
                gen_ai__tool__name="weather",
            ),
        )
    )

    assert require(trace.turns[0].agent_interactions[0].agent_steps[0].tool_call).error == "no network"


def test_messages_may_stand_in_events():
    def event(name, **attributes):
        return {"name": name, "attributes": [{"key": key, "value": otlp(value)} for key, value in attributes.items()]}

    events = [
        event("gen_ai.system.message", content="Be brief."),
        event("gen_ai.user.message", content="Hello"),
        event("gen_ai.choice", index=0, message='{"role": "assistant", "content": "Hi"}'),
    ]

    trace = read(export(span("m1", 0, 1, gen_ai__operation__name="chat", events=events)))

    assert trace.turns[0].user_message == "Hello"
    assert trace.turns[0].agent_interactions[0].agent_response == "Hi"
    assert trace.agents[0].description == "Be brief."


def openinference():
    told = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "system",
        "llm.input_messages.0.message.content": "Be brief.",
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.contents.0.message_content.type": "text",
        "llm.input_messages.1.message.contents.0.message_content.text": "Weather?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"city": "Ulm"}',
        "llm.tools.0.tool.json_schema": '{"type": "function", "function": {"name": "weather", "parameters": {}}}',
    }
    used = {
        "openinference.span.kind": "TOOL",
        "tool.name": "weather",
        "input.value": '{"city": "Ulm"}',
        "output.value": "rain",
    }
    found = {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.content": "Ulm is wet."}
    return [
        flat("r1", "2026-01-01T10:00:00+00:00", "2026-01-01T10:00:00.500+00:00", found),
        flat("m1", "2026-01-01T10:00:01+00:00", "2026-01-01T10:00:02+00:00", told),
        flat("t1", "2026-01-01T10:00:03+00:00", "2026-01-01T10:00:03.250+00:00", used),
    ]


def flat(id, start, end, attributes):
    context = {"trace_id": "run2", "span_id": id}
    return {
        "name": id,
        "context": context,
        "start_time": start,
        "end_time": end,
        "status_code": "OK",
        "attributes": attributes,
    }


def test_the_span_of_an_agent_without_a_name_is_named_like_what_ran():
    asked = {"input.value": json.dumps({"task": "Weather in Ulm?"}), "output.value": "It rains."}
    ran = span("a1", 0, 9, openinference__span__kind="AGENT") | {"name": "CodeAgent.run"}
    ran["attributes"] += [{"key": key, "value": otlp(value)} for key, value in asked.items()]

    assert [agent.id for agent in read(export(ran)).agents] == ["CodeAgent"]


def test_flat_spans_of_openinference_are_read():
    trace = read(openinference())

    call = ToolCall("weather", {"city": "Ulm"}, "rain", None, 250)
    assert trace.id == "run2"
    assert trace.turns[0].user_message == "Weather?"
    assert trace.turns[0].knowledge == "Ulm is wet."
    assert trace.turns[0].agent_interactions[0].agent_steps == (Step(tool_call=call),)
    assert trace.agents[0].description == "Be brief."
    assert [tool.name for tool in require(trace.agents[0].tools_available)] == ["weather"]


def test_messages_may_be_listed_with_dotted_keys():
    attributes = {
        "llm": {
            "input_messages": [{"message.role": "user", "message.content": "Weather?"}],
            "output_messages": [
                {
                    "message.role": "assistant",
                    "message.tool_calls": [
                        {"tool_call.function.name": "weather", "tool_call.function.arguments": '{"city": "Ulm"}'}
                    ],
                }
            ],
        }
    }

    trace = read([flat("m1", "2026-01-01T10:00:01", "2026-01-01T10:00:02", attributes) | {"span_kind": "LLM"}])

    assert trace.turns[0].user_message == "Weather?"
    assert trace.turns[0].agent_interactions[0].agent_steps == (Step(tool_call=ToolCall("weather", {"city": "Ulm"})),)


def test_agents_whose_models_are_silent_speak_with_their_own_input_and_output():
    trace = read(
        export(
            span(
                "a",
                0,
                9,
                openinference__span__kind="AGENT",
                agent__name="lead",
                input__value="Go",
                output__value="Done",
            ),
            span(
                "t", 1, 2, "a", openinference__span__kind="TOOL", tool__name="f", input__value="{}", output__value="x"
            ),
        )
    )

    assert trace.turns[0].user_message == "Go"
    assert trace.turns[0].agent_interactions == (
        Interaction("lead", "Done", (Step(tool_call=ToolCall("f", {}, "x", None, 1)),), 9),
    )


def test_spans_are_parted_by_their_trace():
    both = export(model("m1", 0, 1, [ASK], [DONE]), model("m2", 0, 1, [ASK], [DONE]) | {"traceId": "run2"})

    assert [read(part).id for part in spans.parts(both)] == ["run1", "run2"]


def test_spans_without_models_tools_or_agents_are_no_run():
    with pytest.raises(BadTrace, match="has no span of a model, a tool or an agent"):
        read(export(span("http", 0, 1)))


def test_spans_that_are_each_others_parents_end():
    trace = read(
        export(
            model("m1", 0, 1, [ASK], [DONE]) | {"parentSpanId": "m2"},
            model("m2", 2, 3, [ASK], [DONE]) | {"parentSpanId": "m1"},
        )
    )

    assert trace.agents[0].id == "assistant"


def observation(id, kind, start, **more):
    return {
        "id": id,
        "type": kind,
        "startTime": f"2026-01-01T10:00:0{start}Z",
        "endTime": f"2026-01-01T10:00:0{start + 1}Z",
    } | more


def test_a_trace_of_langfuse_is_its_observations():
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Ulm"}'}}
    asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Weather?"}]
    document = {
        "id": "lf1",
        "totalCost": 0.25,
        "input": "Weather?",
        "observations": [
            observation("a", "AGENT", 0, name="desk"),
            observation(
                "t",
                "TOOL",
                2,
                parentObservationId="a",
                name="weather",
                input={"city": "Ulm"},
                level="ERROR",
                statusMessage="down",
            ),
            observation(
                "m1",
                "GENERATION",
                1,
                parentObservationId="a",
                input=asked,
                output={"role": "assistant", "tool_calls": [call]},
            ),
            observation(
                "m2", "GENERATION", 3, parentObservationId="a", input={"messages": asked}, output="I cannot tell."
            ),
        ],
    }

    trace = read(document)

    failed = ToolCall("weather", {"city": "Ulm"}, None, "down", 1000)
    assert (trace.id, trace.total_cost) == ("lf1", 0.25)
    assert [turn.user_message for turn in trace.turns] == ["Weather?"]
    assert trace.turns[0].agent_interactions == (
        Interaction("desk", "I cannot tell.", (Step(tool_call=failed),), 3000),
    )
    assert trace.agents[0].description == "Be brief."


def test_the_parameters_of_an_openinference_tool_are_its_schema_and_its_input_the_arguments():
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    asked = span(
        "llm", 0, 1, openinference__span__kind="LLM", input__value="Weather in Ulm?", output__value="It rains."
    )
    called = span(
        "tool",
        2,
        3,
        openinference__span__kind="TOOL",
        tool__name="weather",
        tool__description="Weather of a city",
        tool__parameters=json.dumps(schema),
        input__value='{"city": "Ulm"}',
        output__value="rain",
    )

    trace = read(export(asked, called))

    (call,) = [
        step.tool_call for act in trace.turns[0].agent_interactions for step in act.agent_steps if step.tool_call
    ]
    assert (call.tool_name, call.parameters, call.result) == ("weather", {"city": "Ulm"}, "rain")
    (tool,) = require(trace.agents[0].tools_available)
    assert (tool.name, tool.description, tool.parameters_schema) == ("weather", "Weather of a city", schema)


@pytest.mark.parametrize(
    ("given", "parameters"),
    [("Ulm", {"input": "Ulm"}), ('{"args": [], "kwargs": {"city": "Ulm"}}', {"city": "Ulm"})],
)
def test_arguments_of_a_span_may_be_a_text_or_those_of_a_function(given, parameters):
    asked = span(
        "llm", 0, 1, openinference__span__kind="LLM", input__value="Weather in Ulm?", output__value="It rains."
    )
    called = span("tool", 2, 3, openinference__span__kind="TOOL", tool__name="weather", input__value=given)

    trace = read(export(asked, called))

    (call,) = [
        step.tool_call for act in trace.turns[0].agent_interactions for step in act.agent_steps if step.tool_call
    ]
    assert call.parameters == parameters
    assert trace.agents[0].tools_available is None


def test_a_run_whose_spans_have_no_content_is_refused_by_name():
    silent = span("m1", 0, 1, gen_ai__operation__name="chat", gen_ai__request__model="gpt-4o-mini")

    with pytest.raises(
        BadTrace, match=r"this looks like an export of spans; its spans have no messages: let the instr"
    ):
        read(export(silent))


def test_a_call_of_a_model_that_two_libraries_recorded_counts_once():
    outer = model("outer", 0, 9, [ASK], [DONE])
    inner = model("inner", 1, 8, [ASK], [DONE]) | {"parentSpanId": "outer"}

    (turn,) = read(export(outer, inner)).turns

    assert [act.agent_response for act in turn.agent_interactions] == ["It rains."]
    assert turn.agent_interactions[0].latency_ms == 9


def test_the_inner_of_two_recordings_counts_if_the_outer_has_no_text():
    outer = span("outer", 0, 9, gen_ai__operation__name="chat")
    inner = model("inner", 1, 8, [ASK], [DONE]) | {"parentSpanId": "outer"}

    (turn,) = read(export(outer, inner)).turns

    assert turn.agent_interactions == (Interaction("assistant", "It rains.", (), 7),)


def handover(to):
    parts = {"type": "tool_call", "id": "h1", "name": f"transfer_to_{to}", "arguments": {}}
    return said("assistant", parts)


def test_the_span_of_a_handover_answers_the_call_that_asked_for_it():
    trace = read(
        export(
            model("m1", 0, 1, [ASK], [handover("checker")], gen_ai__agent__name="lead"),
            span("h", 2, 3, gen_ai__operation__name="handoff", gen_ai__handoff__to_agent="checker"),
            model("m2", 4, 5, [ASK], [DONE], gen_ai__agent__name="checker"),
        )
    )

    call = ToolCall("transfer_to_checker", {}, "checker", None, 1)
    assert trace.turns[0].agent_interactions == (
        Interaction("lead", None, (Step(tool_call=call),), 2),
        Interaction("checker", "It rains.", (), 1),
    )


def test_a_later_question_may_go_to_the_agent_that_took_over():
    more = said("user", text("And in Rome?"))
    trace = read(
        export(
            model("m1", 0, 1, [ASK], [handover("checker")], gen_ai__agent__name="lead"),
            model("m2", 2, 3, [ASK], [DONE], gen_ai__agent__name="checker"),
            model("m3", 4, 5, [ASK, DONE, more], [said("assistant", text("Sun."))], gen_ai__agent__name="checker"),
        )
    )

    assert [turn.user_message for turn in trace.turns] == ["Weather in Ulm?", "And in Rome?"]
    assert [turn.agent_interactions[-1].agent_id for turn in trace.turns] == ["checker", "checker"]


def test_what_one_agent_passes_to_the_next_is_not_the_users():
    passed = said("user", text("The lead says: check it."))
    trace = read(
        export(
            model("m1", 0, 1, [ASK], [DONE], gen_ai__agent__name="lead"),
            model("m2", 2, 3, [ASK, passed], [said("assistant", text("Fine."))], gen_ai__agent__name="checker"),
        )
    )

    assert [turn.user_message for turn in trace.turns] == ["Weather in Ulm?"]


def test_traces_of_one_conversation_are_one_run_without_the_pauses_between_them():
    more = said("user", text("And in Rome?"))
    first = model("m1", 0, 10, [ASK], [DONE], gen_ai__conversation__id="c7")
    later = model("m2", 5000, 5020, [ASK, DONE, more], [said("assistant", text("Sun."))], session__id="c7")
    other = model("m3", 0, 10, [ASK], [DONE])

    parts = spans.parts(export(first, later | {"traceId": "run2"}, other | {"traceId": "run3"}))

    traces = [read(part) for part in parts]
    assert [(trace.id, len(trace.turns), trace.total_latency_ms) for trace in traces] == [
        ("c7", 2, 30),
        ("run3", 1, 10),
    ]


def test_log_records_of_the_same_export_are_events_of_their_spans():
    def record(name, **body):
        values = [{"key": key, "value": otlp(value)} for key, value in body.items()]
        return {"spanId": "m1", "eventName": name, "body": {"kvlistValue": {"values": values}}}

    records = [record("gen_ai.user.message", content="Hello"), record("gen_ai.choice", content="Hi")]
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}

    trace = read(spans.merge_batches([logs, export(span("m1", 0, 1, gen_ai__operation__name="chat"))]))

    assert trace.turns[0].user_message == "Hello"
    assert trace.turns[0].agent_interactions[0].agent_response == "Hi"


def event_record(name, body, **attributes):
    values = [{"key": key.replace("__", "."), "value": otlp(value)} for key, value in attributes.items()]
    return {"spanId": "m1", "eventName": name, "body": body, "attributes": values}


def read_with_records(*records):
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": list(records)}]}]}
    return read(spans.merge_batches([logs, export(span("m1", 0, 1, gen_ai__operation__name="chat"))]))


def test_the_body_of_an_event_may_be_json_in_a_text_or_the_text_itself():
    trace = read_with_records(
        event_record("gen_ai.user.message", {"stringValue": json.dumps({"content": "Hello", "role": "customer"})}),
        event_record("gen_ai.choice", {"stringValue": "Hi"}),
    )

    assert trace.turns[0].user_message == "Hello"
    assert trace.turns[0].agent_interactions[0].agent_response == "Hi"


def test_events_whose_span_was_not_exported_are_calls_of_a_model():
    details = event_record(
        "gen_ai.client.inference.operation.details",
        {},
        gen_ai__agent__name="forecaster",
        gen_ai__input__messages=json.dumps([ASK]),
        gen_ai__output__messages=json.dumps([DONE]),
    )
    other = event_record("http.request", {"stringValue": "GET /"}) | {"spanId": "h1"}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [other, details | {"traceId": "run1"}]}]}]}

    trace = read(logs)

    assert (trace.id, trace.form, [agent.id for agent in trace.agents]) == ("run1", "spans", ["forecaster"])
    assert [turn.user_message for turn in trace.turns] == ["Weather in Ulm?"]


def test_log_records_without_events_of_models_are_refused_by_name():
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [event_record("http.request", {"stringValue": "GET /"})]}]}]}

    with pytest.raises(BadTrace, match="this looks like an export of spans; it has no span of a model"):
        read(logs)


def test_the_event_with_the_details_of_a_call_has_the_instructions_too():
    trace = read_with_records(
        event_record(
            "gen_ai.client.inference.operation.details",
            {},
            gen_ai__system_instructions=json.dumps([{"type": "text", "content": "You know the weather."}]),
            gen_ai__input__messages=json.dumps([ASK]),
            gen_ai__output__messages=json.dumps([DONE]),
        )
    )

    assert trace.turns[0].user_message == "Weather in Ulm?"
    assert trace.agents[0].description == "You know the weather."


@pytest.mark.parametrize(
    "message", [{}, {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather"}}]}]
)
def test_events_without_content_are_refused(message):
    """Instrumentations leave it out unless they are set to record it. A call without its arguments is no wrong call."""
    choice = json.dumps({"index": 0, "finish_reason": "stop", "message": message})

    with pytest.raises(BadTrace, match="let the instrumentation record the content"):
        read_with_records(event_record("gen_ai.choice", {"stringValue": choice}))


def test_spans_that_begin_at_once_are_in_the_order_of_their_ends():
    trace = read(
        export(
            model("m2", 5, 9, [ASK, CALL, GOT], [DONE]),
            span("t1", 5, 6, "agent", gen_ai__operation__name="execute_tool", gen_ai__tool__name="weather"),
            model("m1", 0, 5, [ASK], [CALL]),
        )
    )

    (act,) = trace.turns[0].agent_interactions
    assert (act.agent_response, len(act.agent_steps)) == ("It rains.", 1)


def test_the_message_of_an_exception_is_the_error_of_a_call():
    failed = span(
        "t1",
        2,
        3,
        status={"code": 2},
        events=[{"name": "exception", "attributes": [{"key": "exception.message", "value": otlp("no network")}]}],
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="weather",
    )

    trace = read(export(model("m1", 0, 1, [ASK], [CALL]), failed))

    assert require(trace.turns[0].agent_interactions[0].agent_steps[0].tool_call).error == "no network"


def test_a_call_that_is_written_as_python_shows_it_is_a_call_or_a_named_gap():
    shown = (
        "ResponseFunctionToolCall(arguments='{\"city\": \"Ulm\"}', call_id='c1', name='weather', type='function_call')"
    )
    broken = said("assistant", text("ResponseFunctionToolCall(arguments="))

    trace = read(export(model("m1", 0, 1, [ASK], [said("assistant", text(shown))])))

    assert trace.turns[0].agent_interactions[0].agent_steps == (Step(tool_call=ToolCall("weather", {"city": "Ulm"})),)
    with pytest.raises(BadTrace, match="the final answer is not understood"):
        read(export(model("m1", 0, 1, [ASK], [broken])))


def test_documents_that_a_search_found_are_the_knowledge_of_the_turn():
    found = json.dumps([{"id": "d1", "content": "Ulm is wet."}])
    search = span("r1", 0, 1, gen_ai__operation__name="retrieval", gen_ai__retrieval__documents=found)

    trace = read(export(search, model("m1", 2, 3, [ASK], [DONE])))

    assert trace.turns[0].knowledge == "Ulm is wet."


def test_spans_by_the_columns_of_a_table_are_read():
    rows = [
        {"context.span_id": "m1", "context.trace_id": "run9", "start_time": 1000, "end_time": 1250, "parent_id": None}
        | {"attributes.openinference.span.kind": "LLM", "attributes.metadata": None}
        | {"attributes.llm.input_messages": [{"message.role": "user", "message.content": "Hello"}]}
        | {"attributes.llm.output_messages": [{"message.role": "assistant", "message.content": "Hi"}]}
    ]
    columns = {key: {str(index): row[key] for index, row in enumerate(rows)} for key in rows[0]}

    trace = read(columns)

    assert (trace.id, trace.form) == ("run9", "phoenix")
    assert trace.turns[0].user_message == "Hello"
    assert trace.turns[0].agent_interactions == (Interaction("assistant", "Hi", (), 250),)


def test_an_answer_of_jaegers_newest_api_is_read():
    trace = read({"result": genai_run()})

    assert (trace.id, trace.form) == ("run1", "jaeger")


def test_requests_and_answers_of_older_logfire_are_read():
    request = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
    answer = {"message": {"role": "assistant", "content": "Hi"}, "usage": {}}

    trace = read(
        export(
            span(
                "m1",
                0,
                1,
                logfire__msg_template="Chat Completion with {request_data[model]!r}",
                request_data=json.dumps(request),
                response_data=json.dumps(answer),
            )
        )
    )

    assert trace.turns[0].user_message == "Hello"
    assert trace.turns[0].agent_interactions[0].agent_response == "Hi"


def test_a_trace_of_mlflow_2_is_read():
    attributes = {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": '{"messages": [{"role": "user", "content": "Hello"}]}',
        "mlflow.spanOutputs": '{"choices": [{"message": {"role": "assistant", "content": "Hi"}}]}',
    }
    made = {"name": "Completions", "context": {"trace_id": "0xa1", "span_id": "0xb1"}, "parent_id": None}
    times = {"start_time": 1_000_000, "end_time": 3_000_000, "status_code": "OK", "status_message": "", "events": []}

    trace = read({"info": {"request_id": "a1"}, "data": {"spans": [made | times | {"attributes": attributes}]}})

    assert (trace.form, trace.turns[0].user_message) == ("mlflow", "Hello")
    assert trace.turns[0].agent_interactions == (Interaction("assistant", "Hi", (), 2),)


def test_the_calls_of_a_model_without_spans_inside_are_those_of_the_vercel_sdk():
    prompt = json.dumps({"system": "Be brief.", "prompt": "Hello"})
    outer = {"ai__operationId": "ai.generateText", "ai__telemetry__functionId": "desk", "ai__prompt": prompt}

    trace = read(export(span("a", 0, 5, **outer, ai__response__text="Hi")))

    assert trace.turns[0].user_message == "Hello"
    assert trace.turns[0].agent_interactions == (Interaction("desk", "Hi", (), 5),)


def test_what_an_agent_is_told_inside_the_span_of_another_is_not_the_users_even_after_an_answer():
    order = said("user", text("Check the numbers"))
    trace = read(
        export(
            span("lead", 0, 9, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="lead"),
            model("m1", 1, 2, [ASK], [DONE]) | {"parentSpanId": "lead"},
            span("check", 3, 8, "lead", gen_ai__operation__name="invoke_agent", gen_ai__agent__name="checker"),
            model("m2", 4, 5, [ASK, DONE, order], [said("assistant", text("Fine."))]) | {"parentSpanId": "check"},
        )
    )

    assert [turn.user_message for turn in trace.turns] == ["Weather in Ulm?"]


@pytest.mark.parametrize(("cost", "total"), [(0.5, 0.5), (-1, None), (1e300, None), ("0.5", None), (True, None)])
def test_a_cost_is_a_number_that_can_be_one(cost, total):
    asked = model("m1", 0, 1, [ASK], [DONE])
    asked["attributes"].append({"key": "gen_ai.usage.cost", "value": {"doubleValue": cost}})

    assert read(export(asked)).total_cost == total


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("gen_ai__input__messages", "a user's message is not understood"),
        ("gen_ai__output__messages", "the final answer"),
    ],
)
def test_messages_that_telemetry_cut_off_refuse_the_run(key, message):
    whole = {"gen_ai__input__messages": json.dumps([ASK]), "gen_ai__output__messages": json.dumps([DONE])}
    cut = whole | {key: whole[key][:-9]}

    with pytest.raises(BadTrace, match=rf"{message}.* this has the unknown type 'truncated JSON'"):
        read(export(span("m1", 0, 1, gen_ai__operation__name="chat", **cut)))


def test_a_later_history_may_be_cut_off():
    whole = json.dumps([ASK, CALL, GOT])
    later = span(
        "m2",
        2,
        3,
        gen_ai__operation__name="chat",
        gen_ai__input__messages=whole[:-9],
        gen_ai__output__messages=json.dumps([DONE]),
    )

    trace = read(export(model("m1", 0, 1, [ASK], [CALL]), later))

    assert [turn.user_message for turn in trace.turns] == ["Weather in Ulm?"]
    assert trace.turns[0].agent_interactions[0].agent_response == "It rains."


def test_an_answer_that_is_no_message_refuses_the_run():
    with pytest.raises(
        BadTrace, match=r"span m1: .*the final answer is not understood: this has an answer that is no mess"
    ):
        read(export(model("m1", 0, 1, [ASK], [{"content": 5, "text": "It rains and rains."}])))


def test_a_picture_beside_the_users_words_is_named():
    picture = {"type": "blob", "mime_type": "image/png", "data": "aaaa"}

    trace = read(export(model("m1", 0, 1, [said("user", text("What is this?"), picture)], [DONE])))

    assert trace.turns[0].user_message == "What is this?"
    assert [(part.path, part.why) for part in trace.dropped] == [("content[1]", "holds a file; only text is read")]
    with pytest.raises(BadTrace, match="a user's message is not understood"):
        read(export(model("m1", 0, 1, [said("user", picture)], [DONE])))


def test_a_question_that_a_later_trace_of_the_conversation_asks_again_is_a_turn():
    first = model("m1", 0, 1, [ASK], [DONE], session__id="c7")
    again = model("m2", 2, 3, [ASK], [DONE], session__id="c7") | {"traceId": "run2"}

    assert [turn.user_message for turn in read(export(first, again)).turns] == ["Weather in Ulm?", "Weather in Ulm?"]


def test_what_an_agent_did_before_its_first_recorded_answer_stands_in_the_history():
    trace = read(export(model("m1", 0, 1, [ASK, CALL, GOT], [DONE])))

    assert trace.turns[0].agent_interactions[0].agent_steps == (
        Step(tool_call=ToolCall("weather", {"city": "Ulm"}, "rain")),
    )


@pytest.mark.parametrize(
    "values",
    [
        {"input__value": json.dumps({"question": "Rain?"}), "output__value": json.dumps({"answer": "Yes."})},
        {
            "input__value": json.dumps({"messages": [{"role": "user", "content": "Rain?"}]}),
            "output__value": json.dumps(
                {"messages": [{"role": "user", "content": "Rain?"}, {"role": "assistant", "content": "Yes."}]}
            ),
        },
    ],
)
@pytest.mark.parametrize("kind", ["LLM", "AGENT"])
def test_json_in_the_value_of_a_span_is_no_speech(kind, values):
    (turn,) = read(export(span("s", 0, 1, openinference__span__kind=kind, **values))).turns

    assert (turn.user_message, turn.agent_interactions[0].agent_response) == ("Rain?", "Yes.")


RAIN = [{"role": "user", "content": "Rain?"}]
YES = {"role": "assistant", "content": "Yes."}
SINGLE_SPANS = {
    "Traceloop without its decorators": {
        "llm__request__type": "chat",
        "gen_ai__prompt__0__role": "user",
        "gen_ai__prompt__0__content": "Rain?",
        "gen_ai__completion__0__role": "assistant",
        "gen_ai__completion__0__content": "Yes.",
    },
    "Vercel before version 4": {
        "ai__operationId": "ai.generateText.doGenerate",
        "ai__prompt__messages": json.dumps(RAIN),
        "ai__result__text": "Yes.",
    },
    "Google ADK": {
        "gcp__vertex__agent__llm_request": json.dumps({"contents": [{"role": "user", "parts": [{"text": "Rain?"}]}]}),
        "gcp__vertex__agent__llm_response": json.dumps({"content": {"role": "model", "parts": [{"text": "Yes."}]}}),
    },
    "Langfuse's SDK": {
        "langfuse__observation__type": "generation",
        "langfuse__observation__input": json.dumps(RAIN),
        "langfuse__observation__output": json.dumps(YES),
    },
    "Semantic Kernel": {
        "gen_ai__operation__name": "chat.completions",
        "gen_ai__prompt": json.dumps(RAIN),
        "gen_ai__completion": json.dumps([YES]),
    },
    "LangSmith": {
        "gen_ai__operation__name": "chat",
        "gen_ai__prompt": json.dumps({"messages": RAIN}),
        "gen_ai__completion": json.dumps({"choices": [{"message": YES}]}),
    },
    "a prompt in one text": {
        "gen_ai__operation__name": "chat",
        "gen_ai__prompt": "user: Rain?",
        "gen_ai__completion": "Yes.",
    },
}


@pytest.mark.parametrize("about", SINGLE_SPANS)
def test_a_call_of_a_model_is_read_as_its_library_records_it(about):
    (turn,) = read(export(span("s", 0, 1, **SINGLE_SPANS[about]))).turns

    assert (turn.user_message, turn.agent_interactions[0].agent_response) == ("Rain?", "Yes.")


def test_a_tool_of_google_adk_has_its_arguments_and_its_result():
    made = {
        "gcp__vertex__agent__tool_call_args": '{"city": "Ulm"}',
        "gcp__vertex__agent__tool_response": '{"result": 3}',
    }

    trace = read(export(span("execute_tool weather", 0, 1, **made)))

    (step,) = trace.turns[0].agent_interactions[0].agent_steps
    assert step.tool_call == ToolCall("weather", {"city": "Ulm"}, {"result": 3}, None, 1.0)


def test_rows_of_a_logfire_query_are_spans():
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": RAIN, "gen_ai.output.messages": [YES]}
    times = {"start_timestamp": "2026-01-01T00:00:00Z", "end_timestamp": "2026-01-01T00:00:01Z"}
    row = {"trace_id": "t", "span_id": "s", "span_name": "chat", "attributes": json.dumps(attributes)} | times

    trace = read({"columns": [], "rows": [row]})

    assert (trace.turns[0].user_message, trace.total_latency_ms) == ("Rain?", 1000)


@pytest.mark.parametrize(
    "answer",
    [
        {
            "gen_ai__operation__name": "chat",
            "gen_ai__output__messages": json.dumps(
                [
                    said(
                        "assistant",
                        {"type": "server_tool_call", "id": "w", "name": "weather", "server_tool_call": {"city": "Ulm"}},
                        {"type": "server_tool_call_response", "id": "w", "server_tool_call_response": {"sky": "rain"}},
                        text("Yes."),
                    )
                ]
            ),
        },
        {
            "openinference__span__kind": "LLM",
            "llm__output_messages__0__message__role": "assistant",
            "llm__output_messages__0__message__function_call_name": "weather",
            "llm__output_messages__0__message__function_call_arguments_json": '{"city": "Ulm"}',
        },
    ],
)
def test_the_call_in_an_answer_has_its_name_and_its_arguments(answer):
    (turn,) = read(export(span("s", 0, 1, **answer))).turns

    call = require(turn.agent_interactions[0].agent_steps[0].tool_call)
    assert (call.tool_name, call.parameters) == ("weather", {"city": "Ulm"})
