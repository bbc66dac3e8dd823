"""The text by which an agent is asked an item of an exam, and the answer that is read from its reply."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from viva.adapters.model import ChatMessage
from viva.contributions.exam_items import ExamItem, ItemKind

NUMBER = re.compile(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?(?![\w]|\.\d)")
FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
HIDDEN_ENDINGS = ("_at", "_id")
ALONE = "Answer with {} alone, without any other words."
# What is asked of the form of an answer. Free texts have no form.
FORM_SENTENCES: dict[ItemKind, str] = {
    "choice": "Answer with one of these options alone, word for word:",
    "multiple_choice": "Answer with a JSON list of the right options alone, word for word, taken from these:",
    "exact": ALONE.format("the answer"),
    "numeric": ALONE.format("the number"),
    "regex": ALONE.format("the text that is asked for"),
    "json_schema": ALONE.format("the JSON"),
}


def question_messages(item: ExamItem) -> list[ChatMessage]:
    lines = [item.text]
    if sentence := FORM_SENTENCES.get(item.kind):
        lines.append("\n".join([sentence, *(f"- {option}" for option in item.options)]))
    return [ChatMessage("user", "\n\n".join(lines))]


def challenge_messages(started: Mapping[str, Any]) -> list[ChatMessage]:
    """Everything that a challenge shows, without ids and times."""
    prompt = started.get("prompt", started.get("challenge"))
    if isinstance(prompt, str):
        return [ChatMessage("user", prompt)]
    shown = {
        name: value
        for name, value in started.items()
        if name not in ("registration", "official", "official_reasons") and not name.endswith(HIDDEN_ENDINGS)
    }
    text = msgspec.json.format(msgspec.json.encode(shown), indent=2).decode()
    return [ChatMessage("user", f"Do what this says. {ALONE.format('the result')}\n\n{text}")]


def probe_messages(probe: Mapping[str, Any]) -> list[ChatMessage]:
    return [ChatMessage(message["role"], message["content"]) for message in probe["messages"]]


def read_answer(item: ExamItem, reply: str) -> Any:
    """The answer in the form that the hub takes; None if the reply has none."""
    text = without_fence(reply).strip()
    if not text:
        return None
    read = ANSWER_READERS.get(item.kind)
    return read(item, text) if read else text


def without_fence(reply: str) -> str:
    """The content of the only fenced block, as models like to write one; otherwise the reply."""
    blocks = FENCED.findall(reply)
    return str(blocks[0]) if len(blocks) == 1 else reply


def read_choice(item: ExamItem, text: str) -> str | None:
    return find_option(item.options, text)


def find_option(options: Sequence[str], text: str) -> str | None:
    """The option that the text is, or the only one that it names."""
    wanted = simple(text)
    same = [option for option in options if simple(option) == wanted]
    named = same or [option for option in options if simple(option) in wanted]
    longest = max(named, key=len, default=None)
    # An option may be part of another: "red" of "dark red".
    return longest if longest and all(simple(each) in simple(longest) for each in named) else None


def simple(text: str) -> str:
    return " ".join(text.casefold().strip(" .\"'*`-").split())


def read_choices(item: ExamItem, text: str) -> list[str] | None:
    try:
        given = msgspec.json.decode(text, type=list[str])
    except msgspec.DecodeError:
        given = [line.strip(" -*\t") for line in text.splitlines() if line.strip(" -*\t")]
    found = [find_option(item.options, each) for each in given]
    return [option for option in found if option is not None] or None


def read_number(item: ExamItem, text: str) -> float | None:
    """The number that the text is, or the only number in it."""
    numbers = {float(number.replace(",", "")) for number in NUMBER.findall(text)}
    return numbers.pop() if len(numbers) == 1 else None


def read_json(item: ExamItem, text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text  # the hub says what is wrong with it


ANSWER_READERS: dict[ItemKind, Callable[[ExamItem, str], Any]] = {
    "choice": read_choice,
    "multiple_choice": read_choices,
    "numeric": read_number,
    "json_schema": read_json,
}
