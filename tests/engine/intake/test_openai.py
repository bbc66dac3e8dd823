"""OpenAI: items of the Responses API, and traces of the Agents SDK."""

import json

import pytest

from tests.engine.intake.runs import FRIDAY, MONDAY, read_run, speakers, tell
from viva.engine.intake import formats
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import read

FOUND = '{"model": "Tourer", "wheel": "28 inch"}'
ITEMS = [
    ("user", FRIDAY),
    ("assistant", "thinks", "I need the model before I can book."),
    ("assistant", "find_bicycle", {"number": "4711"}, FOUND),
    ("assistant", "book_slot", {"day": "Friday"}, '{"error": "no slot is free on Friday"}'),
    ("assistant", "says", "Friday is full. I can repair the Tourer on Monday."),
    ("user", MONDAY),
    ("assistant", "book_slot", {"day": "Monday"}, '"slot 12 on Monday"'),
    ("assistant", "says", "Your Tourer is booked for Monday, slot 12."),
]
FAILURE = "The tool failed: no slot is free on Friday"
FIRST_WORK = [
    ("workshop", "thinks", "I need the model before I can book."),
    ("workshop", "find_bicycle", {"number": "4711"}, "{'model': 'Tourer', 'wheel': '28 inch'}"),
    ("workshop", "book_slot", {"day": "Friday"}, FAILURE),
    ("workshop", "says", "Friday is full. I can repair the Tourer on Monday."),
]


def test_items_are_thoughts_calls_results_and_answers():
    trace = read_run("openai/response_items.json")

    assert tell(trace) == ITEMS
    assert speakers(trace) == [["assistant"], ["assistant"]]
    assert (trace.form, trace.dropped) == ("responses", ())


def test_a_request_with_its_response_has_instructions_and_tools():
    trace = read_run("openai/request_response.json")

    assert tell(trace) == ITEMS
    assert trace.agents[0].description == "You are the workshop. Look the bicycle up before you book a slot."
    assert [tool.name for tool in trace.agents[0].tools_available or ()] == ["find_bicycle", "book_slot"]


def test_a_response_alone_has_no_message_of_the_user():
    assert tell(read_run("openai/response.json")) == [("user", None), ITEMS[-1]]


def test_a_handoff_in_the_items_begins_the_work_of_another_agent():
    assert tell(read_run("openai/agents_input_list.json")) == [
        ("user", FRIDAY),
        ("assistant", "transfer_to_workshop", {}, '{"assistant": "workshop"}'),
        *FIRST_WORK,
        ("user", MONDAY),
        ("workshop", "book_slot", {"day": "Monday"}, "slot 12 on Monday"),
        ("workshop", "says", "Your Tourer is booked for Monday, slot 12."),
    ]


def test_a_handoff_is_known_as_former_versions_wrote_it():
    items = [
        {"role": "user", "content": "Hi"},
        {"type": "function_call", "call_id": "c1", "name": "transfer_to_workshop", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "{'assistant': 'workshop'}"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]},
    ]

    assert tell(read(items))[-1] == ("workshop", "says", "Hello")


def test_items_of_a_run_name_their_agents():
    assert tell(read_run("openai/agents_new_items.json")) == [
        ("user", None),
        ("desk", "transfer_to_workshop", {}, '{"assistant": "workshop"}'),
        *FIRST_WORK,
    ]


