"""Grading a conversation by judges, with all their guards: quoted texts, control questions, and the lower of two marks."""

from collections.abc import Sequence
from statistics import median

from viva.exams.script_marks import CriterionMark
from viva.judging.model import Grading
from viva.judging.panel import Assessment, Panel
from viva.sittings.transcripts import SessionMessage

QUESTIONS_NAME, ANSWERS_NAME = "questions of the proctor", "answers of the candidate"
MISLED = "A marker failed its control question, so no mark counts."
UNTESTED = "A marker gave no answer to its control question, so no mark counts."
NO_MARK = "The marker gave no mark that counts."


def grade_criteria(
    panel: Panel, criteria: Sequence[CriterionMark], messages: Sequence[SessionMessage], has_script: bool
) -> list[CriterionMark]:
    """The criteria with the marks of the panel; None where no judge gave one that counts.

    Without a script the proctor's words are untrusted, too: a candidate may have made an agent repeat an order."""
    texts = texts_of(messages)
    gradings = [Grading(each.text, texts, each.max) for each in criteria]
    assessments = panel.grade(gradings, ANSWERS_NAME if has_script else None)
    return [
        mark_of(criterion, assessment, messages) for criterion, assessment in zip(criteria, assessments, strict=True)
    ]


def texts_of(messages: Sequence[SessionMessage]) -> dict[str, str]:
    """The messages of either side with their numbers, so that the candidate's words stand apart."""
    sides = {QUESTIONS_NAME: "proctor", ANSWERS_NAME: "candidate"}
    return {name: join_side(messages, role) for name, role in sides.items()}


def join_side(messages: Sequence[SessionMessage], role: str) -> str:
    return "\n\n".join(f"Message {each.sequence}: {each.content}" for each in messages if each.role == role)


def mark_of(criterion: CriterionMark, assessment: Assessment, messages: Sequence[SessionMessage]) -> CriterionMark:
    """The median of the marks. If one judge did not pass its control, people decide, as on a hub's sheets."""
    grades = [grade for grade in assessment.grades.values() if grade is not None]
    if assessment.misled or assessment.untested or not grades:
        return criterion._replace(reason=why_unmarked(assessment))
    mark = median(grade.mark for grade in grades)
    nearest = min(grades, key=lambda grade: abs(grade.mark - mark))
    return criterion._replace(
        mark=mark,
        reason=nearest.reason,
        evidence=nearest.quote,
        messages=messages_with(nearest.quote, messages),
    )


def why_unmarked(assessment: Assessment) -> str:
    if assessment.misled:
        return MISLED
    return UNTESTED if assessment.untested else NO_MARK


def messages_with(quote: str, messages: Sequence[SessionMessage]) -> tuple[int, ...]:
    """The numbers of the candidate's messages that hold the quote."""
    if not quote:
        return ()
    return tuple(
        each.sequence for each in messages if each.role == "candidate" and quote in " ".join(each.content.split())
    )
