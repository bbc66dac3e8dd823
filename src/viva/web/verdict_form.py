"""The verdict form: its fields, its checks, and the verdict that a proctor wrote."""

from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple

from viva.evaluations.model import Evaluation
from viva.exams.handlers.proctor_marks import GivenCriterion, MarkableCriterion, criteria_of, find_score
from viva.exams.handlers.proctored import BadScore, Verdict, check_score
from viva.kit.errors import Fault, Invalid
from viva.results.official import Worth
from viva.web.criteria import MAX_PROMPT_ID_CHARACTERS
from viva.web.forms import number

MAX_FORM_CRITERIA = 100  # findings read as many from a result
MAX_NOTE_CHARACTERS = 1_000
MAX_VERDICT_FEEDBACK_CHARACTERS = 20_000
YES_NO = {"yes": True, "no": False}


class BadVerdict(Invalid):
    """The verdict is not complete."""


class VerdictNotConfirmed(Invalid):
    """Nothing is decided yet. Press “Yes, decide and end the session” to give the verdict."""


class VerdictLine(NamedTuple):
    """A criterion of the form with its mark or choice, and its note."""

    criterion: MarkableCriterion
    mark: str
    met: str
    note: str


class VerdictForm(NamedTuple):
    max_score: float | None
    passed: str
    score: str
    feedback: str
    lines: tuple[VerdictLine, ...]
    is_practice: bool
    worth: Worth  # of the verdict, if the exam is complete
    faults: dict[str, str]  # by field; "" is the form as a whole

    @property
    def is_marked(self) -> bool:
        """Whether the marks of criteria add up to the score, so that nobody types it."""
        return any(line.criterion.points for line in self.lines)

    @property
    def marks_sum(self) -> float:
        """What the written marks add up to so far."""
        marks = [mark_in(line.mark) for line in self.lines]
        return sum(mark for mark in marks if mark is not None and isfinite(mark))


def form_of(evaluation: Evaluation, written: dict[str, str], faults: tuple[Fault, ...], worth: Worth) -> VerdictForm:
    """The form with the values that were written."""
    lines = tuple(
        VerdictLine(criterion, *(written.get(f"{name}-{at}", "") for name in ("mark", "met", "note")))
        for at, criterion in enumerate(form_criteria(evaluation))
    )
    return VerdictForm(
        evaluation.max_score,
        written.get("passed", ""),
        written.get("score", ""),
        written.get("feedback", ""),
        lines,
        bool(written.get("practice")),
        worth,
        {fault.field: fault.message for fault in faults},
    )


def form_criteria(evaluation: Evaluation) -> list[MarkableCriterion]:
    return criteria_of(evaluation)[:MAX_FORM_CRITERIA]


def verdict_in(evaluation: Evaluation, written: dict[str, str]) -> Verdict:
    """Read the verdict. The error lists all faults at once. What is right needs the second step too."""
    faults = tuple(faults_in(evaluation, written))
    if faults:
        raise BadVerdict(faults=faults)
    if written.get("unconfirmed"):
        raise VerdictNotConfirmed()
    given = tuple(given_in(evaluation, written))
    is_marked = find_score(evaluation, given) is not None
    return Verdict(
        passed=YES_NO[written["passed"]],
        feedback=written.get("feedback") or None,
        score=None if is_marked else score_in(written),
        criteria=given,
        is_practice=bool(written.get("practice")),
    )


def faults_in(evaluation: Evaluation, written: dict[str, str]) -> Iterator[Fault]:
    if written.get("passed") not in YES_NO:
        yield Fault("passed", "missing", "Choose whether the candidate passed.")
    try:
        check_score(evaluation, score_in(written))
    except BadScore as error:
        yield from error.faults
    for at, criterion in enumerate(form_criteria(evaluation)):
        yield from line_faults(at, criterion, written)
    if len(written.get("feedback", "")) > MAX_VERDICT_FEEDBACK_CHARACTERS:
        yield Fault("feedback", "too_long", f"Feedback has at most {MAX_VERDICT_FEEDBACK_CHARACTERS:,} characters.")


def line_faults(at: int, criterion: MarkableCriterion, written: dict[str, str]) -> Iterator[Fault]:
    if len(written.get(f"note-{at}", "")) > MAX_NOTE_CHARACTERS:
        yield Fault(f"note-{at}", "too_long", f"A note has at most {MAX_NOTE_CHARACTERS:,} characters.")
    mark = mark_in(written.get(f"mark-{at}", ""))
    if mark is not None and not 0 <= mark <= (criterion.points or 0):  # false for what is no number
        yield Fault(f"mark-{at}", "bad_mark", f"A mark here is a number from 0 to {criterion.points or 0:g}.")


def mark_in(text: str) -> float | None:
    return number(text) if text.strip() else None


def score_in(written: dict[str, str]) -> float | None:
    return number(written["score"]) if written.get("score") else None


def given_in(evaluation: Evaluation, written: dict[str, str]) -> Iterator[GivenCriterion]:
    """What was written about criteria; those without any judgement or note are left out."""
    for at, criterion in enumerate(form_criteria(evaluation)):
        mark = mark_in(written.get(f"mark-{at}", ""))
        met, note = YES_NO.get(written.get(f"met-{at}", "")), written.get(f"note-{at}", "")
        if mark is not None or met is not None or note:
            yield GivenCriterion(criterion.id, mark, met, note)


def prompts_in(config: dict[str, Any]) -> list[str]:
    """The ids of the prompts that a message may name."""
    return [row["id"] for row in dicts_in(config, "prompts") if len(row["id"]) <= MAX_PROMPT_ID_CHARACTERS]


def dicts_in(config: dict[str, Any], name: str) -> list[dict[str, Any]]:
    given = config.get(name)
    rows = given[:MAX_FORM_CRITERIA] if isinstance(given, list) else []
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"]]
