"""Reads contents of Gemini's generateContent: a list, a request, or a request with its response."""

from typing import Any

from viva.engine.intake import chat, content
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import as_list, first_value, inner_object
from viva.engine.model import Trace

GEMINI_ROLES = ("user", "model", "function", "system", "tool")
OTHER_PART_KEYS = ("type", "kind", "part_kind")  # parts of other libraries name their kind
HISTORY_KEYS = ("automaticFunctionCallingHistory", "automatic_function_calling_history")
INSTRUCTION_KEYS = ("systemInstruction", "system_instruction")
DECLARATION_KEYS = ("functionDeclarations", "function_declarations")
RESULT_KEYS = ("functionResponse", "function_response")
VALUE_KEYS = ("result", "output")  # of what a function answered; `error` stands beside them
CODE_KEYS = ("executableCode", "executable_code")
CODE_RESULT_KEYS = ("codeExecutionResult", "code_execution_result")
CODE_TOOL = "code_execution"
END_KEYS = ("finishReason", "finish_reason")
SIGNATURE_KEYS = ("thoughtSignature", "thought_signature")  # are for Gemini alone


def recognise(document: object) -> bool:
    """Whether this is a list of contents, or has one."""
    if isinstance(document, list):
        return bool(document) and (all(map(is_content, document)) or is_stream(document))
    if not isinstance(document, dict):
        return False
    request, answers = split_exchange(document)
    return bool(answers) or recognise(request.get("contents"))


def is_stream(pieces: list[Any]) -> bool:
    """Whether these are the pieces of one streamed response. Only the last one says why it ended."""
    firsts = [as_list(piece.get("candidates"))[:1] for piece in pieces if isinstance(piece, dict)]
    ends = [first_value(first[0], *END_KEYS) for first in firsts if first and isinstance(first[0], dict)]
    return len(ends) == len(pieces) and not any(ends[:-1]) and (len(ends) == 1 or ends[-1] is not None)


def join_stream(pieces: list[Any]) -> dict[str, Any]:
    """The whole response. Its texts are one text, and so are its thoughts."""
    parts: list[dict[str, Any]] = []
    for piece in pieces:
        held = piece["candidates"][0].get("content")
        for part in held.get("parts") or [] if is_content(held) else []:
            last = parts[-1] if parts else {}
            if is_said(part) and is_said(last) and part.get("thought") == last.get("thought"):
                parts[-1] = last | {"text": last["text"] + part["text"]}
            else:
                parts.append(part)
    return {"candidates": [{"content": {"role": "model", "parts": parts}}]}


def is_said(part: dict[str, Any]) -> bool:
    return isinstance(part.get("text"), str) and part.keys() <= {"text", "thought"}


def is_content(value: object) -> bool:
    """Whether this has parts, as only Gemini's contents have them."""
    if not isinstance(value, dict) or "content" in value or value.get("role", "user") not in GEMINI_ROLES:
        return False
    parts = value.get("parts")
    return isinstance(parts, list) and all(map(is_part, parts))


def is_part(part: object) -> bool:
    return isinstance(part, dict) and not any(key in part for key in OTHER_PART_KEYS)


def as_contents(given: Any) -> list[Any]:
    """The contents of a request. The SDK takes a text, a content, or a list of either too."""
    listed = given if isinstance(given, list) else [given] if given else []
    return [{"role": "user", "parts": [{"text": part}]} if isinstance(part, str) else part for part in listed]


def answer_of(request: dict[str, Any], document: Any) -> dict[str, Any]:
    """The response, which may have the history of the functions that the SDK has called by itself."""
    return inner_object(document, "response") or request


def split_exchange(document: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """The request, and the contents of the response."""
    inner, answer = document.get("request"), document.get("response", document)
    candidates = answer.get("candidates") if isinstance(answer, dict) else None
    first = candidates[:1] if isinstance(candidates, list) else []
    found = [part["content"] for part in first if isinstance(part, dict) and is_content(part.get("content"))]
    return (inner if isinstance(inner, dict) else document), found


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of the contents."""
    if not recognise(document):
        refuse("", "missing", "has no contents")
    if isinstance(document, list) and is_stream(document):
        document = join_stream(document)
    request, answers = split_exchange(document) if isinstance(document, dict) else ({"contents": document}, [])
    ran = next((found for key in HISTORY_KEYS if (found := as_list(answer_of(request, document).get(key)))), [])
    contents = ran or as_contents(request.get("contents"))
    config = request.get("config")
    places = [request, *([config] if isinstance(config, dict) else [])]
    instruction = next((found for place in places if (found := first_value(place, *INSTRUCTION_KEYS))), None)
    facts = {
        "messages": [as_chat(part) for part in [*contents, *answers]],
        "system": instruction.get("parts") if isinstance(instruction, dict) else instruction,
        "tools": declarations(next((place["tools"] for place in places if place.get("tools")), None)),
    }
    return chat.read(facts, name, limits)


def declarations(tools: object) -> list[Any] | None:
    """The functions that were declared."""
    if not isinstance(tools, list):
        return None
    found = [first_value(tool, *DECLARATION_KEYS) for tool in tools if isinstance(tool, dict)]
    return [part for declared in found if isinstance(declared, list) for part in declared]


def as_chat(value: Any, agent: str | None = None) -> Any:
    """A content as a chat message. Results of functions stand in the user's role, or in one of their own."""
    if not is_content(value):
        return value  # the reader of chats says what is wrong
    role = value.get("role") or "user"
    named = {"role": "assistant", "name": agent} if role == "model" else {"role": role}
    return named | {"content": [as_part(part) for part in value["parts"] if part]}


def as_part(part: dict[str, Any]) -> dict[str, Any]:
    """A part, with the value and the error of a function apart. Code that Gemini runs itself is a call."""
    known = {key: value for key, value in part.items() if value is not None and key not in SIGNATURE_KEYS}
    kind = next((key for key in PART_MAKERS if isinstance(known.get(key), dict)), None)
    return PART_MAKERS[kind](known[kind]) if kind else known


def make_result(answered: dict[str, Any]) -> dict[str, Any]:
    """What a function answered. Gemini's documentation names the keys of its value and of its error."""
    response = answered.get("response")
    known = response if isinstance(response, dict) else {"result": response}
    failed = content.error(known.get("error"))
    value = first_value(known, *VALUE_KEYS) if known.keys() <= {*VALUE_KEYS, "error"} else None
    told = {"content": failed or known if value is None else value, "error": failed}
    return {"type": "tool_result", "id": answered.get("id"), "name": answered.get("name")} | told


def make_code_call(code: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_call", "name": CODE_TOOL, "arguments": code}


def make_code_result(ran: dict[str, Any]) -> dict[str, Any]:
    failed = ran.get("outcome") not in (None, "OUTCOME_OK")
    return {"type": "tool_result", "name": CODE_TOOL, "content": ran.get("output"), "is_error": failed}


PART_MAKERS = {
    **dict.fromkeys(RESULT_KEYS, make_result),
    **dict.fromkeys(CODE_KEYS, make_code_call),
    **dict.fromkeys(CODE_RESULT_KEYS, make_code_result),
}
