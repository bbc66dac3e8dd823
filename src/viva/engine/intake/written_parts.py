"""Finds thoughts and calls that an agent wrote as text, by the marks that models and libraries use."""

import re
from typing import Any

from viva.engine.intake import content
from viva.engine.intake.content import MessageParts
from viva.engine.intake.messages import IntakeCall
from viva.engine.intake.plain import decode_literal, decode_text, inner_object

CALL_TAGS = "<tool_call>", "</tool_call>"
THOUGHT_TAGS = (("<think>", "</think>"), ("<thinking>", "</thinking>"))  # before an answer
FUNCTION_TAGS = "<function=", "</function>"  # of OpenHands
PARAMETER_TAGS = "<parameter=", "</parameter>"
LISTED_CALLS_LABEL = "Calling tools:"  # of smolagents
ACTION = re.compile(  # of ReAct agents
    r"(?:^|\n)[ \t]{0,9}Action:[ \t]{0,9}(?P<name>[^\n]{1,200})\n[ \t]{0,9}Action Input:(?P<input>.*)$", re.S
)
CALL_ROLES = ("function_call", "tool_call", "tool-call")  # of messages that are nothing but calls
THOUGHT_LABEL = re.compile(r"\s*Thought:\s*")
ANSWER_TOOLS = ("finish", "final answer", "final_answer")  # what an agent calls to answer
ANSWER_KEYS = ("final_answer", "answer", "message", "input")


def separate_thought(parts: MessageParts) -> MessageParts:
    """The parts of a message whose text begins with a thought between tags."""
    text = (parts.text or "").lstrip()
    for opening, closing in THOUGHT_TAGS:
        thought, is_closed, rest = text.removeprefix(opening).partition(closing)
        if text.startswith(opening) and is_closed:
            thoughts = filter(None, (parts.thought, thought.strip()))
            return parts._replace(text=rest.strip() or None, thought="\n\n".join(thoughts) or None)
    return parts


def separate_calls(parts: MessageParts, role: str) -> MessageParts:
    """The parts of a message whose text is, or ends with, calls. Any other message stays as it is."""
    text = parts.text or ""
    if tagged := find_between(text, CALL_TAGS):
        calls = [made for inner in tagged if (made := as_call(decode_text(inner)))]
        return with_calls(parts, without(text, CALL_TAGS), calls) if len(calls) == len(tagged) else parts
    if written := find_between(text, FUNCTION_TAGS):
        name, _, given = written[0].partition(">")
        values = [inner.partition(">") for inner in find_between(given, PARAMETER_TAGS)]
        return with_call(
            parts, text.partition(FUNCTION_TAGS[0])[0], name, {key: known.strip("\n") for key, _, known in values}
        )
    if action := ACTION.search(text):
        given = action["input"].strip()
        known = decode_text(given)
        arguments = known if isinstance(known, dict) else {"input": given.strip('"')} if given else {}
        return with_call(parts, text[: action.start()], action["name"].strip(), arguments)
    if role in CALL_ROLES:
        listed = text.strip().removeprefix(LISTED_CALLS_LABEL).strip()
        return with_calls(parts, "", as_calls(decode_text(listed) or decode_literal(listed)))
    return parts


def find_between(text: str, tags: tuple[str, str]) -> list[str]:
    """What stands between two tags, each time they occur."""
    opening, closing = tags
    return [piece.partition(opening)[2] for piece in text.split(closing)[:-1] if opening in piece]


def without(text: str, tags: tuple[str, str]) -> str:
    """The text without what stands between two tags."""
    opening, closing = tags
    return "".join(piece.partition(opening)[0] for piece in text.split(closing))


def with_call(parts: MessageParts, before: str, name: str, arguments: dict[str, Any]) -> MessageParts:
    """A step of an agent: its thought, and the call that it asks for or the answer that it gives."""
    thought = "\n\n".join(filter(None, (parts.thought, THOUGHT_LABEL.sub("", before, count=1).strip()))) or None
    if name.lower() in ANSWER_TOOLS:
        texts = [value for key, value in arguments.items() if isinstance(value, str) and key in ANSWER_KEYS]
        return parts._replace(
            text=next(iter(texts), before.strip() or None), thought=thought if texts else parts.thought
        )
    return parts._replace(text=None, thought=thought, calls=(content.call(None, name, arguments),))


def as_calls(found: Any) -> list[IntakeCall]:
    """The calls of an object or a list that is nothing else."""
    listed = found if isinstance(found, list) else [found]
    calls = [made for part in listed if (made := as_call(part))]
    return calls if len(calls) == len(listed) else []


def as_call(value: Any) -> IntakeCall | None:
    """The call in an object with the name of a tool and its arguments; None if it is another object."""
    known = inner_object(value, "function") or value
    if (
        not isinstance(known, dict)
        or not isinstance(known.get("name"), str)
        or not {"arguments", "parameters"} & set(known)
    ):
        return None
    arguments = known.get("arguments", known.get("parameters"))
    is_code = isinstance(arguments, str) and decode_text(arguments or "{}") is None
    return content.call(value.get("id"), known["name"], {"input": arguments} if is_code else arguments)


def with_calls(parts: MessageParts, rest: str, calls: list[IntakeCall]) -> MessageParts:
    return parts._replace(text=rest.strip() or None, calls=tuple(calls)) if calls else parts
