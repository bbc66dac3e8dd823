"""Reads trajectories of SWE-agent (`.traj`). Each step has a thought, a command and what the environment answered."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from viva.engine.intake import chat, content, environment
from viva.engine.intake.building import make_trace
from viva.engine.intake.faults import check_count, refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.messages import IntakeCall, IntakeMessage, ToolResult, build_conversation
from viva.engine.intake.plain import objects
from viva.engine.model import Trace

SHELL_TOOL = "bash"  # runs the commands of agents that write them as text
MILLISECONDS_PER_SECOND = 1000
EXIT_ROLE = "exit"  # mini-swe-agent ends with what was submitted
COMMAND_BLOCK = re.compile(r"```(?:bash|sh|mswea_bash_command)\n(?P<command>[^`]{1,100000})```")
MINI_FACTS = {"exit_status", "submission", "model_stats"}
STEP_KEYS = ("action", "observation")


def recognise(document: object) -> bool:
    """Whether this is a trajectory: steps with actions and observations."""
    if not isinstance(document, dict):
        return False
    steps = document.get("trajectory")
    if steps is None and history_steps(document):
        return True
    is_own = isinstance(steps, list) and (is_step(steps[0]) if steps else "environment" in document)
    return is_own or is_mini(document)


def is_mini(document: dict[str, Any]) -> bool:
    """Whether mini-swe-agent wrote it: messages only. Former versions do not name the form."""
    named = str(document.get("trajectory_format")).startswith("mini-swe-agent")
    return named or (isinstance(document.get("messages"), list) and facts(document).keys() >= MINI_FACTS)


def history_steps(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of a demonstration, which has only a history: each action with what the environment showed next."""
    messages = objects(document.get("history"))
    return [
        message | {"observation": after.get("content") if after.get("role") != "assistant" else None}
        for message, after in pairwise([*messages, {}])
        if is_action(message) and isinstance(message.get("action"), str)
    ]


def is_step(value: object) -> bool:
    return isinstance(value, dict) and all(key in value for key in STEP_KEYS)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of a trajectory. The history has the task; the steps have the rest."""
    if not recognise(document):
        refuse("trajectory", "missing", "expected a list of steps")
    if is_mini(document):
        return chat.read(as_chat(document), name, limits)
    steps = [step for step in document.get("trajectory") or history_steps(document) if is_step(step)]
    check_count(steps, limits.steps, "steps", "trajectory")
    info = facts(document)
    head = opening(document, steps)
    agent = next((message["agent"] for message in head if isinstance(message.get("agent"), str)), None)
    built = build_conversation(
        [*task(head), *read_steps(steps, named_calls(document), agent), *submission(info, agent)]
    )
    described = [{"id": one, "name": one, "description": "\n\n".join(built.system) or None} for one in built.agents]
    version = info.get("swe_agent_version")
    about = {
        "agents": described,
        "total_cost": run_cost(info),
        "form_version": version if isinstance(version, str) else None,
    }
    return make_trace(built, about, name, limits)


def facts(document: dict[str, Any]) -> dict[str, Any]:
    """What is known of the whole run: what was submitted, and what it cost."""
    info = document.get("info")
    return info if isinstance(info, dict) else {}


def run_cost(info: dict[str, Any]) -> float | None:
    stats = info.get("model_stats")
    cost = stats.get("instance_cost") if isinstance(stats, dict) else None
    return float(cost) if isinstance(cost, float | int) and 0 < cost < 1e300 else None


def as_chat(document: dict[str, Any]) -> dict[str, Any]:
    """A run of mini-swe-agent as a chat: whatever follows the first action in the user's role is output."""
    messages = [part for part in objects(document.get("messages")) if part.get("role") != EXIT_ROLE]
    first = next((n for n, part in enumerate(messages) if part.get("role") == "assistant"), len(messages))
    shown = [part | {"message_type": "observation"} if part.get("role") == "user" else part for part in messages]
    info = facts(document)
    answer = [{"role": "assistant", "content": part.text} for part in submission(info, None)]
    return {
        "messages": [with_command(part) for part in (*messages[:first], *shown[first:])] + answer,
        "total_cost": run_cost(info),
        "form_version": info.get("mini_version"),
    }


