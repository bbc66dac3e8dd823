"""The verdict form: its fields, its checks, and the verdict that a proctor wrote."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from viva.evaluations.model import Evaluation
from viva.exams.handlers.proctored import BadScore, Verdict, check_score
from viva.kit.errors import Fault, Invalid
from viva.web.criteria import MAX_PROMPT_ID_CHARACTERS
from viva.web.forms import number

MAX_FORM_CRITERIA = 100  # findings read as many from a result
MAX_NOTE_CHARACTERS = 1_000
MAX_VERDICT_FEEDBACK_CHARACTERS = 20_000
YES_NO = {"yes": True, "no": False}


class BadVerdict(Invalid):
    """The verdict is not complete."""


class FormCriterion(NamedTuple):
    """A criterion of the evaluation."""

    id: str
    text: str


class VerdictLine(NamedTuple):
    """A criterion of the form with its choice, note and fault."""

    criterion: FormCriterion
    met: str
    note: str
    fault: str


class VerdictForm(NamedTuple):
    max_score: float | None
    passed: str
    score: str
    feedback: str
    lines: tuple[VerdictLine, ...]
    faults: dict[str, str]  # by field; "" is the form as a whole


def form_of(evaluation: Evaluation, written: dict[str, str], faults: tuple[Fault, ...]) -> VerdictForm:
    """The form with the values that were written."""
    messages = {fault.field: fault.message for fault in faults}
    lines = tuple(
        VerdictLine(
            criterion, written.get(f"met-{at}", ""), written.get(f"note-{at}", ""), messages.get(f"note-{at}", "")
        )
        for at, criterion in enumerate(criteria_in(evaluation.config))
    )
    return VerdictForm(
        evaluation.max_score,
        written.get("passed", ""),
        written.get("score", ""),
        written.get("feedback", ""),
        lines,
        messages,
    )


def verdict_in(evaluation: Evaluation, written: dict[str, str]) -> Verdict:
    """Read the verdict. The error lists all faults at once."""
    faults = tuple(faults_in(evaluation, written))
    if faults:
        raise BadVerdict(faults=faults)
    return Verdict(
        passed=YES_NO[written["passed"]],
        feedback=written.get("feedback") or None,
        score=score_in(written),
        data=data_in(evaluation, written),
    )


def faults_in(evaluation: Evaluation, written: dict[str, str]) -> Iterator[Fault]:
    if written.get("passed") not in YES_NO:
        yield Fault("passed", "missing", "Choose whether the candidate passed.")
    try:
        check_score(evaluation, score_in(written))
    except BadScore as error:
        yield from error.faults
    for at, _ in enumerate(criteria_in(evaluation.config)):
        if len(written.get(f"note-{at}", "")) > MAX_NOTE_CHARACTERS:
            yield Fault(f"note-{at}", "too_long", f"A note has at most {MAX_NOTE_CHARACTERS:,} characters.")
    if len(written.get("feedback", "")) > MAX_VERDICT_FEEDBACK_CHARACTERS:
        yield Fault("feedback", "too_long", f"Feedback has at most {MAX_VERDICT_FEEDBACK_CHARACTERS:,} characters.")


def score_in(written: dict[str, str]) -> float | None:
    return number(written["score"]) if written.get("score") else None


def data_in(evaluation: Evaluation, written: dict[str, str]) -> dict[str, Any] | None:
    """All criteria with their judgements, or None if none was judged."""
    rows = [
        {
            "id": criterion.id,
            "text": criterion.text,
            "met": YES_NO.get(written.get(f"met-{at}", "")),
            "note": written.get(f"note-{at}", ""),
        }
        for at, criterion in enumerate(criteria_in(evaluation.config))
    ]
    return {"criteria": rows} if any(row["met"] is not None or row["note"] for row in rows) else None


def criteria_in(config: dict[str, Any]) -> list[FormCriterion]:
    """The criteria that have an id and a text. The configuration of a SIP may have any form."""
    return [
        FormCriterion(row["id"], row["text"])
        for row in dicts_in(config, "criteria")
        if isinstance(row.get("text"), str)
    ]


def prompts_in(config: dict[str, Any]) -> list[str]:
    """The ids of the prompts that a message may name."""
    return [row["id"] for row in dicts_in(config, "prompts") if len(row["id"]) <= MAX_PROMPT_ID_CHARACTERS]


def dicts_in(config: dict[str, Any], name: str) -> list[dict[str, Any]]:
    given = config.get(name)
    rows = given[:MAX_FORM_CRITERIA] if isinstance(given, list) else []
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"]]
