"""Reads traces of Langfuse. Its observations are spans with other names; their inputs and outputs are what libraries gave it."""

import re
from typing import Any

import msgspec

from viva.engine.intake import content, spans
from viva.engine.intake.building import NOT_UNDERSTOOD
from viva.engine.intake.faults import refuse
from viva.engine.intake.forms import langfuse_observations
from viva.engine.intake.forms.langfuse_observations import (
    AGENT,
    MODEL,
    RETRIEVER,
    TOOL,
    TOOL_NAME_KEYS,
    LangfuseObservation,
    known_cost,
    model_output,
    tool_message,
)
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.payloads import decode_payload, is_definition
from viva.engine.intake.plain import as_list, decode_value, first_value, objects
from viva.engine.model import Step, Trace

OBSERVATION_TYPES = (
    *("SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"),
)

TOOL_ID_KEYS = ("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id")
ARGUMENT_KEYS = ("gcp.vertex.agent.tool_call_args", "tool_arguments", "tool.parameters")
RESULT_KEYS = ("gcp.vertex.agent.tool_response", "tool_response")
REPLACED_KEYS = ("gen_ai.operation.name", "input.value", "output.value")  # what Langfuse says instead is better
TOOL_NAME = re.compile(r"(?:execute_tool |running tool: |Function: |tool\.)?(?P<name>.+?)(?:\.tool)?$")
ANSWERING_CODE = "final_answer("  # in what agents of smolagents write
MIN_QUOTED_CHARACTERS = 20  # of the user's words inside a template


def recognise(document: object) -> bool:
    """Whether this is a trace with its observations, or a list of observations."""
    if isinstance(document, dict):
        head = document.get("trace", document)
        listed = document.get("observations")
        return is_head(document) or (
            isinstance(listed, list) and isinstance(head, dict) and (bool(listed) or "projectId" in head)
        )
    first = document[0] if isinstance(document, list) and document else None
    return is_observation(first)


def is_head(value: dict[str, Any]) -> bool:
    """Whether this is a trace or a session as lists and exports have it, without observations."""
    is_trace = "input" in value and "output" in value and "traceId" not in value
    return "projectId" in value and "observations" not in value and (is_trace or isinstance(value.get("traces"), list))


def is_observation(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") in OBSERVATION_TYPES
        and ("traceId" in value or "trace_id" in value)
        and ("startTime" in value or "start_time" in value)
    )


