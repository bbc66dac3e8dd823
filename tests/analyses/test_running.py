"""Analyses in the background: what is kept of them, and that several are kept for one trace."""

from typing import Any

import msgspec
import pytest

from tests import make
from tests.judging.endpoint import endpoint, ruled
from tests.traces import runs
from viva.analyses import deleting, running, store
from viva.analyses.analysing import analyse_content
from viva.analyses.model import AnalysisChoices, Subject
from viva.analyses.reporting_judge import ReportingJudge
from viva.engine.analysis import ENGINE_VERSION
from viva.jobs import processes, queue
from viva.judging.http_judge import HttpJudge
from viva.traces import store as traces
from viva.traces.reading import open_content, read_trace


@pytest.fixture
def ada(db):
    return make.agent(db, "ada")


def run_all(db) -> None:
    """Do every job of the pool of processes, in this process."""
    work = running.work(None)
    while jobs := queue.take_batch(db, 30):
        for job in jobs:
            task = work.read(db, job.data)
            assert work.keep(db, task, work.think(task), False) is None
            queue.finish(db, job)


def rows(db, sql: str) -> list[Any]:
    return [tuple(row) for row in db.execute(sql).fetchall()]


def test_an_uploaded_trace_is_analysed_and_lists_show_its_score(db, ada):
    (taken,) = runs.upload(db, ada, "refund")
    assert store.get(db, taken.analysis_id).status == "waiting"

    run_all(db)

    done, stored = store.get(db, taken.analysis_id), traces.get(db, taken.id)
    content = msgspec.json.decode(store.read_json(db, taken.analysis_id))
    assert (done.status, done.engine_version, done.turns, done.turns_done) == ("done", ENGINE_VERSION, 2, 2)
    assert done.overall_score == stored.overall_score == content["overall_score"]
    assert stored.analysis_id == taken.analysis_id
    assert done.issues_count == len(content["issues"]) == 1
    assert set(content["per_agent_scores"]) == {"planner", "executor"}


def test_the_scores_of_each_agent_and_the_findings_have_rows(db, ada):
    runs.upload(db, ada, "refund")

    run_all(db)

    agents = rows(db, "SELECT agent_id, name, role, interactions FROM analysis_agents ORDER BY agent_id")
    assert agents == [("executor", "executor", "worker", 1), ("planner", "Planner", "lead", 2)]
    assert ("UNAUTHORIZED_TOOL", "executor", 1) in rows(
        db, "SELECT kind, agent_id, occurrences FROM analysis_findings ORDER BY kind"
    )


def test_a_trace_keeps_several_analyses_and_lists_show_the_newest_whole_one(db, ada):
    (taken,) = runs.upload(db, ada, "refund")
    run_all(db)
    choices = AnalysisChoices(parts=("conversation",), fast=True)
    again = running.request_again(db, traces.get(db, taken.id), choices, has_judge=False)

    run_all(db)

    listed = store.list_runs(db, Subject("trace", taken.id), 50, None).items
    assert [run.id for run in listed] == [again, taken.analysis_id]
    assert listed[0].options == {"parts": ["conversation"], "fast": True}
    content = msgspec.json.decode(store.read_json(db, again))
    assert (content["tool_use_score"], content["overall_score"]) == (None, content["conversation_score"])
    assert traces.get(db, taken.id).analysis_id == taken.analysis_id
    assert traces.get(db, taken.id).overall_score == listed[1].overall_score
    newest = store.find_newest(db, Subject("trace", taken.id))
    assert newest is not None
    assert newest.id == again
    assert store.find_newest_json(db, Subject("trace", taken.id)) == store.read_json(db, again)


def test_of_analyses_of_some_parts_lists_show_the_newest_until_there_is_a_whole_one(db, ada):
    (taken,) = runs.upload(db, ada, "refund")
    parts = AnalysisChoices(parts=("conversation",), fast=True)
    partial = [running.request_again(db, traces.get(db, taken.id), parts, has_judge=False) for _ in range(2)]
    work = running.work(None)
    shown = []
    jobs = {str(job.data["analysis_id"]): job for job in queue.take_batch(db, 30)}
    for id_ in (max(partial), min(partial), taken.analysis_id):  # the whole one ends last
        job = jobs[id_]
        task = work.read(db, job.data)
        work.keep(db, task, work.think(task), False)
        shown.append(traces.get(db, taken.id).analysis_id)

    assert shown == [max(partial), max(partial), taken.analysis_id]


def test_the_analysis_that_lists_show_is_kept_however_many_follow(db, ada):
    (taken,) = runs.upload(db, ada, "refund")
    run_all(db)
    subject = Subject("trace", taken.id)
    for _ in range(3):
        running.request_again(db, traces.get(db, taken.id), AnalysisChoices(parts=("reasoning",)), has_judge=False)
    run_all(db)

    store.forget_oldest(db, subject, 1)

    assert len(kept := store.list_runs(db, subject, 50, None).items) == 2
    assert kept[-1].id == taken.analysis_id


