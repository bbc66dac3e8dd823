"""No list, sweep or deletion reads all contributions, on both databases, and each page has its order."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests import make
from tests.contributions.proposals import by_agent, proposal
from tests.contributions.submitted import submission
from viva.agents.model import Agent
from viva.contributions import (
    account_deletion,
    analytics,
    comments,
    community,
    drafting,
    gaming,
    publication_store,
    reviewing,
    revisions,
    store,
)
from viva.contributions.ownership import Visitor
from viva.kit.db import Connection
from viva.kit.sqlite_connection import SqliteConnection

AT = datetime(2026, 1, 1, tzinfo=UTC)
Work = Callable[[Any, Agent], Any]
WORKS: dict[str, Work] = {
    "queue": lambda db, ada: reviewing.list_queue(db),
    "queue of a status": lambda db, ada: reviewing.list_queue(db, "merged"),
    "queue of a contributor": lambda db, ada: reviewing.list_queue(db, None, "ada"),
    "queue of some days": lambda db, ada: reviewing.list_queue(db, "rejected", None, AT, AT),
    "length of the queue": lambda db, ada: reviewing.count_waiting(db),
    "drafts of an account": lambda db, ada: drafting.list_drafts(db, Visitor(agent=ada)),
    "drafts in a state": lambda db, ada: drafting.list_drafts(db, Visitor(agent=ada), "in_progress"),
    "draft of a token": lambda db, ada: drafting.list_drafts(db, Visitor(token="viva_contrib_x")),
    "open drafts of an account": lambda db, ada: store.count_drafts(db, "contributor_id", ada.id),
    "open drafts of a mailbox": lambda db, ada: store.count_drafts(db, "contributor_email", "ada@example.org"),
    "open drafts of an address": lambda db, ada: store.count_drafts(db, "address_hash", "x"),
    "token": lambda db, ada: store.is_known_token(db, "x"),
    "figures": lambda db, ada: analytics.read_analytics(db),
    "figures of an account": lambda db, ada: analytics.find_contributor(db, ada.id, "ada"),
    "community": lambda db, ada: community.list_open(db),
    "comments": lambda db, ada: comments.list_comments(db, "x", True),
    "history": lambda db, ada: revisions.list_revisions(db, "x"),
    "what to publish": lambda db, ada: publication_store.take_unpublished(db, AT),
    "what to follow": lambda db, ada: publication_store.take_unfollowed(db, AT),
    "merged ones": lambda db, ada: publication_store.list_merged(db, 100, 10),
    "pull request": lambda db, ada: publication_store.find_by_pull_request(db, "https://example.org"),
    "lost gates": lambda db, ada: gaming.end_lost(db),
    "account deletion": lambda db, ada: account_deletion.delete_account(db, ada),
}


class Recorder:
    """A connection that keeps each statement with its parameters."""

    def __init__(self, db: Connection) -> None:
        self.db = db
        self.statements: list[tuple[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)

    def execute(self, sql: str, params: Any = ()) -> Any:
        self.statements.append((sql, params))
        return self.db.execute(sql, params)


def scans_in(db: Connection, sql: str, params: Any) -> list[str]:
    """The steps of the plan that read a whole table of contributions."""
    if isinstance(db, SqliteConnection):
        steps = [str(row[-1]) for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", params).fetchall()]
        return [step for step in steps if step.startswith(("SCAN evaluation_contribution", "SCAN c"))]
    steps = [str(row[0]) for row in db.execute(f"EXPLAIN {sql}", params).fetchall()]
    return [step for step in steps if "Seq Scan on evaluation_contribution" in step]


@pytest.mark.parametrize("name", WORKS)
def test_rows_are_found_by_an_index(db, name):
    ada = make.agent(db, "ada")
    submission(db)
    drafting.create(db, make.HALL, proposal(), by_agent(ada))
    if not isinstance(db, SqliteConnection):
        db.execute("SET LOCAL enable_seqscan = off")  # a table of few rows is always read whole otherwise
    recorder = Recorder(db)

    WORKS[name](recorder, ada)

    statements = [each for each in recorder.statements if "evaluation_contribution" in each[0]]
    assert statements
    assert [scan for sql, params in statements for scan in scans_in(db, sql, params)] == []


def test_a_page_has_its_order_and_not_that_of_the_ids(db):
    ada = make.agent(db, "ada")
    drafts = [drafting.create(db, make.HALL, proposal(), by_agent(ada)).contribution.id for _ in range(3)]
    sent = [submission(db).id for _ in range(3)]
    for table, order in ((drafts, (2, 3, 1)), (sent, (3, 1, 2))):
        for id_, day in zip(table, order, strict=True):
            at = datetime(2026, 1, day, tzinfo=UTC)
            db.execute(
                "UPDATE evaluation_contributions SET updated_at = ?, submitted_at = ? WHERE id = ?", [at, at, id_]
            )
    db.execute("UPDATE evaluation_contributions SET is_open_to_community = TRUE")

    def ids(page: Any) -> list[int]:
        return [[*drafts, *sent].index(each.id) for each in page.contributions]

    assert ids(drafting.list_drafts(db, Visitor(agent=ada))) == [1, 0, 2]
    assert ids(drafting.list_drafts(db, Visitor(agent=ada), None, 2, 1)) == [0, 2]
    assert ids(reviewing.list_queue(db)) == [4, 5, 3]
    assert ids(reviewing.list_queue(db, limit=1, offset=1)) == [5]
    assert ids(community.list_open(db)) == [3, 5, 4]