def parts(document: Any) -> list[Any]:
    """A trace as it is; a list of observations by their traces."""
    if isinstance(document, dict):
        return [document]
    traces: dict[str, list[Any]] = {}
    for part in objects(document):
        traces.setdefault(str(first_value(part, "traceId", "trace_id") or ""), []).append(part)
    return [{"trace": {"id": id}, "observations": listed} for id, listed in traces.items()]


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of an export."""
    listed = objects(document.get("observations")) if isinstance(document, dict) else []
    if not listed:
        refuse(
            "observations", NOT_UNDERSTOOD, "its observations are missing: export the trace together with observations"
        )
    head = document["trace"] if isinstance(document.get("trace"), dict) else document
    found = langfuse_observations.fill_answers(langfuse_observations.read_all(listed), outcome(head, listed))
    check_answers(found)
    id = str(head.get("id") or name or "")
    asked = langfuse_observations.user_messages(head.get("input"), found)
    recorded = [as_span(part, id, asked) for part in found]
    if asked and not any(message.get("role") == "user" for part in found for message in part.given):
        recorded[0]["attributes"]["input.value"] = asked[-1]
    trace = end_with(spans.read(recorded, name, limits), find_ending(head, found))
    total = known_cost(head.get("totalCost"))
    if total is None:
        total = sum(part.cost for part in found if part.kind == MODEL)
    versions = [part.library for part in found if part.kind == MODEL and part.library]
    return msgspec.structs.replace(trace, total_cost=total or None, form_version=versions[0] if versions else None)


def outcome(head: dict[str, Any], listed: list[dict[str, Any]]) -> object:
    """The output of the trace, or of its outermost observation."""
    ids = {part.get("id") for part in listed if isinstance(part.get("id"), str)}
    roots = [
        part for part in listed if str(first_value(part, "parentObservationId", "parent_observation_id")) not in ids
    ]
    return first_value(head, "output") or next((part["output"] for part in roots if part.get("output")), None)


def find_ending(head: dict[str, Any], found: list[LangfuseObservation]) -> str | None:
    """What the whole run says at its end, if one observation stands for it."""
    ids = {part.id for part in found}
    roots = [part for part in found if part.parent not in ids]
    if len(roots) != 1 or roots[0].kind not in (None, AGENT):
        return None
    return langfuse_observations.final_text(first_value(head, "output") or roots[0].source.get("output"))


def end_with(trace: Trace, said: str | None) -> Trace:
    """The trace with this as its final answer, if it ends with a call, or with code of smolagents that answers."""
    *earlier, turn = trace.turns
    parts = turn.agent_interactions
    if not said or not parts or any((part.agent_response or "").strip() == said.strip() for part in parts):
        return trace
    written = parts[-1].agent_response or ""
    if written and ANSWERING_CODE not in written:
        return trace
    steps = (*parts[-1].agent_steps, *([Step(thought=written)] if written else []))
    last = msgspec.structs.replace(parts[-1], agent_response=said, agent_steps=steps)
    turn = msgspec.structs.replace(turn, agent_interactions=(*parts[:-1], last))
    return msgspec.structs.replace(trace, turns=(*earlier, turn))


def check_answers(found: list[LangfuseObservation]) -> None:
    """Refuse a trace in which most of what the models answered was not recorded."""
    models = [part for part in found if part.kind == MODEL and not part.error]
    silent = [part for part in models if not part.answered]
    if silent and len(silent) * 2 > len(models):
        message = f"the output is missing in {len(silent)} of its {len(models)} model calls, so the answers are unknown"
        refuse(f"observations[{silent[0].id}]", NOT_UNDERSTOOD, message)


def as_span(part: LangfuseObservation, trace: str, asked: list[str]) -> dict[str, Any]:
    """The observation as a span with OpenTelemetry's attributes."""
    kept = {key: value for key, value in part.attributes.items() if key not in REPLACED_KEYS}
    own = SPAN_ATTRIBUTES[part.kind](part, asked) if part.kind in SPAN_ATTRIBUTES else {}
    agent = {"gen_ai.agent.name": part.agent} if part.agent else {}
    known = {key: value for key, value in (kept | own | agent).items() if value is not None}
    times = {"startTimeUnixNano": part.start, "endTimeUnixNano": part.end}
    status = {"status": {"code": 2, "message": part.error}} if part.error else {}
    place = {"spanId": part.id, "traceId": trace, "parent_id": part.parent}
    return place | times | status | {"attributes": known | {"openinference.span.kind": part.kind}}


def model_attributes(part: LangfuseObservation, asked: list[str]) -> dict[str, Any]:
    offered = [message["content"] for message in part.given if is_definition(message)]
    request = decode_value(part.source.get("input"))
    listed = offered or (offered_tools(request) if isinstance(request, dict) else None)
    listed = listed or decode_list(first_value(part.attributes, "ai.prompt.tools", "metadata.tools"))
    listed = listed or pydantic_tools(decode_value(part.attributes.get("model_request_parameters")))
    messages = [message for message in part.given if not is_definition(message)]
    return {
        "gen_ai.input.messages": mark_prompts(messages, asked),
        "gen_ai.output.messages": part.answered,
        **({"gen_ai.tool.definitions": listed} if listed else {}),
    }


def offered_tools(request: dict[str, Any]) -> list[Any] | None:
    """The tools of a request: a list, or the declarations of Gemini."""
    config = request.get("config")
    listed = first_value(request, "tools", "functions") or (config.get("tools") if isinstance(config, dict) else None)
    found: list[Any] = []
    for tool in listed if isinstance(listed, list) else []:
        declared = (
            first_value(tool, "function_declarations", "functionDeclarations") if isinstance(tool, dict) else None
        )
        found += declared if isinstance(declared, list) else [tool]
    return found or None


