"""Recorded runs of the demo: stored, analysed and shared with everybody, each on its day."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from viva.agents.model import Agent
from viva.analyses import store as analyses
from viva.analyses.analysing import analyse_content
from viva.analyses.model import AnalysisChoices, Subject
from viva.demo.files import DEMO_FOLDER
from viva.kit.db import Connection, UnitOfWork
from viva.traces import examples, store
from viva.traces.quota import TraceQuota
from viva.traces.reading import read_trace

RUNS_FOLDER = DEMO_FOLDER / "traces"
CHOICES = AnalysisChoices()


class DemoRun(Struct, frozen=True, forbid_unknown_fields=True):
    """A run in our own format. Runs of one file may share their agents."""

    days_ago: float
    trace: dict[str, Any]
    agents: list[dict[str, Any]] | None = None
    dataset: str | None = None
    tags: tuple[str, ...] = ()


def load_runs() -> list[DemoRun]:
    """The runs, oldest first."""
    return sorted(read_files(), key=lambda run: run.days_ago, reverse=True)


def read_files() -> Iterator[DemoRun]:
    for path in sorted(RUNS_FOLDER.glob("*.yaml")):
        content = msgspec.yaml.decode(path.read_bytes())
        yield from msgspec.convert(content if isinstance(content, list) else [content], list[DemoRun])


def list_names(db: Connection, owner: Agent) -> set[str]:
    """The names of the owner's traces."""
    return {name for (name,) in db.execute("SELECT name FROM traces WHERE owner_id = ?", [owner.id]).fetchall()}


def prepare_run(owner: Agent, run: DemoRun, today: datetime) -> UnitOfWork[None]:
    """The unit that stores the run. Its analysis takes longest, and is made before."""
    document = run.trace | ({"agents": run.agents} if run.agents else {})
    new = read_trace(msgspec.json.encode(document), None, run.tags)
    found = analyse_content(new.content, CHOICES, None)

    def store_run(db: Connection) -> None:
        trace_id = store.add(db, owner.id, new, TraceQuota(), run.dataset)
        analysis_id = analyses.add_finished(db, Subject("trace", trace_id), CHOICES, found)
        store.note_analysis(db, trace_id, analysis_id, found.overall_score)
        examples.publish(db, trace_id)
        date_run(db, trace_id, analysis_id, today - timedelta(days=run.days_ago))

    return store_run


def date_run(db: Connection, trace_id: str, analysis_id: str, received: datetime) -> None:
    db.execute("UPDATE traces SET received_at = ? WHERE id = ?", [received, trace_id])
    db.execute(
        "UPDATE analyses SET requested_at = ?, finished_at = ? WHERE id = ?",
        [received, received + timedelta(seconds=1), analysis_id],
    )
