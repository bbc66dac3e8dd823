"""Chats: who speaks in which turn, and which result belongs to which call."""

import pytest

from tests.values import require
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import read
from viva.engine.model import DroppedPart, Interaction, Step, Tool, ToolCall

WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def user(text, **more):
    return {"role": "user", "content": text} | more


def assistant(text, **more):
    return {"role": "assistant", "content": text} | more


def asks(id, name, arguments):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_each_message_of_the_user_begins_a_turn():
    trace = read({"id": 12, "messages": [user("Hello"), assistant("Hi"), user("Bye")]})

    assert trace.id == "12"
    assert [turn.user_message for turn in trace.turns] == ["Hello", "Bye"]
    assert trace.turns[0].agent_interactions == (Interaction("assistant", "Hi"),)
    assert trace.turns[1].agent_interactions == ()


def test_a_bare_list_is_a_chat():
    assert read([user("Hello"), assistant("Hi")], "trace-3").id == "trace-3"


def test_a_call_with_its_result_and_the_answer_are_one_interaction():
    chat = {
        "messages": [
            {"role": "system", "content": "Be brief."},
            user("Weather in Ulm?"),
            assistant("Let me look.", tool_calls=[asks("c1", "weather", '{"city": "Ulm"}')]),
            {"role": "tool", "tool_call_id": "c1", "content": "Rain"},
            assistant("It rains."),
        ],
        "tools": [{"type": "function", "function": {"name": "weather", "parameters": WEATHER}}],
    }

    trace = read(chat)

    step = Step("Let me look.", tool_call=ToolCall("weather", {"city": "Ulm"}, "Rain"))
    assert trace.turns[0].agent_interactions == (Interaction("assistant", "It rains.", (step,)),)
    assert trace.agents[0].description == "Be brief."
    assert trace.agents[0].tools_available == (Tool("weather", None, WEATHER),)


def test_without_definitions_nothing_is_known_of_the_tools():
    assert read([user("Hello"), assistant("Hi")]).agents[0].tools_available is None


def test_results_find_their_calls_by_id_in_any_order():
    calls = [asks("c1", "find", '{"n": 1}'), asks("c2", "find", '{"n": 2}')]
    results = [{"role": "tool", "tool_call_id": id, "content": text} for id, text in (("c2", "two"), ("c1", "one"))]

    trace = read([user("go"), assistant(None, tool_calls=calls), *results])

    assert [require(step.tool_call).result for step in trace.turns[0].agent_interactions[0].agent_steps] == [
        "one",
        "two",
    ]


def test_a_result_without_a_call_is_an_observation():
    trace = read([user("go"), {"role": "tool", "tool_call_id": "c9", "content": "lost"}])

    assert trace.turns[0].agent_interactions[0].agent_steps == (Step(observation="lost"),)


def test_arguments_that_are_no_json_are_the_error_of_the_call():
    trace = read([user("go"), assistant(None, tool_calls=[asks("c1", "find", '{"city": ')])])

    call = trace.turns[0].agent_interactions[0].agent_steps[0].tool_call
    assert call == ToolCall("find", {}, None, 'the arguments are no JSON object: {"city": ')


def test_the_function_call_of_old_is_answered_by_the_function_of_that_name():
    trace = read(
        [
            user("go"),
            assistant(None, function_call={"name": "find", "arguments": "{}"}),
            {"role": "function", "name": "find", "content": "found"},
        ]
    )

    assert require(trace.turns[0].agent_interactions[0].agent_steps[0].tool_call).result == "found"


def test_names_tell_several_agents_apart():
    trace = read([user("go"), assistant("I plan", name="planner"), assistant("I do", name="doer")])

    assert trace.turns[0].agent_interactions == (Interaction("planner", "I plan"), Interaction("doer", "I do"))
    assert [agent.id for agent in trace.agents] == ["planner", "doer"]


