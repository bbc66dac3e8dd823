"""Reads one run of LangSmith: what a model was given and answered, whose run it is, and how it ended."""

from typing import Any

from viva.engine.intake import payloads
from viva.engine.intake.forms import langchain_messages
from viva.engine.intake.plain import decode_text, first_value, inner_object
from viva.engine.intake.times import elapsed_ms

RUN_TYPES = ("llm", "chain", "tool", "retriever", "prompt", "parser", "embedding")
RUN_KEYS = ("dotted_order", "parent_run_id", "child_runs", "trace_id", "session_id", "execution_order")
GENERIC_NODES = ("agent", "model", "tools", "call_model", "llm", "chatbot", "")  # of graphs with one agent
STACK_HEAD = "Traceback (most recent call last)"


def is_run(value: object) -> bool:
    return (
        isinstance(value, dict)
        and str(value.get("run_type")).lower() in RUN_TYPES
        and "inputs" in value
        and any(key in value for key in RUN_KEYS)
    )


def input_messages(inputs: object) -> list[Any]:
    """The messages of a model's input: a list, a batch with one list, or a prompt."""
    fields = inputs if isinstance(inputs, dict) else {}
    found = first_value(fields, "messages", "prompts", "input", "prompt")
    listed = found if isinstance(found, list) else [found] if found else []
    batch = listed[0] if listed and isinstance(listed[0], list) else listed
    told = [{"role": "user", "content": message} if isinstance(message, str) else message for message in batch]
    return langchain_messages.chat_messages(told) or payloads.find_messages(inputs)


def output_messages(outputs: object) -> list[Any]:
    """The message of a model's output, in the layouts of LangChain, OpenAI and Anthropic."""
    fields = outputs if isinstance(outputs, dict) else {}
    found = first_value(fields, "generations", "choices", "message", "output", "messages")
    while isinstance(found, list) and found:
        found = found[0]
    if isinstance(found, dict) and not langchain_messages.is_message(found) and "role" not in found:
        found = first_value(found, "message", "text")
    if found is None and "content" in fields:
        found = fields
    known = {"role": "assistant", "content": found} if isinstance(found, str) else found
    if isinstance(known, dict) and (langchain_messages.is_message(known) or "role" in known):
        return langchain_messages.chat_messages([known])
    return payloads.find_messages(outputs)


def agent_of(run: dict[str, Any]) -> str | None:
    """The agent that a run belongs to: its name, or the node of the graph that it works in."""
    about = inner_object(run, "extra", "metadata") or inner_object(run, "metadata")
    if isinstance(about.get("lc_agent_name"), str):
        return about["lc_agent_name"] or None
    space = first_value(about, "langgraph_checkpoint_ns", "checkpoint_ns", "langgraph_node")
    nodes = [part.split(":")[0] for part in str(space or "").split("|")]
    return next((node for node in nodes if node not in GENERIC_NODES), None)


def arguments(inputs: object) -> dict[str, Any]:
    """The arguments of a call: an object, or a text that may hold one."""
    fields = inputs if isinstance(inputs, dict) else {}
    text = fields.get("input") if fields.keys() == {"input"} else None
    known = decode_text(text) if isinstance(text, str) else None
    return known if isinstance(known, dict) else fields


def error_of(run: dict[str, Any]) -> str | None:
    """The error of a run without its stack."""
    failed = run.get("error")
    return (failed.split(STACK_HEAD)[0].strip() or failed) if isinstance(failed, str) and failed else None


def latency(run: dict[str, Any]) -> float | None:
    return elapsed_ms(run.get("start_time"), run.get("end_time"))
