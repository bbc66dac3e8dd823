"""Reads traces of MLflow: its own JSON, and the answers of its REST API."""

from typing import Any

from viva.engine.intake.payloads import find_messages
from viva.engine.intake.plain import decode_value, first_value
from viva.engine.intake.span import entries

MLFLOW_OPERATIONS = {
    "CHAT_MODEL": "chat",
    "LLM": "chat",
    "TOOL": "execute_tool",
    "AGENT": "invoke_agent",
}  # types of MLflow's spans as operations of the conventions
TYPE_KEY, INPUT_KEY, OUTPUT_KEY = "mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs"
SESSION_KEYS = ("mlflow.trace.session", "mlflow.traceSession")
INFO_KEYS = ("info", "trace_info", "trace_metadata")  # the last one is a column of `search_traces`
ANSWER_KEYS = ("text", "content", "output", "response", "answer", "result")


def recognise(document: object) -> bool:
    """Whether this is a trace, a list of traces, or an answer with some."""
    return any(isinstance(trace, dict) and is_trace(trace) for trace in traces(document)[:1])


def traces(document: object) -> list[Any]:
    if isinstance(document, list):
        return document
    inner = document.get("trace", document) if isinstance(document, dict) else None
    return entries(document, "traces") or [inner]


def is_trace(trace: dict[str, Any]) -> bool:
    return any(trace.get(key) is not None for key in INFO_KEYS) and bool(spans_of(trace))


def spans_of(trace: dict[str, Any]) -> list[Any]:
    data = decode_value(trace.get("data"))
    return entries(data, "spans") or entries(trace, "spans")


def unpack(document: Any) -> list[dict[str, Any]]:
    """The spans of the traces. Each says to which conversation it belongs."""
    return [
        span | {"session": session_of(trace)}
        for trace in traces(document)
        if isinstance(trace, dict)
        for span in spans_of(trace)
        if isinstance(span, dict)
    ]


def session_of(trace: dict[str, Any]) -> str | None:
    info = first_value(trace, "info", "trace_info") or trace
    about = first_value(info, "trace_metadata", "request_metadata", "tags") if isinstance(info, dict) else None
    found = first_value(about, *SESSION_KEYS) if isinstance(about, dict) else None
    return found if isinstance(found, str) else None


def translate(attributes: dict[str, Any], name: str) -> dict[str, Any]:
    """The attributes by the names of the conventions. MLflow writes each value as JSON."""
    kind = str(decode_value(attributes.get(TYPE_KEY)))
    given, answered = decode_value(attributes.get(INPUT_KEY)), decode_value(attributes.get(OUTPUT_KEY))
    about = {
        "gen_ai.operation.name": MLFLOW_OPERATIONS.get(kind),
        "metadata": attributes.get("metadata"),
        "usage.cost": total(decode_value(attributes.get("mlflow.llm.cost")), "total_cost"),
        "gen_ai.usage.input_tokens": total(decode_value(attributes.get("mlflow.chat.tokenUsage")), "input_tokens"),
        "gen_ai.usage.output_tokens": total(decode_value(attributes.get("mlflow.chat.tokenUsage")), "output_tokens"),
        "gen_ai.tool.definitions": decode_value(attributes.get("mlflow.chat.tools")),
    }
    known = {key: value for key, value in about.items() if value is not None}
    return known | TRANSLATORS.get(kind, plain_attributes)(given, answered, name, attributes)


def total(value: object, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def model_attributes(given: Any, answered: Any, name: str, attributes: dict[str, Any]) -> dict[str, Any]:
    messages = find_messages(given) or ([{"role": "user", "content": given}] if isinstance(given, str) else [])
    answers = find_messages(answered) or as_answer(answered)
    return {"gen_ai.input.messages": messages, "gen_ai.output.messages": answers}


def as_answer(value: Any) -> list[dict[str, Any]]:
    text = first_value(value, *ANSWER_KEYS) if isinstance(value, dict) else value
    return [{"role": "assistant", "content": text}] if isinstance(text, str) and text else []


def tool_attributes(given: Any, answered: Any, name: str, attributes: dict[str, Any]) -> dict[str, Any]:
    id = decode_value(attributes.get("tool_call_id"))
    known = {"gen_ai.tool.name": name, "gen_ai.tool.call.arguments": given, "gen_ai.tool.call.result": answered}
    return known | ({"gen_ai.tool.call.id": id} if isinstance(id, str) else {})


def agent_attributes(given: Any, answered: Any, name: str, attributes: dict[str, Any]) -> dict[str, Any]:
    return {"gen_ai.agent.name": name} | plain_attributes(given, answered, name, attributes)


def plain_attributes(given: Any, answered: Any, name: str, attributes: dict[str, Any]) -> dict[str, Any]:
    """What went into any span and came out. It counts where no model's messages are recorded."""
    asked = [part for part in find_messages(given) if part.get("role") == "user"]
    answers = find_messages(answered)[-1:] or as_answer(answered)
    return {
        **({"gen_ai.input.messages": asked} if asked else {"input.value": given} if isinstance(given, str) else {}),
        **({"gen_ai.output.messages": answers} if answers else {}),
    }


TRANSLATORS = {
    "CHAT_MODEL": model_attributes,
    "LLM": model_attributes,
    "TOOL": tool_attributes,
    "AGENT": agent_attributes,
}
