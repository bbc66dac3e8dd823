"""What a contribution can start from: nothing, an outline of its type, or a finished example."""

from copy import deepcopy
from functools import cache
from typing import Any, NamedTuple

from msgspec import structs

from viva.contributions.documents import proposal_of
from viva.contributions.model import Proposal
from viva.contributions.outlines import GENERAL_ITEMS, Outline, build_proposal
from viva.evaluations import sip as sips
from viva.evaluations import templates as examples
from viva.evaluations.sip_fields import DEFAULT_HANDLERS, EVALUATION_TYPES
from viva.kit.errors import NotFound

# The configuration of a new contribution: one empty row of each list, and usual numbers.
STARTER_CONFIGS: dict[str, dict[str, Any]] = {
    "agent_certification": {
        "prompts": [{"id": "probe-1", "messages": [{"role": "user"}]}],
        "rubric": [{"promptId": "probe-1", "weight": 100, "maxScore": 10}],
        "passingScore": 70,
        "nonceValidityMinutes": 60,
    },
    "complex_benchmark": {
        "questions": [{"id": "question-1", "kind": "choice", "points": 1}],
        "passing_score": 70,
        "time_limit_minutes": 60,
        "shuffle": True,
    },
    "proctored": {"max_score": 100, "criteria": [{"id": "criterion-1"}], "claim_minutes": 30},
    "live_class_work": {
        "rubric": [
            {"id": "together", "of": "group", "max_score": 10},
            {"id": "own-part", "of": "participant", "max_score": 10},
        ],
        "min_participants": 2,
        "max_participants": 6,
        "time_limit_minutes": 60,
        "group_weight": 0.5,
        "passing_score": 70,
    },
    "simple_pass_fail": {"checks": [{"id": "answer", "kind": "exact"}], "minutes": 10},
}
NEW_ROWS: dict[str, dict[str, Any]] = {
    "config.prompts": {"messages": [{"role": "user"}]},
    "config.prompts[].messages": {"role": "user"},
    "config.rubric": {"maxScore": 10},
    "config.checks": {"kind": "exact"},
    "config.questions": {"kind": "choice", "points": 1},
}


class NoSuchTemplate(NotFound):
    """There is no template for this type of evaluation."""


class Template(NamedTuple):
    """An outline with hints in place of its texts, and a finished example."""

    type: str
    outline: Proposal
    example: Proposal


def default_handler(type_: str) -> str:
    """The handler that a new proposal of the type gets."""
    return DEFAULT_HANDLERS.get(type_, "")


def starter_config(type_: str) -> dict[str, Any]:
    return deepcopy(STARTER_CONFIGS.get(type_, {}))


def blank_proposal(type_: str) -> Proposal:
    """A proposal of the type without any text."""
    return Proposal(type=type_, config=starter_config(type_), executable_handler=default_handler(type_), points=10)


@cache
def load_template(type_: str) -> Template:
    if type_ not in EVALUATION_TYPES:
        raise NoSuchTemplate()
    return Template(type_, outline_of(type_), load_example(type_))


def list_templates() -> list[Template]:
    return [load_template(type_) for type_ in EVALUATION_TYPES]


@cache
def load_example(type_: str) -> Proposal:
    """A finished evaluation of the type."""
    return proposal_of(sips.parse(examples.load_template(type_)))


def own_example(type_: str) -> Proposal:
    """The example as the beginning of a contribution: its id is made from the name, and its author is the contributor."""
    example = load_example(type_)
    name = example.name.removeprefix("Example: ")
    return structs.replace(example, evaluation_id="", name=name[:1].upper() + name[1:], author="")


def outline_of(type_: str) -> Proposal:
    """A proposal whose texts say what to write in their place."""
    return build_proposal(type_, Outline(name="", description="", items=GENERAL_ITEMS))
