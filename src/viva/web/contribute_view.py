"""What a step of the contribution form shows: values, problems beside their fields, progress."""

from dataclasses import dataclass
from textwrap import shorten
from typing import Any, NamedTuple

from viva.contributions.differences import FieldChange
from viva.contributions.model import Contribution, Proposal, Validation, ValidationProblem
from viva.evaluations.sip_fields import HANDLERS_OF_TYPE, is_number
from viva.web.contribute_access import address_of_draft
from viva.web.contribute_choices import FormChoices
from viva.web.contribute_words import CHECK_KINDS, CODE_HINT, HANDLER_HINTS, ITEM_WORDS, QUESTION_KINDS, TYPE_HINTS
from viva.web.contribution_fields import STEP_NAMES, fields_of, pattern_of
from viva.web.contribution_paths import keys_of, look_up, parent_of
from viva.web.contribution_places import message_beside
from viva.web.contribution_values import text_at

# Problems that belong to another field than the one they name.
SLOT_OF_FIELD = {
    "executable": "executable_handler",
    "executable.handler": "executable_handler",
    "executable.code": "executable_code",
    "id": "evaluation_id",
    "text": "body",
}
MISSING_CODE = "MISSING_FIELD"
MISSING_TEXT = "This is missing."  # beside its field; the validation names the field
ITEM_NAME_CHARACTERS = 60  # in a list on a phone
LIST_OF_ITEMS = {
    "agent_certification": "prompts",
    "complex_benchmark": "questions",
    "proctored": "criteria",
    "live_class_work": "rubric",
    "simple_pass_fail": "checks",
}


class ShownProblem(NamedTuple):
    """A problem of the validation, and where it is corrected."""

    field: str
    message: str
    suggestion: str | None
    is_error: bool
    step: int


@dataclass(frozen=True)
class StepForm:
    """The fields of one step. `values` is a tree whose paths are the names of the fields."""

    values: dict[str, Any]
    problems: dict[str, list[ShownProblem]]  # by the field beside which they are shown

    def text(self, path: str) -> str:
        return text_at(self.values, path)

    def rows(self, path: str) -> list[str]:
        rows = look_up(self.values, path)
        return [f"{path}[{at}]" for at in range(len(rows))] if isinstance(rows, list) else []

    def place_of(self, path: str) -> int:
        last = keys_of(path)[-1]
        return last if isinstance(last, int) else 0

    def problems_at(self, path: str) -> list[ShownProblem]:
        return self.problems.get(path, [])

    def is_wrong(self, path: str) -> bool:
        return any(problem.is_error for problem in self.problems_at(path))

    def known_value(self, path: str, options: list[str]) -> str:
        """The option that equals the value. Case does not matter."""
        value = self.text(path).lower()
        return next((option for option in options if option.lower() == value), "")


class StepLink(NamedTuple):
    number: int
    name: str
    address: str
    is_current: bool
    errors: int


class EditConflict(NamedTuple):
    """What somebody else saved meanwhile: who, and the differences from their text to the one on this page."""

    editor_name: str
    changes: list[FieldChange]


def steps_of(contribution: Contribution, step: int, problems: list[ShownProblem]) -> list[StepLink]:
    return [
        StepLink(
            number,
            name,
            address_of_draft(contribution.id, step=number),
            number == step,
            sum(problem.is_error and problem.step == number for problem in problems),
        )
        for number, name in STEP_NAMES.items()
    ]


def problems_in(validation: Validation) -> list[ShownProblem]:
    return [
        *(shown_problem(problem, is_error=True) for problem in validation.errors if not is_repeated(problem)),
        *(shown_problem(problem, is_error=False) for problem in validation.warnings),
    ]


def is_repeated(problem: ValidationProblem) -> bool:
    """The id is made from the name, so it is missing only if the name is."""
    return problem.code == MISSING_CODE and problem.field == "evaluation_id"


def shown_problem(problem: ValidationProblem, is_error: bool) -> ShownProblem:
    field = SLOT_OF_FIELD.get(problem.field, problem.field)
    message = MISSING_TEXT if problem.code == MISSING_CODE else message_beside(problem.field, problem.message)
    return ShownProblem(field, message, problem.suggestion, is_error, step_of(field))


def step_of(field: str) -> int:
    """The step that has the field. Problems of the whole are shown on the last step."""
    first = str((keys_of(field) or [""])[0])
    if first in ("config", "points", "body"):
        return 2
    if first.startswith("executable"):
        return 3
    return (
        next((step for step in (1, 4) if any(name.startswith(first) for name in fields_of(step, ""))), 5)
        if first
        else 5
    )


def by_slot(problems: list[ShownProblem], step: int, type_: str) -> dict[str, list[ShownProblem]]:
    """The problems of a step by the field, row or list that they are shown at. Those of the whole are under ``."""
    slots: dict[str, list[ShownProblem]] = {}
    for problem in problems:
        if problem.step == step:
            slots.setdefault(slot_of(problem.field, step, type_), []).append(problem)
    return slots


