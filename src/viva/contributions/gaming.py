"""The anti-gaming gate: agents that know nothing sit a proposed evaluation in a scratch hub, and none may pass."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from viva.contributions import documents, gate_store
from viva.contributions import store as contributions
from viva.contributions.gate_model import SCRATCH_NUMBER, SCRATCH_SCRIPT, GateTask, make_unchecked, status_of
from viva.contributions.gate_process import JUDGED_LIMITS, GateLimits, run_process
from viva.contributions.model import Contribution, GateOutcome, Proposal
from viva.jobs import queue
from viva.jobs.model import Work
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict

GATE_WORK = "check_gate"
GATE_RETRY_SECONDS = 10  # a gate without a judge takes a few seconds
LOST_AFTER = timedelta(hours=1)  # longer than all tries of the job together
LOST = make_unchecked("The gate was interrupted and did not end.")
OUTDATED = make_unchecked("The proposal has changed since.")
# Types in which only a person or a judge decides, with the reason why nothing is checked without one.
UNCHECKED_TYPES = {"proctored": "A proctor decides this evaluation, so agents cannot try it by themselves."}
JUDGED_TYPES = frozenset({"agent_certification", "live_class_work"})
NO_JUDGE = "Its answers need a marker, and this hub has no judge."


class GateRunning(Conflict):
    """The anti-gaming gate is still running for this revision. Try again when it has ended."""


class GateSubject(NamedTuple):
    """The proposal, or None if it has changed since the gate was put."""

    contribution_id: str
    revision: int
    proposal: Proposal | None


def put_gate(db: Connection, contribution: Contribution) -> None:
    """Start the gate of the present revision in the background, unless it has one."""
    if gate_store.add_running(db, contribution.id, contribution.revision):
        put_job(db, contribution)


def put_gate_again(db: Connection, contribution: Contribution) -> None:
    """Start the gate of the present revision once more. The judge may have changed, or a process may have failed."""
    if not gate_store.start_again(db, contribution.id, contribution.revision):
        raise GateRunning(retry_after=GATE_RETRY_SECONDS)
    put_job(db, contribution)


def put_job(db: Connection, contribution: Contribution) -> None:
    queue.put(db, GATE_WORK, {"contribution_id": contribution.id, "revision": contribution.revision})


def work(judge_settings: Mapping[str, str]) -> Work:
    """The background work "check_gate". The settings are those of the judges, for the process that runs the gate."""
    limits = JUDGED_LIMITS if judge_settings.get("VIVA_JUDGE_URL") else GateLimits()
    return Work(read, partial(think, judge_settings, limits), keep)


def read(db: Connection, data: dict[str, Any]) -> GateSubject:
    present = contributions.find_by_id(db, data["contribution_id"])
    proposal = present.proposal if present and present.revision == data["revision"] else None
    return GateSubject(data["contribution_id"], data["revision"], proposal)


def think(judge_settings: Mapping[str, str], limits: GateLimits, subject: GateSubject) -> list[GateOutcome]:
    if subject.proposal is None:
        return OUTDATED
    return check_proposal(subject.proposal, judge_settings, limits)


def check_proposal(proposal: Proposal, judge_settings: Mapping[str, str], limits: GateLimits) -> list[GateOutcome]:
    """What the agents reach in the proposal."""
    if proposal.type in UNCHECKED_TYPES:
        return make_unchecked(UNCHECKED_TYPES[proposal.type])
    if proposal.type in JUDGED_TYPES and not judge_settings.get("VIVA_JUDGE_URL"):
        return make_unchecked(NO_JUDGE)
    script = SCRATCH_SCRIPT if proposal.executable_code else None
    alone = replace(proposal, prerequisites=[], executable_script_path=script)
    document = documents.text_of(alone, SCRATCH_NUMBER)
    task = GateTask(document, proposal.executable_code, proposal.exemplars, limits.sitting_seconds)
    return run_process(task, judge_settings, limits)


def keep(db: Connection, subject: GateSubject, outcomes: list[GateOutcome], is_last: bool) -> None:
    status = status_of(outcomes)
    if gate_store.end(db, subject.contribution_id, subject.revision, status, outcomes):
        events.record(
            db,
            "contribution.gate_checked",
            "contribution",
            subject.contribution_id,
            revision=subject.revision,
            status=status,
        )


def end_lost(db: Connection) -> int:
    """End gates whose job has died. Returns their number."""
    return gate_store.end_old(db, now() - LOST_AFTER, LOST)
