"""Reads the observations of Langfuse: calls of models and tools, and the agents they belong to."""

import json
import re
from itertools import pairwise
from typing import Any, NamedTuple

from viva.engine.intake import chat, content, spoken
from viva.engine.intake.forms.react import read_step
from viva.engine.intake.payloads import as_message, decode_payload, find_messages, find_written_messages, only_text
from viva.engine.intake.plain import decode_value, first_value, objects
from viva.engine.intake.span import nanoseconds, parse_span

MODEL, TOOL, AGENT, RETRIEVER = "LLM", "TOOL", "AGENT", "RETRIEVER"  # as OpenInference names them
TYPE_KINDS = {"GENERATION": MODEL, "TOOL": TOOL, "AGENT": AGENT, "RETRIEVER": RETRIEVER}
OPERATION_KINDS = {"execute_tool": TOOL, "ai.toolCall": TOOL, "invoke_agent": AGENT, "create_agent": AGENT}
AGENT_NAME_KEYS = ("gen_ai.agent.name", "agent_name", "agent.name", "graph.node.id", "gen_ai.agent.id", "source")
TOOL_NAME_KEYS = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name")
ANSWER_KEYS = ("text", "content", "completion", "output", "response", "answer", "result")
ENVELOPE_KEYS = ("id", "model", "usage", "object", "created", "finish_reason", "response_metadata")  # around an answer
MAX_COST = 1e300
SPOKEN_PREFIX = "assistant: "  # of LlamaIndex's answers as text
QUESTION_KEYS = ("task", "question", "query", "input", "prompt", "message", "text", "user_input")  # of a run's input
NO_ANSWERS = ("None", "null")
BEEAI_EVENT = re.compile(r"\.(?:success|finish|update|partial_update|error|retry)-\d{1,9}$")
HANDOFF_PREFIX = "handoff to "  # of spans of OpenAI's Agents SDK
AGENT_NAME = re.compile(
    r"(?:invoke_agent |create_agent |agent_run \[|Agent run: '|agent )?(?P<name>.+?)(?:\]|'|\.run|\.arun|\.agent| run)?$"
)
CREW_ROLE = re.compile(r"\brole='(?P<name>[^'\n]{1,200})'")  # of the agent in the input of a CrewAI task


class LangfuseObservation(NamedTuple):
    """One observation: when it ran, what it is, and what went in and out."""

    id: str
    parent: str
    start: int
    end: int
    kind: str | None
    name: str
    agent: str | None  # the name of the agent that it is, or that it belongs to by its metadata
    given: list[dict[str, Any]]  # to a model
    answered: list[dict[str, Any]]  # by a model
    attributes: dict[str, Any]
    source: dict[str, Any]
    error: str | None
    cost: float
    library: str | None


def read_all(listed: list[dict[str, Any]]) -> list[LangfuseObservation]:
    """The observations by time. Of a call of a model inside another only one counts."""
    found = [read_one(part) for part in listed]
    found.sort(key=lambda part: (part.start, -part.end))
    return without_doubles(found)


def read_one(source: dict[str, Any]) -> LangfuseObservation:
    metadata = decode_value(source.get("metadata"))
    metadata = metadata if isinstance(metadata, dict) else {}
    attributes = decode_value(metadata.get("attributes"))
    attributes = attributes if isinstance(attributes, dict) else {}
    inner = decode_value(attributes.get("metadata"))
    metadata = inner | metadata if isinstance(inner, dict) else metadata
    name = str(source.get("name") or "")
    kind = find_kind(source, attributes)
    start = nanoseconds(first_value(source, "startTime", "start_time"))
    failed = source.get("level") == "ERROR"
    cost = first_value(source, "totalCost", "calculatedTotalCost", "total_cost")
    return LangfuseObservation(
        str(source.get("id") or ""),
        str(first_value(source, "parentObservationId", "parent_observation_id") or ""),
        start,
        max(start, nanoseconds(first_value(source, "endTime", "end_time"))),
        kind,
        name,
        agent_name(kind, name, metadata, attributes, source.get("input")),
        model_input(source.get("input"), attributes) if kind == MODEL else [],
        model_output(source.get("output"), attributes) if kind == MODEL else [],
        attributes | {"metadata.tools": metadata.get("tools")},
        source,
        str(first_value(source, "statusMessage", "status_message") or "error") if failed else None,
        known_cost(cost) or 0.0,
        library(metadata.get("scope")),
    )