def test_tools_that_the_api_runs_have_their_results():
    items = [
        {"role": "user", "content": "go"},
        {"type": "web_search_call", "id": "w1", "status": "completed", "action": {"type": "search", "query": "Ulm"}},
        {"type": "code_interpreter_call", "id": "k1", "code": "1+1", "outputs": [{"type": "logs", "logs": "2"}]},
        {"type": "mcp_call", "id": "m1", "name": "ask", "arguments": '{"q": 1}', "output": None, "error": "no server"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
    ]

    assert tell(read(items))[1:] == [
        ("assistant", "web_search", {"type": "search", "query": "Ulm"}, None),
        ("assistant", "code_interpreter", {"input": "1+1"}, [{"type": "logs", "logs": "2"}]),
        ("assistant", "ask", {"q": 1}, None, "no server"),
        ("assistant", "says", "Done."),
    ]


def test_a_custom_tool_takes_a_text():
    items = [
        {"role": "user", "content": "go"},
        {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "*** Begin"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "ok"},
    ]

    assert tell(read(items))[1] == ("assistant", "patch", {"input": "*** Begin"}, "ok")


def test_an_item_of_an_unknown_type_is_named_or_refuses_the_final_answer():
    answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done. " * 20}]}
    hidden = {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "gAAA"}
    trace = read([{"role": "user", "content": "go"}, hidden, answer])

    assert trace.dropped[0].why == "holds encrypted reasoning; only text is read"
    with pytest.raises(BadTrace, match="the final answer is not understood: this has the unknown type 'hologram'"):
        read([{"role": "user", "content": "go"}, answer, {"type": "hologram", "words": "not understood"}])


def test_a_trace_of_the_agents_sdk_has_agents_handoffs_errors_and_times():
    trace = read_run("openai/agents_trace.jsonl")

    assert tell(trace) == [
        ("user", FRIDAY),
        ("desk", "transfer_to_workshop", {}, '{"assistant": "workshop"}'),
        ("workshop", "find_bicycle", {"number": "4711"}, "{'model': 'Tourer', 'wheel': '28 inch'}"),
        ("workshop", "book_slot", {"day": "Friday"}, FAILURE, "no slot is free on Friday"),
        ("workshop", "says", "Friday is full. I can repair the Tourer on Monday."),
        ("user", MONDAY),
        ("workshop", "book_slot", {"day": "Monday"}, "slot 12 on Monday"),
        ("workshop", "says", "Your Tourer is booked for Monday, slot 12."),
    ]
    assert [(agent.id, agent.description) for agent in trace.agents] == [
        ("desk", "You are the front desk. Hand every repair to the workshop."),
        ("workshop", "You are the workshop. Look the bicycle up before you book a slot."),
    ]
    assert speakers(trace) == [["desk", "workshop"], ["workshop"]]
    latencies = [part.latency_ms for turn in trace.turns for part in turn.agent_interactions]
    assert all(latency and latency > 0 for latency in latencies)
    assert sum(filter(None, latencies)) <= (trace.total_latency_ms or 0)
    assert trace.form == "agents-sdk"


def test_a_trace_that_names_its_responses_by_id_only_is_refused_by_name():
    with pytest.raises(BadTrace, match="this looks like a trace of the OpenAI Agents SDK; it lacks texts of the model"):
        read_run("openai/agents_trace_ids_only.jsonl")


def test_a_trace_whose_texts_were_left_out_is_refused_by_name():
    data = {"type": "generation", "input": None, "output": None, "model": "gpt-4o"}

    with pytest.raises(BadTrace, match="this looks like a trace of the OpenAI Agents SDK; it lacks texts of the model"):
        read([{"object": "trace.span", "id": "s1", "trace_id": "t", "span_data": data}])


def test_a_trace_that_lacks_one_of_its_responses_is_refused():
    said = [{"role": "assistant", "content": "Hello"}]
    generation = {"type": "generation", "input": [{"role": "user", "content": "Hi"}], "output": said}
    spans = [generation, {"type": "response", "response_id": "resp_1"}]

    with pytest.raises(BadTrace, match="it lacks texts of the model"):
        read([{"object": "trace.span", "id": "s", "trace_id": "t", "span_data": data} for data in spans])


def test_a_response_span_that_carries_its_items_is_read():
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]}]
    data = {
        "type": "response",
        "input": "Hi",
        "response": {"object": "response", "output": output, "instructions": "Be brief."},
    }
    trace = read([{"object": "trace.span", "id": "s1", "trace_id": "t", "span_data": data}])

    assert tell(trace) == [("user", "Hi"), ("assistant", "says", "Hello")]
    assert trace.agents[0].description == "Be brief."


def test_an_agent_that_is_used_as_a_tool_is_told_between_the_call_and_the_answer():
    def span(id, parent, start, data):
        times = {"started_at": f"2026-01-01T00:00:0{start}Z", "ended_at": f"2026-01-01T00:00:0{start + 1}Z"}
        return {"object": "trace.span", "id": id, "trace_id": "t", "parent_id": parent, "span_data": data} | times

    def generation(asked, answer):
        return {"type": "generation", "input": [{"role": "user", "content": asked}], "output": [answer]}

    call = {"id": "c1", "type": "function", "function": {"name": "ask_expert", "arguments": '{"input": "why?"}'}}
    trace = read(
        [
            span("a1", None, 0, {"type": "agent", "name": "desk"}),
            span("g1", "a1", 1, generation("Hi", {"role": "assistant", "content": None, "tool_calls": [call]})),
            span(
                "f1", "a1", 2, {"type": "function", "name": "ask_expert", "input": '{"input": "why?"}', "output": "So."}
            ),
            span("a2", "f1", 3, {"type": "agent", "name": "expert"}),
            span("g2", "a2", 4, generation("why?", {"role": "assistant", "content": "So."})),
            span("g3", "a1", 5, generation("Hi", {"role": "assistant", "content": "So it is."})),
        ]
    )

    assert tell(trace) == [
        ("user", "Hi"),
        ("desk", "ask_expert", {"input": "why?"}, "So."),
        ("expert", "says", "So."),
        ("desk", "says", "So it is."),
    ]


def test_records_of_other_kinds_are_no_traces():
    assert formats.format_name([{"object": "trace", "id": "t"}]) == ""
    assert formats.format_name({"object": "list", "data": [{"object": "model", "id": "gpt-4o"}]}) == ""
    assert formats.format_name(json.loads('{"input": ["a", "b"], "model": "text-embedding-3-small"}')) == ""
