"""What is a trace of our own form, and what every fault of one is called."""

import pickle

import msgspec
import pytest

from tests.values import require
from viva.engine.intake import native
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import parse, read
from viva.engine.intake.limits import Limits
from viva.engine.model import Interaction, Step, Tool, ToolCall, Trace, TraceAgent, Turn


def trace_with(**changes):
    turn = {"user_message": "Hello", "agent_interactions": [{"agent_id": "helper", "agent_response": "Hi"}]}
    return {"id": "t1", "turns": [turn]} | changes


def faults_of(document, **limits):
    with pytest.raises(BadTrace) as caught:
        native.read(document, "trace-1", Limits(**limits))
    return [(fault.field, fault.message) for fault in caught.value.faults]


def test_a_trace_is_read_with_its_fields():
    document = {
        "id": "t1",
        "initial_task": "Book a table",
        "success": True,
        "total_cost": 0.5,
        "total_latency_ms": 120,
        "session_metadata": {"tags": ["a"]},
        "agents": [
            {
                "id": "helper",
                "role": "planner",
                "capabilities": ["booking"],
                "tools_available": [{"name": "find", "parameters_schema": {"city": "string"}}],
            }
        ],
        "turns": [
            {
                "turn_index": 4,
                "user_message": "Hello",
                "knowledge": "Open at noon.",
                "agent_interactions": [
                    {
                        "agent_id": "helper",
                        "agent_response": "Done",
                        "latency_ms": 7,
                        "agent_steps": [
                            {
                                "thought": "Look it up",
                                "tool_call": {"tool_name": "find", "parameters": {"city": "Ulm"}, "result": [1]},
                            }
                        ],
                    }
                ],
            }
        ],
    }

    trace = native.read(document)

    step = Step("Look it up", None, None, ToolCall("find", {"city": "Ulm"}, [1]))
    assert trace == Trace(
        "t1",
        (Turn(4, "Hello", "Open at noon.", (Interaction("helper", "Done", (step,), 7),)),),
        (TraceAgent("helper", None, "planner", None, ("booking",), (Tool("find", None, {"city": "string"}),)),),
        "Book a table",
        True,
        0.5,
        120,
        {"tags": ["a"]},
    )
    assert parse(msgspec.json.encode(document)) == trace


def test_agents_that_speak_but_are_not_declared_are_added_with_nothing_known_of_their_tools():
    trace = native.read(trace_with(agents=[{"id": "boss", "tools_available": []}]))

    assert trace.agents == (TraceAgent("boss", tools_available=()), TraceAgent("helper"))
    assert trace.agents[1].tools_available is None


def test_a_turn_may_speak_for_the_one_agent_there_is():
    turn = {"user_message": "Hello", "agent_response": "Hi", "agent_steps": [{"thought": "Greet"}]}

    declared = native.read({"id": "t1", "turns": [turn], "agents": [{"id": "helper"}]})
    undeclared = parse(msgspec.json.encode({"id": "t1", "turns": [turn]}))

    assert declared.turns[0].agent_interactions == (Interaction("helper", "Hi", (Step("Greet"),)),)
    assert undeclared.turns[0].agent_interactions[0].agent_id == "assistant"


def test_a_turn_that_speaks_itself_must_name_its_agent_where_there_are_several():
    turn = {"user_message": "Hello", "agent_response": "Hi"}

    assert faults_of({"turns": [turn], "agents": [{"id": "a"}, {"id": "b"}]}) == [("turns[0].agent_id", "missing")]


def test_a_missing_turn_index_is_the_position():
    trace = native.read({"turns": [{"user_message": "a"}, {"user_message": "b", "turn_index": None}]})

    assert [turn.turn_index for turn in trace.turns] == [0, 1]


def test_a_missing_id_is_the_name_given_or_made_of_the_content():
    document = {"turns": [{"user_message": "a"}]}

    assert native.read(document, "trace-9").id == "trace-9"
    assert parse(msgspec.json.encode(document), "trace-9").id == "trace-9"
    assert native.read(document).id == native.read(document).id == parse(b'{ "turns":[{"user_message":"a"}]}').id
    assert native.read(document).id != native.read({"turns": [{"user_message": "b"}]}).id


@pytest.mark.parametrize("parameters", ['{"city": "Ulm"}', {"city": "Ulm"}])
def test_parameters_may_be_a_text_of_json(parameters):
    call = {"tool_name": "find", "parameters": parameters}
    turn = {"agent_interactions": [{"agent_id": "a", "agent_steps": [{"tool_call": call}]}]}

    trace = parse(msgspec.json.encode({"turns": [turn]}))

    assert require(trace.turns[0].agent_interactions[0].agent_steps[0].tool_call).parameters == {"city": "Ulm"}


def test_a_tool_may_be_given_by_its_name():
    trace = native.read(trace_with(agents=[{"id": "a", "tools_available": ["find"]}]))

    assert trace.agents[0].tools_available == (Tool("find"),)


def test_null_says_the_same_as_leaving_out():
    turn = {"user_message": None, "agent_interactions": [{"agent_id": "a", "agent_steps": None}]}

    trace = native.read({"id": None, "agents": None, "turns": [turn]}, "trace-1")

    assert trace.turns[0].agent_interactions == (Interaction("a"),)


def test_keys_that_nobody_knows_are_passed_over():
    assert native.read(trace_with(colour="red")) == native.read(trace_with())


