"""Marking by proctors: what one has to mark on the rubric form, and when enough have marked it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.exams import sheets
from viva.exams.concluding import conclude, paper_of
from viva.exams.model import Mark, Marking, Paper, Sheet, SheetRow
from viva.exams.proctoring import OwnExam
from viva.exams.sheet_rows import store_rows
from viva.kit import events
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Invalid
from viva.results.model import NamedResult

MAX_MARK_REASON_CHARACTERS = 1_000  # characters of a proctor's reason, and of what it rests on
MAX_MARKER_FEEDBACK_CHARACTERS = 20_000
MAX_MARKING_FAULTS = 100  # that are told


class JudgesMark(Conflict):
    """The judges are still marking this; it comes to the proctors if they cannot."""


class BadMarks(Invalid):
    """The marks do not fit the rubric."""


class GivenMark(NamedTuple):
    """A proctor's mark for one row."""

    row_id: str
    mark: float
    reason: str = ""
    quote: str = ""


def open_form(db: Connection, evaluation_id: str, subject_id: str, proctor: Agent) -> Paper:
    """What a proctor has to mark, who has not marked it yet."""
    sheet = sheets.get_about(db, subject_id)
    if sheet.evaluation_id != evaluations.id_of(db, evaluation_id) or sheet.status == "closed":
        raise sheets.NothingToMark()
    if sheet.status == "judges":
        raise JudgesMark()
    paper = paper_of(db, sheet)
    if proctor.id in {registration.agent_id for registration in paper.registrations}:
        raise OwnExam()
    if all(registration.status != "in_progress" for registration in paper.registrations):  # their agents were deleted
        raise sheets.NothingToMark()
    if proctor.id in {marking.marker for marking in sheets.list_markings(db, sheet.id)}:
        raise sheets.MarkedAlready()
    return paper


def give_marks(
    db: Connection,
    evaluation_id: str,
    subject_id: str,
    proctor: Agent,
    given: Sequence[GivenMark],
    feedback: str | None,
) -> list[NamedResult]:
    """Keep a proctor's marks; the results, once enough proctors have marked."""
    paper = open_form(db, evaluation_id, subject_id, proctor)
    check_marks(paper.rows, given, feedback)
    if sheets.hold(db, paper.sheet.id).status != "proctors":  # another's marks closed it while we waited for the lock
        raise sheets.NothingToMark()

    store_rows(db, paper.sheet.id, paper.rows)
    sheets.add_marking(db, paper.sheet.id, Marking(proctor.id, "proctor", feedback))
    most = {row.id: row.most for row in paper.rows}
    sheets.put_marks(
        db,
        paper.sheet.id,
        [Mark(each.row_id, proctor.id, each.mark, most[each.row_id], each.reason, each.quote) for each in given],
    )
    events.record(db, "marks.given", "sheet", paper.sheet.id, by="proctor")
    markings, marks = sheets.list_markings(db, paper.sheet.id), sheets.list_marks(db, paper.sheet.id)
    config = paper.evaluation.config
    if not is_settled(paper.rows, markings, marks, config.get("markers", 1), config.get("margin", 10)):
        return []
    results = conclude(db, paper, markings, marks)
    if not results:  # whoever it is about was deleted meanwhile
        raise sheets.NothingToMark()
    return results


def is_settled(
    rows: Sequence[SheetRow], markings: Sequence[Marking], marks: Sequence[Mark], markers: int, margin: float
) -> bool:
    """Whether enough proctors have marked: as many as are asked for, and one more where these differ by too much.

    They differ by what their marks are apart row by row, so that two faults do not make up for each other."""
    proctors = [marking.marker for marking in markings if marking.kind == "proctor"]
    if len(proctors) != markers:
        return len(proctors) > markers
    given: dict[str, list[float]] = {row.id: [] for row in rows}
    for mark in marks:
        if mark.marker in proctors:
            given[mark.row_id].append(mark.mark or 0.0)
    apart = sum(max(values) - min(values) for values in given.values())
    return apart * 100 <= margin * sum(row.most for row in rows) + 1e-9


def count_markings(db: Connection, sheet: Sheet) -> int:
    """How many proctors have marked; what they gave is nobody's to see before it is decided."""
    return sum(marking.kind == "proctor" for marking in sheets.list_markings(db, sheet.id))


def find_candidate(db: Connection, paper: Paper) -> Agent | None:
    """Whose work it is; None where it is a cohort's."""
    return None if paper.sheet.cohort_id else agents.get(db, paper.registrations[0].agent_id)


def check_marks(rows: Sequence[SheetRow], given: Sequence[GivenMark], feedback: str | None) -> None:
    """Every row has one mark from 0 to its most; what is said about it has its limits."""
    most = {row.id: row.most for row in rows}
    faults = [fault for at, each in enumerate(given) for fault in mark_faults(each, f"marks[{at}]", most)]
    times = Counter(each.row_id for each in given)
    faults += [Fault("marks", "twice", f"{name} is marked twice.") for name, count in times.items() if count > 1]
    faults += [Fault("marks", "missing", f"{row_id} has no mark.") for row_id in most if row_id not in times]
    if len(feedback or "") > MAX_MARKER_FEEDBACK_CHARACTERS:
        faults.append(
            Fault("feedback", "too_long", f"Feedback has at most {MAX_MARKER_FEEDBACK_CHARACTERS:,} characters.")
        )
    if faults:
        raise BadMarks(
            f"The marks do not fit the rubric: {faults[0].message}", faults=tuple(faults[:MAX_MARKING_FAULTS])
        )


def mark_faults(given: GivenMark, place: str, most: dict[str, float]) -> Iterator[Fault]:
    if given.row_id not in most:
        yield Fault(f"{place}.row_id", "unknown_row", f"The rubric has no row {given.row_id}.")
    elif not 0 <= given.mark <= most[given.row_id]:  # also not NaN
        message = f"The mark for {given.row_id} has to be a number from 0 to {most[given.row_id]:g}."
        yield Fault(f"{place}.mark", "bad_mark", message)
    for name, said in (("reason", given.reason), ("evidence", given.quote)):
        if len(said) > MAX_MARK_REASON_CHARACTERS:
            yield Fault(f"{place}.{name}", "too_long", f"This has at most {MAX_MARK_REASON_CHARACTERS:,} characters.")
