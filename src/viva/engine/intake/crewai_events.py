"""Reads the events of CrewAI's bus into tasks. Several tasks may run at a time, so each event is put to its own."""

from typing import Any

from viva.engine.intake import content
from viva.engine.intake.crewai_task import CrewTask, output_text
from viva.engine.intake.messages import IntakeMessage, ToolResult
from viva.engine.intake.plain import decode_text, inner_object
from viva.engine.intake.times import elapsed_ms


def read_events(events: list[dict[str, Any]]) -> list[CrewTask]:
    """The tasks in the order in which they began. An event without a task belongs to the one before it."""
    tasks: dict[str, CrewTask] = {}
    at = ""
    for event in events:
        at = str(event.get("task_id") or at)
        if handle := EVENT_HANDLERS.get(str(event.get("type"))):
            handle(tasks.setdefault(at, CrewTask()), event)
    return list(tasks.values())


def start_task(task: CrewTask, event: dict[str, Any]) -> None:
    told = inner_object(event, "task").get("description")
    task.description = told if isinstance(told, str) else str(event.get("task_name") or "")


def start_agent(task: CrewTask, event: dict[str, Any]) -> None:
    task.agent = str(inner_object(event, "agent").get("role") or event.get("agent_role") or "").strip()
    task.began_at = event.get("timestamp")


def add_tool(task: CrewTask, event: dict[str, Any]) -> None:
    """A call with its result. Events have no ids of calls."""
    given = event.get("tool_args")
    known = decode_text(given) if isinstance(given, str) else given
    took = elapsed_ms(event.get("started_at"), event.get("finished_at"))
    arguments = known if isinstance(known, dict) else {"input": given} if given else {}
    failed = content.error(event.get("error"))
    result = ToolResult(None, str(event.get("tool_name")), event.get("output"), failed, took, arguments)
    agent = task.agent or str(event.get("agent_role") or "")
    task.steps.append(IntakeMessage("tool", agent=agent, results=(result,)))


def finish(task: CrewTask, event: dict[str, Any]) -> None:
    """The end of the agent's work, or of the task. The first one tells how long the agent took."""
    task.output = output_text(event.get("output")) or task.output
    if task.latency_ms is None:
        task.latency_ms = elapsed_ms(task.began_at, event.get("timestamp"))


EVENT_HANDLERS = {
    "task_started": start_task,
    "agent_execution_started": start_agent,
    "tool_usage_finished": add_tool,
    "tool_usage_error": add_tool,
    "agent_execution_completed": finish,
    "task_completed": finish,
}
