"""Reads results of tau-bench and tau2-bench: conversations of an agent with a simulated user, and their rewards."""

from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import inner_object, objects
from viva.engine.model import Trace

MARKS = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")  # by which the simulated user ends
USER_REQUESTOR = "user"  # of a call on the user's own side, which the agent does not see
RUN_KEYS = ("task_id", "messages", "reward_info")
MILLISECONDS_PER_SECOND = 1000


def recognise(document: object) -> bool:
    """Whether this is one run of either version, or a file of results of the second."""
    if not isinstance(document, dict):
        return False
    simulations = objects(document.get("simulations"))
    return is_run(document) or (bool(simulations) and is_run(simulations[0]))


def is_run(value: dict[str, Any]) -> bool:
    is_old = "task_id" in value and "reward" in value and isinstance(value.get("traj"), list)
    return is_old or (all(key in value for key in RUN_KEYS) and isinstance(value["messages"], list))


def parts(document: Any) -> list[Any]:
    """The runs of a file of results."""
    return [document] if is_run(document) else objects(document["simulations"])


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of one run."""
    if not isinstance(document, dict) or not is_run(document):
        refuse("", "missing", "has no messages of a run")
    reward = inner_object(document, "reward_info").get("reward", document.get("reward"))
    seconds, cost = document.get("duration"), document.get("agent_cost")
    is_old = "traj" in document
    facts = {
        "id": document.get("id") or f"{document['task_id']}-{document.get('trial', 0)}",
        "messages": [made for part in document["traj" if is_old else "messages"] if (made := as_chat(part))],
        "success": reward == 1 if isinstance(reward, int | float) else None,
        "total_cost": cost if isinstance(cost, int | float) else None,
        "total_latency_ms": seconds * MILLISECONDS_PER_SECOND if isinstance(seconds, int | float) else None,
        "form_version": "1" if is_old else "2",
    }
    return chat.read(facts, name, limits)


def as_chat(message: Any) -> Any:
    """A message without the user's own calls and the mark of the end; None if nothing is left."""
    if not isinstance(message, dict):
        return message  # the reader of chats says what is wrong
    if message.get("role") == "tool":
        id, failed = message.get("tool_call_id", message.get("id")), message.get("error") is True
        error = {"error": message.get("content")} if failed else {"error": None}
        return None if message.get("requestor") == USER_REQUESTOR else message | {"tool_call_id": id} | error
    if message.get("role") != "user" or not isinstance(message.get("content"), str | None):
        return message
    said = message.get("content") or ""
    for mark in MARKS:
        said = said.replace(mark, "")
    return message | {"content": said.strip(), "tool_calls": None} if said.strip() else None