def test_every_fault_is_listed_with_its_path():
    document = {
        "id": 7,
        "success": "yes",
        "total_cost": "1",
        "agents": [{"name": "x"}, 5],
        "turns": [
            {"user_message": 5, "turn_index": 1.5},
            "hello",
            {
                "agent_interactions": [
                    {
                        "agent_response": ["Hi"],
                        "agent_steps": [{"tool_call": {"parameters": [], "error": {}}}, {"thought": False}],
                    }
                ]
            },
        ],
    }

    assert sorted(faults_of(document)) == [
        ("agents[0].id", "missing"),
        ("agents[1]", "expected an object, got a number"),
        ("id", "expected text, got a number"),
        ("success", "expected true or false, got text"),
        ("total_cost", "expected a number, got text"),
        ("turns[0].turn_index", "expected a whole number, got a number"),
        ("turns[0].user_message", "expected text, got a number"),
        ("turns[1]", "expected an object, got text"),
        ("turns[2].agent_interactions[0].agent_id", "missing"),
        ("turns[2].agent_interactions[0].agent_response", "expected text, got a list"),
        ("turns[2].agent_interactions[0].agent_steps[0].tool_call.error", "expected text, got an object"),
        ("turns[2].agent_interactions[0].agent_steps[0].tool_call.parameters", "expected an object, got a list"),
        ("turns[2].agent_interactions[0].agent_steps[0].tool_call.tool_name", "missing"),
        ("turns[2].agent_interactions[0].agent_steps[1].thought", "expected text, got true or false"),
    ]


def test_faults_beyond_a_hundred_are_counted():
    faults = faults_of({"turns": [5] * 130})

    assert len(faults) == 101
    assert faults[99] == ("turns[99]", "expected an object, got a number")
    assert faults[100] == ("trace", "30 more faults are not listed")


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        (5, ("trace", "expected an object, got a number")),
        ([], ("trace", "expected an object, got a list")),
        ({}, ("turns", "missing")),
        ({"turns": None}, ("turns", "expected a list, got null")),
        ({"turns": []}, ("turns", "must not be empty")),
        ({"turns": [{}]}, ("turns[0]", "has neither user_message nor agent_interactions")),
        ({"turns": [{"role": "user"}]}, ("turns[0]", "has neither user_message nor agent_interactions")),
        (trace_with(agents=[{"id": "a"}, {"id": "a"}]), ("agents[1].id", "'a' is that of agents[0] too")),
        (trace_with(agents=[{"id": ""}]), ("agents[0].id", "must not be empty")),
        (trace_with(total_cost=float("nan")), ("total_cost", "is nan, which JSON has no number for")),
        (
            trace_with(session_metadata={"x": [float("inf")]}),
            ("session_metadata.x[0]", "is inf, which JSON has no number for"),
        ),
        (trace_with(session_metadata={"x": b""}), ("session_metadata.x", "is a bytes, which JSON does not have")),
        (trace_with(session_metadata={1: 2}), ("session_metadata", "has a key that is not text")),
        (
            {"turns": [{"user_message": "a", "turn_index": 3}, {"user_message": "a", "turn_index": 3}]},
            ("turns[1].turn_index", "3 is that of turns[0] too"),
        ),
        (
            {"turns": [{"agent_interactions": [{"agent_id": ""}]}]},
            ("turns[0].agent_interactions[0].agent_id", "must not be empty"),
        ),
    ],
)
def test_a_fault_is_named(document, fault):
    assert faults_of(document) == [fault]


@pytest.mark.parametrize(
    ("limits", "document", "fault"),
    [
        ({"turns": 1}, {"turns": [{"user_message": "a"}] * 2}, ("turns", "has 2 entries; at most 1 are read")),
        ({"agents": 1}, trace_with(agents=[{"id": "a"}]), ("agents", "2 agents speak; at most 1 are read")),
        ({"text": 4}, trace_with(), ("turns[0].user_message", "has 5 characters; at most 4 are read")),
        (
            {"interactions": 1},
            {"turns": [{"agent_interactions": [{"agent_id": "a"}] * 2}]},
            ("turns[0].agent_interactions", "has 2 entries; at most 1 are read"),
        ),
        (
            {"steps": 1},
            {"turns": [{"agent_interactions": [{"agent_id": "a", "agent_steps": [{}, {}]}]}]},
            ("turns[0].agent_interactions[0].agent_steps", "has 2 entries; at most 1 are read"),
        ),
        ({"depth": 3}, trace_with(), ("trace", "is nested more than 3 deep")),
    ],
)
def test_more_than_is_read_is_refused(limits, document, fault):
    assert fault in faults_of(document, **limits)
    with pytest.raises(BadTrace):
        parse(msgspec.json.encode(document), None, Limits(**limits))


def test_the_message_is_the_first_fault_and_how_many_follow():
    with pytest.raises(BadTrace, match=r"^turns\[0\]\.user_message: expected text, got a number \(and 1 more\)$"):
        read({"turns": [{"user_message": 1}, {"user_message": 2}]})


def test_the_error_goes_from_one_process_to_another():
    with pytest.raises(BadTrace) as caught:
        read({"turns": []})

    copy = pickle.loads(pickle.dumps(caught.value))

    assert str(copy) == "turns: must not be empty"
    assert copy.faults == caught.value.faults