def pydantic_tools(parameters: object) -> list[Any] | None:
    """The tools of Pydantic AI. Its output tools are how an agent answers in a structure."""
    if not isinstance(parameters, dict):
        return None
    return [tool for key in ("function_tools", "output_tools") for tool in objects(parameters.get(key))] or None


def decode_list(value: object) -> list[Any] | None:
    found = decode_value(value)
    return [decode_value(part) for part in found] if isinstance(found, list) else None


def mark_prompts(messages: list[dict[str, Any]], asked: list[str]) -> list[dict[str, Any]]:
    """The messages with the user's own words. A template around them, and what opens the prompt, is the application's."""
    texts = [content.text(message.get("content")) if message.get("role") == "user" else None for message in messages]
    own = [find_own_words(text, asked) if text else None for text in texts]
    first = next((index for index, said in enumerate(own) if said), 0)
    if any(message.get("role") != "user" and message.get("role") != "system" for message in messages[:first]):
        first = 0  # exchanges that came before
    return [
        message | {"content": said}
        if said and said != text
        else message | {"role": "system"}
        if index < first
        else message
        for index, (message, text, said) in enumerate(zip(messages, texts, own, strict=True))
    ]


def find_own_words(text: str, asked: list[str]) -> str | None:
    """What the user said in a prompt. A few letters may stand in it by chance."""
    if text in asked:
        return text
    return next((said for said in asked if len(said) >= MIN_QUOTED_CHARACTERS and said in text), None)


def tool_attributes(part: LangfuseObservation, asked: list[str]) -> dict[str, Any]:
    """The call of a tool. Libraries put its arguments and its result into attributes, where Langfuse does not look."""
    named = first_value(part.attributes, *TOOL_NAME_KEYS) or TOOL_NAME.match(part.name)
    message = tool_message(part.source.get("output"))
    result = first_value(part.attributes, *RESULT_KEYS)
    return {
        "gen_ai.tool.name": named if isinstance(named, str) else named["name"] if named else None,
        "gen_ai.tool.call.id": message["tool_call_id"] if message else first_value(part.attributes, *TOOL_ID_KEYS),
        "gen_ai.tool.call.arguments": first_value(part.attributes, *ARGUMENT_KEYS)
        or decode_payload(part.source.get("input")),
        "gen_ai.tool.call.result": message.get("content")
        if message
        else result or unwrap_result(part.source.get("output")),
    }


def unwrap_result(output: object) -> object:
    """The text of a result that is a message alone, or the parts of one. Other results stay unchanged."""
    found = decode_payload(output)
    if isinstance(found, dict) and found.keys() in ({"message"}, {"message", "id"}, {"output"}):
        found = decode_payload(first_value(found, "message", "output"))
    parts = objects(found)
    is_spoken = bool(parts) and len(parts) == len(as_list(found)) and all(is_text_part(part) for part in parts)
    return content.text(parts) if is_spoken else output


def is_text_part(part: dict[str, Any]) -> bool:
    return isinstance(part.get("text"), str) and part.keys() <= {"type", "text"}


def agent_attributes(part: LangfuseObservation, asked: list[str]) -> dict[str, Any]:
    """What an agent was told to be, and its answer for a trace without calls of models."""
    told = content.text(decode_value(part.attributes.get("gen_ai.system_instructions")))
    answers = model_output(part.source.get("output"), {})
    return {"gen_ai.agent.description": told, "gen_ai.output.messages": answers or None}


def retriever_attributes(part: LangfuseObservation, asked: list[str]) -> dict[str, Any]:
    """The documents that a retriever found, as texts or as objects of LangChain or LlamaIndex."""
    found = decode_value(part.source.get("output"))
    listed = found if isinstance(found, list) else []
    texts = [
        first_value(entry, "page_content", "content", "text") if isinstance(entry, dict) else entry for entry in listed
    ]
    return {
        f"retrieval.documents.{index}.document.content": text
        for index, text in enumerate(texts)
        if isinstance(text, str)
    }


SPAN_ATTRIBUTES = {
    MODEL: model_attributes,
    TOOL: tool_attributes,
    AGENT: agent_attributes,
    RETRIEVER: retriever_attributes,
}
