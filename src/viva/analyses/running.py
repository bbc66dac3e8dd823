"""Analyses in the background: requested by a flow or a caller, run in worker processes, stored when done."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

import msgspec

from viva.analyses import store
from viva.analyses.model import AnalysisChoices, FinishedAnalysis, Subject
from viva.analyses.reporting_judge import ReportingJudge
from viva.jobs import queue
from viva.jobs.model import Work
from viva.jobs.processes import report_progress
from viva.judging.model import Judge
from viva.kit.db import Connection
from viva.kit.errors import Conflict, TooMany
from viva.kit.ids import new_id
from viva.traces import store as traces
from viva.traces.model import StoredTrace

ANALYSIS_WORK = "run_analysis"
MAX_WAITING_ANALYSES = 10  # of one trace
MAX_KEPT_ANALYSES = 50  # of one trace; a newer one takes the place of the oldest
PROGRESS_SECONDS = 0.2  # between two reports of one analysis; a short one reports nothing
SUBJECT_GONE = "What was to be analysed no longer exists."
DEFAULT_CHOICES = AnalysisChoices()
NOBODY = "hub"  # for whom hosted runs are analysed; together they stand in the queue like one account


class NoJudge(Conflict):
    """No judge is configured on this hub, so an analysis can have none."""


class TooManyAnalyses(TooMany):
    """Several analyses of this trace wait already; let them finish first."""


# Gives the trace of a subject as stored content, or None if the subject is gone.
SubjectReader = Callable[[Connection, str], bytes | None]
TRACE_READERS: Mapping[str, SubjectReader] = {"trace": traces.find_content}


class AnalysisTask(NamedTuple):
    """An analysis to be done. `content` is the trace, compressed; None if there is nothing to do any more."""

    id: str
    subject: Subject
    choices: AnalysisChoices
    content: bytes | None


def request(
    db: Connection,
    subject: Subject,
    turns: int,
    choices: AnalysisChoices = DEFAULT_CHOICES,
    pause: timedelta = queue.NO_PAUSE,
    account_id: str = NOBODY,
) -> str:
    """Add an analysis and the job that does it, due after the pause. Returns the id of the analysis.

    Analyses stand in a fair order between accounts."""
    analysis_id = new_id("analysis")
    job = queue.put(db, ANALYSIS_WORK, {"analysis_id": analysis_id}, pause, "processes", account_id)
    store.add(db, analysis_id, subject, choices, turns, job.id)
    return analysis_id


def request_again(db: Connection, trace: StoredTrace, choices: AnalysisChoices, has_judge: bool) -> str:
    """Analyse a trace once more, as its owner asked."""
    subject = Subject("trace", trace.id)
    check_judge(choices, has_judge)
    if store.count_waiting(db, subject) >= MAX_WAITING_ANALYSES:
        raise TooManyAnalyses(retry_after=60)

    return request(db, subject, trace.turns, choices, account_id=trace.owner_id)


def check_judge(choices: AnalysisChoices, has_judge: bool) -> None:
    if choices.judge and not has_judge:
        raise NoJudge()


def work(judge: Judge | None, readers: Mapping[str, SubjectReader] = TRACE_READERS) -> Work:
    """The background work "run_analysis"."""
    return Work(partial(read, readers), partial(think, judge), keep, note)


def read(readers: Mapping[str, SubjectReader], db: Connection, data: dict[str, Any]) -> AnalysisTask | None:
    """None if the analysis was deleted with its trace, or is finished."""
    try:
        run = store.get(db, data["analysis_id"])
    except store.NoSuchAnalysis:
        return None
    if run.finished_at is not None:
        return None
    subject = Subject(run.subject_kind, run.subject_id)
    choices = msgspec.convert(run.options, AnalysisChoices)
    return AnalysisTask(run.id, subject, choices, readers[run.subject_kind](db, run.subject_id))


def think(judge: Judge | None, task: AnalysisTask | None) -> FinishedAnalysis | None:
    """Run the engine. This happens in a worker process."""
    from viva.analyses.analysing import analyse_content  # imported late: only worker processes load the engine

    if task is None or task.content is None:
        return None
    report = partial(report_turns, task.id)
    return analyse_content(task.content, task.choices, judge and ReportingJudge(judge, report), at_most_often(report))


def at_most_often(report: Callable[[int], None]) -> Callable[[int], None]:
    """The same report, at most once in PROGRESS_SECONDS: each one is a transaction."""
    last = monotonic()

    def report_if_due(turns_done: int) -> None:
        nonlocal last
        if monotonic() - last >= PROGRESS_SECONDS:
            last = monotonic()
            report(turns_done)

    return report_if_due


def report_turns(analysis_id: str, turns_done: int) -> None:
    report_progress((analysis_id, turns_done))


def note(db: Connection, progress: tuple[str, int]) -> None:
    """Show how many turns are done."""
    store.note_progress(db, *progress)


def keep(db: Connection, task: AnalysisTask | None, found: FinishedAnalysis | None, is_last: bool) -> None:
    if task is None:
        return
    if found is None:
        store.fail(db, task.id, SUBJECT_GONE)
    elif store.finish(db, task.id, found):
        if task.subject.kind == "trace":
            traces.note_analysis(db, task.subject.id, task.id, found.overall_score, not task.choices.parts)
        store.forget_oldest(db, task.subject, MAX_KEPT_ANALYSES)
