"""Attempts of all kinds for tests of sums: random ones, kept as results, and the slow way to count them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from hypothesis import strategies as st
from msgspec import structs

from tests import make
from viva.agents.model import Agent
from viva.exams import store as exams
from viva.kit.clock import format_time
from viva.kit.db import Connection, Params
from viva.kit.ids import new_id
from viva.kit.rows import Cursor
from viva.results import store
from viva.results.model import Result

EVALUATION = "good-manners"
VERSIONS = ("1.0.0", "2.0.0")
NAMES = ("ada", "abe", "ann", "art")
NINE = datetime(2026, 10, 31, 23, 59, tzinfo=UTC)  # a minute later it is another month


class Taken(NamedTuple):
    """One attempt, with few values for everything, so that many are alike."""

    name: str
    version: str
    passed: bool
    score: float | None
    max_score: float
    points: float
    minute: int
    messages: int | None
    data: Any


verdicts = st.fixed_dictionaries(
    {"id": st.sampled_from(["tone", "tact", "wit"])},
    optional={
        "text": st.sampled_from(["Kind words", "Timing"]),
        "met": st.sampled_from([True, False, None, "yes", 1]),
        "mark": st.sampled_from([0, 1.5, 2, -3, 9, None, "2", True, 1e300]),
        "max": st.sampled_from([2, 4.0, 0, -1, None, "4"]),
        "prompt_id": st.sampled_from(["p1", "p2", "", None, 7]),
    },
)
HOSTILE: list[Any] = [
    {},
    {"criteria": None},
    {"criteria": "tone"},
    {"criteria": {"id": "tone"}},
    {"criteria": [None, 1, "x", [], {"id": None}, {"id": 7}, {"id": ""}, {"id": ["tone"]}, {"text": "no id"}]},
    {
        "criteria": [
            {"id": "x" * 5_000, "text": "y" * 5_000, "met": True, "prompt_id": "p" * 5_000, "mark": 1, "max": 2}
        ]
    },
    {"criteria": [{"id": "'; DROP TABLE agents; --", "text": "<script>", "met": False}]},
    {"criteria": [{"id": f"row-{number}", "met": True} for number in range(300)]},
]
data = st.none() | st.sampled_from(HOSTILE[:5]) | st.lists(verdicts, max_size=5).map(lambda rows: {"criteria": rows})
attempts = st.lists(
    st.builds(
        Taken,
        name=st.sampled_from(NAMES),
        version=st.sampled_from(VERSIONS),
        passed=st.booleans(),
        score=st.sampled_from([None, 0.0, 0.1, 1 / 3, 3.0, 7.0, 9.99, 10.0]),
        max_score=st.sampled_from([10.0, 10.0, 30.0]),
        points=st.sampled_from([0.0, 2.5]),
        minute=st.integers(0, 3),
        messages=st.sampled_from([None, 0, 1, 2, 15, 16, 700]),
        data=data,
    ),
    max_size=14,
)


def keep(db: Connection, agent: Agent, taken: Taken, **changes: Any) -> Result:
    result = structs.replace(outcome(db, agent, taken), **changes)
    store.add(db, result)
    return result


def outcome(db: Connection, agent: Agent, taken: Taken) -> Result:
    """A result that is not kept yet."""
    registration = exams.add_registration(db, agent.id, EVALUATION)
    assert registration is not None
    exams.start(db, registration.id, taken.version, "digest")
    exams.close(db, registration.id, "completed")
    return Result(
        id=new_id("eval_res"),
        registration_id=registration.id,
        agent_id=agent.id,
        evaluation_id=EVALUATION,
        passed=taken.passed,
        score=taken.score,
        max_score=None if taken.score is None else taken.max_score,
        points_earned=taken.points if taken.passed else 0,
        result_data=taken.data,
        completed_at=NINE + timedelta(minutes=taken.minute),
        proctor_agent_id=None,
        proctor_feedback=None,
        session_id=None if taken.messages is None else talk(db, registration.id, taken.messages),
        evaluation_version=taken.version,
        evaluation_digest="digest",
        cohort_id=None,
        second_reading=None,
        **make.OFFICIAL,
    )


def talk(db: Connection, registration_id: str, messages: int) -> str:
    """A session with so many messages; nobody sits in it, which only a commit would mind."""
    session_id = new_id("eval_sess")
    db.execute(
        """
        INSERT INTO evaluation_sessions (id, evaluation_id, kind, registration_id, status, started_at, ended_at,
            message_count, active_at) VALUES (?, ?, 'proctored', ?, 'ended', ?, ?, ?, ?)
        """,
        [session_id, EVALUATION, registration_id, NINE, NINE, messages, NINE],
    )
    return session_id


def keep_all(db: Connection, taken: Sequence[Taken]) -> list[Result]:
    make.evaluation(db)
    people = {name: make.agent(db, name) for name in NAMES}
    return [keep(db, people[each.name], each) for each in taken]


def of_version(results: Sequence[Result], version: str | None) -> list[Result]:
    return [result for result in results if version in (None, result.evaluation_version)]


def plain(name: str = "ada", **changes: Any) -> Taken:
    """A passed attempt with nothing about it."""
    return Taken(name, "1.0.0", True, None, 10.0, 2.5, 0, None, None)._replace(**changes)


def month(result: Result) -> str:
    return format_time(result.completed_at)[:7]


@contextmanager
def example(db: Connection) -> Iterator[None]:
    """Takes back what an example wrote, so that the next one finds nothing."""
    db.execute("SAVEPOINT example")
    yield
    db.execute("ROLLBACK TO example")
    db.execute("RELEASE example")


class Counting(Connection):
    """A connection that notes what it is asked."""

    def __init__(self, db: Connection) -> None:
        self.db = db
        self.place_in, self.by_character = db.place_in, db.by_character
        self.reads_row_by_row = db.reads_row_by_row
        self.asked: list[tuple[str, Params]] = []

    def execute(self, sql: str, params: Params = ()) -> Cursor:
        self.asked.append((sql, params))
        return self.db.execute(sql, params)

    def notify(self, topic: str) -> None:
        self.db.notify(topic)


def plans(db: Connection, counting: Counting) -> list[str]:
    """How SQLite goes about what was asked."""
    return [
        row[3] for sql, params in counting.asked for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", params).fetchall()
    ]
