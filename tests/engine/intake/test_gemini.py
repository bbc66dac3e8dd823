"""Gemini: contents of generateContent, and events of the Agent Development Kit."""

import json

import pytest

from tests.engine.intake.runs import FRIDAY, MONDAY, read_run, speakers, tell
from viva.engine.intake import files, formats
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import read

BICYCLE = {"model": "Tourer", "wheel": "28 inch"}


def conversation(agent):
    """The workshop's work for both questions, by an agent of this name."""
    first = [
        (agent, "thinks", "I need the model before I can book."),
        (agent, "find_bicycle", {"number": "4711"}, BICYCLE),
        (agent, "book_slot", {"day": "Friday"}, "no slot is free on Friday", "no slot is free on Friday"),
        (agent, "says", "Friday is full. I can repair the Tourer on Monday."),
    ]
    second = [
        (agent, "book_slot", {"day": "Monday"}, "slot 12 on Monday"),
        (agent, "says", "Your Tourer is booked for Monday, slot 12."),
    ]
    return first, second


def test_the_pieces_of_a_streamed_response_are_one_answer():
    def piece(*parts, **end):
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **end}]}

    stream = [piece({"text": "Blue light "}), piece({"text": "scatters."}), piece(finishReason="STOP")]

    (raw,) = files.split_document(json.dumps(stream).encode())

    assert tell(formats.parse(bytes(raw))) == [("user", None), ("assistant", "says", "Blue light scatters.")]


@pytest.mark.parametrize("name", ["contents", "python_dump", "request", "request_response"])
def test_contents_tell_the_same_in_each_form(name):
    first, second = conversation("assistant")
    trace = read_run(f"gemini/{name}.json")

    assert tell(trace) == [("user", FRIDAY), *first, ("user", MONDAY), *second]
    assert speakers(trace) == [["assistant"], ["assistant"]]
    assert (trace.form, trace.dropped) == ("gemini", ())


def test_the_system_instruction_is_the_agents_description():
    (agent,) = read_run("gemini/request.json").agents

    assert agent.description == "You are the workshop. Look the bicycle up before you book a slot."


def test_declared_functions_are_the_tools():
    declared = {"functionDeclarations": [{"name": "find", "description": "Find it.", "parameters": {"type": "OBJECT"}}]}
    trace = read(
        {
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Hello"}]}],
            "tools": [declared],
        }
    )

    assert [tool.name for tool in trace.agents[0].tools_available or ()] == ["find"]


def test_code_that_gemini_runs_is_a_call_with_its_outcome():
    parts = [
        {"executableCode": {"language": "PYTHON", "code": "1/0"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "ZeroDivisionError"}},
    ]
    trace = read([{"role": "user", "parts": [{"text": "Divide."}]}, {"role": "model", "parts": parts}])

    assert tell(trace)[1] == (
        "assistant",
        "code_execution",
        {"language": "PYTHON", "code": "1/0"},
        "ZeroDivisionError",
        "ZeroDivisionError",
    )


def test_a_picture_is_named_and_never_becomes_words():
    parts = [{"text": "What is this?"}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}]
    trace = read([{"role": "user", "parts": parts}, {"role": "model", "parts": [{"text": "A bicycle."}]}])

    assert tell(trace) == [("user", "What is this?"), ("assistant", "says", "A bicycle.")]
    assert [part.why for part in trace.dropped] == ["holds a file; only text is read"]


def test_a_content_with_a_part_that_is_not_known_is_refused():
    with pytest.raises(BadTrace, match="this looks like contents of Gemini; a user's message is not understood"):
        read([{"role": "user", "parts": [{"hologram": {"words": "not understood"}}]}])


def test_parts_of_other_libraries_are_not_taken_for_it():
    assert (
        formats.format_name([{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hi"}]}]) != "gemini"
    )
    assert formats.format_name([{"role": "user", "parts": [{"type": "text", "text": "Hi"}]}]) != "gemini"
    assert formats.format_name([{"role": "user", "parts": [{"kind": "text", "text": "Hi"}]}]) != "gemini"


@pytest.mark.parametrize("path", ["adk/session.json", "adk/events.jsonl"])
def test_events_of_the_development_kit_name_agents_and_transfers(path):
    first, second = conversation("workshop")
    handed = ("desk", "transfer_to_agent", {"agent_name": "workshop"}, {"result": None})
    trace = read_run(path)

    assert tell(trace) == [("user", FRIDAY), handed, *first, ("user", MONDAY), handed, *second]
    assert speakers(trace) == [["desk", "workshop"], ["desk", "workshop"]]
    assert (trace.form, trace.form_version, trace.dropped) == ("adk", "2", ())
    assert trace.total_latency_ms == pytest.approx(563.427, abs=0.001)


def event(author, text, **more):
    role = "user" if author == "user" else "model"
    return {"author": author, "invocationId": "e-1", "content": {"role": role, "parts": [{"text": text}]}} | more


def test_streamed_pieces_of_an_event_are_left_out():
    trace = read([event("user", "Hi"), event("desk", "Hel", partial=True), event("desk", "Hello")])

    assert tell(trace) == [("user", "Hi"), ("desk", "says", "Hello")]
    assert trace.form_version == "1"


def test_an_event_with_an_error_says_it():
    failed = {"author": "desk", "invocationId": "e-1", "errorCode": "429", "errorMessage": "too many requests"}

    assert tell(read([event("user", "Hi"), failed]))[1] == ("desk", "says", "too many requests")


ANSWER = {"candidates": [{"content": {"role": "model", "parts": [{"text": "On Monday."}]}}]}
ASKED = {"role": "user", "parts": [{"text": "When?"}]}


@pytest.mark.parametrize("contents", ["When?", ["When?"], ASKED, [ASKED]])
def test_the_contents_of_a_request_may_be_a_text(contents):
    trace = read({"request": {"model": "g", "contents": contents}, "response": ANSWER})

    assert tell(trace) == [("user", "When?"), ("assistant", "says", "On Monday.")]


def test_the_functions_that_the_sdk_calls_by_itself_stand_in_the_response():
    ran = [
        ASKED,
        {"role": "model", "parts": [{"function_call": {"name": "days", "args": {}}}]},
        {"role": "user", "parts": [{"function_response": {"name": "days", "response": {"result": "Monday"}}}]},
    ]

    trace = read(ANSWER | {"automatic_function_calling_history": ran})

    assert tell(trace) == [("user", "When?"), ("assistant", "days", {}, "Monday"), ("assistant", "says", "On Monday.")]
