"""Traces of Langfuse: the same short story as the libraries record it, read to the same trace."""

import json

import pytest

from tests.engine.intake.test_forms import ANSWER, QUESTION, calls, exchanges, refusal, traces
from viva.engine.intake.files import parse, read_traces
from viva.engine.intake.formats import read
from viva.engine.model import ToolCall

MOUNTAIN = {"mountain": "Brocken"}
FUNCTION = {"id": "c1", "type": "function", "function": {"name": "height", "arguments": json.dumps(MOUNTAIN)}}
TOOL = {"type": "TOOL", "name": "height", "input": json.dumps(MOUNTAIN), "output": "1141 m"}
SYSTEM = {"role": "system", "content": "Answer briefly."}
USER = {"role": "user", "content": QUESTION}


def observe(*parts, trace=None, encode=json.dumps):
    """A trace of these observations, each a second after the one before."""
    listed = []
    for second, part in enumerate(parts):
        times = {"startTime": f"2026-01-01T00:00:{second:02}Z", "endTime": f"2026-01-01T00:00:{second + 1:02}Z"}
        held = {"id": f"o{second}", "traceId": "t", "type": "SPAN", "name": "x", "level": "DEFAULT"} | times | part
        attributes = held.pop("attributes", {})
        held["metadata"] = encode({"attributes": attributes} | held.pop("metadata", {}))
        listed.append(held | {key: encode(held[key]) for key in ("input", "output") if is_value(held.get(key))})
    return {"trace": {"id": "t", "projectId": "p"} | (trace or {}), "observations": listed}


def is_value(value):
    return isinstance(value, dict | list)


def model(given, answered, **more):
    return {"type": "GENERATION", "name": "chat", "input": given, "output": answered} | more


CALLED = {"role": "assistant", "content": None, "tool_calls": [FUNCTION]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "1141 m"}
STORIES = {
    "openai": observe(
        model([SYSTEM, USER], {"choices": [{"index": 0, "message": CALLED}]}),
        model([SYSTEM, USER, CALLED, RESULT], {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]}),
    ),
    "responses": observe(
        model(
            {"instructions": "Answer briefly.", "input": [USER]},
            {
                "instructions": "Answer briefly.",
                "output": [
                    {"type": "reasoning", "id": "r", "summary": []},
                    {
                        "type": "function_call",
                        "id": "f",
                        "call_id": "c1",
                        "name": "height",
                        "arguments": json.dumps(MOUNTAIN),
                    },
                ],
            },
        ),
        model(
            [USER, {"type": "function_call_output", "call_id": "c1", "output": "1141 m"}],
            {
                "output": [
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]}
                ]
            },
        ),
    ),
    "anthropic": observe(
        model(
            {"system": "Answer briefly.", "messages": [USER]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "height", "input": MOUNTAIN}]},
        ),
        model(
            {
                "messages": [
                    USER,
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "1141 m"}]},
                ]
            },
            [{"type": "text", "text": ANSWER}],
        ),
    ),
    "gemini": observe(
        model(
            {
                "contents": [{"role": "user", "parts": [{"text": QUESTION}]}],
                "config": {"system_instruction": "Answer briefly."},
            },
            {
                "candidates": [
                    {"content": {"role": "model", "parts": [{"functionCall": {"name": "height", "args": MOUNTAIN}}]}}
                ]
            },
        ),
        {
            "type": "TOOL",
            "name": "execute_tool height",
            "output": {},
            "attributes": {"gcp.vertex.agent.tool_response": "1141 m"},
        },
        model(
            {"contents": QUESTION}, {"content": {"role": "model", "parts": [{"text": ANSWER}]}, "finish_reason": "STOP"}
        ),
    ),
    "parts": observe(
        {
            "type": "AGENT",
            "name": "invoke_agent guide",
            "attributes": {"gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Answer briefly."}])},
        },
        model(
            [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}],
            [
                {
                    "role": "assistant",
                    "parts": [{"type": "tool_call", "id": "c1", "name": "height", "arguments": MOUNTAIN}],
                }
            ],
            parentObservationId="o0",
        ),
        TOOL | {"parentObservationId": "o0", "attributes": {"gen_ai.tool.call.id": "c1"}},
        model([], [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}], parentObservationId="o0"),
    ),
    "vercel": observe(
        model({"prompt": QUESTION, "system": "Answer briefly."}, ANSWER, name="ai.generateText"),
        model(
            [SYSTEM, {"role": "user", "content": [{"type": "text", "text": QUESTION}]}],
            [{"toolCallId": "c1", "toolName": "height", "input": json.dumps(MOUNTAIN)}],
            parentObservationId="o0",
        ),
        TOOL | {"parentObservationId": "o0", "attributes": {"ai.toolCall.name": "height", "ai.toolCall.id": "c1"}},
        model([USER], ANSWER, parentObservationId="o0"),
    ),
    "openinference": observe(
        model(
            '{"messages": ["role=\'user\' content=\'How high"]}',
            {"choices": [{"message": CALLED}]},
            attributes={
                "llm.input_messages.0.message.role": "system",
                "llm.input_messages.0.message.content": "Answer briefly.",
                "llm.input_messages.1.message.role": "user",
                "llm.input_messages.1.message.content": QUESTION,
            },
        ),
        model("user: How high", "None", parentObservationId="o0", name="recorded by another library too"),
        {**TOOL, "type": "SPAN", "attributes": {"openinference.span.kind": "TOOL", "tool.name": "height"}},
        model([USER], ANSWER),
    ),
    "react": observe(
        {
            "name": "main",
            "input": QUESTION,
            "output": str({"role": "assistant", "text": ANSWER}),
            "attributes": {"source": "Guide", "openinference.span.kind": "AGENT"},
        },
        model(
            [SYSTEM, {"role": "user", "content": f"Message: {QUESTION}"}],
            None,
            name="backend.chat.start-1",
            parentObservationId="o0",
        ),
        {
            "name": "tool.height.success-1",
            "output": "1141 m",
            "attributes": {"target": "tool", "openinference.span.kind": "TOOL"},
        },
        model(
            [
                SYSTEM,
                {"role": "user", "content": f"Message: {QUESTION}"},
                {
                    "role": "assistant",
                    "content": f"Thought: Look.\nFunction Name: height\nFunction Input: {json.dumps(MOUNTAIN)}\nFunction Output: 1141 m",
                },
            ],
            None,
            name="backend.chat.start-2",
            parentObservationId="o0",
        ),
        model(None, "high.", name="backend.chat.success-2", parentObservationId="o0"),
    ),
    "koog": observe(
        model([SYSTEM, USER], [{"role": "assistant", "content": json.dumps([FUNCTION])}]),
        {
            **TOOL,
            "type": "SPAN",
            "name": "tool.height",
            "attributes": {"gen_ai.tool.name": "height", "gen_ai.tool.call.id": "c1"},
        },
        model(
            [SYSTEM, USER, {"role": "tool", "content": json.dumps([FUNCTION])}, RESULT],
            [{"role": "assistant", "content": ANSWER}],
        ),
    ),
}


