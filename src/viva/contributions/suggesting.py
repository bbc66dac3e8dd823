"""Turn a plain description into a first draft: by rules, or by a judge's model where one is configured."""

import re
from collections.abc import Mapping
from textwrap import shorten
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec
from msgspec import Meta, Struct

from viva.contributions.model import Proposal
from viva.contributions.outlines import GENERAL_ITEMS, Outline, OutlineItem, build_proposal
from viva.judging.model import Judge

MAX_IDEA_CHARACTERS = 4_000
MAX_SUGGESTED_ITEMS = 12
MIN_ITEMS = 2  # as many as exemplars are needed
MAX_NAME_WORDS = 6
NAME_OPENING = re.compile(
    r"^(i (want|would like) to )?((test|check|find out|see|know)s? )?((whether|if|does|do|can|will|is|are) )?"
    r"((an|a|the|your|my) )?((ai|llm) )?((agent|model|assistant|bot)s? )?((can|will|does|is|are) )?",
    re.IGNORECASE,
)
CLAUSE_WORDS = frozenset("that when which who whom whose if because while although".split())
SMALL_WORDS = frozenset("a an and as at by for from if in is it of on or that the to when which who with".split())
MAX_PURPOSE_CHARACTERS = 400
MAX_ACTION_CHARACTERS = 120  # a longer purpose is more than one action
MAX_TITLE_CHARACTERS = 100
QUESTION_AND_ANSWER = re.compile(r"(.*\?)\s+(\S[^?]{0,199})")
# A type is suggested if its words occur most often. The first wins a tie.
WORDS_OF_TYPE = {
    "agent_certification": "conversation user refuse behave behaviour honest polite pressure advice safety tone",
    "complex_benchmark": "question questions quiz answer answers facts calculate arithmetic multiple choice knowledge",
    "proctored": "interview examiner proctor examine oral live follow-up probing",
    "live_class_work": "group team together discuss collaborate negotiate class participants",
    "simple_pass_fail": "prove proof verify check file code program script format exactly",
}


class Suggestion(NamedTuple):
    """A first draft, and the name of the model that wrote it; None if rules did."""

    proposal: Proposal
    model: str | None


def suggest_proposal(description: str, type_: str, judge: Judge | None = None) -> Suggestion:
    """Ask the judge's model for a draft. Rules write it if there is no judge or its answer is not valid."""
    type_ = type_ or suggest_type(description)
    outline = judge.with_full_budget().ask([DraftRequest(description, type_)]).rulings[0] if judge else None
    if judge and outline:
        return Suggestion(build_proposal(type_, outline), judge.model)
    return Suggestion(build_proposal(type_, outline_by_rules(description)), None)


def suggest_type(description: str) -> str:
    words = re.findall(r"[a-z-]+", description.lower())
    counts = {type_: sum(word in known.split() for word in words) for type_, known in WORDS_OF_TYPE.items()}
    return max(counts, key=lambda type_: counts[type_])


def outline_by_rules(description: str) -> Outline:
    """The first line is the purpose. Each further line becomes an item; what follows its question mark is the answer."""
    lines = [line for line in (strip_bullet(line) for line in description.splitlines()) if line]
    purpose = " ".join((lines[0] if lines else "").split())
    items = [item_of(line, action_in(purpose)) for line in lines[1 : 1 + MAX_SUGGESTED_ITEMS]]
    items = [*items, *GENERAL_ITEMS][: max(MIN_ITEMS, len(items))]
    return Outline(name=name_in(purpose), description=purpose[:MAX_PURPOSE_CHARACTERS], items=items)


def strip_bullet(line: str) -> str:
    return re.sub(r"^\s*(?:[-*•]|\d+[.)])?\s*", "", line).strip()


def action_in(purpose: str) -> str:
    """What a good answer does: the purpose without its opening, as in “keep a secret” of “Does an agent keep a secret?”"""
    action = NAME_OPENING.sub("", purpose).rstrip("?. ")
    is_phrase = action != purpose.rstrip("?. ") and 0 < len(action) <= MAX_ACTION_CHARACTERS and "?" not in action
    return action[:1].upper() + action[1:] if is_phrase else "Do what is asked"


def item_of(line: str, action: str) -> OutlineItem:
    asked = QUESTION_AND_ANSWER.fullmatch(line)
    prompt, answer = asked.groups() if asked else (line, "")
    return OutlineItem(
        title=shorten(prompt, MAX_TITLE_CHARACTERS, placeholder="…"),
        prompt=prompt,
        criterion=f"{action}, when the request is “{prompt[:100]}”, and not invent anything.",
        answer=answer,
        good_answer=answer or "Write here an answer that should pass.",
        bad_answer="Write here an answer that should fail.",
    )


def name_in(purpose: str) -> str:
    """A few words of the purpose, without its opening and without small words at the end."""
    words = NAME_OPENING.sub("", purpose).split()[:MAX_NAME_WORDS]
    clause = next((at for at, word in enumerate(words) if at > 1 and word.lower() in CLAUSE_WORDS), len(words))
    words = words[:clause]
    while words and words[-1].lower() in SMALL_WORDS:
        words.pop()
    name = " ".join(words).rstrip("?.,;:")
    return name[:1].upper() + name[1:]


ModelText = Annotated[str, Meta(min_length=1, max_length=4_000)]


class DraftedItem(Struct, frozen=True):
    title: Annotated[str, Meta(min_length=1, max_length=100)]
    prompt: ModelText
    criterion: ModelText
    good_answer: ModelText
    bad_answer: ModelText
    reason: ModelText


class DraftedOutline(Struct, frozen=True):
    """The reply of a model."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    purpose: Annotated[str, Meta(min_length=1, max_length=1_000)]
    research: ModelText
    items: Annotated[list[DraftedItem], Meta(min_length=MIN_ITEMS, max_length=MAX_SUGGESTED_ITEMS)]


class DraftRequest(Struct, frozen=True):
    """The order to write a first draft. The description is quoted as data."""

    opening: ClassVar[str] = "You draft an evaluation of AI agents from a quoted description of its idea."

    description: str
    type_: str

    @property
    def texts(self) -> Mapping[str, str]:
        return {"description": self.description}

    def orders(self) -> str:
        return (
            f'Write a draft of the type {self.type_}. Reply with one JSON object: "name" (a few words), "purpose" (one or two\n'
            'sentences: what the evaluation tests), "research" (a sentence on the research or practice it rests on),\n'
            f'"items" ({MIN_ITEMS} to {MAX_SUGGESTED_ITEMS} objects: "title", "prompt" (what the agent is asked, in full), "criterion" (what a good\n'
            'answer does, under which condition, and what it does not do), "good_answer", "bad_answer",\n'
            '"reason" (why the item matters)).'
        )

    def form(self) -> dict[str, Any]:
        text = {"type": "string"}
        fields = dict.fromkeys(DraftedItem.__struct_fields__, text)
        item = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
        return {"name": text, "purpose": text, "research": text, "items": {"type": "array", "items": item}}

    def read(self, reply: Any) -> Outline | None:
        try:
            draft = msgspec.convert(reply, DraftedOutline)
        except msgspec.ValidationError:
            return None
        items = [OutlineItem(**without_nulls(item)) for item in draft.items]
        texts = without_nulls(draft)
        return Outline(name=texts["name"], description=texts["purpose"], items=items, research=texts["research"])


def without_nulls(struct: Struct) -> dict[str, str]:
    """The texts without null characters, which PostgreSQL cannot store."""
    fields = msgspec.structs.asdict(struct)
    return {name: text.replace("\0", "").strip() for name, text in fields.items() if isinstance(text, str)}
