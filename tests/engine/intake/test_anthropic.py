"""Anthropic: messages with their blocks, a request, and a response."""

import pytest

from tests.engine.intake.runs import FRIDAY, MONDAY, read_run, speakers, tell
from viva.engine.intake import formats
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import read

BICYCLES = [
    ("user", FRIDAY),
    ("assistant", "thinks", "I need the model before I can book."),
    ("assistant", "find_bicycle", {"number": "4711"}, '{"model": "Tourer", "wheel": "28 inch"}'),
    ("assistant", "book_slot", {"day": "Friday"}, "no slot is free on Friday", "no slot is free on Friday"),
    ("assistant", "says", "Friday is full. I can repair the Tourer on Monday."),
    ("user", MONDAY),
    ("assistant", "book_slot", {"day": "Monday"}, "slot 12 on Monday"),
    ("assistant", "says", "Your Tourer is booked for Monday, slot 12."),
]


@pytest.mark.parametrize("name", ["messages", "request", "request_response"])
def test_messages_alone_and_with_their_request_and_response_tell_the_same(name):
    trace = read_run(f"anthropic/{name}.json")

    assert tell(trace) == BICYCLES
    assert speakers(trace) == [["assistant"], ["assistant"]]
    assert (trace.form, trace.dropped) == ("anthropic", ())


@pytest.mark.parametrize("name", ["request", "request_response"])
def test_a_request_has_the_instructions_and_the_tools(name):
    (agent,) = read_run(f"anthropic/{name}.json").agents

    assert agent.description == "You are the workshop. Look the bicycle up before you book a slot."
    assert [tool.name for tool in agent.tools_available or ()] == ["find_bicycle", "book_slot"]


def test_a_response_alone_has_no_message_of_the_user():
    response = {"id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "end_turn"}
    trace = read(response | {"content": [{"type": "text", "text": "Hello"}]})

    assert tell(trace) == [("user", None), ("assistant", "says", "Hello")]


def test_a_tool_that_the_api_runs_has_its_result_and_its_error():
    found = [{"type": "web_search_result", "title": "Ulm"}]
    error = {"type": "web_fetch_tool_result_error", "error_code": "url_not_accessible"}
    blocks = [
        {"type": "text", "text": "I search."},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "Ulm"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": found},
        {"type": "server_tool_use", "id": "s2", "name": "web_fetch", "input": {"url": "ulm"}},
        {"type": "web_fetch_tool_result", "tool_use_id": "s2", "content": error},
        {"type": "text", "text": "Ulm lies on the Danube."},
    ]
    trace = read([{"role": "user", "content": "Where is Ulm?"}, {"role": "assistant", "content": blocks}])

    assert tell(trace)[1:] == [
        ("assistant", "thinks", "I search."),
        ("assistant", "web_search", {"query": "Ulm"}, found),
        ("assistant", "web_fetch", {"url": "ulm"}, error, "url_not_accessible"),
        ("assistant", "says", "Ulm lies on the Danube."),
    ]


def test_a_block_that_is_not_known_in_the_final_answer_refuses_the_whole():
    said = [{"type": "thinking", "thinking": "x"}, {"type": "hologram", "words": "not understood"}]

    with pytest.raises(BadTrace, match="this looks like messages of Anthropic; the final answer is not understood"):
        read([{"role": "user", "content": "go"}, {"role": "assistant", "content": said}])


def test_a_plain_chat_and_a_list_of_blocks_are_not_taken_for_it():
    assert formats.format_name([{"role": "user", "content": "Hi"}]) == "chat"
    assert formats.format_name([{"type": "tool_use", "id": "t1", "name": "find", "input": {}}]) == ""
