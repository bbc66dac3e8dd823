"""AutoGen: chat histories of version 0.2, messages, streams and task results of version 0.4 and later."""

import pytest

from tests.engine.intake.runs import FRIDAY, MONDAY, read_run, speakers, tell
from viva.engine.intake import formats
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import read

FIRST = [
    ("user", FRIDAY),
    ("desk", "transfer_to_workshop", {}, "The workshop takes over."),
    ("workshop", "find_bicycle", {"number": "4711"}, "{'model': 'Tourer', 'wheel': '28 inch'}"),
    ("workshop", "book_slot", {"day": "Friday"}, "no slot is free on Friday", "no slot is free on Friday"),
    ("workshop", "says", "Friday is full. I can repair the Tourer on Monday."),
]
SECOND = [
    ("user", MONDAY),
    ("workshop", "book_slot", {"day": "Monday"}, "slot 12 on Monday"),
    ("workshop", "says", "Your Tourer is booked for Monday, slot 12."),
]


def message(source, content, type="TextMessage"):
    return {"source": source, "content": content, "type": type, "models_usage": None}


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("autogen/task_result.json", FIRST),
        ("autogen/stream.jsonl", SECOND),
        ("autogen/messages.json", [*FIRST, *SECOND]),
    ],
)
def test_a_team_tells_its_handoffs_calls_and_answers(path, told):
    trace = read_run(path)

    assert tell(trace) == told
    assert (trace.form, trace.form_version, trace.dropped) == ("autogen", "0.4", ())


def test_the_time_of_a_team_is_that_of_its_messages():
    assert read_run("autogen/messages.json").total_latency_ms == 1101.75


def test_each_agent_has_one_part_in_each_turn():
    assert speakers(read_run("autogen/messages.json")) == [["desk", "workshop"], ["workshop"]]
    assert speakers(read_run("autogen/chat_result.json")) == [["desk", "workshop"]]


@pytest.mark.parametrize("name", ["chat_result", "group_messages"])
def test_a_group_chat_is_told_by_its_names(name):
    trace = read_run(f"autogen/{name}.json")

    assert tell(trace) == [
        ("user", FRIDAY),
        ("desk", "says", "The desk hands out repairs only."),
        ("workshop", "find_bicycle", {"number": "4711"}, '{"model": "Tourer", "wheel": "28 inch"}'),
        ("workshop", "book_slot", {"day": "Friday"}, "Error: no slot is free on Friday", "no slot is free on Friday"),
        ("workshop", "says", "Friday is full. I can repair the Tourer on Monday."),
    ]
    assert (trace.form, trace.form_version) == ("autogen", "0.2")


def test_the_cost_of_a_chat_is_its_total():
    cost = {"usage_including_cached_inference": {"total_cost": 0.5, "gpt-4o": {"cost": 0.5}}}
    history = [
        {"role": "user", "content": "Hi", "name": "rider"},
        {"role": "assistant", "content": "Hello", "name": "desk"},
    ]

    assert read({"chat_history": history, "cost": cost}).total_cost == 0.5


def test_a_thought_goes_before_what_the_agent_says():
    trace = read([message("user", "Hi"), message("desk", "A greeting.", "ThoughtEvent"), message("desk", "Hello")])

    assert tell(trace)[1:] == [("desk", "thinks", "A greeting."), ("desk", "says", "Hello")]


def test_pieces_of_a_stream_and_choices_of_speakers_say_nothing():
    noise = [message("desk", "Hel", "ModelClientStreamingChunkEvent"), message("team", ["desk"], "SelectSpeakerEvent")]

    assert tell(read([message("user", "Hi"), *noise, message("desk", "Hello")])) == [
        ("user", "Hi"),
        ("desk", "says", "Hello"),
    ]


def test_a_structured_answer_is_told_as_json():
    trace = read([message("user", "Hi"), message("desk", {"slot": 12}, "StructuredMessage[Slot]")])

    assert tell(trace)[1] == ("desk", "says", '{"slot": 12}')


def test_a_summary_of_results_is_an_answer_only_if_the_agent_does_not_go_on():
    calls = message("desk", [{"id": "c1", "name": "find", "arguments": "{}"}], "ToolCallRequestEvent")
    results = message("desk", [{"call_id": "c1", "content": "Error: no list"}], "ToolCallExecutionEvent")
    summary = message("desk", "Error: no list", "ToolCallSummaryMessage")
    start = [message("user", "Hi"), calls, results, summary]

    found: tuple = ("desk", "find", {}, "Error: no list", "no list")
    assert tell(read(start))[1:] == [found, ("desk", "says", "Error: no list")]
    assert tell(read([*start, message("desk", "Sorry.")]))[1:] == [found, ("desk", "says", "Sorry.")]


def test_code_that_an_agent_runs_is_a_call_with_its_outcome():
    code = message("coder", "I divide.", "CodeGenerationEvent") | {
        "code_blocks": [{"code": "1/0", "language": "python"}]
    }
    ran = {"source": "coder", "type": "CodeExecutionEvent", "result": {"exit_code": 1, "output": "ZeroDivisionError"}}
    trace = read([message("user", "Divide."), code, ran, message("coder", "It fails.")])

    assert tell(trace)[1:] == [
        ("coder", "thinks", "I divide."),
        ("coder", "code_execution", {"code": "1/0"}, "ZeroDivisionError", "ZeroDivisionError"),
        ("coder", "says", "It fails."),
    ]


def test_a_picture_beside_the_users_words_is_named():
    trace = read(
        [message("user", ["What is this?", {"data": "aGk="}], "MultiModalMessage"), message("desk", "A bell.")]
    )

    assert tell(trace) == [("user", "What is this?"), ("desk", "says", "A bell.")]
    assert [part.why for part in trace.dropped] == ["holds an image; only text is read"]


def test_calls_that_were_written_as_text_are_not_taken_for_words():
    calls = message("desk", "[FunctionCall(id='c1', arguments='{}', name='find')]", "ToolCallRequestEvent")

    with pytest.raises(BadTrace, match=r"this looks like a run of AutoGen; .*the unknown type 'ToolCallRequestEvent'"):
        read([message("user", "Hi"), calls])


def test_an_entry_that_is_no_message_refuses_the_run():
    with pytest.raises(BadTrace, match=r"messages\[1\].role: missing"):
        read([message("user", "Hi"), {"note": "words"}])


def test_other_lists_with_sources_are_no_runs():
    assert formats.format_name([{"source": "docs/a.md", "content": "text", "type": "markdown"}]) == ""
