"""Marking by proctors: taking a sheet, the form with the rubric, and the rule when enough proctors have marked."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.evaluations import research
from viva.evaluations import store as evaluations
from viva.evaluations.research import ExemplarRow
from viva.exams import cohorts, key_readers, marking_locks, sheets
from viva.exams.concluding import conclude, read_paper
from viva.exams.markers import check_may_mark
from viva.exams.marking_locks import MarkingLock
from viva.exams.model import Mark, Marking, Paper, ProctorPolicy, Sheet, SheetRow
from viva.exams.proctoring import OwnExam
from viva.exams.sheet_rows import store_rows
from viva.kit import events
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, Forbidden, Invalid
from viva.results.model import NamedResult

MAX_MARK_REASON_CHARACTERS = 1_000  # of a proctor's reason, and of its evidence
MAX_MARKER_FEEDBACK_CHARACTERS = 20_000
MAX_MARKING_FAULTS = 100  # in one error


class JudgesMark(Conflict):
    """The judges are still marking this. If they cannot, proctors will mark it."""


class OwnClassWork(Forbidden):
    """Whoever leads a class, or takes part in it, does not mark it."""


class BadMarks(Invalid):
    """The marks do not fit the rubric."""


class GivenMark(NamedTuple):
    """A proctor's mark for one row."""

    row_id: str
    mark: float
    reason: str = ""
    quote: str = ""


class TakenSheet(NamedTuple):
    """A paper, and the lock of the proctor who marks it."""

    paper: Paper
    lock: MarkingLock


def take(
    db: Connection, evaluation_id: str, subject_id: str, proctor: Agent, policy: ProctorPolicy = "qualified"
) -> TakenSheet:
    """Take a sheet for a stated time. A sheet for two markers can be taken by two."""
    paper = check_may_open(db, evaluation_id, subject_id, proctor, policy)
    hold_sheet(db, paper.sheet)

    lock = marking_locks.take(db, paper.sheet.id, proctor.id, count_places(db, paper))
    for digest in {registration.evaluation_digest for registration in paper.registrations}:
        key_readers.record_reading(db, paper.evaluation.id, digest, proctor.id)
    events.record(db, "sheet.taken", "sheet", paper.sheet.id)
    return TakenSheet(paper, lock)


def release(db: Connection, evaluation_id: str, subject_id: str, proctor: Agent) -> None:
    """Give the sheet back, so that another proctor can take it."""
    sheet = get_open_sheet(db, evaluation_id, subject_id)
    if not marking_locks.drop(db, sheet.id, proctor.id):
        raise marking_locks.NotTaken()
    events.record(db, "sheet.released", "sheet", sheet.id)


def read_form(
    db: Connection, evaluation_id: str, subject_id: str, proctor: Agent, policy: ProctorPolicy = "qualified"
) -> TakenSheet:
    """The paper that the proctor has to mark, if the proctor has taken it and the time is not over."""
    paper = check_may_open(db, evaluation_id, subject_id, proctor, policy)
    return TakenSheet(paper, marking_locks.get_live(db, paper.sheet.id, proctor.id))


def open_form(
    db: Connection, evaluation_id: str, subject_id: str, proctor: Agent, policy: ProctorPolicy = "qualified"
) -> TakenSheet:
    """The same, and the time begins anew. If it is over, the sheet has to be free still."""
    paper = check_may_open(db, evaluation_id, subject_id, proctor, policy)
    hold_sheet(db, paper.sheet)
    return TakenSheet(paper, marking_locks.renew(db, paper.sheet.id, proctor.id, count_places(db, paper)))


def check_may_open(db: Connection, evaluation_id: str, subject_id: str, proctor: Agent, policy: ProctorPolicy) -> Paper:
    """The paper, if the proctor may mark it and has not done so yet."""
    sheet = get_open_sheet(db, evaluation_id, subject_id)
    if sheet.status == "judges":
        raise JudgesMark()
    paper = read_paper(db, sheet)
    check_not_involved(db, paper, proctor)
    candidate_ids = [registration.agent_id for registration in paper.registrations]
    check_may_mark(db, policy, sheet.evaluation_id, proctor, candidate_ids)
    if all(registration.status != "in_progress" for registration in paper.registrations):  # their agents were deleted
        raise sheets.NothingToMark()
    if proctor.id in {marking.marker for marking in sheets.list_markings(db, sheet.id)}:
        raise sheets.MarkedAlready()
    return paper


def hold_sheet(db: Connection, sheet: Sheet) -> None:
    """Lock the sheet until commit."""
    if sheets.hold(db, sheet.id).status != "proctors":  # other marks closed it while we waited for the lock
        raise sheets.NothingToMark()


def get_open_sheet(db: Connection, evaluation_id: str, subject_id: str) -> Sheet:
    sheet = sheets.get_about(db, subject_id)
    if sheet.evaluation_id != evaluations.id_of(db, evaluation_id) or sheet.status == "closed":
        raise sheets.NothingToMark()
    return sheet


def check_not_involved(db: Connection, paper: Paper, proctor: Agent) -> None:
    """Check that it is not the proctor's own work, nor the work of a class that it leads or was in."""
    if paper.sheet.cohort_id and cohorts.has_part_in(db, paper.sheet.cohort_id, proctor.id):
        raise OwnClassWork()
    if proctor.id in {registration.agent_id for registration in paper.registrations}:
        raise OwnExam()


