"""LangSmith: runs in a list, with their children, of several traces, and of other libraries than LangChain."""

import json

import pytest

from tests.engine.intake.runs import FRIDAY, read_run, tell
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import read
from viva.engine.intake.forms import langsmith
from viva.engine.model import Tool

HI = [{"role": "user", "content": "Hi"}]
HELLO = {"choices": [{"message": {"role": "assistant", "content": "Hello"}}]}


def run(kind, start, inputs, outputs, **more):
    at = f"2026-01-01T00:00:0{start}.000Z", f"2026-01-01T00:00:0{start}.500Z"
    about = {
        "id": f"r{start}",
        "trace_id": "t",
        "run_type": kind,
        "name": kind,
        "parent_run_id": "r0" if start else None,
    }
    return about | {"start_time": at[0], "end_time": at[1], "inputs": inputs, "outputs": outputs} | more


@pytest.mark.parametrize("path", ["langsmith/list_runs.json", "langsmith/read_run.json"])
def test_runs_in_a_list_and_with_children_tell_the_same(path):
    trace = read_run(path)

    assert tell(trace) == [
        ("user", FRIDAY),
        ("desk", "transfer_to_workshop", {}, "The workshop takes over."),
        ("workshop", "find_bicycle", {"number": "4711"}, '{"model": "Tourer", "wheel": "28 inch"}'),
        ("workshop", "book_slot", {"day": "Friday"}, "no slot is free on Friday", "no slot is free on Friday"),
        ("workshop", "says", "Friday is full. I can repair the Tourer on Monday."),
    ]
    desk, workshop = trace.agents
    assert (desk.id, desk.description) == ("desk", "You are the front desk. Hand every repair to the workshop.")
    assert desk.tools_available == (
        Tool("transfer_to_workshop", "Hand the user over to the workshop.", {"properties": {}, "type": "object"}),
    )
    assert [tool.name for tool in workshop.tools_available or ()] == ["find_bicycle", "book_slot"]
    assert (trace.form, trace.form_version, trace.dropped) == ("langsmith", "0.14.17", ())


def test_times_and_cost_are_those_of_the_runs():
    chain = run("chain", 0, {"input": "Hi"}, {"output": "Hello"}, total_cost=0.25, end_time="2026-01-01T00:00:04.000Z")
    trace = read([chain, run("llm", 1, {"messages": HI}, HELLO)])

    assert (trace.total_latency_ms, trace.total_cost) == (4000.0, 0.25)
    assert trace.turns[0].agent_interactions[0].latency_ms == 500.0


def test_each_trace_of_a_list_is_read_apart():
    other = run("llm", 2, {"messages": HI}, HELLO) | {"trace_id": "u"}

    assert [len(part) for part in langsmith.parts([run("chain", 0, {}, {}), run("llm", 1, {}, {}), other])] == [2, 1]


def test_a_second_turn_follows_what_was_said_before():
    history = [*HI, {"role": "assistant", "content": "Hello"}, {"role": "user", "content": "Bye"}]
    answer = {"choices": [{"message": {"role": "assistant", "content": "Farewell"}}]}

    assert tell(read([run("llm", 0, {"messages": history}, answer)])) == [
        ("user", "Hi"),
        ("assistant", "says", "Hello"),
        ("user", "Bye"),
        ("assistant", "says", "Farewell"),
    ]


def test_what_one_agent_tells_another_is_no_message_of_the_user():
    call = {"id": "c1", "function": {"name": "ask_expert", "arguments": '{"q": "why?"}'}}
    asks = {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}
    inner = {"messages": [{"role": "user", "content": "why?"}, {"role": "user", "content": "In short."}]}
    answer = {"choices": [{"message": {"role": "assistant", "content": "Because."}}]}
    runs = [
        run("chain", 0, {}, {}),
        run("llm", 1, {"messages": HI}, asks),
        run("tool", 2, {"q": "why?"}, {"output": "Because."}, name="ask_expert"),
        run("llm", 3, inner, answer, extra={"metadata": {"langgraph_checkpoint_ns": "tools:1|expert:2|model:3"}}),
    ]

    assert tell(read(runs)) == [
        ("user", "Hi"),
        ("assistant", "ask_expert", {"q": "why?"}, "Because."),
        ("expert", "says", "Because."),
    ]