def test_a_judge_that_does_not_exist_is_refused(db, ada):
    (taken,) = runs.upload(db, ada, "refund")

    with pytest.raises(running.NoJudge):
        running.request_again(db, traces.get(db, taken.id), AnalysisChoices(judge=True), has_judge=False)


def test_only_so_many_analyses_of_one_trace_wait(db, ada):
    (taken,) = runs.upload(db, ada, "refund")
    for _ in range(running.MAX_WAITING_ANALYSES - 1):
        running.request_again(db, traces.get(db, taken.id), AnalysisChoices(), has_judge=False)

    with pytest.raises(running.TooManyAnalyses):
        running.request_again(db, traces.get(db, taken.id), AnalysisChoices(), has_judge=False)


def test_the_job_of_a_deleted_trace_does_nothing(db, ada):
    (taken,) = runs.upload(db, ada, "refund")
    deleting.delete_trace(db, taken.id, ada.id)

    run_all(db)

    assert rows(db, "SELECT count(*) FROM analyses") == [(0,)]
    assert queue.tally(db)["done"] == 1


def test_a_batch_has_jobs_of_one_work(db, ada):
    runs.upload(db, ada, "one", "two", "three")
    queue.put(db, "another", {}, pool="processes")

    batch = queue.take_batch(db, 30, size=2)

    assert [job.work for job in batch] == ["run_analysis"] * 2
    assert queue.take(db, 30) is None


def test_a_judge_reports_how_many_turns_it_has_read():
    with endpoint(lambda asked: ruled("no")) as server:
        judge = HttpJudge(server.url, "a-model")
        turns = [{"user_message": f"Question {n}?", "agent_response": f"Answer {n}."} for n in range(10)]
        new = read_trace(runs.raw("judged", turns=turns, agents=[]), None)
        seen: list[int] = []

        found = analyse_content(new.content, AnalysisChoices(judge=True, fast=True), ReportingJudge(judge, seen.append))

    content = msgspec.json.decode(open_content(found.content))
    assert seen == [8, 10]
    assert content["judge"]["asked"] == 10
    assert content["judge"]["calls"] == 10


@pytest.mark.parametrize(("pause", "reports"), [(0.0, 2), (3600.0, 0)])
def test_the_turns_of_an_analysis_without_a_judge_are_reported_but_not_too_often(db, ada, monkeypatch, pause, reports):
    monkeypatch.setattr(running, "PROGRESS_SECONDS", pause)
    seen: list[tuple[str, int]] = []
    monkeypatch.setattr(processes, "reports", [seen.append])
    (taken,) = runs.upload(db, ada, "refund")

    run_all(db)

    assert seen == [(taken.analysis_id, turns_done) for turns_done in range(1, reports + 1)]


def test_progress_is_shown_until_the_analysis_is_done(db, ada):
    (taken,) = runs.upload(db, ada, "refund")

    running.note(db, (taken.analysis_id, 1))
    before = store.get(db, taken.analysis_id).turns_done
    run_all(db)
    running.note(db, (taken.analysis_id, 1))

    assert (before, store.get(db, taken.analysis_id).turns_done) == (1, 2)


def test_an_analysis_whose_job_failed_says_so_without_internals(db, ada):
    (taken,) = runs.upload(db, ada, "refund")
    (job,) = queue.take_batch(db, 30)
    queue.fail(db, job, "Broken off: MemoryError in /srv/viva")

    run = store.get(db, taken.analysis_id)

    assert (run.status, run.reason) == ("failed", "The analysis could not be finished.")


def test_an_analysis_of_something_that_is_gone_fails(db):
    analysis_id = running.request(db, Subject("session", "eval_sess_gone"), 1)
    work = running.work(None, {"session": lambda db, session_id: None})
    (job,) = queue.take_batch(db, 30)

    task = work.read(db, job.data)
    work.keep(db, task, work.think(task), False)

    assert store.get(db, analysis_id).reason == "What was to be analysed no longer exists."


def test_the_oldest_analyses_of_a_trace_make_room_for_new_ones(db, ada, monkeypatch):
    monkeypatch.setattr(running, "MAX_KEPT_ANALYSES", 3)
    (taken, other) = runs.upload(db, ada, "refund", "refund")
    run_all(db)
    requested = []
    for _ in range(4):
        requested.append(
            running.request_again(db, traces.get(db, taken.id), AnalysisChoices(fast=True), has_judge=False)
        )
        run_all(db)

    kept = store.list_runs(db, Subject("trace", taken.id), 50, None).items
    assert [run.id for run in kept] == requested[:0:-1]
    assert traces.get(db, taken.id).analysis_id == requested[-1]
    assert store.get(db, other.analysis_id).status == "done"
