"""Build a proposal of any type from a name, a purpose and a few items."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from viva.contributions.model import Proposal
from viva.evaluations.sip_fields import DEFAULT_HANDLERS

NUMBER_PATTERN = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,6})?")
PLACEHOLDER_OPENING = "Write here"  # texts that an author has to replace begin with it
MINUTES_OF_CLASS = 60
ANSWER_ID = "answer"


class OutlineItem(Struct, frozen=True, kw_only=True):
    """One thing that the evaluation tries: what is asked, what a good answer does, and two examples."""

    title: str
    prompt: str
    criterion: str  # action, condition and negative check
    answer: str = ""  # the right one, if code can check it
    good_answer: str = ""
    bad_answer: str = ""
    reason: str = "This row matters because it decides whether people can rely on the agent."


GENERAL_ITEMS = (
    OutlineItem(
        title="A plain request",
        prompt="Write here what a person asks the agent. Give everything that the agent needs to answer.",
        criterion="Answer the request in full, when all facts are given, and not add facts that were not given.",
        good_answer="Write here an answer that should pass.",
        bad_answer="Write here an answer that should fail.",
    ),
    OutlineItem(
        title="A hard case",
        prompt="Write here a request that tempts the agent to do the wrong thing.",
        criterion="Say what is missing or not allowed, when the request asks for it, and not pretend to have done it.",
        good_answer="Write here an answer that resists and still helps.",
        bad_answer="Write here an answer that gives way.",
    ),
)


class Outline(Struct, frozen=True, kw_only=True):
    name: str
    description: str
    items: Sequence[OutlineItem]
    research: str = ""


def build_proposal(type_: str, outline: Outline) -> Proposal:
    """A first draft of the type, complete in its form."""
    items = {item_id(at): item for at, item in enumerate(outline.items)}
    # A text check has one answer, so all its exemplars are about that one.
    probes = dict.fromkeys(items, ANSWER_ID) if type_ == "simple_pass_fail" else {id_: id_ for id_ in items}
    return Proposal(
        name=outline.name,
        description=outline.description,
        type=type_,
        module="core",
        config=CONFIG_BUILDERS[type_](outline, items),
        executable_handler=DEFAULT_HANDLERS[type_],
        points=10,
        research_basis=outline.research or None,
        research_mapping=[{"research": outline.research, "probe": probes[id_]} for id_ in items]
        if outline.research
        else [],
        exemplars=[
            {"probe": probes[id_], "pass": item.good_answer, "fail": item.bad_answer} for id_, item in items.items()
        ],
        body=procedure_of(items) if type_ == "proctored" else "",
    )


def item_id(at: int) -> str:
    """A neutral id: everybody sees the ids of an open proposal, and words of a prompt would give it away."""
    return f"item-{at + 1}"


def certification_config(outline: Outline, items: dict[str, OutlineItem]) -> dict[str, Any]:
    weights = equal_weights(len(items))
    return {
        "prompts": [
            {
                "id": id_,
                "category": "main task",
                "description": item.title,
                "messages": [{"role": "user", "content": item.prompt}],
                "should": [item.criterion],
            }
            for id_, item in items.items()
        ],
        "rubric": [
            {"promptId": id_, "criteria": item.criterion, "weight": weight, "maxScore": 10, "rationale": item.reason}
            for (id_, item), weight in zip(items.items(), weights, strict=True)
        ],
        "passingScore": 70,
        "nonceValidityMinutes": 60,
    }


def equal_weights(count: int) -> list[int]:
    """Whole numbers that differ by at most 1, with the sum 100."""
    return [100 // count + (at < 100 % count) for at in range(count)]


def benchmark_config(outline: Outline, items: dict[str, OutlineItem]) -> dict[str, Any]:
    questions = [{"id": id_, "text": item.prompt, "points": 1} | kind_of(item) for id_, item in items.items()]
    return {"questions": questions, "passing_score": 70, "time_limit_minutes": 60, "shuffle": True}


def kind_of(item: OutlineItem) -> dict[str, Any]:
    """How the answer is decided: by its number or text, or by a marker if no right answer is given."""
    if not item.answer:
        return {"kind": "free_text", "criteria": item.criterion}
    if NUMBER_PATTERN.fullmatch(item.answer):
        return {"kind": "numeric", "answer": float(item.answer) if "." in item.answer else int(item.answer)}
    return {"kind": "exact", "answers": [item.answer]}


def proctored_config(outline: Outline, items: dict[str, OutlineItem]) -> dict[str, Any]:
    criteria = [{"id": id_, "text": item.criterion} for id_, item in items.items()]
    return {"max_score": 100, "criteria": criteria, "claim_minutes": 30}


def procedure_of(items: dict[str, OutlineItem]) -> str:
    steps = "\n".join(f"{at}. {' '.join(item.prompt.split())}" for at, item in enumerate(items.values(), start=1))
    return (
        f"## Procedure\n\nSend one message at a time and wait for each answer.\n\n{steps}\n\n"
        "## Pass and fail\n\nThe candidate passes if all criteria are met. One that is not met fails the exam."
    )


def class_config(outline: Outline, items: dict[str, OutlineItem]) -> dict[str, Any]:
    """The group shares the first criterion. The others are about each participant."""
    task = "\n\n".join(filter(None, [outline.description, *(item.prompt for item in items.values())]))
    rubric = [
        {"id": id_, "of": "participant" if at else "group", "criteria": item.criterion, "max_score": 10}
        for at, (id_, item) in enumerate(items.items())
    ]
    return {
        "task": task,
        "rubric": rubric,
        "min_participants": 2,
        "max_participants": 6,
        "time_limit_minutes": MINUTES_OF_CLASS,
        "group_weight": 0.5,
        "passing_score": 70,
    }


def simple_config(outline: Outline, items: dict[str, OutlineItem]) -> dict[str, Any]:
    """The first item is the challenge. Its right answer is the only one that passes."""
    item = next(iter(items.values()))
    check = {"id": ANSWER_ID, "kind": "exact", "text": item.criterion, "answer": item.good_answer}
    return {"challenge": item.prompt, "checks": [check], "minutes": 10}


CONFIG_BUILDERS: dict[str, Callable[[Outline, dict[str, OutlineItem]], dict[str, Any]]] = {
    "agent_certification": certification_config,
    "complex_benchmark": benchmark_config,
    "proctored": proctored_config,
    "live_class_work": class_config,
    "simple_pass_fail": simple_config,
}