def known_cost(value: object) -> float | None:
    """A cost that is a number, and none that is too large to add up."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < MAX_COST else None


def find_kind(source: dict[str, Any], attributes: dict[str, Any]) -> str | None:
    named = TYPE_KINDS.get(str(source.get("type")).upper()) or attributes.get("openinference.span.kind")
    named = named if named in TYPE_KINDS.values() else None
    operation = str(first_value(attributes, "gen_ai.operation.name", "ai.operationId"))
    if named is None:
        named = OPERATION_KINDS.get(operation)
    if named is None and (first_value(attributes, *TOOL_NAME_KEYS) or tool_message(source.get("output"))):
        return TOOL
    if ("target" in attributes and named in (AGENT, TOOL)) or BEEAI_EVENT.search(str(source.get("name"))):
        return None  # BeeAI writes a span for each event of a run; the start of a model's call has its input
    if named == TOOL and str(source.get("name")).startswith(HANDOFF_PREFIX):
        return None  # the call that handed over is there too
    return named


def tool_message(output: object) -> dict[str, Any] | None:
    """The message of a tool in an output. LangChain's tools answer with one."""
    found = decode_value(output)
    found = found["data"] if isinstance(found, dict) and isinstance(found.get("data"), dict) else found
    if isinstance(found, dict) and found.get("lc"):
        found = as_message(found)
    is_message = isinstance(found, dict) and "tool" in (found.get("type"), found.get("role"))
    return found if is_message and "tool_call_id" in found else None


def agent_name(
    kind: str | None, name: str, metadata: dict[str, Any], attributes: dict[str, Any], input: object
) -> str | None:
    """The agent by the node of a graph, by its attributes, by CrewAI's task, or by the name of its span."""
    if kind == MODEL and isinstance(node := decode_value(metadata.get("langgraph_node")), str):
        path = decode_value(first_value(metadata, "langgraph_checkpoint_ns", "checkpoint_ns"))
        return path.split(":")[0] if isinstance(path, str) and path else node
    known = first_value(attributes, *(AGENT_NAME_KEYS if kind == AGENT else AGENT_NAME_KEYS[:2]))
    if isinstance(known, str) and known:
        return known
    if kind != AGENT:
        return None
    given = decode_value(input)
    crew = CREW_ROLE.search(str(given["agent"])) if isinstance(given, dict) and "agent" in given else None
    found = crew or AGENT_NAME.match(name)
    return found["name"] if found else None


def library(scope: object) -> str | None:
    """The library that recorded an observation, with its version."""
    if not isinstance(scope, dict) or not isinstance(scope.get("name"), str):
        return None
    return " ".join(str(part) for part in (scope["name"], scope.get("version")) if part)


def model_input(value: object, attributes: dict[str, Any]) -> list[dict[str, Any]]:
    """What a model was given: messages, those of its attributes, or one text."""
    found = find_messages(value) or attribute_messages(attributes, spoken.FLAT_INPUT_KEYS)
    text = decode_value(value)
    found = found or (find_written_messages(text) if isinstance(text, str) else [])
    return found or ([{"role": "user", "content": text}] if isinstance(text, str) and text else [])


def model_output(value: object, attributes: dict[str, Any]) -> list[dict[str, Any]]:
    """What a model answered, as one message. An object of no known form is an answer in a structure, or an envelope."""
    said = decode_value(value)
    if isinstance(said, str) and said.startswith(SPOKEN_PREFIX):
        said = value = said.removeprefix(SPOKEN_PREFIX)
    if isinstance(said, dict) and isinstance(said.get("message"), str):
        return [{"role": "assistant", "content": said["message"]}]
    found = find_messages(value) or attribute_messages(attributes, spoken.FLAT_OUTPUT_KEYS)
    if any(chat.ROLES.get(str(message.get("role")).lower()) == "assistant" for message in found):
        return [merge(found)]
    if isinstance(said, dict):
        text = first_value(said, *ANSWER_KEYS)
        is_envelope = any(key in said for key in ENVELOPE_KEYS)
        said = text if isinstance(text, str) else said if is_envelope else json.dumps(said, ensure_ascii=False)
    return [{"role": "assistant", "content": said}] if said and said not in NO_ANSWERS else []