def test_parts_of_anthropic_are_thoughts_calls_and_results():
    trace = read(
        {
            "system": "Be brief.",
            "tools": [{"name": "weather", "input_schema": WEATHER}],
            "messages": [
                user([{"type": "text", "text": "Weather?"}, {"type": "image", "source": {}}]),
                assistant(
                    [
                        {"type": "thinking", "thinking": "I need the tool."},
                        {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Ulm"}},
                    ]
                ),
                user([{"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "no such city"}]),
                assistant([{"type": "text", "text": "I could not find it."}]),
            ],
        }
    )

    call = ToolCall("weather", {"city": "Ulm"}, "no such city", "no such city")
    assert len(trace.turns) == 1
    assert trace.turns[0].user_message == "Weather?"
    assert trace.dropped == (DroppedPart("messages[0].content[1]", "holds an image; only text is read"),)
    assert trace.turns[0].agent_interactions == (
        Interaction("assistant", "I could not find it.", (Step("I need the tool.", tool_call=call),)),
    )
    assert trace.agents[0].tools_available == (Tool("weather", None, WEATHER),)


def test_reasoning_beside_an_answer_is_a_thought():
    trace = read([user("2+2?"), assistant("4", reasoning_content="Add them.")])

    assert trace.turns[0].agent_interactions == (Interaction("assistant", "4", (Step("Add them."),)),)


def test_in_a_group_chat_names_decide_not_roles():
    trace = read(
        [
            user("Compute 2+2", name="user_proxy"),
            user("```python\nprint(2+2)\n```", name="coder"),
            user("exitcode: 0 (execution succeeded)\nCode output: 4", name="user_proxy"),
            user("It is 4.", name="checker"),
            user("Thanks", name="user_proxy"),
        ]
    )

    assert [turn.user_message for turn in trace.turns] == ["Compute 2+2", "Thanks"]
    assert [part.agent_id for part in trace.turns[0].agent_interactions] == ["coder", "coder", "checker"]
    assert require(trace.turns[0].agent_interactions[1].agent_steps[0].observation).startswith("exitcode: 0")


def test_several_results_of_autogen_in_one_message():
    trace = read(
        [
            user("go", name="user"),
            assistant("", name="coder", tool_calls=[asks("c1", "a", "{}"), asks("c2", "b", "{}")]),
            {
                "role": "tool",
                "name": "executor",
                "content": "1\n2",
                "tool_responses": [
                    {"tool_call_id": "c1", "role": "tool", "content": "1"},
                    {"tool_call_id": "c2", "role": "tool", "content": "2"},
                ],
            },
        ]
    )

    assert [require(step.tool_call).result for step in trace.turns[0].agent_interactions[0].agent_steps] == ["1", "2"]


def test_sharegpt_has_other_names_for_the_same():
    trace = read({"conversations": [{"from": "human", "value": "Hello"}, {"from": "gpt", "value": "Hi"}]})

    assert trace.turns[0].user_message == "Hello"
    assert trace.turns[0].agent_interactions[0].agent_response == "Hi"


def test_every_fault_of_a_chat_is_listed():
    with pytest.raises(BadTrace) as caught:
        read({"messages": [user("Hello"), {"role": "wizard"}, {"content": "x"}, user(5), 7]})

    assert [(fault.field, fault.code) for fault in caught.value.faults] == [
        ("messages[1].role", "unknown"),
        ("messages[2].role", "missing"),
        ("messages[3].content", "wrong_type"),
        ("messages[4]", "wrong_type"),
    ]


def test_a_data_set_of_reask_with_one_conversation_and_its_knowledge():
    conversation = {"id": "c1", "messages": [user("When?", knowledge="It opens at 9."), assistant("At 9.")]}

    trace = read({"dataset": {"conversations": [conversation]}})

    assert trace.id == "c1"
    assert trace.turns[0].knowledge == "It opens at 9."
    assert read({"conversations": [conversation]}) == trace


def test_a_data_set_with_several_conversations_is_not_one_trace():
    with pytest.raises(BadTrace, match="holds 2 traces where one is expected"):
        read({"dataset": {"conversations": [{"messages": []}, {"messages": []}]}})


def inspect_sample(**changes):
    return {
        "id": 3,
        "epoch": 1,
        "input": "Capital of France?",
        "target": "Paris",
        "messages": [
            user("attachment://h1"),
            assistant(
                [{"type": "reasoning", "reasoning": "Look."}, {"type": "text", "text": "Looking."}],
                tool_calls=[{"id": "c1", "function": "find", "arguments": {"q": "France"}, "type": "function"}],
            ),
            {
                "role": "tool",
                "tool_call_id": "c1",
                "function": "find",
                "content": "",
                "error": {"type": "timeout", "message": "too slow"},
            },
            assistant("Paris"),
        ],
        "attachments": {"h1": "Capital of France?"},
        "events": [{"event": "model", "tools": [{"name": "find", "description": "Finds", "parameters": WEATHER}]}],
        "scores": {"match": {"value": "C"}},
        "total_time": 1.5,
    } | changes


def test_a_sample_of_inspect_is_a_run():
    trace = read({"version": 2, "eval": {"task": "capitals"}, "samples": [inspect_sample()]})

    call = ToolCall("find", {"q": "France"}, "", "too slow")
    assert trace.id == "3-1"
    assert trace.success is True
    assert trace.total_latency_ms == 1500
    assert trace.turns[0].user_message == "Capital of France?"
    assert trace.turns[0].agent_interactions == (
        Interaction("assistant", "Paris", (Step("Look.\n\nLooking.", tool_call=call),)),
    )
    assert trace.agents[0].tools_available == (Tool("find", "Finds", WEATHER),)


def test_the_target_of_a_sample_is_never_looked_at():
    assert read(inspect_sample(target="Rome")) == read(inspect_sample())


@pytest.mark.parametrize(
    ("scores", "success"),
    [
        ({"a": {"value": "I"}}, False),
        ({"a": {"value": 1.0}}, True),
        ({"a": {"value": 0.4}}, None),
        ({"a": {"value": "C"}, "b": {"value": "I"}}, None),
        ({}, None),
        (None, None),
    ],
)
def test_a_sample_succeeded_as_far_as_its_scorers_agree(scores, success):
    assert read(inspect_sample(scores=scores)).success is success


def test_results_without_ids_answer_the_calls_of_their_tool_in_order():
    calls = [asks(None, "find", '{"n": 1}'), asks(None, "count", "{}"), asks(None, "find", '{"n": 2}')]
    results = [
        {"role": "tool", "name": name, "content": text} for name, text in (("find", "a"), ("find", "b"), ("count", "c"))
    ]

    trace = read([user("go"), assistant(None, tool_calls=calls), *results])

    assert [require(step.tool_call).result for step in trace.turns[0].agent_interactions[0].agent_steps] == [
        "a",
        "c",
        "b",
    ]


# What the environment shows, in the user's role


def steps_of(*contents):
    """The turns of a chat in which user and assistant take turns, and the steps of the only interaction."""
    roles = ("user", "assistant")
    trace = read({"messages": [{"role": roles[n % 2], "content": text} for n, text in enumerate(contents)]})
    return len(trace.turns), trace.turns[0].agent_interactions


@pytest.mark.parametrize(
    "output",
    [
        "Observation: 3 files",
        "OBSERVATION:\n3 files",
        "Observation 1: 3 files",
        "exitcode: 0 (execution succeeded)\nCode output: 3 files",
        "<returncode>0</returncode>\n<output>3 files</output>",
        "<tool_response>3 files</tool_response>",
        "Terminal output:\n3 files",
        "a.txt b.txt c.txt\n(Open file: n/a)\n(Current directory: /home)\nbash-$",
        "3 files\n[The command completed with exit code 0.]",
    ],
)
def test_what_the_environment_shows_is_an_observation(output):
    turns, (only,) = steps_of("How many files are there?", "I run ls.", output, "There are 3.")

    assert turns == 1
    assert only.agent_steps == (Step(thought="I run ls.", observation=output),)
    assert only.agent_response == "There are 3."


@pytest.mark.parametrize(
    "message",
    [
        "The observation is wrong, there are 4.",
        "My output is: 4 files. " * 500,
        "Traceback (most recent call last):\n  File x\nKeyError: 1",
        "I ran ls and got exit code 1",
    ],
)
def test_what_the_user_writes_stays_the_users_however_long_or_technical(message):
    turns, _ = steps_of("How many files are there?", "I run ls.", message, "There are 4.")

    assert turns == 2


def test_the_first_message_is_the_users_even_if_it_quotes_an_output():
    messages = [user("Observation: the lamp is off. Why?"), assistant("The fuse is gone.")]

    assert read({"messages": messages}).turns[0].user_message == "Observation: the lamp is off. Why?"


def test_an_output_answers_the_call_that_is_open():
    call = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "shell", "arguments": "{}"}}]}
    trace = read(
        {"messages": [{"role": "user", "content": "Go"}, call, {"role": "user", "content": "Observation: ok"}]}
    )

    (step,) = trace.turns[0].agent_interactions[0].agent_steps
    assert require(step.tool_call).result == "Observation: ok"


