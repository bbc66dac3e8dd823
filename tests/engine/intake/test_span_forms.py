"""One run of two agents as real instrumentations recorded it; tests/fixtures/making/spans.md says how.

The desk finds rooms and hands over to the booker. The first booking fails, the second succeeds. Then the user asks once more.
"""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from viva.engine.intake.files import parse, read_traces
from viva.engine.model import Interaction, Trace

FIXTURES = Path(__file__).parents[2] / "fixtures" / "spans"
QUESTION, FOLLOW_UP = "Please book a room in Ulm for two nights.", "Is breakfast included?"
BOOKED = "Your room in the Rosengarten is booked for two nights. The number is U-17."
INCLUDED = "Yes, breakfast is included from seven to ten."
ROOMS = {"hotels": ["Blautor", "Rosengarten"]}
RETRY = "An error occurred while running the tool. Please try again."  # what OpenAI's Agents SDK tells the model
REDACTED = "Error running tool (non-fatal): {'tool_name': 'book_room', 'error': 'Tool execution failed. Error details are redacted.'}"
REDACTED_DATA = "{'message': 'Error running tool (non-fatal)', 'data': {'tool_name': 'book_room', 'error': 'Tool execution failed. Error details are redacted.'}}"
DESK_TOOLS, BOOKER_TOOLS = ["find_rooms", "transfer_to_booker"], ["book_room"]


class Recording(NamedTuple):
    """What a fixture says in its own way: who wrote it, and what it knows of the failed call and the handover."""

    file: str
    version: str
    form: str = "spans"
    failed: tuple[Any, str | None] = (None, "Blautor is full")  # result and error
    handed_over: Any = "booker"
    tools: tuple[list[str] | None, list[str] | None] = (DESK_TOOLS, BOOKER_TOOLS)
    cost: float | None = None


CONVERSATIONS = [
    Recording("otel-attributes.json", "OpenTelemetry GenAI 1.0b0", tools=(None, None)),
    Recording("otel-events.json", "OpenTelemetry GenAI", tools=(None, None)),
    Recording("otel-1.27.json", "OpenTelemetry GenAI", tools=(None, None)),
    Recording("otel-agents.json", "OpenTelemetry GenAI 1.3b0", failed=(RETRY, REDACTED_DATA), handed_over='{"assistant": "booker"}'),
    Recording("openinference-langgraph.json.gz", "OpenInference 0.1.80", failed=("Blautor is full", "Blautor is full")),
    Recording("traceloop.json", "Traceloop 0.62.4"),
    # This version does not end the span of a tool that fails, so only the model's history tells of it.
    Recording("traceloop-flat.json", "Traceloop 0.33.12", failed=("Error: Blautor is full", None)),
    Recording("vercel.json", "Vercel AI SDK"),
    Recording("logfire-openai.json", "Logfire 5.2.0", cost=7.2e-05),
    Recording("mlflow-openai.json", "MLflow", "mlflow", failed=(None, "HotelFull: Blautor is full"), cost=7.2e-05),
    Recording("mlflow-rest.json", "MLflow", "mlflow", failed=(None, "HotelFull: Blautor is full"), cost=7.2e-05),
    Recording("jaeger.json", "OpenTelemetry GenAI", "jaeger", tools=(None, None)),
]  # fmt: skip
CALLED = (["find_rooms"], ["book_room"])  # no list of tools is recorded, only the schemas of those that were called
SINGLE_TRACES = [
    Recording("tempo.json", "OpenTelemetry GenAI", "tempo", tools=(None, None)),
    Recording("tempo-v2.json", "OpenTelemetry GenAI", "tempo", tools=(None, None)),
    Recording("otel-agents-v2.json", "OpenTelemetry GenAI", failed=(RETRY, REDACTED), tools=(None, None)),
    Recording("openinference-agents.json", "OpenInference 2.6.0", failed=(RETRY, REDACTED), tools=CALLED),
    Recording("phoenix-rest.json", "OpenInference", "phoenix", failed=(RETRY, REDACTED), tools=CALLED),
    Recording("phoenix-otlp.json.gz", "OpenInference", "phoenix", failed=(RETRY, REDACTED), tools=CALLED),
    Recording("phoenix-dataframe.json", "OpenInference", "phoenix", failed=(RETRY, REDACTED), tools=CALLED),
    Recording("traceloop-agents.json", "OpenTelemetry GenAI 0.62.4", failed=(RETRY, REDACTED_DATA), handed_over='{"assistant": "booker"}', tools=(None, None)),
    Recording("logfire-agents.json", "Logfire 5.2.0", failed=(RETRY, "Error running tool (non-fatal)"), tools=(None, None), cost=6e-05),
    Recording("mlflow-langgraph.json.gz", "MLflow", "mlflow", failed=("Blautor is full", "Blautor is full"), cost=6e-05),
]  # fmt: skip


