"""Reads runs of CrewAI: the output of a crew, its task log, or the events of its bus."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from viva.engine.intake import chat, content
from viva.engine.intake.building import make_trace
from viva.engine.intake.faults import Faults, refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.messages import IntakeCall, IntakeMessage, ToolResult, as_text, build_conversation
from viva.engine.intake.plain import decode_text
from viva.engine.intake.span import nanoseconds
from viva.engine.intake.speakers import Speakers
from viva.engine.model import Trace

NANOSECONDS_PER_MILLISECOND = 1_000_000
LOG_KEYS = ("task", "task_name", "agent", "status", "timestamp")  # of an entry in a task log
EVENT_KEYS = ("event_id", "type", "timestamp")
TOOL_EVENTS = ("tool_usage_finished", "tool_usage_error")


class CrewTask(NamedTuple):
    """A task of a crew: who did it, what was asked, what was done, and the answer."""

    agent: str
    description: str
    output: str | None = None
    steps: tuple[IntakeMessage, ...] = ()
    thought: str | None = None
    prompt: str | None = None
    latency_ms: float | None = None


def recognise(document: object) -> bool:
    """Whether this is a crew's output, or a list of log entries or events."""
    if isinstance(document, dict):
        return isinstance(document.get("tasks_output"), list) and "raw" in document
    first = document[0] if isinstance(document, list) and document else None
    return has_keys(first, LOG_KEYS) or has_keys(first, EVENT_KEYS)


