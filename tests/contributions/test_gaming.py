"""The gate of a contribution: put once for each revision, run in a process of its own, stored, and shown in the review."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from tests import make
from tests.contributions.gate_hubs import WEAK, benchmark
from tests.contributions.proposals import by_agent, proposal
from tests.hub import environment_without_settings, until
from viva.agents import accounts
from viva.agents.access import MaintainersOnly
from viva.agents.model import Agent
from viva.contributions import drafting, gaming, ownership, reviewing, store, submitting
from viva.contributions.gate_model import make_unchecked
from viva.contributions.gate_process import GateLimits, environment_of
from viva.contributions.model import Contribution, GateOutcome, Proposal, WrongState
from viva.embedded import open_hub
from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection

GAMED = [
    GateOutcome("nothing", 3, 3, "error", "The agent that answers nothing passed without an answer, in 3 of 3 runs."),
    GateOutcome("reference", 1, 1, "ok", "The reference agent passed."),
]


def weak_proposal(name: str) -> Proposal:
    front = WEAK[name]
    handler = front["executable"]["handler"]
    return proposal(type=front["type"], config=front["config"], executable_handler=handler, author="ada")


@pytest.fixture
def ada(db: Connection) -> Agent:
    return make.agent(db, "ada")


@pytest.fixture
def submitted(db: Connection, ada: Agent) -> Contribution:
    draft = drafting.create(db, make.HALL, proposal(), by_agent(ada)).contribution
    editor = ownership.find_editor(db, draft.id, ada, None)
    return submitting.submit(db, make.HALL, editor, draft.id).contribution


def gate_jobs(db: Connection) -> list[dict[str, Any]]:
    return [job.data for job in queue.list_jobs(db, None, 100, None).items if job.work == gaming.GATE_WORK]


def do_work(db: Connection, outcomes: list[GateOutcome]) -> None:
    """The job of the gate, with these outcomes instead of those of a process."""
    (data,) = gate_jobs(db)
    gaming.keep(db, gaming.read(db, data), outcomes, False)


def test_submitting_puts_the_gate_and_reviewing_does_not_put_it_again(db, submitted):
    assert gate_jobs(db) == [{"contribution_id": submitted.id, "revision": submitted.revision}]
    running = store.find_gate(db, submitted.id, submitted.revision)
    assert running is not None
    assert running.status == "running"

    review = reviewing.open_review(db, submitted.id, maintainer(db))

    assert len(gate_jobs(db)) == 1
    assert review.gate == running


def test_reviewing_puts_a_gate_that_is_missing(db, submitted):
    db.execute("DELETE FROM evaluation_contribution_gates")

    review = reviewing.open_review(db, submitted.id, maintainer(db))

    assert len(gate_jobs(db)) == 2
    assert review.gate is not None


def test_what_the_agents_reached_is_stored_and_an_error_names_the_agent(db, submitted):
    do_work(db, GAMED)

    report = store.find_gate(db, submitted.id, submitted.revision)
    assert report is not None
    assert (report.status, report.outcomes) == ("failed", GAMED)
    review = reviewing.open_review(db, submitted.id, maintainer(db))
    assert review.validation is not None
    assert [(problem.field, problem.code) for problem in review.validation.errors] == [("config", "GAMED_BY_NOTHING")]
    assert "answers nothing passed" in review.validation.errors[0].message


def test_the_same_revision_cannot_be_submitted_again_after_a_failed_gate(db, ada, submitted):
    do_work(db, GAMED)
    reviewing.request_changes(db, submitted.id, maintainer(db), "Ask more.")
    editor = ownership.find_editor(db, submitted.id, ada, None)

    again = submitting.submit(db, make.HALL, editor, submitted.id)

    assert again.contribution.status == "draft"
    assert [problem.code for problem in again.validation.errors] == ["GAMED_BY_NOTHING"]


def test_an_unchecked_gate_is_a_warning_with_its_reason(db, submitted):
    do_work(db, make_unchecked("Nobody marks."))

    report = store.find_gate(db, submitted.id, submitted.revision)
    assert report is not None
    assert report.status == "not_checked"
    review = reviewing.open_review(db, submitted.id, maintainer(db))
    assert review.validation is not None
    assert review.validation.is_valid
    assert review.validation.warnings[-1].code == "GATE_NOT_CHECKED"
    assert review.validation.warnings[-1].message == "Nobody marks."


def test_a_proposal_that_changed_or_was_deleted_meanwhile_is_not_sat(db, submitted):
    (data,) = gate_jobs(db)

    for other in ({**data, "revision": 99}, {**data, "contribution_id": "gone"}):
        subject = gaming.read(db, other)
        outcomes = gaming.think({}, GateLimits(), subject)
        assert outcomes == gaming.OUTDATED
        gaming.keep(db, subject, outcomes, False)
    running = store.find_gate(db, submitted.id, submitted.revision)
    assert running is not None
    assert running.status == "running"


def test_a_gate_whose_job_died_ends_as_not_checked(db, submitted):
    assert gaming.end_lost(db) == 0
    db.execute("UPDATE evaluation_contribution_gates SET checked_at = ?", [now() - timedelta(hours=2)])

    assert gaming.end_lost(db) == 1
    report = store.find_gate(db, submitted.id, submitted.revision)
    assert report is not None
    assert (report.status, report.outcomes) == ("not_checked", gaming.LOST)


@pytest.mark.parametrize("found", [GAMED, make_unchecked("The process failed."), []])
def test_a_gate_that_has_ended_runs_again_and_its_new_outcome_counts(db, submitted, found):
    do_work(db, found)

    again = reviewing.check_gate_again(db, submitted.id, maintainer(db))

    assert again is not None
    assert (again.revision, again.status, again.outcomes) == (submitted.revision, "running", [])
    assert gate_jobs(db) == [{"contribution_id": submitted.id, "revision": submitted.revision}] * 2
    gaming.keep(db, gaming.read(db, gate_jobs(db)[0]), GAMED[1:], False)
    ended = store.find_gate(db, submitted.id, submitted.revision)
    assert ended is not None
    assert (ended.status, ended.outcomes) == ("passed", GAMED[1:])


def test_a_gate_that_is_missing_can_be_started(db, submitted):
    db.execute("DELETE FROM evaluation_contribution_gates")

    again = reviewing.check_gate_again(db, submitted.id, maintainer(db))

    assert again is not None
    assert again.status == "running"


def test_a_gate_that_runs_is_not_started_twice(db, submitted):
    with pytest.raises(gaming.GateRunning):
        reviewing.check_gate_again(db, submitted.id, maintainer(db))

    assert len(gate_jobs(db)) == 1


def test_a_gate_runs_again_only_for_what_awaits_a_review_and_for_maintainers(db, ada, submitted):
    do_work(db, GAMED)

    with pytest.raises(MaintainersOnly):
        reviewing.check_gate_again(db, submitted.id, ada)
    reviewing.request_changes(db, submitted.id, maintainer(db), "Ask more.")
    with pytest.raises(WrongState):
        reviewing.check_gate_again(db, submitted.id, maintainer(db))
    assert len(gate_jobs(db)) == 1


def maintainer(db: Connection) -> Agent:
    return accounts.promote(db, "marta").agent


# The process


@pytest.mark.slow
def test_the_process_names_the_agent_that_a_weak_proposal_lets_pass():
    outcomes = gaming.check_proposal(weak_proposal("random"), {}, GateLimits())

    errors = {outcome.agent: outcome for outcome in outcomes if outcome.verdict == "error"}
    assert errors["random"].passes == 6
    assert f"in 6 of {errors['random'].runs} runs" in errors["random"].detail


def test_evaluations_that_nobody_marks_are_not_checked_and_need_no_process():
    for type_ in ("proctored", "agent_certification", "live_class_work"):
        (outcome,) = gaming.check_proposal(proposal(type=type_), {}, GateLimits(wall_seconds=0))
        assert (outcome.agent, outcome.verdict) == ("all", "not_checked")


def test_a_gate_that_takes_too_long_has_checked_nothing():
    (outcome,) = gaming.check_proposal(weak_proposal("constant"), {}, GateLimits(wall_seconds=0.2))

    assert (outcome.verdict, outcome.detail) == ("not_checked", "The gate was stopped after 0.2 seconds.")


@pytest.mark.slow
def test_a_proposal_that_eats_memory_has_checked_nothing():
    """Each of its patterns takes a megabyte when it is compiled."""
    questions = [{"kind": "regex", "text": "?", "pattern": f"\\p{{L}}{{20}}{number}"} for number in range(200)]
    config = benchmark(*questions)["config"]
    hungry = proposal(type="complex_benchmark", config=config, executable_handler="benchmark", author="ada")

    (outcome,) = gaming.check_proposal(hungry, {}, GateLimits(memory_bytes=160 * 1024**2))

    assert (outcome.verdict, outcome.detail[:32]) == ("not_checked", "The process of the gate failed. ")


def test_the_process_has_no_secret_of_the_hub(monkeypatch):
    monkeypatch.setenv("VIVA_SECRET", "hush")
    monkeypatch.setenv("VIVA_DATABASE_URL", "postgresql://viva:hush@localhost/viva")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")

    environment = environment_of({"VIVA_JUDGE_KEY": "for the judge"})

    assert environment["VIVA_JUDGE_KEY"] == "for the judge"
    assert "hush" not in str(environment)


@pytest.mark.soak
def test_the_process_ends_with_its_hub_and_leaves_no_folder(tmp_path: Path):
    script = (
        "from tests.contributions.test_gaming import *\n"
        "gaming.check_proposal(weak_proposal('nothing'), {}, GateLimits())\n"
    )
    environment = environment_without_settings() | {"TMPDIR": str(tmp_path), "PYTHONPATH": os.getcwd()}
    hub = subprocess.Popen([sys.executable, "-c", script], env=environment)
    (gate,) = until(lambda: psutil.Process(hub.pid).children())
    until(lambda: list(tmp_path.glob("viva-gate-*/viva.db")))  # it has read its task

    hub.send_signal(signal.SIGKILL)
    hub.wait()

    until(lambda: not gate.is_running() or gate.status() == psutil.STATUS_ZOMBIE)
    assert not list(tmp_path.glob("viva-gate-*"))


def test_the_worker_of_a_hub_runs_the_gate_and_the_review_shows_it():
    """Without a judge nobody marks the certification, so the gate says so at once."""
    with open_hub() as hub:
        key = hub.database.write_now(lambda db: accounts.promote(db, "marta")).key.text
        with hub.connect(key) as marta:
            body = msgspec.to_builtins(proposal())
            draft = marta.post("/api/v1/evaluations/contribute", json=body).json()["contribution"]
            path = f"/api/v1/evaluations/contribute/{draft['id']}"
            assert marta.post(f"{path}/submit").json()["contribution"]["status"] == "submitted"

            def find_gate() -> dict[str, Any] | None:
                gate: dict[str, Any] = marta.get(f"{path}/review").json()["gate"]
                return gate if gate["status"] != "running" else None

            gate = until(find_gate) or {}
    assert gate["status"] == "not_checked"
    assert gate["outcomes"][0]["detail"] == gaming.NO_JUDGE
