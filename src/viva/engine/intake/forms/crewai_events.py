"""Reads the events of CrewAI's bus. An agent that delegates works until its coworker has answered, and then goes on."""

from typing import Any

from viva.engine.intake import content
from viva.engine.intake.forms.crewai_run import CrewRun, output_text
from viva.engine.intake.messages import IntakeMessage, ToolResult
from viva.engine.intake.plain import decode_text, first_value, inner_object
from viva.engine.intake.times import elapsed_ms, overall_ms


def read_events(events: list[dict[str, Any]]) -> CrewRun:
    """What happened, in the order of the events."""
    log = EventLog()
    for event in events:
        log.at = str(event.get("task_id") or inner_object(event, "task").get("id") or log.at)
        if handle := EVENT_HANDLERS.get(str(event.get("type"))):
            handle(log, event)
    log.run.total_ms = overall_ms(event.get("timestamp") for event in events)
    return log.run


class EventLog:
    """The events so far. Those of agents and tools are put to the task they belong to."""

    def __init__(self) -> None:
        self.run = CrewRun()
        self.at = ""  # the task of the current event
        self.agents: dict[str, str] = {}  # who works on each task
        self.starts: dict[str, Any] = {}  # when they began
        self.tool_ms: dict[str, float] = {}  # how long their tools have taken

    def start_task(self, event: dict[str, Any]) -> None:
        self.run.give(inner_object(event, "task").get("description") or event.get("task_name"))

    def start_agent(self, event: dict[str, Any]) -> None:
        self.agents[self.at] = role_of(event)
        self.starts[self.at] = event.get("timestamp")
        self.tool_ms[self.at] = 0

    def start_tool(self, event: dict[str, Any]) -> None:
        """A call. The id of its event is named by the event of its end."""
        call = content.call(event.get("event_id"), event.get("tool_name"), arguments(event))
        self.run.messages.append(IntakeMessage("assistant", agent=self.agent(event), calls=(call,)))

    def end_tool(self, event: dict[str, Any]) -> None:
        """The result. Former versions do not name the event of the call."""
        id, name = event.get("started_event_id"), str(event.get("tool_name"))
        took = elapsed_ms(event.get("started_at"), event.get("finished_at"))
        failed = content.error(event.get("error"))
        known_id = id if isinstance(id, str) else None
        result = ToolResult(known_id, name, event.get("output"), failed, took, arguments(event))
        self.run.messages.append(IntakeMessage("tool", agent=self.agent(event), results=(result,)))
        self.tool_ms[self.at] = self.tool_ms.get(self.at, 0) + (took or 0)

    def end_agent(self, event: dict[str, Any]) -> None:
        total = elapsed_ms(self.starts.get(self.at), event.get("timestamp"))
        own = None if total is None else max(0, total - self.tool_ms.get(self.at, 0))
        said = output_text(event.get("output"))
        self.run.messages.append(IntakeMessage("assistant", said, self.agent(event), latency_ms=own))

    def agent(self, event: dict[str, Any]) -> str | None:
        return role_of(event) or self.agents.get(self.at) or None


EVENT_HANDLERS = {
    "task_started": EventLog.start_task,
    "agent_execution_started": EventLog.start_agent,
    "tool_usage_started": EventLog.start_tool,
    "tool_usage_finished": EventLog.end_tool,
    "tool_usage_error": EventLog.end_tool,
    "agent_execution_completed": EventLog.end_agent,
}


def role_of(event: dict[str, Any]) -> str:
    return str(first_value(inner_object(event, "agent"), "role") or event.get("agent_role") or "").strip()


def arguments(event: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a tool: an object, or a text that may hold one."""
    given = event.get("tool_args")
    known = decode_text(given) if isinstance(given, str) else given
    return known if isinstance(known, dict) else {"input": given} if given else {}
