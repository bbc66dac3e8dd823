"""CrewAI: the output of a crew, its task log, and the events of its bus."""

import pytest

from tests.engine.intake.runs import FRIDAY, read_run, tell
from viva.engine.intake import formats
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.formats import read

ASKED = ("user", f"{FRIDAY}\n\nFind and book it.")
NOTED = ("desk", "says", "The desk hands out repairs only.")
FOUND = ("workshop", "find_bicycle", {"number": "4711"}, "{'model': 'Tourer', 'wheel': '28 inch'}")
ANSWERED = ("workshop", "says", "Friday is full. I can repair the Tourer on Monday.")


def test_the_output_of_a_crew_is_one_turn_with_each_agents_work():
    told = "Error executing tool: no slot is free on Friday"
    trace = read_run("crewai/crew_output.json")

    failed = ("workshop", "book_slot", {"day": "Friday"}, told, "no slot is free on Friday")
    assert tell(trace) == [ASKED, NOTED, FOUND, failed, ANSWERED]
    assert [agent.id for agent in trace.agents] == ["desk", "workshop"]
    assert (trace.agents[0].description or "").startswith("You are desk. You are the front desk.")
    assert (trace.form, trace.dropped) == ("crewai", ())


def test_the_events_of_a_crew_have_its_times():
    trace = read_run("crewai/events.jsonl")

    failed = ("workshop", "book_slot", {"day": "Friday"}, None, "ValueError('no slot is free on Friday')")
    assert tell(trace) == [ASKED, NOTED, FOUND, failed, ANSWERED]
    desk, workshop = trace.turns[0].agent_interactions
    assert (desk.latency_ms, workshop.latency_ms) == (2580.271, 49.62)
    assert (trace.total_latency_ms or 0) > 2580.271 + 49.62


def test_an_agent_that_delegates_answers_after_its_coworker():
    trace = read_run("crewai/delegation.jsonl")

    asked = {"task": "Find and book it.", "context": FRIDAY, "coworker": "workshop"}
    failed = ("workshop", "book_slot", {"day": "Friday"}, None, "ValueError('no slot is free on Friday')")
    assert tell(trace) == [
        ("user", FRIDAY),
        ("desk", "delegate_work_to_coworker", asked, ANSWERED[2]),
        FOUND,
        failed,
        ANSWERED,
        NOTED,
    ]
    latencies = [round(part.latency_ms or 0, 3) for part in trace.turns[0].agent_interactions]
    assert latencies == [35.428, 33.571, 19.965]  # the first is the tool that waits for the coworker


def test_results_of_former_versions_do_not_name_their_calls():
    about = {"timestamp": "2026-01-01T00:00:00Z", "source_fingerprint": None, "source_type": None, "task_id": "t1"}
    call = {"tool_name": "find", "tool_args": '{"n": 1}', "agent_role": "desk"}
    events = [
        about | {"type": "task_started", "task_name": "Find it."},
        about | call | {"type": "tool_usage_finished", "output": "found"},
        about | {"type": "agent_execution_completed", "agent_role": "desk", "output": "Here."},
    ]

    assert tell(read(events)) == [("user", "Find it."), ("desk", "find", {"n": 1}, "found"), ("desk", "says", "Here.")]


def test_a_task_log_has_tasks_and_answers():
    assert tell(read_run("crewai/task_log.json")) == [ASKED, NOTED, ANSWERED]


def test_an_output_of_former_versions_has_no_messages():
    tasks = [{"agent": "desk ", "description": "Greet.", "raw": "Hello", "summary": "Greet..."}]

    assert tell(read({"raw": "Hello", "tasks_output": tasks})) == [("user", "Greet."), ("desk", "says", "Hello")]


def test_what_an_agent_wrote_before_its_answer_is_a_thought():
    said = [{"role": "user", "content": "Current Task: Greet."}, {"role": "assistant", "content": "Thought: be kind"}]
    tasks = [{"agent": "desk", "description": "Greet.", "raw": "Hello", "messages": said}]

    assert tell(read({"raw": "Hello", "tasks_output": tasks}))[1:] == [
        ("desk", "thinks", "Thought: be kind"),
        ("desk", "says", "Hello"),
    ]


def test_a_task_without_an_output_refuses_the_crew():
    with pytest.raises(BadTrace, match=r"tasks_output\[1\]: has no agent and no raw output"):
        read({"tasks_output": [{"agent": "desk", "raw": "Hello"}, "done"]})


def test_other_logs_with_tasks_and_events_are_no_crews():
    assert formats.format_name([{"event_id": "1", "type": "click", "timestamp": "2026-01-01"}]) == ""
    assert formats.format_name({"tasks_output": [], "raw": ""}) == ""
    assert formats.format_name([{"task": "build", "status": "ok", "timestamp": "2026-01-01"}]) == ""
