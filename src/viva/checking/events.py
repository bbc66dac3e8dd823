"""Checks the chain of events, and the names that its events speak of."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import partial
from typing import Any, NamedTuple

import msgspec

from viva.checking.attempts import END_ACTIONS, EndedAttempts, RecordedEnd, check_end, read_ends, read_recorded_end
from viva.checking.model import HubCheck
from viva.exams.evidence import find_erased, read_names, read_of
from viva.kit.db import Connection
from viva.kit.event_chain import LINKED_COLUMNS, SignedHead, hash_event, is_genuine, list_checkpoints
from viva.kit.hashing import NO_HASH
from viva.kit.rows import builder
from viva.kit.signing_keys import list_own
from viva.results.discrepancy import Discrepancy
from viva.results.second_readings import SecondReading

BATCH_EVENTS = 1_000
MAX_UNLINKED_EVENTS = 100  # that are named
KEEPING_ACTION = "result.kept"
NAMING_ACTIONS = ("agent.registered", "agent.renamed")
READING_FIELDS = SecondReading.__struct_fields__
READING_ACTIONS = ("reading.opened", "reading.given")


class LinkedEvent(NamedTuple):
    position: int
    event_id: int
    hash: str
    event: tuple[Any, ...]  # the LINKED_COLUMNS, or None in each if the event is missing


class GivenVerdict(NamedTuple):
    passed: bool
    score: float | None


class EventBatch(NamedTuple):
    first: int  # the position at which the log begins, which moves when events are deleted
    links: list[LinkedEvent]
    names: dict[str, set[str]]  # hashes of the names of agents
    erased: set[str]  # agents whose names need not be there any more
    results: set[str]  # of those that it speaks of, the ones that are there
    verdicts: dict[tuple[str, int], set[GivenVerdict]]  # of second readings, by place; the first one is stored twice
    ends: EndedAttempts


def check_events(check: HubCheck) -> Iterator[Discrepancy]:
    heads, own = check.database.read_now(lambda db: (list_checkpoints(db), list_own(db)))
    checkpoints = {head.position: head for head in heads}
    yield from check_checkpoints(checkpoints, own)
    previous: LinkedEvent | None = None
    while (batch := check.database.read_now(partial(read_batch, after=previous.position if previous else 0))).links:
        for link in batch.links:
            if previous and link.position != batch.first:
                yield from check_next(previous, link)
            else:
                yield from check_first(link, checkpoints)
            yield from check_name(link, batch)
            yield from check_presence(link, batch.results)
            yield from check_verdict(link, batch.verdicts)
            if end := find_end(link):
                yield from check_end(*end, batch.ends)
            yield from check_checkpoint(link, checkpoints)
            previous = link
        check.count("events", sum(link.event[0] is not None for link in batch.links))
    yield from check.database.read_now(find_unlinked)


def read_batch(db: Connection, after: int) -> EventBatch:
    columns = ", ".join(f"e.{name}" for name in LINKED_COLUMNS)
    rows = db.execute(
        f"""
        SELECT c.position, c.event_id, c.hash, {columns} FROM event_chain c LEFT JOIN events e ON e.id = c.event_id
        WHERE c.position > ? ORDER BY c.position LIMIT ?
        """,
        [after, BATCH_EVENTS],
    ).fetchall()
    links = [LinkedEvent(position, event_id, hash_, tuple(event)) for position, event_id, hash_, *event in rows]
    named = {link.event[8] for link in links if link.event[2] in NAMING_ACTIONS}
    about = {link.event[8] for link in links if link.event[2] == KEEPING_ACTION}
    results = {id_ for (id_,) in read_of(db, "SELECT id FROM evaluation_results", "id", about)}
    (first,) = db.execute("SELECT min(position) FROM event_chain").fetchone()
    verdicts = read_verdicts(db, {link.event[8] for link in links if link.event[2] in READING_ACTIONS})
    ends = read_ends(db, {end[0] for link in links if (end := find_end(link))})
    return EventBatch(first, links, read_names(db, named), find_erased(db, named), results, verdicts, ends)


def find_end(link: LinkedEvent) -> RecordedEnd | None:
    """What the event says of the end of an attempt, if it is about one."""
    action, subject_id, data = link.event[2], link.event[8], link.event[9]
    return read_recorded_end(action, subject_id, data) if action in END_ACTIONS else None


def read_verdicts(db: Connection, reading_ids: Collection[str]) -> dict[tuple[str, int], set[GivenVerdict]]:
    """The verdicts of second readings by place, where 1 is the first one."""
    verdicts: defaultdict[tuple[str, int], set[GivenVerdict]] = defaultdict(set)
    columns, build = ", ".join(READING_FIELDS), builder(SecondReading, READING_FIELDS)
    for passed, score, *row in read_of(
        db, f"SELECT first_passed, first_score, {columns} FROM second_readings", "id", reading_ids
    ):
        reading = build(row)
        shown = reading.first_verdict
        verdicts[reading.id, 1] |= {GivenVerdict(bool(passed), score), GivenVerdict(shown.passed, shown.score)}
    sql = "SELECT second_reading_id, place, passed, score FROM blind_verdicts"
    for reading_id, place, passed, score in read_of(db, sql, "second_reading_id", reading_ids):
        verdicts[reading_id, place].add(GivenVerdict(bool(passed), score))
    return verdicts


def check_first(link: LinkedEvent, checkpoints: dict[int, SignedHead]) -> Iterator[Discrepancy]:
    """The first link is that of the first event, or of the last one that was deleted; then a checkpoint comes later."""
    if link.event[0] is None and any(position > link.position for position in checkpoints):
        return
    if link.position > 1:
        yield Discrepancy("event", str(link.event_id), "The events before this one are missing.", 1, link.position)
    yield from check_link(NO_HASH, link)


def check_next(previous: LinkedEvent, link: LinkedEvent) -> Iterator[Discrepancy]:
    if link.position != previous.position + 1:
        sentence = "Links are missing before this one."
        yield Discrepancy("event", str(link.event_id), sentence, previous.position + 1, link.position)
    yield from check_link(previous.hash, link)


def check_link(previous: str, link: LinkedEvent) -> Iterator[Discrepancy]:
    if link.event[0] is None:
        yield Discrepancy("event", str(link.event_id), "The event is missing.")
    elif (expected := hash_event(previous, link.event)) != link.hash:
        yield Discrepancy("event", str(link.event_id), "The event is not as it was recorded.", link.hash, expected)


def check_name(link: LinkedEvent, batch: EventBatch) -> Iterator[Discrepancy]:
    """The name that was recorded has to be among the agent's names, unless the account was deleted or a name hidden."""
    if link.event[2] not in NAMING_ACTIONS or link.event[8] in batch.erased:
        return
    name_hash, agent_id = msgspec.json.decode(link.event[9]).get("name_hash"), link.event[8]
    if name_hash and name_hash not in batch.names.get(agent_id, ()):
        yield Discrepancy("agent", agent_id, "A name is not as it was recorded.", name_hash)


