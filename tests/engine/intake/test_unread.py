"""What is not understood is named, or refuses the whole. It never becomes words that are scored."""

import json

import pytest

from viva.engine.analyze import analyze
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import read
from viva.engine.model import DroppedPart

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10_000}}
ODD = {"type": "hologram", "shape": "a shape of forty characters, all in all."}
LONG = "It is sunny and warm. " * 50


def text(value):
    return {"type": "text", "text": value}


def chat(asked, answered=LONG, *more):
    messages = [{"role": "user", "content": asked}, *more, {"role": "assistant", "content": answered}]
    return {"messages": messages}


def result(*parts):
    call = {"id": "1", "function": {"name": "camera", "arguments": "{}"}}
    return (
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": list(parts)}]},
    )


def refusal(document) -> str:
    with pytest.raises(BadTrace) as caught:
        read(document)
    return str(caught.value)


def test_an_image_beside_words_is_named_and_the_words_count():
    trace = read(chat([text("What is it?"), IMAGE]))

    assert trace.turns[0].user_message == "What is it?"
    assert trace.dropped == (DroppedPart("messages[0].content[1]", "holds an image; only text is read"),)
    assert analyze(trace).intake.dropped == trace.dropped


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (
            chat([IMAGE]),
            "messages[0].content[0]: this looks like a list of chat messages; "
            "a user's message is not understood: this holds an image; only text is read",
        ),
        (
            chat([text("Look:"), ODD]),
            "messages[0].content[1]: this looks like a list of chat messages; "
            "a user's message is not understood: this has the unknown type 'hologram'",
        ),
        (
            chat("Show me.", [{"type": "audio", "data": "AAAA"}]),
            "messages[1].content[0]: this looks like a list of chat messages; "
            "the final answer is not understood: this holds audio; only text is read",
        ),
        (
            chat("Look.", "Yes.", *result(text("ok"), ODD)),
            "messages[2].content[0].content[1]: this looks like a list of chat messages; "
            "65% of the characters are not understood: this has the unknown type 'hologram'",
        ),
        (
            chat("Look.", "ResponseFunctionToolCall(arguments='{}', name='look')"),
            "messages[1].content: this looks like a list of chat messages; "
            "the final answer is not understood: this holds a Python object that was written as text",
        ),
    ],
)
def test_a_run_that_is_not_understood_is_refused_by_its_form(document, sentence):
    assert refusal(document) == sentence


def test_little_that_is_unknown_in_a_result_is_named():
    trace = read(chat("Look.", LONG, *result(text("A lake."), IMAGE, {"type": "hologram", "shape": "round"})))

    call = trace.turns[0].agent_interactions[0].agent_steps[0].tool_call
    assert call is not None
    assert call.result == "A lake."
    assert [part.why for part in trace.dropped] == [
        "holds an image; only text is read",
        "has the unknown type 'hologram'",
    ]


def test_the_data_of_an_image_does_not_count_as_characters():
    trace = read(chat("Look.", "A lake.", *result(*[IMAGE] * 3, text("A lake."))))

    assert len(trace.dropped) == 3


def test_only_a_hundred_parts_are_listed():
    trace = read(chat("Look.", "A lake.", *result(*[IMAGE] * 150, text("A lake."))))

    assert len(trace.dropped) == 101
    assert trace.dropped[-1] == DroppedPart("trace", "50 more parts are not read")


@pytest.mark.parametrize("encode", [json.dumps, str, lambda parts: json.dumps(json.dumps(parts))])
def test_parts_that_were_written_as_a_text_are_read_as_parts(encode):
    trace = read(chat(encode([text("What is it?"), IMAGE]), encode([text("A lake.")])))

    assert trace.turns[0].user_message == "What is it?"
    assert trace.turns[0].agent_interactions[0].agent_response == "A lake."
    assert len(trace.dropped) == 1


@pytest.mark.parametrize(
    "written",
    [
        '{"city": "Ulm"}',
        '[{"type": "file", "name": "a.py"}]',
        '"quoted"',
        "[1, 2]",
        "{'a': 1}",
        "[link](x)",
        "OrderItem(id=3)",
    ],
)
def test_what_somebody_wrote_stays_as_it_is(written):
    trace = read(chat(written, written))

    assert trace.turns[0].user_message == written
    assert trace.turns[0].agent_interactions[0].agent_response == written
    assert trace.dropped == ()


def test_a_list_that_a_tool_returned_stays_a_list():
    files = [{"type": "file", "name": "a.py"}, {"type": "text", "name": "b.txt"}]
    call = {"type": "tool_use", "id": "1", "name": "ls", "input": {}}
    answer = {"type": "tool-result", "toolCallId": "1", "toolName": "ls", "output": {"type": "json", "value": files}}
    trace = read(chat("List.", "Two.", {"role": "assistant", "content": [call]}, {"role": "tool", "content": [answer]}))

    found = trace.turns[0].agent_interactions[0].agent_steps[0].tool_call
    assert found is not None
    assert found.result == files
    assert trace.dropped == ()


def test_a_summary_of_encrypted_reasoning_is_the_thought():
    hidden = {"type": "reasoning", "redacted": True, "reasoning": "gAAAA", "summary": "It is a lake."}
    trace = read(chat("Look.", [hidden, text("A lake.")]))
    nothing = read(chat("Look.", [hidden | {"summary": None}, text("A lake.")]))

    assert trace.turns[0].agent_interactions[0].agent_steps[0].thought == "It is a lake."
    assert nothing.dropped == (DroppedPart("messages[1].content[0]", "holds encrypted reasoning; only text is read"),)


def test_a_trace_keeps_what_was_dropped_when_it_is_written_and_read_again():
    trace = read(chat([text("What is it?"), IMAGE]))
    document = {
        "turns": [{"user_message": "What is it?"}],
        "form": trace.form,
        "dropped": [{"path": part.path, "why": part.why} for part in trace.dropped],
    }

    assert read(document).dropped == trace.dropped