@pytest.mark.parametrize("library", STORIES)
def test_a_model_call_is_read_whatever_library_recorded_it(library):
    trace = read(STORIES[library])

    agent = trace.agents[0]
    assert (trace.form, len(trace.agents)) == ("langfuse", 1)
    assert exchanges(trace) == [(QUESTION, (agent.id, ANSWER))]
    assert [(call.tool_name, call.parameters, call.result) for call in calls(trace)] == [("height", MOUNTAIN, "1141 m")]
    assert agent.description == "Answer briefly."
    assert trace.dropped == ()


@pytest.mark.parametrize(
    ("name", "agent", "version"),
    [("langgraph", "agent", "langfuse-sdk 5.0.4"), ("pydantic-ai", "guide", "pydantic-ai 2.66.0")],
)
def test_what_the_sdk_recorded(name, agent, version):
    (trace,) = traces(f"langfuse/{name}.json")

    assert (trace.form, trace.form_version) == ("langfuse", version)
    assert exchanges(trace) == [(QUESTION, (agent, ANSWER))]
    assert [(call.tool_name, call.parameters, call.result) for call in calls(trace)] == [("height", MOUNTAIN, "1141 m")]
    assert trace.agents[0].description == "Answer briefly."


def test_the_trace_of_the_api_holds_its_observations():
    whole = observe(model([USER], ANSWER, totalCost=0.5, statusMessage=None), encode=lambda value: value)
    trace = read(whole["trace"] | {"observations": whole["observations"]})

    assert exchanges(trace) == [(QUESTION, ("assistant", ANSWER))]
    assert trace.total_cost == 0.5


