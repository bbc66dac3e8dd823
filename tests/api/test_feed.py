"""Readers of a stream share a reading when they wait at the same place, and only then."""

import asyncio
from typing import Any, cast

import pytest

from tests import make
from viva.agents import store as agents
from viva.api.streaming import encode_events
from viva.kit.db import Connection, Database
from viva.kit.errors import Unauthorized
from viva.sessions import channel
from viva.sessions.feed import Feed, StreamStart, TooManyStreams, stream_events

ROOM = 64 * 1024


class Counting:
    """The database, and how often it was read."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.notifier = database.notifier
        self.reads = 0

    async def read(self, work: Any) -> Any:
        self.reads += 1
        return await self.database.read(work)


@pytest.fixture
def counting(database: Database) -> Counting:
    return Counting(database)


@pytest.fixture
def feed(counting: Counting) -> Feed:
    return Feed(cast(Database, counting))


@pytest.fixture
def session_id(database: Database) -> str:
    """A session in which three messages were said."""

    def unit(db: Connection) -> str:
        make.evaluation(db)
        ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
        session = make.claim(db, ada, paul)[1].session
        for content in ("one", "two", "three"):
            channel.send(db, "good-manners", session.id, paul.id, content, ROOM)
        return session.id

    return database.write_now(unit)


def test_readers_at_different_places_get_each_what_follows_theirs(feed, session_id):
    async def both():
        return await asyncio.gather(
            feed.read_after(session_id, 0, encode_events), feed.read_after(session_id, 2, encode_events)
        )

    from_the_start, from_the_second = asyncio.run(both())

    assert from_the_start.events.count(b"\nevent: message\n") == 3
    assert from_the_second.events.count(b"\nevent: message\n") == 1


def test_a_hundred_readers_at_the_same_place_read_once(feed, counting, session_id):
    async def all_of_them():
        return await asyncio.gather(*(feed.read_after(session_id, 0, encode_events) for _ in range(100)))

    news = asyncio.run(all_of_them())

    assert {one.last for one in news} == {3}
    assert counting.reads == 1


def test_a_reader_that_was_notified_since_a_reading_began_reads_again(feed, counting, session_id):
    async def one_before_and_one_after():
        before = asyncio.create_task(feed.read_after(session_id, 0, encode_events))
        await asyncio.sleep(0)
        counting.notifier.notify(session_id)
        return await asyncio.gather(before, feed.read_after(session_id, 0, encode_events))

    asyncio.run(one_before_and_one_after())

    assert counting.reads == 2


def test_who_may_no_longer_read_is_told_nothing_more(database, session_id):
    may_read = True

    def check(_: Connection) -> None:
        if not may_read:
            raise Unauthorized()

    async def follow() -> list[bytes]:
        nonlocal may_read
        feed = Feed(database, heartbeat_seconds=0.05)
        told = []
        async for part in stream_events(feed, "here", StreamStart(session_id, 0), encode_events, check):
            told.append(part)
            may_read = len(told) < 4
            if len(told) > 9:
                break
        return told

    told = asyncio.run(follow())

    assert told[0] == b": listening\n\n"
    assert told[1].count(b"event: message") == 3
    assert told[2:] == [b": still here\n\n", b": still here\n\n"]


def test_long_messages_are_told_some_at_a_time(feed, database, session_id):
    """Whoever turns them into HTML spends seconds on texts that were written to be slow."""

    def say(db: Connection) -> None:
        paul = agents.find_by_name(db, "paul")
        assert paul
        for _ in range(7):
            channel.send(db, "good-manners", session_id, paul.id, "a" * 60_000, ROOM)

    database.write_now(say)

    first = asyncio.run(feed.read_after(session_id, 3, encode_events))
    then = asyncio.run(feed.read_after(session_id, first.last, encode_events))

    assert (first.last, then.last) == (6, 9)


def test_addresses_that_one_holder_chooses_from_are_counted_as_one(feed, monkeypatch):
    monkeypatch.setattr("viva.sessions.feed.MAX_STREAMS_PER_ADDRESS", 1)

    with feed.open.track("2001:db8::1"), pytest.raises(TooManyStreams):
        feed.check_room("2001:db8::2")
    feed.check_room("2001:db8::2")
