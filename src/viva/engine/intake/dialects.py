"""Names the attributes of each library's spans as OpenTelemetry's GenAI conventions do. What those name already stays."""

from collections.abc import Callable
from typing import Any, NamedTuple

from viva.engine.intake.plain import decode_value, first_value
from viva.engine.intake.span import Span
from viva.engine.intake.span_sources import google_adk, langfuse_sdk, logfire, mlflow, traceloop, vercel

OPENINFERENCE_KEY = "openinference.span.kind"
CONVENTIONS_PREFIX = "gen_ai."


class Dialect(NamedTuple):
    """Who writes such spans, the attributes that show it, and how to translate them."""

    title: str
    signs: tuple[str, ...]  # keys, or how keys begin if they end with a dot
    translate: Callable[[dict[str, Any], str], dict[str, Any]] | None = None


DIALECTS = (
    Dialect("OpenInference", (OPENINFERENCE_KEY, "llm.input_messages.")),
    Dialect("MLflow", (mlflow.TYPE_KEY,), mlflow.translate),
    Dialect("Vercel AI SDK", ("ai.operationId",), vercel.translate),
    Dialect("Traceloop", ("traceloop.span.kind", "traceloop.workflow.name", traceloop.MODEL_KEY), traceloop.translate),
    Dialect("Logfire", ("logfire.msg_template", "logfire.span_type", "logfire.json_schema"), logfire.translate),
    Dialect("Google ADK", (google_adk.SIGN,), google_adk.translate),
    Dialect("Langfuse", (langfuse_sdk.KIND_KEY,), langfuse_sdk.translate),
    Dialect("OpenTelemetry GenAI", (CONVENTIONS_PREFIX,)),
)  # the first whose sign a span has is its own


def find_dialect(attributes: dict[str, Any]) -> Dialect | None:
    return next((dialect for dialect in DIALECTS if any(has_sign(attributes, sign) for sign in dialect.signs)), None)


def has_sign(attributes: dict[str, Any], sign: str) -> bool:
    return any(key.startswith(sign) for key in attributes) if sign.endswith(".") else sign in attributes


def translate(span: Span) -> Span:
    """The span with attributes by the names of the conventions."""
    dialect = find_dialect(span.attributes)
    added = dialect.translate(span.attributes, span.name) if dialect and dialect.translate else {}
    known = {key: value for key, value in added.items() if value is not None} | span.attributes
    if agent := graph_agent(known):
        known = {"gen_ai.agent.name": agent} | known
    return span._replace(attributes=known)


def graph_agent(attributes: dict[str, Any]) -> str | None:
    """The agent of a span of LangGraph: the name that its maker gave it, or the outermost node of the graph."""
    metadata = decode_value(attributes.get("metadata"))
    if not isinstance(metadata, dict):
        return None
    place = str(first_value(metadata, "langgraph_checkpoint_ns", "checkpoint_ns") or "").split(":")[0]
    found = metadata.get("lc_agent_name") or place or metadata.get("langgraph_node")
    return found if isinstance(found, str) and found and not found.startswith("__") else None


def describe_version(span: Span) -> str | None:
    """Who wrote a span, with the version of the library."""
    dialect = find_dialect(span.attributes)
    scope = span.source.get("scope")
    version = scope.get("version") if isinstance(scope, dict) else None
    known = [part for part in (dialect.title if dialect else None, version) if isinstance(part, str) and part]
    return " ".join(known) or None