def attribute_messages(attributes: dict[str, Any], keys: tuple[str, ...]) -> list[dict[str, Any]]:
    return [part for part in spoken.flattened_messages(parse_span({"attributes": attributes}), keys) if part]


def merge(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """One message with the texts and the calls of several: some libraries write a message for each call."""
    said = [message for message in messages if chat.ROLES.get(str(message.get("role")).lower()) == "assistant"]
    if len(said) == 1:
        return said[0] | {"role": "assistant"}
    contents: list[Any] = []
    calls: list[Any] = []
    for message in said:
        held = message.get("content")
        contents += held if isinstance(held, list) else [held] if held else []
        calls += objects(message.get("tool_calls"))
    return {"role": "assistant", "content": contents or None, "tool_calls": calls}


def fill_answers(found: list[LangfuseObservation], output: object) -> list[LangfuseObservation]:
    """The calls of models with answers that were not recorded there: the next call's history has them, and last the output."""
    filled: list[LangfuseObservation] = []
    models = [part for part in found if part.kind == MODEL]
    following = {part.id: later for part, later in pairwise(models)}
    for part in found:
        if part.kind == MODEL and part.given and not part.answered and not part.error:
            later = following.get(part.id)
            part = part._replace(answered=new_answers(part.given, later.given) if later else final_answer(output))
        filled.append(part)
    return filled


def new_answers(given: list[dict[str, Any]], later: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What an agent said between two calls of its model."""
    fresh = later[len(given) :] if later[: len(given)] == given else []
    said = [message for message in fresh if message.get("role") == "assistant"]
    steps = [read_step(content.text(message.get("content")) or "") for message in said]
    return (
        [merge([message | {"content": step} if step else message for message, step in zip(said, steps, strict=True)])]
        if said
        else []
    )


def final_answer(output: object) -> list[dict[str, Any]]:
    said = decode_payload(output)
    is_said = isinstance(said, str) or any(message.get("role") == "assistant" for message in find_messages(said))
    return model_output(said, {}) if is_said else []


def final_text(output: object) -> str | None:
    """What the output of a run says: its text or number, or the text of its last message."""
    said = decode_payload(output)
    if isinstance(said, dict | list):
        last: dict[str, Any] = next(reversed(find_messages(said)), {})
        is_answer = last.get("role") == "assistant" and not last.get("tool_calls")
        said = content.text(last.get("content")) if is_answer else None if last else only_text(said)
    is_said = isinstance(said, str | int | float) and not isinstance(said, bool)
    return str(said) if is_said and str(said) not in ("", *NO_ANSWERS) else None


def without_doubles(found: list[LangfuseObservation]) -> list[LangfuseObservation]:
    """Two libraries may record one call of a model, one inside the other. The one with structured messages counts."""
    by_id = {part.id: part for part in found}
    dropped: set[str] = set()
    for part in found:
        outer = by_id.get(part.parent)
        if part.kind == MODEL and outer is not None and outer.kind == MODEL and not follows(part, outer):
            dropped.add(outer.id if is_structured(part) or not is_structured(outer) else part.id)
    return [part._replace(kind=None) if part.id in dropped else part for part in found]


def follows(part: LangfuseObservation, earlier: LangfuseObservation) -> bool:
    """Whether a model was given all that the earlier call was given, and more."""
    return len(part.given) > len(earlier.given) > 0 and part.given[: len(earlier.given)] == earlier.given


def is_structured(part: LangfuseObservation) -> bool:
    return bool(find_messages(part.source.get("input")) or attribute_messages(part.attributes, spoken.FLAT_INPUT_KEYS))


def user_messages(input: object, found: list[LangfuseObservation]) -> list[str]:
    """What the user said, from the input of the trace or of its outermost observation."""
    ids = {part.id for part in found}
    roots = [part.source.get("input") for part in found if part.parent not in ids and part.kind != TOOL]
    for value in (input, *roots[:1]):
        messages = find_messages(value) if value else []
        texts = [content.text(part.get("content")) for part in messages if part.get("role") == "user"]
        plain = decode_value(decode_value(value))
        if isinstance(plain, dict):
            plain = only_text({key: part for key, part in plain.items() if key in QUESTION_KEYS})
        if texts := [text for text in texts if text] or ([plain] if isinstance(plain, str) and plain else []):
            return texts
    return []
