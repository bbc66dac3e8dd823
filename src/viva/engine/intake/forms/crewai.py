"""Reads runs of CrewAI: the output of a crew, its task log, or the events of its bus."""

from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.building import make_trace
from viva.engine.intake.faults import Faults, check_count, refuse
from viva.engine.intake.forms import crewai_events
from viva.engine.intake.forms.crewai_run import CrewRun, output_text
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.messages import IntakeMessage, as_text, build_conversation
from viva.engine.intake.plain import as_list
from viva.engine.intake.speakers import Speakers
from viva.engine.model import Trace

TASK_KEYS = ("agent", "raw")  # of a task in a crew's output
LOG_KEYS = ("task", "task_name", "agent", "status", "timestamp")  # of an entry in a task log
EVENT_KEYS = ("type", "timestamp", "source_fingerprint", "source_type")


def recognise(document: object) -> bool:
    """Whether this is a crew's output, or a list of log entries or events."""
    if isinstance(document, dict):
        tasks = document.get("tasks_output")
        return isinstance(tasks, list) and bool(tasks) and has_keys(tasks[0], TASK_KEYS)
    first = document[0] if isinstance(document, list) and document else None
    return has_keys(first, LOG_KEYS) or has_keys(first, EVENT_KEYS)


def has_keys(value: object, keys: tuple[str, ...]) -> bool:
    return isinstance(value, dict) and all(key in value for key in keys)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of a crew: one turn, in which the user gives all tasks and each agent answers its own."""
    if not recognise(document):
        refuse("", "missing", "has no tasks of a crew")
    run = read_run(document, limits)
    if not run.messages:
        refuse("", "empty", "has no task that an agent has done")
    built = build_conversation([IntakeMessage("user", "\n\n".join(run.asked) or None), *run.messages])
    agents = [{"id": agent, "name": agent, "description": run.prompts.get(agent)} for agent in built.agents]
    return make_trace(built, {"agents": agents, "total_latency_ms": run.total_ms}, name, limits)


def read_run(document: Any, limits: Limits) -> CrewRun:
    entries = document["tasks_output"] if isinstance(document, dict) else document
    check_count(entries, limits.messages, "entries")
    if isinstance(document, dict):
        return read_output(entries)
    if has_keys(entries[0], LOG_KEYS):
        return read_log(entries)
    return crewai_events.read_events([event for event in entries if has_keys(event, EVENT_KEYS)])


def read_log(entries: list[Any]) -> CrewRun:
    """The tasks of a log: each is written when it starts, and again with its output."""
    run = CrewRun()
    for entry in entries:
        if has_keys(entry, LOG_KEYS):
            run.give(entry["task"])
            if said := output_text(entry.get("output")):
                run.messages.append(IntakeMessage("assistant", said, str(entry["agent"]).strip()))
    return run


def read_output(entries: list[Any]) -> CrewRun:
    run, faults = CrewRun(), Faults()
    for index, entry in enumerate(entries):
        path = f"tasks_output[{index}]"
        if has_keys(entry, TASK_KEYS):
            add_task(run, entry, path, faults)
        else:
            faults.add(path, "missing", "has no agent and no raw output")
    faults.raise_any()
    return run


def add_task(run: CrewRun, entry: dict[str, Any], path: str, faults: Faults) -> None:
    """A task with the messages that newer versions keep. The prompts among them repeat the task."""
    agent, output = str(entry["agent"] or "").strip(), output_text(entry)
    marked = mark_failures(entry.get("messages"), entry.get("tool_failures"))
    read = [
        chat.read_message(part, f"{path}.messages[{at}]", Speakers(), faults, True) for at, part in enumerate(marked)
    ]
    found = [message for message in read if message and message.role != "user"]
    rest = [message for message in found if not message.calls and not message.results]
    thoughts = [m.text for m in rest if m.role == "assistant" and m.text and m.text != output]
    unread = tuple(part for message in rest for part in message.unread)
    run.give(entry.get("description"))
    run.prompts.setdefault(agent, "\n\n".join(m.text for m in rest if m.role == "system" and m.text))
    run.messages += [message._replace(agent=agent) for message in found if message.calls or message.results]
    run.messages.append(IntakeMessage("assistant", output, agent, "\n\n".join(thoughts) or None, unread=unread))


def mark_failures(messages: object, failures: object) -> list[Any]:
    """The messages, where the result of a call that failed has its error."""
    known = [message for message in as_list(messages) if isinstance(message, dict)]
    failed = {
        (part.get("tool_name"), as_text(part.get("tool_args"))): part.get("failure")
        for part in as_list(failures)
        if isinstance(part, dict) and isinstance(part.get("tool_name"), str)
    }
    calls = {
        call.id: (call.tool_name, as_text(call.parameters)) for m in known for call in chat.tool_calls(m) if call.id
    }
    errors = [failed.get(calls.get(str(message.get("tool_call_id")), ("", ""))) for message in known]
    return [message | ({"error": error} if error else {}) for message, error in zip(known, errors, strict=True)]