def has_keys(value: object, keys: tuple[str, ...]) -> bool:
    return isinstance(value, dict) and all(key in value for key in keys)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of a crew: one turn, in which the user gives all tasks and each agent answers its own."""
    if not recognise(document):
        refuse("", "missing", "has no tasks of a crew")
    faults = Faults()
    tasks = list(find_tasks(document, faults))
    faults.raise_any()
    if not tasks:
        refuse("", "empty", "has no task that an agent has begun")
    asked = "\n\n".join(dict.fromkeys(task.description for task in tasks if task.description))
    built = build_conversation(
        [IntakeMessage("user", asked or None), *(m for task in tasks for m in as_messages(task))]
    )
    prompts = {task.agent: task.prompt for task in tasks if task.prompt}
    agents = [{"id": agent, "name": agent, "description": prompts.get(agent)} for agent in built.agents]
    return make_trace(built, {"agents": agents, "id": None}, name, limits)


def find_tasks(document: Any, faults: Faults) -> Iterator[CrewTask]:
    if isinstance(document, dict):
        return (
            read_output(task, f"tasks_output[{index}]", faults) for index, task in enumerate(document["tasks_output"])
        )
    return read_log(document) if has_keys(document[0], LOG_KEYS) else read_events(document)


def as_messages(task: CrewTask) -> Iterator[IntakeMessage]:
    """What the agent did, and its answer."""
    yield from task.steps
    in_tools = sum(result.latency_ms or 0 for step in task.steps for result in step.results)
    own_ms = None if task.latency_ms is None else max(0, task.latency_ms - in_tools)
    yield IntakeMessage("assistant", task.output, task.agent, task.thought, latency_ms=own_ms)


def read_output(task: Any, path: str, faults: Faults) -> CrewTask:
    """A task with the messages that newer versions keep."""
    if not isinstance(task, dict):
        faults.add(path, "wrong_type", "expected an object")
        return CrewTask("", "")
    said = task.get("messages")
    marked = mark_failures(said if isinstance(said, list) else [], task.get("tool_failures"))
    found = [
        chat.read_message(part, f"{path}.messages[{i}]", Speakers(), faults, True) for i, part in enumerate(marked)
    ]
    agent, output = str(task.get("agent") or "").strip(), task_text(task)
    steps = [message._replace(agent=agent) for message in found if message and (message.calls or message.results)]
    told = [m.text for m in found if m and m.role == "assistant" and not m.calls and m.text and m.text != output]
    prompt = "\n\n".join(message.text for message in found if message and message.role == "system" and message.text)
    return CrewTask(agent, str(task.get("description") or ""), output, tuple(steps), "\n\n".join(told), prompt or None)


def task_text(task: dict[str, Any]) -> str | None:
    """The answer of a task: its raw text."""
    raw = task.get("raw")
    return raw if raw is None or isinstance(raw, str) else as_text(raw)


def mark_failures(messages: list[Any], failures: object) -> list[dict[str, Any]]:
    """The messages, where the result of a call that failed has its error."""
    known = [message for message in messages if isinstance(message, dict)]
    failed = [part for part in failures if isinstance(part, dict)] if isinstance(failures, list) else []
    calls = {call.id: call for message in known for call in chat.tool_calls(message) if call.id}
    return [message | find_failure(calls.get(str(message.get("tool_call_id"))), failed) for message in known]


def find_failure(call: IntakeCall | None, failed: list[dict[str, Any]]) -> dict[str, Any]:
    """The error of a call, if it is listed as failed."""
    same = (part for part in failed if call and is_failure(part, call.tool_name, call.parameters))
    return next(({"error": part.get("failure")} for part in same), {})


def is_failure(part: dict[str, Any], tool: str, parameters: dict[str, Any]) -> bool:
    return part.get("tool_name") == tool and part.get("tool_args") == parameters


def read_log(entries: list[Any]) -> Iterator[CrewTask]:
    """The tasks of a log: each is written when it starts, and again with its output."""
    tasks: dict[tuple[str, str, str], CrewTask] = {}
    for entry in entries:
        if has_keys(entry, LOG_KEYS):
            key = (str(entry["task_name"]), str(entry["task"]), str(entry["agent"]))
            output = entry.get("output")
            tasks[key] = CrewTask(key[2], key[1], output if isinstance(output, str) else None)
    return iter(tasks.values())


def read_events(events: list[Any]) -> Iterator[CrewTask]:
    """The tasks of an event log. Several may run at a time, so each event is put to its task."""
    open_tasks: dict[str, CrewTask] = {}
    begun: dict[str, int] = {}
    task_id = ""
    for event in events:
        if not has_keys(event, EVENT_KEYS):
            continue
        kind = event["type"]
        task_id = str(event.get("task_id") or task_id)
        task = open_tasks.get(task_id, CrewTask("", ""))
        if kind == "task_started":
            open_tasks[task_id] = task._replace(
                description=inner_text(event, "task", "description") or str(event.get("task_name") or "")
            )
        elif kind == "agent_execution_started":
            begun[task_id] = nanoseconds(event["timestamp"])
            open_tasks[task_id] = task._replace(
                agent=inner_text(event, "agent", "role") or str(event.get("agent_role") or "")
            )
        elif kind in TOOL_EVENTS:
            made = IntakeMessage("tool", agent=task.agent or event.get("agent_role"), results=(tool_result(event),))
            open_tasks[task_id] = task._replace(steps=(*task.steps, made))
        elif kind in ("agent_execution_completed", "task_completed"):
            took = (
                (nanoseconds(event["timestamp"]) - begun[task_id]) / NANOSECONDS_PER_MILLISECOND
                if task_id in begun
                else None
            )
            open_tasks[task_id] = task._replace(
                output=output_text(event.get("output")) or task.output, latency_ms=task.latency_ms or took
            )
    return iter(open_tasks.values())


def inner_text(event: dict[str, Any], field: str, key: str) -> str:
    """A text of the object that an event carries."""
    inner = event.get(field)
    found = inner.get(key) if isinstance(inner, dict) else None
    return found.strip() if isinstance(found, str) else ""


def output_text(output: Any) -> str | None:
    return task_text(output) if isinstance(output, dict) else output if isinstance(output, str) else None


def tool_result(event: dict[str, Any]) -> ToolResult:
    """The call of a tool with its result. Events have no ids of calls."""
    given = event.get("tool_args")
    known = decode_text(given) if isinstance(given, str) else given
    start, end = nanoseconds(event.get("started_at")), nanoseconds(event.get("finished_at"))
    took = (end - start) / NANOSECONDS_PER_MILLISECOND if start and end >= start else None
    failed = content.error(event.get("error"))
    arguments = known if isinstance(known, dict) else {"input": given} if given else {}
    return ToolResult(None, str(event.get("tool_name")), event.get("output"), failed, took, arguments)