def check_presence(link: LinkedEvent, results: set[str]) -> Iterator[Discrepancy]:
    """No flow deletes a result."""
    if link.event[2] == KEEPING_ACTION and link.event[8] not in results:
        yield Discrepancy("result", link.event[8], "The result is missing.")


def check_verdict(link: LinkedEvent, verdicts: dict[tuple[str, int], set[GivenVerdict]]) -> Iterator[Discrepancy]:
    """The verdicts of a second reading are as they were recorded. Events of earlier releases do not have them."""
    if link.event[2] not in READING_ACTIONS:
        return
    said, reading_id = msgspec.json.decode(link.event[9]), link.event[8]
    if "passed" not in said:
        return
    place = said.get("place", 1)
    recorded, found = GivenVerdict(said["passed"], said["score"]), verdicts.get((reading_id, place), set())
    if found != {recorded}:
        sentence = f"The verdict at place {place} is not as it was recorded."
        yield Discrepancy("reading", reading_id, sentence, recorded.score, next(iter(found - {recorded}), None))


def check_checkpoint(link: LinkedEvent, checkpoints: dict[int, SignedHead]) -> Iterator[Discrepancy]:
    checkpoint = checkpoints.get(link.position)
    if checkpoint and checkpoint.hash != link.hash:
        sentence = "The log at this position is not as it was signed."
        yield Discrepancy("checkpoint", str(link.position), sentence, checkpoint.hash, link.hash)


def check_checkpoints(checkpoints: dict[int, SignedHead], own: set[str]) -> Iterator[Discrepancy]:
    for checkpoint in checkpoints.values():
        if not is_genuine(checkpoint):
            yield Discrepancy("checkpoint", str(checkpoint.position), "The signature does not hold.")
        if checkpoint.key_id not in own:
            sentence = "The key that signed it is not the hub's."
            yield Discrepancy("checkpoint", str(checkpoint.position), sentence, found=checkpoint.key_id)


def find_unlinked(db: Connection) -> list[Discrepancy]:
    rows = db.execute(
        """
        SELECT id FROM events e WHERE NOT EXISTS (SELECT 1 FROM event_chain WHERE event_id = e.id) ORDER BY id LIMIT ?
        """,
        [MAX_UNLINKED_EVENTS],
    ).fetchall()
    return [Discrepancy("event", str(id_), "The event is not in the chain.") for (id_,) in rows]


def check_current_names(check: HubCheck) -> Iterator[Discrepancy]:
    """The name that an agent shows is the last one that it was given."""
    after = ""
    while rows := check.database.read_now(partial(read_current_names, after=after)):
        for agent_id, name, last in rows:
            if name != last:
                yield Discrepancy("agent", agent_id, "The name is not the last one that was given.", last, name)
        after = rows[-1][0]
        check.count("agents", len(rows))


def read_current_names(db: Connection, after: str) -> list[Any]:
    return db.execute(
        """
        SELECT id, name, (SELECT n.name FROM agent_names n WHERE n.agent_id = agents.id ORDER BY given_at DESC LIMIT 1)
        FROM agents WHERE id > ? ORDER BY id LIMIT ?
        """,
        [after, BATCH_EVENTS],
    ).fetchall()
