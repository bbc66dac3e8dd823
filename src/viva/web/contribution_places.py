"""What pages call a part of a contribution: `config.prompts[0].messages[1].content` is Probe 1, message 2, text."""

from collections.abc import Iterator
from itertools import zip_longest

from viva.web.contribution_paths import PathKey, keys_of
from viva.web.wording import words

ROW_NAMES = {
    "prompts": "probe",
    "messages": "message",
    "rubric": "rubric row",
    "questions": "question",
    "criteria": "criterion",
    "checks": "check",
    "exemplars": "exemplar",
    "research_mapping": "research link",
    "prerequisites": "prerequisite",
    "should": "criterion",
}
# The labels of the form, where they differ from the keys.
KEY_NAMES = {
    "config": "configuration",
    "body": "text of the page",
    "prompts": "probes",
    "research_basis": "what it rests on",
    "research_mapping": "research links",
    "evaluation_id": "id in the address",
    "executable_handler": "name of the handler",
    "executable_code": "code of the handler",
    "promptId": "probe",
    "maxScore": "maximum mark",
    "max_score": "maximum mark",
    "passingScore": "passing score",
    "nonceValidityMinutes": "time limit",
    "time_limit_minutes": "time limit",
    "cooldown_minutes": "wait between tries",
    "max_tries": "tries",
    "judgeModelId": "judge model",
    "content": "text",
    "should": "the answer should",
    "pass": "answer that should pass",
    "fail": "answer that should fail",
}
KEYS_IN_ROWS = {("prompts", "description"): "what it tries"}


def part_name(field: str) -> str:
    """The part as its label in the form says it. What is no path, such as a key with a space, is shown as it is."""
    keys = keys_of(field)
    text = ", ".join(names_of(keys[1:] if len(keys) > 1 and keys[0] == "config" else keys))
    return text[:1].upper() + text[1:] or field


def names_of(keys: list[PathKey]) -> Iterator[str]:
    """A name for each key. A key before a place is the list of a row, and has one name with it."""
    row = ""
    for key, after in zip_longest(keys, keys[1:]):
        if isinstance(key, int):
            continue
        if isinstance(after, int):
            row = key
            yield f"{ROW_NAMES.get(key, key)} {after + 1}"
        else:
            yield KEYS_IN_ROWS.get((row, key)) or KEY_NAMES.get(key) or words(key).lower()


def message_beside(field: str, message: str) -> str:
    """The message for a reader who sees which field it is about, so that it need not begin with the path."""
    for opening, subject in ((f"{field}: ", ""), (f"{field} ", "This ")):
        if field and message.startswith(opening):
            text = subject + message.removeprefix(opening)
            return text[:1].upper() + text[1:]
    return message
