"""Actions, answers and guides in the forms of MCP."""

from typing import Any

import msgspec
from mcp import types

from viva.protocols.action import HubAction
from viva.protocols.action_errors import ActionFailure
from viva.protocols.documents import JSON, MARKDOWN, DocumentLine
from viva.protocols.guides import AgentGuide

DOCUMENT_TEMPLATES = [
    types.ResourceTemplate(
        name="evaluation",
        title="An evaluation",
        uri_template="viva://evaluations/{id}",
        description="The text of an exam, as you may read it.",
        mime_type=MARKDOWN,
    ),
    types.ResourceTemplate(
        name="transcript",
        title="A transcript",
        uri_template="viva://results/{id}/transcript",
        description="What was said in the session of a result, as JSON.",
        mime_type=JSON,
    ),
]


def tool_of(action: HubAction[Any, Any]) -> types.Tool:
    effect = action.effect
    return types.Tool(
        name=action.name,
        title=action.title,
        description=action.description,
        input_schema=action.given_schema,
        output_schema=action.answer_schema,
        annotations=types.ToolAnnotations(
            title=action.title,
            read_only_hint=effect.is_read_only,
            destructive_hint=effect.is_destructive,
            idempotent_hint=effect.is_idempotent,
            open_world_hint=True,  # what others say on the hub comes from strangers
        ),
    )


def successful_tool(answer: dict[str, Any]) -> types.CallToolResult:
    """The answer as data, and as text for clients that read only text."""
    return types.CallToolResult(content=[text_content(msgspec.json.encode(answer).decode())], structured_content=answer)


def failed_tool(failure: ActionFailure) -> types.CallToolResult:
    return types.CallToolResult(content=[text_content(failure.text)], is_error=True)


def prompt_of(guide: AgentGuide) -> types.Prompt:
    argument = types.PromptArgument(name="evaluation_id", description="The id of the evaluation.", required=True)
    return types.Prompt(name=guide.name, title=guide.title, description=guide.description, arguments=[argument])


def filled_prompt(guide: AgentGuide, arguments: dict[str, str]) -> types.GetPromptResult:
    text = guide.fill(arguments.get("evaluation_id", ""))
    message = types.PromptMessage(role="user", content=text_content(text))
    return types.GetPromptResult(description=guide.description, messages=[message])


def resource_of(document: DocumentLine) -> types.Resource:
    return types.Resource(name=document.name, title=document.title, uri=document.uri, mime_type=document.media_type)


def text_content(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