def test_a_trajectory_of_swe_agent_is_one_turn_without_its_demonstration():
    history = [
        {"role": "system", "content": "You fix bugs."},
        {"role": "user", "content": "Here is how it is done: ...", "is_demo": True},
        {"role": "user", "content": "Fix the colon.", "message_type": "instance"},
        {"role": "assistant", "content": "I look.\n```\nls\n```"},
        {"role": "user", "content": "a.py", "message_type": "observation"},
        {"role": "assistant", "content": "Fixed."},
    ]

    trace = read({"trajectory": [], "history": history, "info": {}})

    assert [turn.user_message for turn in trace.turns] == ["Fix the colon."]
    assert trace.turns[0].agent_interactions[0].agent_steps[0].observation == "a.py"


def test_a_refusal_is_what_the_agent_says():
    trace = read([user("Hello"), assistant(None, refusal="I cannot.")])

    assert trace.turns[0].agent_interactions == (Interaction("assistant", "I cannot."),)


@pytest.mark.parametrize("tag", ["think", "thinking"])
def test_a_thought_between_tags_is_not_said(tag):
    trace = read([user("Hello"), assistant(f"<{tag}>They greet.</{tag}>\nHi")])

    assert trace.turns[0].agent_interactions == (Interaction("assistant", "Hi", (Step("They greet."),)),)


def test_the_result_of_a_tool_may_be_an_object():
    called = assistant(None, tool_calls=[asks("c1", "find", "{}")])

    trace = read([user("go"), called, {"role": "tool", "tool_call_id": "c1", "content": {"found": 2}}])

    assert require(trace.turns[0].agent_interactions[0].agent_steps[0].tool_call).result == {"found": 2}
