"""The forms that are known and not read, each with what to send instead."""

from typing import NamedTuple


class UnreadForm(NamedTuple):
    """The fields that show a form, what people call it, and what to do."""

    fields: tuple[str, ...]
    title: str  # completes "this looks like …"
    advice: str


UNREAD_FORMS = (
    UnreadForm(("event", "run_id", "data"), "an event of LangChain's stream", "send the messages of the state"),
    UnreadForm(("custom_id", "body"), "a line of a batch", "send the request together with its response"),
    UnreadForm(("custom_id", "result"), "a line of a batch", "send the request together with its response"),
    UnreadForm(("mapping", "current_node"), "a conversation of ChatGPT", "send its messages as a list"),
    UnreadForm(("chat_messages",), "a conversation of Claude", "send its messages as a list"),
    UnreadForm(("eval_set_id", "eval_cases"), "an evaluation set of Google's ADK", "send the events of a session"),
    UnreadForm(("op_name", "trace_id", "inputs"), "a call of Weave", "send its spans in OTLP"),
    UnreadForm(("span_attributes", "root_span_id"), "a span of Braintrust", "send its spans in OTLP"),
    UnreadForm(("preferred_output", "input"), "a pair of preferred answers", "send runs of agents"),
    UnreadForm(("instruction", "output"), "a line of a set of instructions", "send runs of agents"),
    UnreadForm(("chunkedPrompt",), "a prompt of AI Studio", "send its contents as a list"),
    UnreadForm(("answer_generation",), "an answer of ToolBench", "send its messages as a list"),
    UnreadForm(("request_preview", "response_preview"), "the head of an MLflow trace", "send the trace with its spans"),
)


def find_unread_form(fields: dict[str, object]) -> UnreadForm | None:
    return next((form for form in UNREAD_FORMS if all(name in fields for name in form.fields)), None)
