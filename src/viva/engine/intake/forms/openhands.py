"""Reads events of OpenHands: trajectories of its application, and the events of its newer SDK."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import chat, content
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import as_list, first_value, inner_object
from viva.engine.intake.times import overall_ms
from viva.engine.model import Trace

AGENT = "openhands"
SDK_KINDS = ("MessageEvent", "ActionEvent", "ObservationEvent", "SystemPromptEvent", "AgentErrorEvent")
ERROR_KINDS = ("AgentErrorEvent", "UserRejectObservation")
OWN_SOURCES = ("agent", "user", "environment")
SILENT_ACTIONS = ("change_agent_state", "recall", "null", "", "condensation", "condensation_request")
SILENT_OBSERVATIONS = ("agent_state_changed", "recall", "null", "", "think", "condense")
PRIVATE_ARGUMENTS = ("thought", "security_risk", "confirmation_state", "is_confirmed", "hidden", "kind")
HISTORY_KEYS = ("history", "trajectory", "events")


def recognise(document: object) -> bool:
    """Whether this is a list of events, or the record of a run with one."""
    found = find_events(document)
    return bool(found) and any(map(is_event, found[:3]))


def find_events(document: object) -> list[Any]:
    """The events. Former versions put an action and its observation into a pair."""
    found = as_list(first_value(document, *HISTORY_KEYS) if isinstance(document, dict) else document)
    return [event for part in found for event in (part if isinstance(part, list) else [part])]


def is_event(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    is_old = value.get("source") in OWN_SOURCES and (
        isinstance(value.get("args"), dict) or isinstance(value.get("observation"), str)
    )
    return (is_old and isinstance(first_value(value, "action", "observation"), str)) or value.get("kind") in SDK_KINDS


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of the events."""
    if not recognise(document):
        refuse("history", "missing", "has no events")
    events = [event for event in find_events(document) if isinstance(event, dict)]
    facts = {
        "id": document.get("instance_id") if isinstance(document, dict) else None,
        "messages": [made for event in events for made in as_chats(event)],
        "total_latency_ms": overall_ms(event.get("timestamp") for event in events),
    }
    return chat.read(facts, name, limits)


def as_chats(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if isinstance(event.get("kind"), str):
        return as_sdk_chats(event)
    return as_action(event) if isinstance(event.get("action"), str) else as_observation(event)


def as_action(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a user or the agent did: spoke, used a tool, or finished."""
    kind, given = event["action"], inner_object(event, "args")
    thought = given.get("thought")
    if kind in SILENT_ACTIONS:
        return
    if kind == "system":
        yield {"role": "system", "content": given.get("content")}
    elif kind == "message":
        speaker = {"role": "user"} if event.get("source") == "user" else {"role": "assistant", "name": AGENT}
        yield speaker | {"content": given.get("content")}
    elif kind == "think":
        yield agent_message(thought)
    elif kind in ("finish", "reject"):
        outputs = inner_object(given, "outputs")
        yield agent_message(None, first_value(given, "final_thought") or outputs.get("content") or thought)
    else:
        arguments = {key: value for key, value in given.items() if key not in PRIVATE_ARGUMENTS}
        yield agent_message(thought, None, {"id": key_of(event.get("id")), "name": kind, "arguments": arguments})


def as_observation(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the environment answered. It names the action that caused it."""
    if str(event.get("observation")) in SILENT_OBSERVATIONS:
        return
    code = first_value(inner_object(event, "extras", "metadata"), "exit_code")
    code = inner_object(event, "extras").get("exit_code") if code is None else code
    failed = event.get("observation") == "error" or code not in (None, 0, -1)
    text = content.text(event.get("content"))
    yield result_message(key_of(event.get("cause")), text, (text or "failed") if failed else None)


def as_sdk_chats(event: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kind, id = event["kind"], event.get("tool_call_id")
    if kind == "MessageEvent":
        message = inner_object(event, "llm_message")
        role = {"user": "user", "agent": "assistant"}.get(str(event.get("source")), "environment")
        thought = message.get("reasoning_content")
        yield {"role": role, "name": AGENT, "content": message.get("content"), "reasoning_content": thought}
    elif kind == "SystemPromptEvent":
        yield {"role": "system", "content": [event["system_prompt"]] if event.get("system_prompt") else None}
    elif kind == "ActionEvent":
        given = inner_object(event, "action")
        arguments = {key: value for key, value in given.items() if key not in PRIVATE_ARGUMENTS}
        thoughts = (event.get("reasoning_content"), content.text(event.get("thought")))
        thought = "\n\n".join(part for part in thoughts if isinstance(part, str) and part)
        if event.get("tool_name") == "finish":
            yield agent_message(thought, given.get("message"))
        else:
            yield agent_message(thought, None, {"id": id, "name": event.get("tool_name"), "arguments": arguments})
    elif kind == "ObservationEvent":
        seen = inner_object(event, "observation")
        if event.get("tool_name") not in ("finish", "think"):
            text = content.text(first_value(seen, "content", "output"))
            yield result_message(id, text, (text or "failed") if seen.get("is_error") is True else None)
    elif kind in ERROR_KINDS:
        failed = content.text(first_value(event, "error", "rejection_reason"))
        yield result_message(id, None, failed or "rejected")


def agent_message(thought: Any, said: Any = None, call: dict[str, Any] | None = None) -> dict[str, Any]:
    calls = [{"type": "tool_call"} | call] if call else []
    thoughts = [{"type": "thinking", "thinking": thought}] if thought else []
    words = [{"type": "text", "text": said}] if said else []
    return {"role": "assistant", "name": AGENT, "content": [*thoughts, *words, *calls]}


def result_message(id: Any, text: str | None, failed: str | None) -> dict[str, Any]:
    return {"role": "tool", "content": [{"type": "tool_result", "id": id, "content": text, "error": failed}]}


def key_of(number: object) -> str | None:
    """The number of an event as the id of its call."""
    return str(number) if isinstance(number, int | str) else None