def test_observations_without_their_traces_are_sorted_into_them(tmp_path):
    first, second = (observe(model([USER], f"{number} m"))["observations"][0] for number in (1, 2))
    path = tmp_path / "observations.jsonl"
    path.write_text(json.dumps(first) + "\n" + json.dumps(second | {"traceId": "u"}) + "\n")

    found = [parse(item) for item in read_traces(path)]
    assert [(trace.id, exchanges(trace)) for trace in found] == [
        ("t", [(QUESTION, ("assistant", "1 m"))]),
        ("u", [(QUESTION, ("assistant", "2 m"))]),
    ]


def test_agents_hand_over_and_only_the_first_one_hears_the_user():
    agents = [{"type": "AGENT", "name": f"{name} run"} for name in ("guide", "surveyor")]
    asked = model([USER], CALLED, parentObservationId="o0")
    surveyed = model([{"role": "user", "content": "Survey the Brocken."}], "1141 m", parentObservationId="o2")
    trace = read(
        observe(agents[0], asked, agents[1], surveyed, model([USER, RESULT], ANSWER, parentObservationId="o0"))
    )

    assert exchanges(trace) == [(QUESTION, ("guide", None), ("surveyor", "1141 m"), ("guide", ANSWER))]


def test_the_span_of_a_handoff_is_no_call_beside_the_one_that_handed_over():
    transfer = {"id": "c1", "type": "function", "function": {"name": "transfer_to_surveyor", "arguments": "{}"}}
    handed = {"type": "TOOL", "name": "handoff to surveyor", "input": "guide", "output": "surveyor"}
    trace = read(observe(model([USER], CALLED | {"tool_calls": [transfer]}), handed, model([USER, RESULT], ANSWER)))

    assert [(call.tool_name, call.result) for call in calls(trace)] == [("transfer_to_surveyor", "1141 m")]


def test_exchanges_before_this_trace_are_turns():
    earlier = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello!"}]
    trace = read(observe(model([SYSTEM, *earlier, USER], ANSWER)))

    assert exchanges(trace) == [("Hello", ("assistant", "Hello!")), (QUESTION, ("assistant", ANSWER))]


def test_earlier_exchanges_stay_turns_where_the_trace_has_only_the_last_question():
    earlier = [{"role": "user", "content": "This is hard?"}, {"role": "assistant", "content": "No!"}]
    trace = read(observe(model([*earlier, {"role": "user", "content": "hi"}], ANSWER), trace={"input": "hi"}))

    assert exchanges(trace) == [("This is hard?", ("assistant", "No!")), ("hi", ("assistant", ANSWER))]


def test_an_output_beside_an_answer_is_not_the_answer():
    trace = read(observe({"name": "root", "output": "done"}, model([USER], ANSWER, parentObservationId="o0")))

    assert exchanges(trace) == [(QUESTION, ("assistant", ANSWER))]


def test_the_input_of_the_trace_opens_a_run_whose_models_record_no_input():
    trace = read(observe(model(None, ANSWER), trace={"input": json.dumps(QUESTION)}))

    assert exchanges(trace) == [(QUESTION, ("assistant", ANSWER))]


def test_what_a_retriever_found_is_the_knowledge_of_the_turn():
    found = {"type": "RETRIEVER", "name": "library", "input": QUESTION, "output": [{"page_content": "Brocken: 1141 m"}]}
    trace = read(observe({"name": "root", "input": QUESTION}, found, model([USER], ANSWER)))

    assert trace.turns[0].knowledge == "Brocken: 1141 m"


def test_the_user_said_the_input_of_the_trace_and_the_rest_of_the_prompt_is_the_application_s():
    prompts = [
        {"role": "user", "content": "Answer briefly."},
        {"role": "user", "content": f"Question: {QUESTION} Today is Monday."},
    ]
    trace = read(observe(model(prompts, ANSWER), trace={"input": json.dumps(json.dumps(QUESTION))}))

    assert exchanges(trace) == [(QUESTION, ("assistant", ANSWER))]
    assert trace.agents[0].description == "Answer briefly."


def test_an_answer_in_a_structure_is_its_json():
    trace = read(observe(model([USER], {"metres": 1141})))

    assert exchanges(trace) == [(QUESTION, ("assistant", '{"metres": 1141}'))]


