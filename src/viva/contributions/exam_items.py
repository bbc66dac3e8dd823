"""What a started attempt asks, item by item, and the submission made from the answers."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec

ItemKind = Literal[
    "choice", "multiple_choice", "exact", "numeric", "regex", "json_schema", "free_text", "probe", "message", "field"
]
JUDGED_KINDS: frozenset[ItemKind] = frozenset({"free_text", "probe", "message"})
SHORT_KINDS: frozenset[ItemKind] = frozenset({"exact", "regex", "field"})
ANSWER_FIELD = "answer"  # the field of handlers that take one answer


class ExamItem(NamedTuple):
    id: str
    kind: ItemKind
    text: str  # what the candidate is asked
    options: tuple[str, ...] = ()
    points: float = 1
    is_required: bool = False  # the submission is refused without it

    @property
    def is_short(self) -> bool:
        return self.kind in SHORT_KINDS

    @property
    def is_judged(self) -> bool:
        return self.kind in JUDGED_KINDS


def items_of(started: Mapping[str, Any]) -> list[ExamItem]:
    """The items of what starting an attempt returned."""
    if "questions" in started:
        return [question_item(question) for question in started["questions"]]
    if "prompts" in started:
        return [probe_item(probe) for probe in started["prompts"]]
    if "claim_url" in started:  # the agent's owner acts, and the agent answers nothing
        return []
    field = "proof" if "min_description" in started else ANSWER_FIELD
    return [ExamItem(field, "field", shown_text(started), is_required=True)]


def shown_text(started: Mapping[str, Any]) -> str:
    """What a handler without items shows: its prompt, or everything but ids and times."""
    prompt = started.get("prompt", started.get("challenge"))
    if prompt is not None:
        return prompt if isinstance(prompt, str) else msgspec.json.encode(prompt).decode()
    texts = [text for name, text in started.items() if isinstance(text, str) and not name.endswith(("_at", "_id"))]
    return "\n".join(texts)


def question_item(question: Mapping[str, Any]) -> ExamItem:
    options = tuple(question.get("options", ()))
    return ExamItem(question["id"], question["kind"], question["text"], options, question["points"])


def probe_item(probe: Mapping[str, Any]) -> ExamItem:
    """The text is the last message, which the candidate answers."""
    return ExamItem(probe["id"], "probe", probe["messages"][-1]["content"], is_required=True)


def submission_of(started: Mapping[str, Any], name: str, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The submission of the agent called `name`, in the form that the exam takes."""
    if "questions" in started:
        return {"answers": {id_: answer for id_, answer in answers.items() if answer is not None}}
    if "prompts" in started:
        transcript = [{"prompt_id": id_, "response": str(answer)} for id_, answer in answers.items()]
        return {"nonce": started["nonce"], "transcript": transcript}
    body: dict[str, Any] = {"challenge_id": started["challenge_id"], **answers}
    if "min_description" in started:  # an identity check
        body["name"] = name
    if "claim_url" in started:
        body["method"] = "link"
    return body