def with_command(message: dict[str, Any]) -> dict[str, Any]:
    """The message of an agent with the command that it wrote as text, as a call."""
    extra = message.get("extra")
    if message.get("role") != "assistant" or message.get("tool_calls"):
        return message
    written = [part.get("command") for part in objects(extra.get("actions"))] if isinstance(extra, dict) else []
    if not written and (block := COMMAND_BLOCK.search(str(message.get("content")))):
        written = [block["command"]]
    calls = [{"function": {"name": SHELL_TOOL, "arguments": {"command": command}}} for command in written]
    return message | {"tool_calls": calls} if calls else message


def opening(document: dict[str, Any], steps: list[Any]) -> list[dict[str, Any]]:
    """The messages before the first action: from the history, or from the first query of the model."""
    messages = objects(document.get("history")) or objects(steps[0].get("query") if steps else None)
    first = next((n for n, part in enumerate(messages) if is_action(part)), len(messages))
    return messages[:first]


def is_action(message: dict[str, Any]) -> bool:
    return message.get("role") == "assistant" and message.get("is_demo") is not True


def task(head: list[dict[str, Any]]) -> Iterator[IntakeMessage]:
    """Instructions and demonstrations, then the task. Several messages of the user's are one task."""
    asked: list[str] = []
    for message in head:
        role = chat.ROLES.get(str(message.get("role")), "system")
        role = environment.role_of(message, role, None, has_agent_spoken=False)
        said = content.text(message.get("content"))
        if role == "user" and said:
            asked.append(said)
        elif role == "system" and message.get("role") == "system":
            yield IntakeMessage("system", said)
    yield IntakeMessage("user", "\n\n".join(asked) or None)


def named_calls(document: dict[str, Any]) -> dict[str, list[Any]]:
    """The tool calls of models that call functions, by the command that each became."""
    return {
        part["action"]: part["tool_calls"]
        for part in objects(document.get("history"))
        if isinstance(part.get("action"), str) and isinstance(part.get("tool_calls"), list)
    }


def read_steps(steps: list[Any], named: dict[str, list[Any]], agent: str | None) -> Iterator[IntakeMessage]:
    """A call and its result for each step. A step without a command is a thought with an observation."""
    for index, step in enumerate(steps):
        action, thought = step["action"], step.get("thought")
        thought = (thought if isinstance(thought, str) else content.text(step.get("response")) or "").strip() or None
        result = content.text(step["observation"])
        if not isinstance(action, str) or not action.strip():
            yield IntakeMessage("assistant", thought, agent)
            yield IntakeMessage("environment", result)
            continue
        seconds = step.get("execution_time")
        latency = seconds * MILLISECONDS_PER_SECOND if isinstance(seconds, float | int) else None
        call = command(f"step-{index}", action, named)
        yield IntakeMessage("assistant", None, agent, thought, (call,))
        yield IntakeMessage("tool", results=(ToolResult(call.id, call.tool_name, result, latency_ms=latency),))


def command(id: str, action: str, named: dict[str, list[Any]]) -> IntakeCall:
    """The call behind a command: the function that the model called, or the shell."""
    made = next(chat.tool_calls({"tool_calls": named[action]}), None) if action in named else None
    if made and made.tool_name:
        return made._replace(id=id)
    if named and action.strip().isidentifier():
        return IntakeCall(id, action.strip(), {})  # the last action is not in the history
    return IntakeCall(id, SHELL_TOOL, {"command": action.strip("\n")})


def submission(info: dict[str, Any], agent: str | None) -> Iterator[IntakeMessage]:
    """What the agent handed in is its answer."""
    submitted = info.get("submission")
    if isinstance(submitted, str) and submitted.strip():
        yield IntakeMessage("assistant", submitted.strip(), agent)
