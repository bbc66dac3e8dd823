"""Datasets: many traces under one name, summed up by agent, by role, by day and by what was found."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many
from viva.traces import marks
from viva.traces.marks import MarkTally

MAX_DATASET_AGENTS = 200
MAX_DATASET_DAYS = 90
MAX_DATASET_FINDINGS = 20
OF_DATASET = "t.owner_id = :owner AND t.dataset = :dataset"


class NoSuchDataset(NotFound):
    """You have no traces in a dataset of this name."""


class DatasetLine(Struct, frozen=True):
    """One dataset in a list. The mean is over the latest analysis of each trace."""

    name: str
    traces: int
    analysed: int
    mean_score: float | None
    first_at: datetime
    last_at: datetime


class GroupScores(Struct, frozen=True):
    """The mean scores of one agent or one role over the traces of a dataset, and the trace in which it did worst."""

    name: str
    traces: int
    interactions: int
    overall: float | None
    tool_use: float | None
    reasoning: float | None
    handoff: float | None
    response_quality: float | None
    worst_trace_id: str | None


class DayScores(Struct, frozen=True):
    """The traces that came on one day, and their mean score."""

    day: str
    traces: int
    mean_score: float | None


class FrequentFinding(Struct, frozen=True):
    """A kind of detection or issue: how often it was found, in how many traces, and the trace that has most of it."""

    kind: str
    severity: str
    occurrences: int
    traces: int
    example_trace_id: str


class DatasetSummary(Struct, frozen=True):
    """A dataset as a whole. The weakest agent has the lowest mean; there is none with fewer than two agents."""

    dataset: DatasetLine
    agents: list[GroupScores]
    roles: list[GroupScores]
    days: list[DayScores]
    findings: list[FrequentFinding]
    marks: list[MarkTally]
    weakest_agent: str | None


LINE_COLUMNS = """
    dataset AS name, count(*) AS traces, count(analysis_id) AS analysed, avg(overall_score) AS mean_score,
    min(received_at) AS first_at, max(received_at) AS last_at
"""


def list_datasets(db: Connection, owner_id: str, limit: int, cursor: str | None) -> Page[DatasetLine]:
    """The datasets of an account, by name."""
    values: dict[str, Any] = {"owner": owner_id, "limit": limit + 1}
    after = "dataset IS NOT NULL"
    if cursor:
        (values["after"],) = read_cursor(cursor, tuple[str])
        after = "dataset > :after"
    rows = db.execute(
        f"""
        SELECT {LINE_COLUMNS} FROM traces WHERE owner_id = :owner AND {after}
        GROUP BY dataset ORDER BY dataset LIMIT :limit
        """,
        values,
    )
    return page(many(DatasetLine, rows), limit, lambda line: (line.name,))


def check_exists(db: Connection, owner_id: str, dataset: str) -> None:
    row = db.execute("SELECT 1 FROM traces WHERE owner_id = ? AND dataset = ? LIMIT 1", [owner_id, dataset]).fetchone()
    if row is None:
        raise NoSuchDataset()


def summarize(db: Connection, owner_id: str, dataset: str) -> DatasetSummary:
    lines = many(
        DatasetLine,
        db.execute(
            f"SELECT {LINE_COLUMNS} FROM traces WHERE owner_id = ? AND dataset = ? GROUP BY dataset",
            [owner_id, dataset],
        ),
    )
    if not lines:
        raise NoSuchDataset()
    agents = group_scores(db, owner_id, dataset, "agent_id")
    scored = [agent for agent in agents if agent.overall is not None]
    return DatasetSummary(
        lines[0],
        agents,
        group_scores(db, owner_id, dataset, "role"),
        list_days(db, owner_id, dataset),
        list_findings(db, owner_id, dataset),
        marks.tally_of_dataset(db, owner_id, dataset),
        scored[0].name if len(scored) > 1 else None,
    )


def group_scores(db: Connection, owner_id: str, dataset: str, column: str) -> list[GroupScores]:
    """By the latest analysis of each trace: the mean scores by agent or by role, the lowest first. An agent without a role is in no role."""
    rows = db.execute(
        f"""
        SELECT x.{column} AS name, count(DISTINCT t.id) AS traces, sum(x.interactions) AS interactions,
            avg(x.overall) AS overall, avg(x.tool_use) AS tool_use, avg(x.reasoning) AS reasoning,
            avg(x.handoff) AS handoff, avg(x.response_quality) AS response_quality,
            min(CASE WHEN x.overall = x.lowest THEN t.id END) AS worst_trace_id
        FROM traces t JOIN (
            SELECT a.*, min(a.overall) OVER (PARTITION BY a.{column}) AS lowest
            FROM analysis_agents a JOIN traces t ON t.analysis_id = a.analysis_id WHERE {OF_DATASET}
        ) x ON x.analysis_id = t.analysis_id
        WHERE {OF_DATASET} AND x.{column} IS NOT NULL
        GROUP BY x.{column} ORDER BY coalesce(avg(x.overall), 2), x.{column} LIMIT :limit
        """,
        {"owner": owner_id, "dataset": dataset, "limit": MAX_DATASET_AGENTS},
    )
    return many(GroupScores, rows)


def list_days(db: Connection, owner_id: str, dataset: str) -> list[DayScores]:
    """The last days on which traces came, oldest first."""
    rows = db.execute(
        f"""
        SELECT substr(CAST(received_at AS TEXT), 1, 10) AS day, count(*) AS traces, avg(overall_score) AS mean_score
        FROM traces t WHERE {OF_DATASET} GROUP BY 1 ORDER BY 1 DESC LIMIT :limit
        """,
        {"owner": owner_id, "dataset": dataset, "limit": MAX_DATASET_DAYS},
    )
    return many(DayScores, rows)[::-1]


def list_findings(db: Connection, owner_id: str, dataset: str) -> list[FrequentFinding]:
    """The kinds of detections and issues that were found most often."""
    rows = db.execute(
        f"""
        SELECT x.kind AS kind, max(x.severity) AS severity, sum(x.occurrences) AS occurrences,
            count(DISTINCT t.id) AS traces, min(CASE WHEN x.occurrences = x.most THEN t.id END) AS example_trace_id
        FROM traces t JOIN (
            SELECT f.*, max(f.occurrences) OVER (PARTITION BY f.kind) AS most
            FROM analysis_findings f JOIN traces t ON t.analysis_id = f.analysis_id WHERE {OF_DATASET}
        ) x ON x.analysis_id = t.analysis_id
        WHERE {OF_DATASET}
        GROUP BY x.kind ORDER BY sum(x.occurrences) DESC, x.kind LIMIT :limit
        """,
        {"owner": owner_id, "dataset": dataset, "limit": MAX_DATASET_FINDINGS},
    )
    return many(FrequentFinding, rows)
