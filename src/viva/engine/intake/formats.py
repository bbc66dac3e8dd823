"""The table of forms in which a trace may be written, each recognised by its signs."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import msgspec

from viva.engine.intake import chat, envelopes, native, plain, spans, values
from viva.engine.intake.building import NOT_UNDERSTOOD
from viva.engine.intake.faults import BadTrace, bad_trace, refuse
from viva.engine.intake.forms import (
    adk,
    agents_sdk,
    anthropic,
    atif,
    autogen,
    claude_code,
    codex,
    crewai,
    dspy,
    gemini,
    gemini_cli,
    inspect,
    langchain,
    langfuse,
    langsmith,
    openai_chat,
    openhands,
    pydantic_ai,
    reask,
    responses,
    semantic_kernel,
    smolagents,
    swe_agent,
    tau_bench,
    ui_messages,
)
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.span_forms import SPAN_FORMS
from viva.engine.intake.unread_forms import find_unread_form
from viva.engine.model import Trace

MAX_WRAPPING_LEVELS = 8  # nesting levels that a data set may put around its traces
MAX_FIELDS_NAMED = 8  # of a document whose form is unknown


class TraceFormat(NamedTuple):
    """What people call a form, how to recognise it, split it into traces, and read each trace."""

    title: str  # completes "this looks like …"
    recognise: Callable[[object], bool]
    parts: Callable[[Any], list[Any]]
    read: Callable[[object, str | None, Limits], Trace]


def single_part(document: object) -> list[object]:
    """The parts of a format in which a document is one trace."""
    return [document]


OWN_FORMAT = "native"
TRACE_FORMATS: dict[str, TraceFormat] = {
    OWN_FORMAT: TraceFormat("a trace of Viva", native.recognise, single_part, native.read_plain),
    "inspect": TraceFormat("a log of Inspect", inspect.recognise, inspect.parts, inspect.read),
    **{
        name: TraceFormat(form.title, partial(spans.is_form, name), spans.parts, spans.read)
        for name, form in SPAN_FORMS.items()
    },
    "langfuse": TraceFormat("a trace of Langfuse", langfuse.recognise, langfuse.parts, langfuse.read),
    "gemini-cli": TraceFormat("a session of Gemini CLI", gemini_cli.recognise, single_part, gemini_cli.read),
    "claude-code": TraceFormat("a session of Claude Code", claude_code.recognise, single_part, claude_code.read),
    "codex": TraceFormat("a session of Codex", codex.recognise, single_part, codex.read),
    "swe-agent": TraceFormat("a trajectory of SWE-agent", swe_agent.recognise, single_part, swe_agent.read),
    "openhands": TraceFormat("a run of OpenHands", openhands.recognise, single_part, openhands.read),
    "atif": TraceFormat("a trajectory of ATIF", atif.recognise, single_part, atif.read),
    "tau-bench": TraceFormat("a run of tau-bench", tau_bench.recognise, tau_bench.parts, tau_bench.read),
    "smolagents": TraceFormat("the memory of smolagents", smolagents.recognise, single_part, smolagents.read),
    "dspy": TraceFormat("a history of DSPy", dspy.recognise, single_part, dspy.read),
    "reask": TraceFormat("a data set of ReAsk", reask.recognise, reask.parts, reask.read),
    "langsmith": TraceFormat("a run of LangSmith", langsmith.recognise, langsmith.parts, langsmith.read),
    "langchain": TraceFormat("messages of LangChain", langchain.recognise, langchain.parts, langchain.read),
    "agents-sdk": TraceFormat(
        "a trace of the OpenAI Agents SDK", agents_sdk.recognise, agents_sdk.parts, agents_sdk.read
    ),
    "openai-chat": TraceFormat("a completion of OpenAI", openai_chat.recognise, single_part, openai_chat.read),
    "pydantic-ai": TraceFormat("messages of Pydantic AI", pydantic_ai.recognise, single_part, pydantic_ai.read),
    "ui-messages": TraceFormat("messages of the Vercel AI SDK", ui_messages.recognise, single_part, ui_messages.read),
    "semantic-kernel": TraceFormat(
        "a chat of Semantic Kernel", semantic_kernel.recognise, single_part, semantic_kernel.read
    ),
    "responses": TraceFormat("items of OpenAI's Responses", responses.recognise, single_part, responses.read),
    "adk": TraceFormat("a session of Google's ADK", adk.recognise, single_part, adk.read),
    "gemini": TraceFormat("contents of Gemini", gemini.recognise, single_part, gemini.read),
    "autogen": TraceFormat("a run of AutoGen", autogen.recognise, single_part, autogen.read),
    "crewai": TraceFormat("a run of CrewAI", crewai.recognise, single_part, crewai.read),
    "anthropic": TraceFormat("messages of Anthropic", anthropic.recognise, single_part, anthropic.read),
    "chat": TraceFormat("a list of chat messages", chat.recognise, single_part, chat.read),
}  # the first that recognises a document reads it, so the form with the fewest signs is last


def find_format(document: object) -> TraceFormat | None:
    return TRACE_FORMATS.get(format_name(document))


def open_envelope(document: Any) -> Any:
    """The document itself; if its form is unknown, what stands in an envelope around a known form."""
    if format_name(document):
        return document
    found = envelopes.contents(document)
    return next((inner for inner in found if format_name(inner) or format_name(inner[0])), document)


def format_name(document: object) -> str:
    return next((name for name, form in TRACE_FORMATS.items() if form.recognise(document)), "")


def parse(raw: bytes, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace in JSON of any format, or BadTrace. `name` becomes its id if it has none."""
    raw = plain.check_raw(raw, limits)
    trace = native.read_bytes(raw, name, limits)
    if trace is not None:
        return trace
    document = plain.decode(raw)
    return read_plain(values.check(document, limits) if len(raw) > limits.text else document, name, limits)


def read(document: object, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace in a document of any format, or BadTrace."""
    return read_plain(values.check(document, limits), name, limits)


def read_plain(document: object, name: str | None, limits: Limits) -> Trace:
    document = open_envelope(document)
    named = format_name(document)
    if not named:
        refuse_unknown(document)
    if named in ("", OWN_FORMAT):
        return native.read_plain(document, name, limits)  # reports what our own format lacks
    form = TRACE_FORMATS[named]
    parts = form.parts(document)
    if len(parts) != 1:
        refuse("", "many", f"holds {len(parts)} traces where one is expected")
    try:
        return msgspec.structs.replace(form.read(parts[0], name, limits), form=named)
    except BadTrace as error:
        raise name_form(error, form) from None


def name_form(error: BadTrace, form: TraceFormat) -> BadTrace:
    """The refusal of a run that was not understood, with the form that it has."""
    faults = [
        fault._replace(message=f"this looks like {form.title}; {fault.message}")
        if fault.code == NOT_UNDERSTOOD
        else fault
        for fault in error.faults
    ]
    return bad_trace(faults) if faults != list(error.faults) else error


def refuse_unknown(document: object) -> None:
    """Refuse an object that has fields, but no signs of a form."""
    if isinstance(document, dict) and (form := find_unread_form(document)):
        refuse("", "unknown_form", f"this looks like {form.title}, which is not read; {form.advice}")
    if isinstance(document, dict) and document:
        named = ", ".join(str(key)[:40] for key in list(document)[:MAX_FIELDS_NAMED])
        refuse("", "unknown_form", f"has no form that is known; its fields are {named}")
