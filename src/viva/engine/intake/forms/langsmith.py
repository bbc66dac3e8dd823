"""Reads runs of LangSmith: a list as its API gives it, or one run with its children."""

from collections.abc import Iterator
from typing import Any

import msgspec

from viva.engine.intake import chat, content, tools
from viva.engine.intake.building import NOT_UNDERSTOOD, make_trace
from viva.engine.intake.faults import check_count, refuse
from viva.engine.intake.forms import langchain
from viva.engine.intake.forms.langchain_messages import fields_of
from viva.engine.intake.forms.langsmith_run import (
    agent_of,
    arguments,
    error_of,
    input_messages,
    is_run,
    latency,
    output_messages,
)
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.messages import ToolResult
from viva.engine.intake.payloads import only_text
from viva.engine.intake.plain import as_list, decode_value, first_value, inner_object
from viva.engine.intake.replaying import Replay, read_history, unread_message
from viva.engine.intake.span import nanoseconds
from viva.engine.model import Trace

TEXT_FIELDS = ("inputs", "outputs", "extra")  # that an export as a table has as JSON


def recognise(document: object) -> bool:
    """Whether this is a run, or a list of runs."""
    runs = listed_runs(document)
    return bool(runs) and is_run(runs[0])


def listed_runs(document: object) -> list[Any]:
    """The runs of a list, of an object with such a list, or the only run."""
    found = first_value(document, "runs", "traces") if isinstance(document, dict) else document
    return found if isinstance(found, list) else [document]


def parts(document: Any) -> list[Any]:
    """The runs of each trace, without the nesting."""
    for index, run in enumerate(listed_runs(document)):
        if not is_run(run):
            refuse(f"runs[{index}]", "wrong_type", "is no run of LangSmith, as those before it are")
    traces: dict[str, list[Any]] = {}
    for root, run in flatten(document):
        traces.setdefault(root, []).append(
            run | {key: decode_value(run.get(key)) for key in TEXT_FIELDS} | {"child_runs": None}
        )
    return list(traces.values())


def flatten(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each run and those below it, with what names their trace."""
    traces: dict[str, str] = {}  # of the runs so far
    waiting = [("", run) for run in reversed(listed_runs(document))]
    while waiting:
        above, run = waiting.pop()
        if is_run(run):
            named = run.get("trace_id") or str(run.get("dotted_order") or "").split(".")[0]
            trace = above or str(named or traces.get(str(run.get("parent_run_id"))) or run.get("id"))
            traces[str(run.get("id"))] = trace
            yield trace, run
            children = run.get("child_runs")
            waiting.extend((trace, child) for child in reversed(as_list(children)))


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of the runs of one root."""
    if not recognise(document):
        refuse("", "missing", "has no runs")
    runs = sorted((run for _, run in flatten(document)), key=lambda run: nanoseconds(run.get("start_time")))
    check_count(runs, limits.messages, "runs")
    root = next((run for run in runs if not run.get("parent_run_id")), runs[0])
    replay = Replay()
    for run in without_doubles(runs):
        if handle := RUN_HANDLERS.get(str(run["run_type"]).lower()):
            handle(replay, run)
    if not replay.has_begun:
        return read_root(root, runs, name, limits)
    return make_trace(replay.built, facts(root, runs) | {"agents": replay.agents()}, name, limits)


def without_doubles(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The runs without models inside of models: a client that is traced as well records the same call."""
    models = {str(run.get("id")) for run in runs if str(run["run_type"]).lower() == "llm"}
    doubled = {id for run in runs if (id := str(run.get("id"))) in models and str(run.get("parent_run_id")) in models}
    return [run for run in runs if str(run.get("id")) not in doubled]


def facts(root: dict[str, Any], runs: list[dict[str, Any]]) -> dict[str, Any]:
    """What the runs say of the whole: cost, time, and the version of the SDK that recorded them."""
    cost = root.get("total_cost")
    versions = (inner_object(run, "extra", "runtime").get("sdk_version") for run in runs)
    return {
        "id": str(first_value(root, "trace_id", "id") or "") or None,
        "total_cost": float(cost) if isinstance(cost, int | float) and cost >= 0 else None,
        "total_latency_ms": latency(root),
        "form_version": next((version for version in versions if isinstance(version, str)), None),
    }


def read_root(root: dict[str, Any], runs: list[dict[str, Any]], name: str | None, limits: Limits) -> Trace:
    """The trace of a run whose models are not recorded: its messages, or the only text that goes in and comes out."""
    known = {key: value for key, value in facts(root, runs).items() if value is not None}
    if langchain.recognise(root.get("outputs")):
        return msgspec.structs.replace(langchain.read(root["outputs"], name, limits), **known)
    asked, told = only_text(root.get("inputs")), only_text(root.get("outputs"))
    if asked is None or told is None:
        refuse("outputs", NOT_UNDERSTOOD, "it has no run of a model, and no single text goes in and comes out")
    messages = [{"role": "user", "content": asked}, {"role": "assistant", "content": told}]
    return chat.read(known | {"messages": messages}, name, limits)


def add_model(replay: Replay, run: dict[str, Any]) -> None:
    agent = agent_of(run)
    offered = first_value(inner_object(run, "extra", "invocation_params"), "tools", "functions")
    replay.offer(agent, tools.definitions(offered))
    given, told = run.get("inputs"), run.get("outputs")
    history = read_history(input_messages(given), "inputs.messages") or unread_message("user", given, "inputs")
    answers = read_history(output_messages(told), "outputs") or unread_message("assistant", told, "outputs")
    replay.add_model(history, answers, agent, latency(run))
    if failed := error_of(run):
        replay.add_failure(failed, agent)


def add_tool(replay: Replay, run: dict[str, Any]) -> None:
    """The result stands in a message of the tool, in the update of a command, or alone."""
    outputs = run.get("outputs")
    value = outputs["output"] if isinstance(outputs, dict) and "output" in outputs else outputs
    updated = inner_object(value, "update").get("messages")
    message = fields_of(updated[-1] if isinstance(updated, list) and updated else value) or {}
    known = message.get("content") if message else value
    failed = error_of(run) or (content.text(known) if message.get("status") == "error" else None)
    id = first_value(inner_object(run, "extra"), "tool_call_id") or message.get("tool_call_id")
    named = str(run.get("name") or "")
    result = ToolResult(
        id if isinstance(id, str) else None, named, known, failed, latency(run), arguments(run.get("inputs"))
    )
    replay.add_tool(result, agent_of(run))


def add_documents(replay: Replay, run: dict[str, Any]) -> None:
    found = inner_object(run, "outputs").get("documents")
    for document in as_list(found):
        fields = inner_object(document, "kwargs") or document
        if isinstance(fields, dict) and isinstance(fields.get("page_content"), str):
            replay.built.documents.append(fields["page_content"])


RUN_HANDLERS = {"llm": add_model, "tool": add_tool, "retriever": add_documents}
