"""Reads the history of DSPy's language models: each call with its messages and its outputs."""

from typing import Any

from viva.engine.intake.building import make_trace
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import as_list, objects
from viva.engine.intake.replaying import Replay, read_history
from viva.engine.model import Trace

CALL_KEYS = ("messages", "outputs", "kwargs")


def recognise(document: object) -> bool:
    """Whether this is a call, or a list of calls."""
    found = objects(document if isinstance(document, list) else [document])
    return bool(found) and all(key in found[0] for key in CALL_KEYS)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of the calls. Those with one prompt have a text instead of messages."""
    if not recognise(document):
        refuse("", "missing", "has no calls of a model")
    replay, cost = Replay(), 0.0
    for call in objects(document if isinstance(document, list) else [document]):
        asked = call.get("messages") or [{"role": "user", "content": call.get("prompt")}]
        told = [as_answer(output) for output in as_list(call.get("outputs"))[:1]]
        replay.add_model(read_history(as_list(asked), "messages"), read_history(told, "outputs"), None, None)
        cost += call["cost"] if isinstance(call.get("cost"), int | float) else 0
    return make_trace(replay.built, {"agents": replay.agents(), "total_cost": cost or None}, name, limits)


def as_answer(output: Any) -> dict[str, Any]:
    """An output: a text, or an object with a text, its reasoning and its calls."""
    if not isinstance(output, dict):
        return {"role": "assistant", "content": output}
    known = {key: output.get(key) for key in ("tool_calls", "reasoning_content")}
    return {"role": "assistant", "content": output.get("text")} | known
