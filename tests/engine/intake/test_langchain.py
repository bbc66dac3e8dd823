"""LangChain and LangGraph: messages in each of their dumps, states, and the updates of a stream."""

import json

import pytest

from tests.engine.intake.runs import FRIDAY, MONDAY, read_run, speakers, tell
from viva.engine.intake import files, formats
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import read
from viva.engine.intake.forms import langchain

BICYCLES = [
    ("user", FRIDAY),
    ("desk", "transfer_to_workshop", {}, "The workshop takes over."),
    ("workshop", "find_bicycle", {"number": "4711"}, '{"model": "Tourer", "wheel": "28 inch"}'),
    ("workshop", "book_slot", {"day": "Friday"}, "no slot is free on Friday", "no slot is free on Friday"),
    ("workshop", "says", "Friday is full. I can repair the Tourer on Monday."),
    ("user", MONDAY),
    ("workshop", "book_slot", {"day": "Monday"}, "slot 12 on Monday"),
    ("workshop", "says", "Your Tourer is booked for Monday, slot 12."),
]


def human(text, **more):
    return {"type": "human", "content": text, "additional_kwargs": {}} | more


def ai(text, **more):
    return {"type": "ai", "content": text, "additional_kwargs": {}} | more


@pytest.mark.parametrize(
    ("path", "version"),
    [
        ("langchain/messages_to_dict.json", None),
        ("langchain/model_dump.json", None),
        ("langchain/lc.json", "lc 1"),
        ("langchain/lc_state.json", "lc 1"),
        ("langchain/updates.jsonl", "lc 1"),
    ],
)
def test_each_dump_of_a_run_tells_the_same(path, version):
    trace = read_run(path)

    assert tell(trace) == BICYCLES
    assert speakers(trace) == [["desk", "workshop"], ["workshop"]]
    assert (trace.form, trace.form_version, trace.dropped) == ("langchain", version, ())


def test_a_system_message_is_the_agents_description_not_a_turn():
    trace = read([{"type": "system", "content": "Be brief.", "additional_kwargs": {}}, human("Hi"), ai("Hello")])

    assert tell(trace) == [("user", "Hi"), ("assistant", "says", "Hello")]
    assert trace.agents[0].description == "Be brief."


def test_calls_that_stand_in_the_content_too_are_counted_once():
    call = {"id": "c1", "name": "find", "args": {"n": 1}}
    blocks = [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "c1", "name": "find", "input": {"n": 1}}]
    trace = read([human("go"), ai(blocks, tool_calls=[call]), {"type": "tool", "content": "1", "tool_call_id": "c1"}])

    assert tell(trace) == [("user", "go"), ("assistant", "thinks", "I look."), ("assistant", "find", {"n": 1}, "1")]


def test_calls_of_former_versions_stand_in_the_additional_arguments():
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"n": 1}'}}
    old = {"name": "find", "arguments": '{"n": 2}'}
    trace = read(
        [
            human("go"),
            ai("", additional_kwargs={"tool_calls": [call]}),
            ai("", additional_kwargs={"function_call": old}),
        ]
    )

    assert [part[2] for part in tell(trace)[1:]] == [{"n": 1}, {"n": 2}]


def test_a_call_that_could_not_be_parsed_has_an_error():
    trace = read(
        [human("go"), ai("", invalid_tool_calls=[{"id": "c1", "name": "find", "args": "{n:", "error": "bad"}])]
    )

    assert tell(trace)[1] == ("assistant", "find", {}, None, "the arguments are no JSON object: {n:")


def test_an_agents_answer_that_a_graph_passes_on_as_a_users_message_stays_the_agents():
    trace = read(
        {"messages": [human("Find it."), human("Found: 12.", name="researcher"), ai("It is 12.", name="chief")]}
    )

    assert tell(trace) == [("user", "Find it."), ("researcher", "says", "Found: 12."), ("chief", "says", "It is 12.")]


def test_a_named_user_stays_the_user():
    assert [turn.user_message for turn in read([human("a"), ai("b"), human("c", name="User")]).turns] == ["a", "c"]


def test_updates_by_node_name_their_agents():
    updates = [{"planner": {"messages": [ai("I plan.", id="1")]}}, {"doer": {"messages": [ai("I do.", id="2")]}}]

    assert tell(read(updates)) == [("user", None), ("planner", "says", "I plan."), ("doer", "says", "I do.")]


def test_states_of_one_thread_are_one_conversation_and_those_of_others_are_not():
    first = human("a", id="1")
    grown = [{"messages": [first]}, {"messages": [first, ai("b", id="2")]}]
    snapshots = [{"values": state, "next": []} for state in reversed(grown)]
    others = [*grown, {"messages": [human("a", id="9"), ai("c", id="8")]}]

    assert tell(read(grown)) == tell(read(snapshots)) == [("user", "a"), ("assistant", "says", "b")]
    assert [len(part) for part in langchain.parts(others)] == [2, 1]


def test_pieces_of_a_streamed_message_are_refused():
    pieces = [{"type": "AIMessageChunk", "content": part, "id": "run-1", "response_metadata": {}} for part in "ab"]

    with pytest.raises(BadTrace, match="this looks like messages of LangChain; it has streamed pieces"):
        read([human("go"), *pieces])


def test_a_message_of_an_unknown_kind_refuses_the_whole():
    with pytest.raises(BadTrace, match=r"messages\[1\].role: missing"):
        read([human("go"), {"type": "banner", "content": "words"}])


def test_a_settings_file_with_an_empty_list_of_messages_is_refused():
    with pytest.raises(BadTrace):
        read({"model": "gpt-4o", "temperature": 0, "messages": []})


def test_a_schema_with_these_words_is_no_run():
    assert formats.format_name([{"type": "human", "description": "A person"}]) == ""
    assert formats.format_name({"messages": {"type": "ai", "content": "x"}}) == ""


def test_a_history_may_begin_with_a_state_without_messages():
    asked, told = human("Hi", id="h"), ai("Hello", id="a")
    history = [{"values": {"messages": part}, "next": []} for part in ([], [asked], [asked, told])]

    (part,) = files.split_document(json.dumps(history).encode())

    assert tell(formats.parse(bytes(part))) == [("user", "Hi"), ("assistant", "says", "Hello")]


@pytest.mark.parametrize(
    "wrap", [lambda state: {"channel_values": state}, lambda state: {"checkpoint": {"channel_values": state}}]
)
def test_a_checkpoint_holds_a_state(wrap):
    trace = read(wrap({"messages": [human("Hi"), ai("Hello")]}))

    assert tell(trace) == [("user", "Hi"), ("assistant", "says", "Hello")]
