"""A hub with exams in it, and ways to change its rows behind its back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests import make
from viva.agents import accounts
from viva.agents.model import Agent
from viva.checking.hub import CheckReport, check_hub
from viva.kit.db import Connection, Database
from viva.kit.signing_keys import ensure_current
from viva.results.model import NamedResult
from viva.results.sums import RECOUNT_AGENT, recount
from viva.sessions import channel

GUARDED = ("events", "event_chain", "event_checkpoints", "result_statements")


def examine(db: Connection, candidate: Agent, proctor: Agent, passed: bool, score: float) -> NamedResult:
    """An exam of three messages, with a verdict."""
    started, claim = make.claim(db, candidate, proctor)
    for sender in (proctor, candidate, proctor):
        channel.send(db, "good-manners", claim.session.id, sender.id, f"{sender.name} says please.", 1_000)
    criteria = [{"id": "please", "text": "Says please.", "met": passed}]
    return make.decide(
        db, started, proctor, passed, score=score, feedback=f"Thanks, {candidate.name}.", data={"criteria": criteria}
    )


def fill(db: Connection) -> list[NamedResult]:
    make.evaluation(db)
    make.evaluation(db, id="tea-making", sip=8)
    ensure_current(db)
    ada, bea, paul = (make.agent(db, name) for name in ("ada", "bea", "paul"))
    accounts.change(db, ada, None, None, model="model-a")
    results = [examine(db, ada, paul, True, 90), examine(db, bea, paul, False, 40), examine(db, bea, paul, True, 80)]
    _, claim = make.claim(db, ada, paul)  # an exam that runs
    channel.send(db, "good-manners", claim.session.id, ada.id, "Hello.", 1_000)
    accounts.change(db, ada, "ada lovelace", None)
    return results


@contextmanager
def unguarded(db: Connection) -> Iterator[None]:
    """Nothing guards the rows any more, as for the owner of the database."""
    if db.links_events:
        db.execute("SET session_replication_role = replica")
        yield
        db.execute("SET session_replication_role = DEFAULT")
        return
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    db.execute("PRAGMA ignore_check_constraints = ON")
    db.execute("PRAGMA defer_foreign_keys = ON")
    yield
    db.execute("PRAGMA ignore_check_constraints = OFF")


def tamper(database: Database, *statements: str) -> None:
    def work(db: Connection) -> None:
        with unguarded(db):
            for statement in statements:
                db.execute(statement)

    database.write_now(work)


def check(database: Database) -> CheckReport:
    return check_hub(database)


def found(report: CheckReport) -> set[tuple[str, str]]:
    """The subject and the sentence of each finding."""
    return {(finding.subject, finding.sentence) for finding in report.findings}


def one(database: Database, sql: str) -> Any:
    return database.read_now(lambda db: db.execute(sql).fetchone()[0])


def recount_all(db: Connection) -> None:
    """Count every sum again, as somebody does who hides a change."""
    for (evaluation_id,) in db.execute("SELECT id FROM evaluation_definitions").fetchall():
        recount(db, evaluation_id)
    db.execute(RECOUNT_AGENT)
