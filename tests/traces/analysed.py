"""Traces that are analysed already, without a worker."""

import json
from functools import cache
from typing import Any

from tests.traces.runs import run
from viva.agents.model import Agent
from viva.analyses import store as analyses
from viva.analyses.analysing import analyse_content
from viva.analyses.model import AnalysisChoices, FinishedAnalysis, Subject
from viva.kit.db import Connection
from viva.traces import store
from viva.traces.model import NewTrace
from viva.traces.quota import TraceQuota
from viva.traces.reading import read_trace

FAST = AnalysisChoices(fast=True)


def keep_run(db: Connection, owner: Agent, document: dict[str, Any] | None = None, **options: Any) -> str:
    """Store a run with its analysis; the id of the trace. `dataset` and `tags` are options."""
    new = read(json.dumps(document or run()).encode(), options.get("tags", ()))
    trace_id = store.add(db, owner.id, new, TraceQuota(), options.get("dataset"))
    keep_analysis(db, trace_id, new.content)
    return trace_id


def keep_analysis(db: Connection, trace_id: str, content: bytes) -> str:
    """Store an analysis of a trace; its id."""
    found = analyse(content)
    analysis_id = analyses.add_finished(db, Subject("trace", trace_id), FAST, found)
    store.note_analysis(db, trace_id, analysis_id, found.overall_score)
    return analysis_id


@cache
def read(raw: bytes, tags: tuple[str, ...]) -> NewTrace:
    return read_trace(raw, None, tags)


@cache
def analyse(content: bytes) -> FinishedAnalysis:
    return analyse_content(content, FAST, None)
