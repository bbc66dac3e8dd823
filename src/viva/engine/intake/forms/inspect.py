"""Reads logs of Inspect AI. Each sample is a run with messages and scores."""

import re
from typing import Any

from viva.engine.intake import chat, tools
from viva.engine.intake.building import NOT_UNDERSTOOD
from viva.engine.intake.faults import refuse
from viva.engine.intake.forms.inspect_agents import team, team_messages
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import objects
from viva.engine.model import Trace

HEAD_KEYS = ("version", "eval")  # of a log, kept beside each of its samples
ATTACHMENT_PREFIXES = ("attachment://", "tc://")  # before the key of a long text; the second is of old logs
LOG_BEGINS = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":')
# Matches whole strings too, so that the words in a text stay as they are.
NUMBER_CONSTANT = re.compile(rb'"(?:[^"\\]|\\.)*+"|-?\b(?:NaN|Infinity)\b')
VERDICTS: dict[object, bool] = {"C": True, "I": False, 1: True, 0: False}
MILLISECONDS_PER_SECOND = 1000


def recognise(document: object) -> bool:
    """Whether this is a log, one of its samples, or a sample with the head of its log."""
    return isinstance(document, dict) and (
        (isinstance(document.get("eval"), dict) and ("samples" in document or "status" in document))
        or is_sample(document)
        or is_sample(document.get("sample"))
    )


def replace_constants(raw: bytes) -> bytes:
    """The JSON of a log. Inspect writes NaN and Infinity for some scores, which JSON does not have; they become null."""
    if b"NaN" not in raw and b"Infinity" not in raw:
        return raw
    return NUMBER_CONSTANT.sub(lambda found: found[0] if found[0].startswith(b'"') else b"null", raw)


def is_sample(value: object) -> bool:
    return isinstance(value, dict) and "epoch" in value and "messages" in value and "input" in value


def parts(document: Any) -> list[Any]:
    """The samples of a log, each with its head."""
    samples = document.get("samples")
    if not isinstance(samples, list) or not samples or is_sample(document):
        return [document]
    head = {key: document[key] for key in HEAD_KEYS if key in document}
    return [{"log": head, "sample": sample} for sample in samples]


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of one sample. The sample's target is never read."""
    if not isinstance(document, dict) or not is_sample(found := document.get("sample", document)):
        refuse("samples", NOT_UNDERSTOOD, "it has no sample with messages")
    sample = restore_attachments(found, attachments_of(found))
    seconds = sample.get("total_time")
    return chat.read(
        {
            "id": f"{sample['id']}-{sample['epoch']}" if "id" in sample else None,
            "messages": complete_messages(team_messages(sample["messages"], sample.get("events")), sample["input"]),
            "initial_task": sample["input"] if isinstance(sample["input"], str) else None,
            "success": verdict(sample.get("scores")),
            "agents": team(sample.get("events")),
            "tools": offered_tools(sample.get("events")),
            "total_latency_ms": seconds * MILLISECONDS_PER_SECOND if isinstance(seconds, float | int) else None,
            "form_version": log_version(document.get("log")),
        },
        name,
        limits,
    )


def complete_messages(messages: Any, input: Any) -> Any:
    """The messages with what a log may leave out: the input, and the calls of results that name their tool."""
    if not isinstance(messages, list):
        return messages
    known = objects(messages)
    called = [made.get("id") for part in known for made in objects(part.get("tool_calls"))]
    answered = {id for id in called if isinstance(id, str)}
    completed: list[Any] = []
    if isinstance(input, str) and not any(part.get("role") == "user" for part in known):
        completed.append({"role": "user", "content": input})
    for part in messages:
        if isinstance(part, dict) and part.get("role") == "tool" and str(part.get("tool_call_id")) not in answered:
            call: dict[str, Any] = {"id": part.get("tool_call_id"), "function": part.get("function"), "arguments": {}}
            completed.append({"role": "assistant", "content": None, "tool_calls": [call]})
        completed.append(part)
    return completed


def log_version(head: object) -> str | None:
    """The version of the log's form."""
    version = head.get("version") if isinstance(head, dict) else None
    return str(version) if isinstance(version, int | str) else None


def attachments_of(sample: dict[str, Any]) -> object:
    """The long texts of a sample. Old logs have them in the transcript."""
    transcript = sample.get("transcript")
    return sample.get("attachments") or (transcript.get("content") if isinstance(transcript, dict) else None)


def restore_attachments(value: Any, attachments: object) -> Any:
    """The value with references replaced by the attached texts."""
    if not isinstance(attachments, dict) or not attachments:
        return value
    if isinstance(value, str):
        prefix = next((known for known in ATTACHMENT_PREFIXES if value.startswith(known)), None)
        found = attachments.get(value.removeprefix(prefix)) if prefix else None
        return found if isinstance(found, str) else value
    if isinstance(value, list):
        return [restore_attachments(part, attachments) for part in value]
    if isinstance(value, dict):
        return {key: restore_attachments(part, attachments) for key, part in value.items() if key != "attachments"}
    return value


def verdict(scores: object) -> bool | None:
    """Whether the run succeeded; None if the scorers disagree or say something else."""
    if not isinstance(scores, dict):
        return None
    values = [score.get("value") for score in scores.values() if isinstance(score, dict)]
    said = {VERDICTS.get(value) if isinstance(value, str | int | float) else None for value in values}
    return said.pop() if len(said) == 1 else None


def offered_tools(events: object) -> list[Any] | None:
    """The tools that the model was offered, from all events."""
    found: dict[str, Any] = {}
    for event in events if isinstance(events, list) else []:
        named = tools.definitions(event.get("tools")) if isinstance(event, dict) else None
        found.update((tool["name"], tool) for tool in named or [])
    return list(found.values()) or None
