"""Small runs in the shapes that tools and their versions write, each told as a person reads it. The words are made up."""

import json
import random
from contextlib import suppress
from typing import Any

import pytest

from tests.engine.intake.runs import tell
from tests.engine.intake.test_recognition import DAMAGE, DAMAGED_COPIES, damage, places
from viva.engine.intake import files, formats
from viva.engine.intake.faults import BadTrace

ARGUMENTS = {"to": "Elba"}
ASKED = "When does the ferry leave?"
SAID = "It leaves at nine."
CALLED = [("user", ASKED), ("assistant", "timetable", ARGUMENTS, "nine"), ("assistant", "says", SAID)]
SPOKEN = [("user", ASKED), ("assistant", "says", SAID)]
TOOL_CALL = {"id": "c1", "type": "function", "function": {"name": "timetable", "arguments": json.dumps(ARGUMENTS)}}
COMPLETION = {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": SAID}}]}


def by(agent: str, told: list[tuple] = CALLED) -> list[tuple]:
    """The same, said by a named agent."""
    return [(agent, *part[1:]) if part[0] == "assistant" else part for part in told]


def pydantic(*messages: tuple[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [{"kind": kind, "parts": parts} for kind, parts in messages]


def haystack(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "meta": {}, "name": None, "content": list(parts)}


def blocks(role: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A message of LlamaIndex."""
    return {"role": role, "additional_kwargs": more, "blocks": list(parts)}


def kernel(role: str, **item: Any) -> dict[str, Any]:
    return {"Role": {"Label": role}, "Items": [{"$type" if key == "type" else key: item[key] for key in item}]}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def openhands(source: str, **event: Any) -> dict[str, Any]:
    return {"source": source, "message": "", "timestamp": "2026-01-01T00:00:00"} | event


def sdk(kind: str, source: str, **event: Any) -> dict[str, Any]:
    return {"kind": kind, "source": source, "timestamp": "2026-01-01T00:00:00"} | event


def smolagents(wrote: str, *calls: dict[str, Any]) -> dict[str, Any]:
    """A trace of Langfuse in which the answer stands only in the output of the agent's span."""
    asked = [{"role": "user", "content": [text(f"New task:\n{ASKED}")]}]
    listed = [
        {"name": "CodeAgent.run", "type": "AGENT", "input": {"task": ASKED}, "output": SAID},
        {"name": "Model.generate", "type": "GENERATION", "input": {"messages": asked}}
        | {"output": {"role": "assistant", "content": wrote}},
        *({"type": "TOOL"} | call for call in calls),
    ]
    times = [{"startTime": f"2026-01-01T00:00:0{n}Z", "endTime": f"2026-01-01T00:00:0{n or 9}Z"} for n in range(9)]
    places = [{"id": f"o{n}", "traceId": "t", "parentObservationId": "o0" if n else None} for n in range(9)]
    return {
        "trace": {"id": "t", "projectId": "p", "output": SAID},
        "observations": [place | time | part for place, time, part in zip(places, times, listed, strict=False)],
    }


CODE = "Thought: I look.\n<code>\nfinal_answer(ask(timetable(to='Elba')))\n</code>"
SHAPES: dict[str, tuple[str, Any, list[tuple]]] = {
    "Pydantic AI": (
        "pydantic-ai",
        pydantic(
            ("request", [{"part_kind": "user-prompt", "content": ASKED}]),
            (
                "response",
                [{"part_kind": "tool-call", "tool_name": "timetable", "args": '{"to": "Elba"}', "tool_call_id": "c1"}],
            ),
            (
                "request",
                [{"part_kind": "tool-return", "tool_name": "timetable", "content": "nine", "tool_call_id": "c1"}],
            ),
            ("response", [{"part_kind": "text", "content": SAID}]),
        ),
        CALLED,
    ),
    "Pydantic AI, a call to be tried again": (
        "pydantic-ai",
        pydantic(
            ("request", [{"part_kind": "user-prompt", "content": [ASKED]}]),
            (
                "response",
                [{"part_kind": "tool-call", "tool_name": "timetable", "args": ARGUMENTS, "tool_call_id": "c1"}],
            ),
            (
                "request",
                [
                    {
                        "part_kind": "retry-prompt",
                        "tool_name": "timetable",
                        "content": [{"msg": "no such port"}],
                        "tool_call_id": "c1",
                    }
                ],
            ),
        ),
        [("user", ASKED), ("assistant", "timetable", ARGUMENTS, None, "no such port")],
    ),
    "Haystack": (
        "chat",
        [
            haystack("user", {"text": ASKED}),
            haystack("assistant", {"tool_call": {"tool_name": "timetable", "arguments": ARGUMENTS, "id": "c1"}}),
            haystack("tool", {"tool_call_result": {"result": "nine", "error": False, "origin": {"id": "c1"}}}),
            haystack("assistant", {"text": SAID}),
        ],
        CALLED,
    ),
    "Haystack, a tool that failed": (
        "chat",
        [
            haystack("user", {"text": ASKED}),
            haystack("assistant", {"tool_call": {"tool_name": "timetable", "arguments": ARGUMENTS, "id": "c1"}}),
            haystack("tool", {"tool_call_result": {"result": "closed", "error": True, "origin": {"id": "c1"}}}),
        ],
        [("user", ASKED), ("assistant", "timetable", ARGUMENTS, "closed", "closed")],
    ),
    "LlamaIndex": (
        "chat",
        [
            blocks("user", {"block_type": "text", "text": ASKED}),
            blocks("assistant", {"block_type": "text", "text": ""}, tool_calls=[TOOL_CALL]),
            blocks("tool", {"block_type": "text", "text": "nine"}, tool_call_id="c1", name="timetable"),
            blocks("assistant", {"block_type": "text", "text": SAID}),
        ],
        CALLED,
    ),
    "LlamaIndex, a call as a block": (
        "chat",
        [
            blocks("user", {"block_type": "text", "text": ASKED}),
            blocks(
                "assistant",
                {"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "timetable", "tool_kwargs": ARGUMENTS},
            ),
            blocks("tool", {"block_type": "text", "text": "nine"}, tool_call_id="c1"),
            blocks("assistant", {"block_type": "text", "text": SAID}),
        ],
        CALLED,
    ),
    "Strands": (
        "chat",
        [
            {"role": "user", "content": [{"text": ASKED}]},
            {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "Look it up.", "signature": "x"}}},
                    {"toolUse": {"toolUseId": "c1", "name": "timetable", "input": ARGUMENTS}},
                ],
            },
            {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "nine"}]}}]},
            {"role": "assistant", "content": [{"text": SAID}]},
        ],
        [CALLED[0], ("assistant", "thinks", "Look it up."), *CALLED[1:]],
    ),
    "Strands, a session's rows": (
        "chat",
        [
            {"message": {"role": "user", "content": [{"text": ASKED}]}, "message_id": 0},
            {"message": {"role": "assistant", "content": [{"text": SAID}]}, "message_id": 1},
        ],
        SPOKEN,
    ),
    "Semantic Kernel for .NET": (
        "semantic-kernel",
        [
            kernel("user", type="TextContent", Text=ASKED),
            kernel(
                "assistant",
                type="FunctionCallContent",
                Id="c1",
                PluginName="port",
                FunctionName="timetable",
                Arguments=ARGUMENTS,
            ),
            kernel("tool", type="FunctionResultContent", CallId="c1", FunctionName="timetable", Result="nine"),
            kernel("assistant", type="TextContent", Text=SAID),
        ],
        [CALLED[0], ("assistant", "port-timetable", ARGUMENTS, "nine"), CALLED[2]],
    ),
    "Semantic Kernel for Python": (
        "chat",
        {
            "messages": [
                {"content_type": "message", "role": "user", "items": [{"content_type": "text", "text": ASKED}]},
                {
                    "content_type": "message",
                    "role": "assistant",
                    "items": [
                        {
                            "content_type": "function_call",
                            "id": "c1",
                            "name": "timetable",
                            "arguments": '{"to": "Elba"}',
                        }
                    ],
                },
                {
                    "content_type": "message",
                    "role": "tool",
                    "items": [{"content_type": "function_result", "id": "c1", "name": "timetable", "result": "nine"}],
                },
                {"content_type": "message", "role": "assistant", "items": [{"content_type": "text", "text": SAID}]},
            ]
        },
        CALLED,
    ),
    "Vercel's UI messages, version 4": (
        "ui-messages",
        [
            {"id": "1", "role": "user", "content": ASKED, "parts": [text(ASKED)]},
            {
                "id": "2",
                "role": "assistant",
                "content": SAID,
                "parts": [
                    {"type": "step-start"},
                    {
                        "type": "tool-invocation",
                        "toolInvocation": {
                            "state": "result",
                            "toolCallId": "c1",
                            "toolName": "timetable",
                            "args": ARGUMENTS,
                            "result": "nine",
                        },
                    },
                    {"type": "step-start"},
                    text(SAID),
                ],
            },
        ],
        CALLED,
    ),
    "Vercel's UI messages, without parts": (
        "ui-messages",
        [
            {"id": "1", "role": "user", "content": ASKED},
            {
                "id": "2",
                "role": "assistant",
                "content": SAID,
                "toolInvocations": [
                    {
                        "state": "result",
                        "toolCallId": "c1",
                        "toolName": "timetable",
                        "args": ARGUMENTS,
                        "result": "nine",
                    }
                ],
            },
        ],
        CALLED,
    ),
    "Vercel's UI messages, version 5": (
        "ui-messages",
        {
            "messages": [
                {"id": "1", "role": "user", "parts": [text(ASKED)]},
                {
                    "id": "2",
                    "role": "assistant",
                    "parts": [
                        {"type": "step-start"},
                        {
                            "type": "tool-timetable",
                            "toolCallId": "c1",
                            "state": "output-available",
                            "input": ARGUMENTS,
                            "output": "nine",
                        },
                        {
                            "type": "dynamic-tool",
                            "toolName": "map",
                            "toolCallId": "c2",
                            "state": "output-error",
                            "input": {},
                            "errorText": "torn",
                        },
                        {"type": "data-boat", "data": {"name": "Aphrodite"}},
                        text(SAID),
                    ],
                },
            ]
        },
        [*CALLED[:2], ("assistant", "map", {}, None, "torn"), CALLED[2]],
    ),
    "ATIF": (
        "atif",
        {
            "schema_version": "ATIF-v1.4",
            "session_id": "s1",
            "agent": {"name": "skipper", "version": "1"},
            "steps": [
                {"step_id": 1, "source": "user", "message": ASKED},
                {
                    "step_id": 2,
                    "source": "agent",
                    "message": "",
                    "tool_calls": [{"tool_call_id": "c1", "function_name": "timetable", "arguments": ARGUMENTS}],
                    "observation": {"results": [{"source_call_id": "c1", "content": "nine"}]},
                },
                {"step_id": 3, "source": "agent", "message": SAID},
            ],
        },
        by("skipper"),
    ),
    "smolagents": (
        "smolagents",
        [
            {"system_prompt": "Act."},
            {"task": ASKED, "task_images": None},
            {
                "step_number": 1,
                "model_output": "I look.",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "timetable", "arguments": ARGUMENTS}}
                ],
                "error": None,
                "observations": "nine",
                "is_final_answer": False,
            },
            {
                "step_number": 2,
                "model_output": "I know.",
                "tool_calls": [
                    {"id": "c2", "type": "function", "function": {"name": "final_answer", "arguments": SAID}}
                ],
                "observations": SAID,
                "action_output": SAID,
                "is_final_answer": True,
            },
        ],
        [CALLED[0], ("assistant", "thinks", "I look."), CALLED[1], ("assistant", "thinks", "I know."), CALLED[2]],
    ),
    "OpenHands": (
        "openhands",
        [
            openhands("user", id=0, action="message", args={"content": ASKED}),
            openhands("environment", id=1, observation="agent_state_changed", content="", extras={}),
            openhands("agent", id=2, action="run", args={"command": "boats", "thought": "I look."}),
            openhands(
                "agent",
                id=3,
                cause=2,
                observation="run",
                content="no boats",
                extras={"command": "boats", "metadata": {"exit_code": 1}},
            ),
            openhands("agent", id=4, action="finish", args={"final_thought": SAID, "outputs": {}}),
        ],
        [
            CALLED[0],
            ("openhands", "thinks", "I look."),
            ("openhands", "run", {"command": "boats"}, "no boats", "no boats"),
            ("openhands", "says", SAID),
        ],
    ),
    "OpenHands, the newer SDK": (
        "openhands",
        [
            sdk("ConversationStateUpdateEvent", "environment", key="full_state", value={}),
            sdk("MessageEvent", "user", llm_message={"role": "user", "content": [text(ASKED)]}),
            sdk(
                "ActionEvent",
                "agent",
                thought=[text("I look.")],
                action={"kind": "TerminalAction", "command": "boats"},
                tool_name="terminal",
                tool_call_id="c1",
            ),
            sdk(
                "ObservationEvent",
                "environment",
                observation={"content": [text("nine")], "is_error": False},
                tool_name="terminal",
                tool_call_id="c1",
            ),
            sdk("ActionEvent", "agent", thought=[], action={"message": SAID}, tool_name="finish", tool_call_id="c2"),
        ],
        [
            CALLED[0],
            ("openhands", "thinks", "I look."),
            ("openhands", "terminal", {"command": "boats"}, "nine"),
            ("openhands", "says", SAID),
        ],
    ),
    "tau-bench": (
        "tau-bench",
        [
            {
                "task_id": 0,
                "reward": 1.0,
                "trial": 0,
                "info": {},
                "traj": [
                    {"role": "user", "content": ASKED},
                    {"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]},
                    {"role": "tool", "tool_call_id": "c1", "content": "nine"},
                    {"role": "assistant", "content": SAID},
                    {"role": "user", "content": "###STOP###"},
                ],
            }
        ],
        CALLED,
    ),
    "tau2-bench, with a call of the user's own": (
        "tau-bench",
        {
            "info": {},
            "tasks": [],
            "simulations": [
                {
                    "id": "s1",
                    "task_id": "0",
                    "duration": 3.0,
                    "reward_info": {"reward": 0.0},
                    "messages": [
                        {"role": "user", "content": ASKED},
                        {
                            "role": "user",
                            "content": None,
                            "tool_calls": [{"id": "u1", "name": "look", "arguments": {}}],
                        },
                        {"role": "tool", "id": "u1", "content": "fog", "requestor": "user", "error": False},
                        {
                            "role": "assistant",
                            "content": None,
                            "tool_calls": [{"id": "c1", "name": "timetable", "arguments": ARGUMENTS}],
                        },
                        {"role": "tool", "id": "c1", "content": "nine", "requestor": "assistant", "error": False},
                        {"role": "assistant", "content": SAID},
                    ],
                }
            ],
        },
        CALLED,
    ),
    "Gemini CLI": (
        "gemini-cli",
        {
            "sessionId": "s1",
            "projectHash": "p1",
            "messages": [
                {"id": "1", "type": "user", "content": ASKED},
                {
                    "id": "2",
                    "type": "gemini",
                    "content": "",
                    "toolCalls": [
                        {
                            "id": "c1",
                            "name": "timetable",
                            "args": ARGUMENTS,
                            "status": "success",
                            "result": [{"functionResponse": {"id": "c1", "response": {"output": "nine"}}}],
                        }
                    ],
                },
                {"id": "3", "type": "gemini", "content": SAID},
                {"id": "4", "type": "info", "content": "Cancelled."},
            ],
        },
        by("gemini"),
    ),
    "DSPy": (
        "dspy",
        [
            {
                "prompt": None,
                "messages": [{"role": "user", "content": ASKED}],
                "kwargs": {},
                "outputs": [SAID],
                "cost": 0.1,
            }
        ],
        SPOKEN,
    ),
    "the state of an AutoGen team": (
        "autogen",
        {
            "type": "TeamState",
            "agent_states": {
                "manager": {
                    "message_thread": [
                        {"source": "user", "content": ASKED, "type": "TextMessage"},
                        {"source": "skipper", "content": SAID, "type": "TextMessage"},
                    ]
                }
            },
        },
        by("skipper", SPOKEN),
    ),
    "the state of an AutoGen agent": (
        "autogen",
        {
            "type": "AssistantAgentState",
            "llm_context": {
                "messages": [
                    {"source": "user", "content": ASKED, "type": "UserMessage"},
                    {
                        "source": "skipper",
                        "content": [{"id": "c1", "name": "timetable", "arguments": '{"to": "Elba"}'}],
                        "type": "AssistantMessage",
                    },
                    {
                        "content": [{"call_id": "c1", "name": "timetable", "content": "nine", "is_error": False}],
                        "type": "FunctionExecutionResultMessage",
                    },
                    {"source": "skipper", "content": SAID, "type": "AssistantMessage"},
                ]
            },
        },
        by("skipper"),
    ),
    "AutoGen 0.2 without names": (
        "autogen",
        {"chat_history": [{"role": "assistant", "content": ASKED}, {"role": "user", "content": SAID}], "cost": {}},
        SPOKEN,
    ),
    "messages as the JSON of a table's cell": (
        "chat",
        {
            "instance_id": "i1",
            "messages": json.dumps([{"role": "user", "content": ASKED}, {"role": "assistant", "content": SAID}]),
        },
        SPOKEN,
    ),
    "a completion with its request": (
        "openai-chat",
        {"request": {"messages": [{"role": "user", "content": ASKED}]}, "response": COMPLETION},
        SPOKEN,
    ),
    "the messages of a thread, the last one first": (
        "openai-chat",
        {
            "object": "list",
            "data": [
                {
                    "object": "thread.message",
                    "created_at": at,
                    "role": role,
                    "content": [{"type": "text", "text": {"value": words}}],
                }
                for at, role, words in ((2, "assistant", SAID), (1, "user", ASKED))
            ],
        },
        SPOKEN,
    ),
    "a page of items": (
        "responses",
        {
            "object": "list",
            "data": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ASKED}]},
                {"type": "function_call", "call_id": "c1", "name": "timetable", "arguments": '{"to": "Elba"}'},
                {"type": "function_call_output", "call_id": "c1", "output": "nine"},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAID}]},
            ],
        },
        CALLED,
    ),
    "rows of a session's table": (
        "chat",
        [
            {"id": 1, "session_id": "s", "message_data": json.dumps({"role": "user", "content": ASKED})},
            {"id": 2, "session_id": "s", "message_data": json.dumps({"role": "assistant", "content": SAID})},
        ],
        SPOKEN,
    ),
    "ShareGPT, calls in a role of their own": (
        "chat",
        {
            "conversations": [
                {"from": "human", "value": ASKED},
                {"from": "function_call", "value": json.dumps({"name": "timetable", "arguments": ARGUMENTS})},
                {"from": "observation", "value": "nine"},
                {"from": "gpt", "value": SAID},
            ]
        },
        CALLED,
    ),
    "calls between tags": (
        "chat",
        [
            {"role": "user", "content": ASKED},
            {
                "role": "assistant",
                "content": '<tool_call>\n{"name": "timetable", "arguments": {"to": "Elba"}}\n</tool_call>',
            },
            {"role": "tool", "content": "nine"},
            {"role": "assistant", "content": SAID},
        ],
        CALLED,
    ),
    "OpenHands' calls as text": (
        "chat",
        [
            {"role": "user", "content": ASKED},
            {
                "role": "assistant",
                "content": "I look.\n<function=timetable>\n<parameter=to>Elba</parameter>\n</function>",
            },
            {"role": "user", "content": "EXECUTION RESULT of [timetable]:\nnine"},
            {
                "role": "assistant",
                "content": f"<function=finish>\n<parameter=message>{SAID}</parameter>\n</function>",
            },
        ],
        [
            CALLED[0],
            ("assistant", "thinks", "I look."),
            ("assistant", "timetable", ARGUMENTS, "EXECUTION RESULT of [timetable]:\nnine"),
            CALLED[2],
        ],
    ),
    "ReAct": (
        "chat",
        [
            {"role": "user", "content": ASKED},
            {"role": "assistant", "content": 'Thought: I look.\nAction: timetable\nAction Input: {"to": "Elba"}'},
            {"role": "user", "content": "Observation: nine"},
            {"role": "assistant", "content": f'Thought:\nAction: Finish\nAction Input: {{"final_answer": "{SAID}"}}'},
        ],
        [
            CALLED[0],
            ("assistant", "thinks", "I look."),
            ("assistant", "timetable", ARGUMENTS, "Observation: nine"),
            CALLED[2],
        ],
    ),
    "Langfuse, code of smolagents that answers": (
        "langfuse",
        smolagents(CODE),
        [CALLED[0], *by("CodeAgent", [("assistant", "thinks", CODE), CALLED[2]])],
    ),
    "Langfuse, a call of smolagents before the answer": (
        "langfuse",
        smolagents(CODE, {"name": "timetable", "input": {"args": [], "kwargs": ARGUMENTS}, "output": "nine"}),
        [CALLED[0], *by("CodeAgent", [("assistant", "says", CODE), *CALLED[1:]])],
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_run_is_read_as_a_person_reads_it(shape):
    form, document, told = SHAPES[shape]

    (part,) = files.split_document(json.dumps(document).encode())
    trace = formats.parse(bytes(part))

    assert (trace.form, tell(trace)) == (form, told)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_run_has_the_signs_of_one_form(shape):
    form, document, _ = SHAPES[shape]
    opened = formats.open_envelope(document)

    claimed = {name for name, known in formats.TRACE_FORMATS.items() if known.recognise(opened)}

    assert claimed - {"chat"} <= {form}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_damaged_run_is_read_or_refused(shape):
    chance = random.Random(shape)
    text = json.dumps(SHAPES[shape][1])
    found = places(json.loads(text))
    for _ in range(DAMAGED_COPIES):
        document = json.loads(text)
        damage(document, chance.choice(found), chance.choice(DAMAGE))
        with suppress(BadTrace):
            formats.read(document)


def test_a_message_whose_words_stand_in_an_unknown_field_is_not_passed_over():
    document = [{"role": "user", "utterances": [{"words": ASKED}]}, {"role": "assistant", "content": SAID}]

    with pytest.raises(BadTrace, match="a user's message is not understood"):
        formats.read(document)


@pytest.mark.parametrize(
    ("document", "title"),
    [
        ({"event": "on_chat_model_end", "run_id": "r", "data": {}}, "an event of LangChain's stream"),
        ({"custom_id": "1", "method": "POST", "body": {}}, "a line of a batch"),
        ({"eval_set_id": "e", "eval_cases": []}, "an evaluation set of Google's ADK"),
    ],
)
def test_a_form_that_is_not_read_is_refused_by_its_name(document, title):
    with pytest.raises(BadTrace, match=f"this looks like {title}, which is not read"):
        formats.read(document)


def test_an_observation_belongs_to_the_agent_that_worked_before():
    said = [{"role": "assistant", "name": "skipper", "content": SAID}, {"role": "user", "content": "And then?"}]

    trace = formats.read([{"role": "user", "content": ASKED}, *said, {"role": "tool", "content": "fog"}])

    assert [agent.id for agent in trace.agents] == ["skipper"]


def test_an_answer_that_looks_like_a_call_stays_an_answer():
    told = json.dumps({"name": "Aphrodite", "parameters": {"seats": 40}})

    trace = formats.read([{"role": "user", "content": "The boat as JSON?"}, {"role": "assistant", "content": told}])

    assert tell(trace)[1] == ("assistant", "says", told)