def test_a_model_that_its_client_records_as_well_is_told_once():
    inner = run("llm", 1, {"messages": HI}, HELLO)

    assert tell(read([run("llm", 0, {"messages": HI}, HELLO), inner])) == [
        ("user", "Hi"),
        ("assistant", "says", "Hello"),
    ]


def test_a_picture_in_a_later_message_of_the_user_is_named():
    said = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": "x"}}],
        }
    ]
    chain = run("chain", 0, {}, {})
    trace = read([chain, run("llm", 1, {"messages": HI}, HELLO), run("llm", 2, {"messages": [*HI, *said]}, HELLO)])

    assert [turn.user_message for turn in trace.turns] == ["Hi", "Look."]
    assert [part.why for part in trace.dropped] == ["holds an image; only text is read"]


def test_the_error_of_a_tool_and_of_a_model_is_told_without_its_stack():
    failed = "ValueError('no city')Traceback (most recent call last):\n  File"
    runs = [
        run("chain", 0, {}, {}),
        run("llm", 1, {"messages": HI}, HELLO),
        run("tool", 2, {"input": '{"city": "Ulm"}'}, None, name="weather", error=failed),
        run("llm", 3, {"messages": HI}, None, error="TimeoutError()"),
    ]

    assert tell(read(runs))[2:] == [
        ("assistant", "weather", {"city": "Ulm"}, None, "ValueError('no city')"),
        ("assistant", "sees", "TimeoutError()"),
    ]


def test_retrieved_documents_are_the_knowledge_of_the_turn():
    found = {"documents": [{"page_content": "Ulm lies on the Danube."}]}
    trace = read([run("retriever", 0, {"query": "Ulm"}, found), run("llm", 1, {"messages": HI}, HELLO)])

    assert trace.turns[0].knowledge == "Ulm lies on the Danube."


def test_a_run_without_models_is_read_from_its_only_texts():
    assert tell(read(run("chain", 0, {"question": "Why?"}, {"output": "So."}))) == [
        ("user", "Why?"),
        ("assistant", "says", "So."),
    ]


def test_a_root_alone_is_read_from_the_messages_of_its_state():
    said = [
        {"type": "human", "content": "Hi", "id": "1"},
        {"type": "ai", "content": "Hello", "id": "2", "name": "desk"},
    ]
    trace = read(run("chain", 0, {"messages": said[:1]}, {"messages": said}))

    assert tell(trace) == [("user", "Hi"), ("desk", "says", "Hello")]
    assert (trace.id, trace.total_latency_ms) == ("t", 500.0)


def test_an_entry_that_is_no_run_refuses_the_list():
    with pytest.raises(BadTrace, match=r"runs\[1\]: is no run of LangSmith"):
        read([run("llm", 0, {"messages": HI}, HELLO), {"id": "r1", "outputs": HELLO}])


def test_a_run_without_any_words_is_refused_by_name():
    with pytest.raises(BadTrace, match="this looks like a run of LangSmith; it has no run of a model"):
        read(run("chain", 0, {"x": 1}, {"y": 2}))


def test_an_answer_in_an_unknown_layout_refuses_the_run():
    with pytest.raises(BadTrace, match="this looks like a run of LangSmith; the final answer is not understood"):
        read([run("llm", 0, {"messages": HI}, {"frames": [{"words": "Hello"}]})])


def test_runs_of_a_table_have_their_values_as_json():
    runs = [run("chain", 0, {}, {}), run("llm", 1, {"messages": HI}, HELLO)]
    table = [row | {key: json.dumps(row[key]) for key in ("inputs", "outputs")} for row in runs]

    assert tell(read(table)) == [("user", "Hi"), ("assistant", "says", "Hello")]