def slot_of(field: str, step: int, type_: str) -> str:
    """The nearest part of the form at or above the field."""
    kinds = fields_of(step, type_)
    lists = {path.removesuffix("[]") for path in kinds if path.endswith("[]")}
    while field:
        pattern = pattern_of(field)
        is_tick = pattern.endswith("[]") and kinds.get(pattern) != "row"  # one of many, which are told of together
        if (pattern in kinds and not is_tick) or pattern in lists or (pattern == "body" and type_ == "proctored"):
            return field
        field = parent_of(field)
    return ""


def item_names(proposal: Proposal) -> dict[str, str]:
    """The probes, questions or criteria of a proposal by their ids, as a list offers them."""
    rows = proposal.config.get(LIST_OF_ITEMS.get(proposal.type, ""))
    items = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {item["id"]: item_name(item) for item in items if isinstance(item.get("id"), str) and item["id"]}


def item_name(item: dict[str, Any]) -> str:
    """The id, and the first words of what the item is about."""
    about = next((item[key] for key in ("description", "text", "criteria") if isinstance(item.get(key), str)), "")
    return f"{item['id']}: {shorten(about, ITEM_NAME_CHARACTERS, placeholder='…')}" if about.strip() else item["id"]


def total_of(proposal: Proposal, list_name: str, key: str) -> str:
    rows = proposal.config.get(list_name)
    numbers = [row.get(key, 0) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return f"{sum(number for number in numbers if is_number(number)):.2f}".rstrip("0").removesuffix(".")


def handlers_for(type_: str) -> dict[str, str]:
    return {name: HANDLER_HINTS.get(name, "") for name in HANDLERS_OF_TYPE.get(type_, ())}


class ProblemList:
    """What the pages of a draft say about its problems, each with the address of its field."""

    contribution: Contribution
    problems: list[ShownProblem]

    @property
    def errors(self) -> list[ShownProblem]:
        return [problem for problem in self.problems if problem.is_error]

    @property
    def warnings(self) -> list[ShownProblem]:
        return [problem for problem in self.problems if not problem.is_error]

    def slot_of(self, problem: ShownProblem) -> str:
        return slot_of(problem.field, problem.step, self.contribution.type)

    def problem_address(self, problem: ShownProblem) -> str:
        return f"{address_of_draft(self.contribution.id, step=problem.step, checked=1)}#{self.slot_of(problem)}"


@dataclass(frozen=True)
class StepPage(ProblemList):
    """One step of the form. Lists of choices are read from the catalogue of the hub."""

    contribution: Contribution
    step: int
    form: StepForm
    steps: list[StepLink]
    problems: list[ShownProblem]  # of the whole contribution
    is_checked: bool  # whether problems are shown beside their fields
    is_saved: bool
    is_next: bool  # whether the contributor wanted to go on
    written_by: str | None  # the model that wrote the first draft
    choices: FormChoices
    revision: int
    document: str  # only on the last step
    conflict: EditConflict | None = None
    error: str = ""
    types = TYPE_HINTS
    question_kinds = QUESTION_KINDS
    check_kinds = CHECK_KINDS

    @property
    def proposal(self) -> Proposal:
        return self.contribution.proposal

    @property
    def address(self) -> str:
        return self.step_address(self.step)

    def step_address(self, step: int) -> str:
        return address_of_draft(self.contribution.id, step=step)

    @property
    def code_hint(self) -> str:
        return CODE_HINT

    @property
    def config_template(self) -> str:
        return f"contribute/_{self.proposal.type}.html" if self.proposal.type in TYPE_HINTS else ""

    @property
    def own_problems(self) -> list[ShownProblem]:
        """Those of this step that no field has room for."""
        return self.form.problems_at("")

    @property
    def step_errors(self) -> list[ShownProblem]:
        return [problem for problem in self.errors if problem.step == self.step]

    @property
    def has_details(self) -> bool:
        proposal = self.proposal
        named = {problem.field for problem in self.problems if problem.is_error and self.is_checked}
        return bool(proposal.title or proposal.evaluation_id or named & {"evaluation_id", "version", "author", "title"})

    @property
    def is_long_list(self) -> bool:
        rows = self.proposal.config.get(LIST_OF_ITEMS.get(self.proposal.type, ""))
        return bool(rows) and not self.form.rows(f"config.{LIST_OF_ITEMS[self.proposal.type]}")

    @property
    def weight_total(self) -> str:
        return total_of(self.proposal, "rubric", "weight")

    @property
    def points_total(self) -> str:
        return total_of(self.proposal, "questions", "points")

    @property
    def marks_total(self) -> str:
        return total_of(self.proposal, "rubric", "max_score")

    @property
    def item_names(self) -> dict[str, str]:
        return item_names(self.proposal)

    @property
    def item_word(self) -> str:
        return ITEM_WORDS.get(self.proposal.type, "item")

    @property
    def handlers(self) -> dict[str, str]:
        return handlers_for(self.proposal.type)

    @property
    def prerequisites(self) -> list[str]:
        return self.proposal.prerequisites

    @property
    def other_prerequisites(self) -> str:
        return "\n".join(id_ for id_ in self.proposal.prerequisites if id_ not in self.choices.evaluations)
