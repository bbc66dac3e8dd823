"""Reads the memory of smolagents: the task, then steps with what the model wrote, its calls and what it observed."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import chat, content
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.messages import as_text
from viva.engine.intake.plain import as_list, first_value, inner_object, objects
from viva.engine.model import Trace

STEP_KEYS = ("step_number", "model_output")
ANSWER_TOOL = "final_answer"
MILLISECONDS_PER_SECOND = 1000


def recognise(document: object) -> bool:
    """Whether this is a list of steps, or the result of a run with one."""
    found = find_steps(document)
    return any(map(is_step, found)) or (bool(found) and all(map(is_opening, found)))


def find_steps(document: object) -> list[Any]:
    return as_list(document.get("steps") if isinstance(document, dict) else document)


def is_step(value: object) -> bool:
    return isinstance(value, dict) and all(key in value for key in STEP_KEYS)


def is_opening(value: object) -> bool:
    """Whether this is what stands before the first step."""
    return isinstance(value, dict) and (value.keys() == {"system_prompt"} or value.keys() == {"task", "task_images"})


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of a memory. The answer is what the last step gives, or the output of the run."""
    if not recognise(document):
        refuse("steps", "missing", "has no steps")
    steps = objects(find_steps(document))
    messages = [made for step in steps for made in as_chats(step)]
    output = document.get("output") if isinstance(document, dict) else None
    if output is not None and not any(step.get("is_final_answer") for step in steps):
        messages.append({"role": "assistant", "content": as_text(output)})
    seconds = [inner_object(step, "timing").get("duration") for step in steps]
    known = [part for part in seconds if isinstance(part, int | float)]
    total = sum(known) * MILLISECONDS_PER_SECOND if known else None
    return chat.read({"messages": messages, "total_latency_ms": total}, name, limits)


def as_chats(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages of a step: the task, a plan, or an action with what came of it."""
    if "system_prompt" in step:
        yield {"role": "system", "content": step["system_prompt"]}
    elif "task" in step:
        yield {"role": "user", "content": step["task"]}
    elif "plan" in step:
        yield {"role": "assistant", "content": [{"type": "thinking", "thinking": step["plan"]}]}
    elif is_step(step):
        yield from as_action(step)


def as_action(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the model wrote is a thought beside its calls. The answer is said."""
    calls, final = calls_of(step), step.get("is_final_answer") is True
    parts = [as_call(call, index) for index, call in enumerate(calls) if not (final and is_answer(call))]
    thought = content.text(step.get("model_output"))
    yield {"role": "assistant", "content": [{"type": "thinking", "thinking": thought or ""}, *parts]}
    failed, seen = content.error(step.get("error")), step.get("observations")
    if parts:
        yield {
            "role": "tool",
            "content": [{"type": "tool_result", "id": parts[0]["id"], "content": seen, "error": failed}],
        }
    elif (failed or seen) and not final:
        yield {"role": "environment", "content": failed or seen}
    if final:
        yield {"role": "assistant", "content": as_text(first_value(step, "action_output", "observations"))}


def calls_of(step: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of a step. Those of a tool that failed stand only in what the model answered."""
    answered = inner_object(step, "model_output_message")
    return objects(step.get("tool_calls")) or objects(answered.get("tool_calls"))


def is_answer(call: dict[str, Any]) -> bool:
    return (inner_object(call, "function") or call).get("name") == ANSWER_TOOL


def as_call(call: dict[str, Any], index: int) -> dict[str, Any]:
    """A call. Code, and the only argument of a tool, may be a plain text."""
    made = inner_object(call, "function") or call
    given = made.get("arguments")
    arguments = (
        given if isinstance(given, dict) else {"code" if made.get("name") == "python_interpreter" else "input": given}
    )
    return {
        "type": "tool_call",
        "id": call.get("id") or f"call-{index}",
        "name": made.get("name"),
        "arguments": arguments,
    }