def read_file(name: str) -> list[Trace]:
    return [parse(item) for item in read_traces(FIXTURES / name)]


def calls(act: Interaction) -> list[Any]:
    made = [step.tool_call for step in act.agent_steps if step.tool_call]
    assert len(made) == len(act.agent_steps)
    return [(call.tool_name, call.parameters, call.result, call.error) for call in made]


def check_first_turn(trace: Trace, expected: Recording) -> None:
    turn = trace.turns[0]
    desk, booker = turn.agent_interactions
    assert turn.user_message == QUESTION
    assert (desk.agent_id, desk.agent_response) == ("desk", None)
    assert calls(desk) == [
        ("find_rooms", {"city": "Ulm", "nights": 2}, ROOMS, None),
        ("transfer_to_booker", {}, expected.handed_over, None),
    ]
    assert (booker.agent_id, booker.agent_response) == ("booker", BOOKED)
    assert calls(booker) == [
        ("book_room", {"hotel": "Blautor", "nights": 2}, *expected.failed),
        ("book_room", {"hotel": "Rosengarten", "nights": 2}, {"booking": "U-17"}, None),
    ]


def check_about(trace: Trace, expected: Recording) -> None:
    assert (trace.form, trace.form_version, trace.dropped) == (expected.form, expected.version, ())
    assert [agent.id for agent in trace.agents] == ["desk", "booker"]
    offered = [agent.tools_available and [tool.name for tool in agent.tools_available] for agent in trace.agents]
    assert offered == list(expected.tools)
    assert trace.total_cost == pytest.approx(expected.cost)


@pytest.mark.parametrize("expected", CONVERSATIONS, ids=lambda expected: expected.file)
def test_the_traces_of_one_conversation_are_one_run(expected):
    (trace,) = read_file(expected.file)

    assert trace.id == "stay-1"
    assert len(trace.turns) == 2
    check_first_turn(trace, expected)
    check_about(trace, expected)
    assert trace.turns[1].user_message == FOLLOW_UP
    assert [(act.agent_id, act.agent_response) for act in trace.turns[1].agent_interactions] == [("booker", INCLUDED)]
    extra = (trace.session_metadata or {})["extra"]
    assert (extra["input_tokens"], extra["output_tokens"]) == (240, 60)


@pytest.mark.parametrize("expected", SINGLE_TRACES, ids=lambda expected: expected.file)
def test_a_trace_without_a_conversation_is_a_run_of_its_own(expected):
    trace, *later = read_file(expected.file)

    assert len(trace.id) == 32
    assert len(trace.turns) == 1
    check_first_turn(trace, expected)
    check_about(trace, expected)
    for other in later:  # its history has the first exchange
        assert [turn.user_message for turn in other.turns] == [QUESTION, FOLLOW_UP]
        assert [turn.agent_interactions[-1].agent_response for turn in other.turns] == [BOOKED, INCLUDED]
        assert all(result for act in other.turns[0].agent_interactions for _, _, result, _ in calls(act))


NESTED_AGENTS = [
    ("logfire-pydantic.json", "Logfire 2.66.0", "hotel_name", "Blautor is full", 8.4e-05),
    ("logfire-pydantic-2.json", "Logfire 2.66.0", "hotel_name", "Blautor is full", 8.4e-05),
    ("strands.json", "OpenTelemetry GenAI", "hotel", "Error: HotelFull - Blautor is full", None),
]  # a file, its version, the name of a parameter, the result of the failed call, the cost


@pytest.mark.parametrize(("file", "version", "parameter", "failed", "cost"), NESTED_AGENTS)
def test_an_agent_that_is_called_as_a_tool_speaks_between_the_call_and_the_answer(
    file, version, parameter, failed, cost
):
    (trace,) = read_file(file)

    first, second = trace.turns
    desk, booker, answer = first.agent_interactions
    assert [first.user_message, second.user_message] == [QUESTION, FOLLOW_UP]
    assert [desk.agent_id, booker.agent_id, answer.agent_id] == ["desk", "booker", "desk"]
    assert (desk.agent_response, booker.agent_response) == (None, BOOKED)
    assert answer.agent_response == "Your room is booked. The number is U-17."
    assert calls(desk)[1] == ("transfer_to_booker", {}, BOOKED, None)
    assert calls(booker)[0] == ("book_room", {parameter: "Blautor", "nights": 2}, failed, "Blautor is full")
    assert [(act.agent_id, act.agent_response) for act in second.agent_interactions] == [("desk", INCLUDED)]
    assert trace.form_version == version
    assert trace.total_cost == pytest.approx(cost)


def test_every_fixture_is_read_by_a_test():
    read = {expected.file for expected in (*CONVERSATIONS, *SINGLE_TRACES)}

    assert {path.name for path in FIXTURES.iterdir()} == read | {file for file, *_ in NESTED_AGENTS}