def test_a_failed_call_keeps_its_error():
    failed = TOOL | {"output": None, "level": "ERROR", "statusMessage": "no such mountain"}
    trace = read(observe(model([USER], CALLED), failed, model([USER], "I do not know.")))

    assert calls(trace) == [ToolCall("height", MOUNTAIN, None, "no such mountain", 1000.0)]


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (
            observe(model([USER], None), model([USER], None), model([USER], ANSWER)),
            "observations[o0]: this looks like a trace of Langfuse; "
            "the output is missing in 2 of its 3 model calls, so the answers are unknown",
        ),
        (
            observe(model([USER], {"id": "r", "model": "m", "tensor": "of a hidden layer"})),
            "content: this looks like a trace of Langfuse; "
            "the final answer is not understood: this has no type that is known",
        ),
        (
            {"id": "t", "projectId": "p", "name": "chat", "input": QUESTION, "output": ANSWER},
            "observations: this looks like a trace of Langfuse; "
            "its observations are missing: export the trace together with observations",
        ),
        (
            {"id": "s", "projectId": "p", "traces": [{"id": "t"}]},
            "observations: this looks like a trace of Langfuse; "
            "its observations are missing: export the trace together with observations",
        ),
        (
            observe({"name": "job", "input": "x", "output": "y"}),
            "trace: this looks like a trace of Langfuse; it has no span of a model, a tool or an agent",
        ),
    ],
)
def test_a_trace_that_is_not_understood_is_refused(document, sentence):
    assert refusal(document) == sentence


@pytest.mark.parametrize("ending", ["", "\n\nAssistant:"])
def test_a_prompt_in_one_text_is_told_apart_by_its_roles(ending):
    trace = read(observe(model(f"system: Be brief.\nuser: {QUESTION}{ending}", ANSWER)))

    assert exchanges(trace) == [(QUESTION, ("assistant", ANSWER))]
    assert trace.agents[0].description == "Be brief."


def test_a_page_of_observations_is_a_trace():
    page = {"data": observe(model([USER], ANSWER))["observations"], "meta": {"page": 1}}

    assert exchanges(read(page)) == [(QUESTION, ("assistant", ANSWER))]


@pytest.mark.parametrize(
    ("given", "answered"),
    [
        (  # Strands
            [{"role": "user", "content": json.dumps([{"text": QUESTION}])}],
            {"message": json.dumps([{"text": ANSWER}]), "finish_reason": "end_turn"},
        ),
        (  # Semantic Kernel
            [USER],
            [{"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}],
        ),
    ],
)
def test_what_a_library_encodes_is_read_as_it_was_said(given, answered):
    assert exchanges(read(observe(model(given, answered)))) == [(QUESTION, ("assistant", ANSWER))]


def test_the_names_of_vercels_calls_are_kept():
    made = {"toolCallId": "c1", "toolName": "height", "input": json.dumps(MOUNTAIN)}
    answered = {"role": "assistant", "content": "", "toolCalls": [made]}

    assert calls(read(observe(model([USER], answered), TOOL, model([USER], ANSWER)))) == [
        ToolCall("height", MOUNTAIN, "1141 m", None, 1000.0)
    ]


ASKED = {"type": "AGENT", "name": "Agent run: 'guide'"}


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "Function: height"},
        {"name": "FunctionTool.acall", "input": {"kwargs": MOUNTAIN}},
        {"output": {"lc": 1, "id": ["ToolMessage"], "kwargs": {"content": "1141 m", "tool_call_id": "c1"}}},
        {"output": {"message": '[{"text": "1141 m"}]', "id": "c1"}},
        {"output": {"output": [{"type": "text", "text": "1141 m"}]}},
    ],
)
def test_the_span_of_a_tool_is_the_call_that_the_model_made(tool):
    answered = model([USER, CALLED, RESULT], {"replies": [{"role": "assistant", "content": ANSWER}]})
    inner = (model([USER], CALLED), TOOL | tool, answered)

    trace = read(observe(ASKED, *(part | {"parentObservationId": "o0"} for part in inner)))

    assert calls(trace) == [ToolCall("height", MOUNTAIN, "1141 m", latency_ms=1000)]
    assert exchanges(trace) == [(QUESTION, ("guide", ANSWER))]


def test_a_model_s_call_inside_another_is_the_next_one_if_it_was_given_more():
    first = model([USER], CALLED)
    second = model([USER, CALLED, RESULT], f"assistant: {ANSWER}", parentObservationId="o0")

    trace = read(observe(first, TOOL | {"parentObservationId": "o0"}, second))

    assert exchanges(trace) == [(QUESTION, ("assistant", ANSWER))]
    assert len(calls(trace)) == 1


def test_a_run_without_models_has_the_question_and_the_answer_of_its_outermost_span():
    trace = read(
        observe({"input": {"query": QUESTION}, "output": {"result": ANSWER}}, TOOL | {"parentObservationId": "o0"})
    )

    assert exchanges(trace) == [(QUESTION, ("assistant", ANSWER))]
    assert len(calls(trace)) == 1