def count_places(db: Connection, paper: Paper) -> int:
    """How many proctors may mark at once: as many as still have to, and one more after a difference."""
    missing = paper.evaluation.config.get("markers", 1) - count_markings(db, paper.sheet)
    return max(1, int(missing))


def give_marks(
    db: Connection,
    evaluation_id: str,
    subject_id: str,
    proctor: Agent,
    given: Sequence[GivenMark],
    feedback: str | None,
    policy: ProctorPolicy = "qualified",
) -> list[NamedResult]:
    """Store a proctor's marks. Returns the results once enough proctors have marked."""
    paper = open_form(db, evaluation_id, subject_id, proctor, policy).paper
    check_marks(paper.rows, given, feedback)

    marking_locks.drop(db, paper.sheet.id, proctor.id)
    store_rows(db, paper.sheet.id, paper.rows)
    sheets.add_marking(db, paper.sheet.id, Marking(proctor.id, "proctor", feedback))
    max_marks = {row.id: row.most for row in paper.rows}
    sheets.put_marks(
        db,
        paper.sheet.id,
        [Mark(each.row_id, proctor.id, each.mark, max_marks[each.row_id], each.reason, each.quote) for each in given],
    )
    events.record(db, "marks.given", "sheet", paper.sheet.id, by="proctor")
    markings, marks = sheets.list_markings(db, paper.sheet.id), sheets.list_marks(db, paper.sheet.id)
    config = paper.evaluation.config
    if not is_settled(paper.rows, markings, marks, config.get("markers", 1), config.get("margin", 10)):
        return []
    results = conclude(db, paper, markings, marks, policy)
    if not results:  # the agent was deleted meanwhile
        raise sheets.NothingToMark()
    return results


def is_settled(
    rows: Sequence[SheetRow], markings: Sequence[Marking], marks: Sequence[Mark], markers: int, margin: float
) -> bool:
    """Whether enough proctors have marked: the required number, and one more if their marks differ too much.

    Differences are added up row by row, so that two opposite differences do not cancel out."""
    proctors = [marking.marker for marking in markings if marking.kind == "proctor"]
    if len(proctors) != markers:
        return len(proctors) > markers
    by_row: dict[str, list[float]] = {row.id: [] for row in rows}
    for mark in marks:
        if mark.marker in proctors:
            by_row[mark.row_id].append(mark.mark or 0.0)
    difference = sum(max(values) - min(values) for values in by_row.values())
    return difference * 100 <= margin * sum(row.most for row in rows) + 1e-9


def count_markings(db: Connection, sheet: Sheet) -> int:
    """How many proctors have marked. Their marks stay hidden until the result is decided."""
    return sum(marking.kind == "proctor" for marking in sheets.list_markings(db, sheet.id))


def read_exemplars(db: Connection, paper: Paper) -> list[ExemplarRow]:
    """Answers that pass and fail, for what is marked on this paper and nothing else."""
    probes = {name for row in paper.rows for name in (row.prompt_id, row.id.rpartition("/")[2]) if name}
    return research.read_exemplars(db, paper.evaluation, probes)


def find_candidate(db: Connection, paper: Paper) -> Agent | None:
    """The agent whose work it is; None if it is the work of a cohort."""
    return None if paper.sheet.cohort_id else agents.get(db, paper.registrations[0].agent_id)


def check_marks(rows: Sequence[SheetRow], given: Sequence[GivenMark], feedback: str | None) -> None:
    """Check that every row has one mark from 0 to its maximum, and that texts are within their limits."""
    max_marks = {row.id: row.most for row in rows}
    faults = [fault for at, each in enumerate(given) for fault in mark_faults(each, f"marks[{at}]", max_marks)]
    times = Counter(each.row_id for each in given)
    faults += [Fault("marks", "twice", f"{name} is marked twice.") for name, count in times.items() if count > 1]
    faults += [Fault("marks", "missing", f"{row_id} has no mark.") for row_id in max_marks if row_id not in times]
    if len(feedback or "") > MAX_MARKER_FEEDBACK_CHARACTERS:
        faults.append(
            Fault("feedback", "too_long", f"Feedback has at most {MAX_MARKER_FEEDBACK_CHARACTERS:,} characters.")
        )
    if faults:
        raise BadMarks(
            f"The marks do not fit the rubric: {faults[0].message}", faults=tuple(faults[:MAX_MARKING_FAULTS])
        )


def mark_faults(given: GivenMark, place: str, max_marks: dict[str, float]) -> Iterator[Fault]:
    if given.row_id not in max_marks:
        yield Fault(f"{place}.row_id", "unknown_row", f"The rubric has no row {given.row_id}.")
    elif not 0 <= given.mark <= max_marks[given.row_id]:  # false for NaN too
        message = f"The mark for {given.row_id} has to be a number from 0 to {max_marks[given.row_id]:g}."
        yield Fault(f"{place}.mark", "bad_mark", message)
    for name, text in (("reason", given.reason), ("evidence", given.quote)):
        if len(text) > MAX_MARK_REASON_CHARACTERS:
            yield Fault(f"{place}.{name}", "too_long", f"This has at most {MAX_MARK_REASON_CHARACTERS:,} characters.")
