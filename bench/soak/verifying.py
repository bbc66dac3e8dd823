"""After a soak: the database holds what was acknowledged, exactly once, and nothing that nobody sent."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg

from bench.soak.ledger import Ledger, SentMessage

MAX_SHOWN = 5  # of one kind of difference
Rows = list[tuple[Any, ...]]


def find_differences(url: str, ledger: Ledger) -> Iterator[str]:
    with psycopg.connect(url) as db:
        yield from compare_messages(db.execute(MESSAGES).fetchall(), ledger)
        yield from compare_results(db.execute(RESULTS).fetchall(), ledger)
        yield from missing("agents", ledger.agents.keys(), first_column(db.execute("SELECT id FROM agents").fetchall()))
        yield from missing("claims", ledger.claims.items(), set(db.execute(SESSIONS).fetchall()))
        yield from missing("analyses", ledger.analyses.items(), set(db.execute(ANALYSES).fetchall()))
        yield from listed("jobs that did not end", first_column(db.execute(OPEN_JOBS).fetchall()))


MESSAGES = "SELECT id, session_id, sequence, content FROM evaluation_messages"
RESULTS = "SELECT registration_id, id FROM evaluation_results"
SESSIONS = "SELECT registration_id, id FROM evaluation_sessions"
ANALYSES = "SELECT id, trace_id FROM analyses WHERE status = 'done'"
OPEN_JOBS = "SELECT work || ' ' || status || ' ' || coalesce(reason, '') FROM jobs WHERE status <> 'done'"


def compare_messages(rows: Rows, ledger: Ledger) -> Iterator[str]:
    stored = {id_: SentMessage(*columns) for id_, *columns in rows}
    lost = [id_ for id_, message in ledger.messages.items() if stored.get(id_) != message]
    texts = Counter(message.content for message in stored.values())
    yield from listed("acknowledged messages that are lost or changed", lost)
    yield from listed("messages that are there twice", [text for text, count in texts.items() if count > 1])
    yield from listed("messages that nobody sent", texts.keys() - ledger.sent_texts)
    yield from listed("sessions with a gap", sessions_with_gaps(stored.values()))


def sessions_with_gaps(messages: Any) -> list[str]:
    last: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for message in messages:
        last[message.session_id] = max(last.get(message.session_id, 0), message.sequence)
        counts[message.session_id] += 1
    return [session_id for session_id, sequence in last.items() if sequence != counts[session_id]]


def compare_results(rows: Rows, ledger: Ledger) -> Iterator[str]:
    counts = Counter(registration_id for registration_id, _ in rows)
    yield from missing("verdicts and marks", ledger.results.items(), set(rows))
    yield from listed("registrations with two results", [id_ for id_, count in counts.items() if count > 1])


def missing(what: str, acknowledged: Any, stored: Any) -> Iterator[str]:
    yield from listed(f"acknowledged {what} that are lost", [each for each in acknowledged if each not in stored])


def listed(what: str, found: Any) -> Iterator[str]:
    """One sentence, if anything was found."""
    found = list(found)
    if found:
        yield f"{len(found)} {what}: {', '.join(map(str, found[:MAX_SHOWN]))}"


def first_column(rows: Rows) -> list[Any]:
    return [row[0] for row in rows]
