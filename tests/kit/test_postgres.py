"""PostgreSQL when it is slow, locked, restarted or away, and how often it is asked."""

import asyncio
import logging
import re
import signal
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import psycopg
import pytest

from tests import make
from tests.conftest import lent_url
from tests.flows import outages
from tests.values import require
from viva.agents import accounts
from viva.jobs import queue
from viva.jobs.model import Job
from viva.kit.connections import LOCK_TIMEOUT_SECONDS
from viva.kit.db import Connection, Database, DatabaseDown, DiskFull, RowLocked, TookTooLong
from viva.kit.opening import open_database
from viva.kit.postgres import MAX_WRITE_CONNECTIONS, PostgresDatabase
from viva.kit.units import BrokenUnit
from viva.sessions import channel, posting_together, store
from viva.sessions.model import Message

pytestmark = pytest.mark.slow

TRACED = re.compile(r"^\S+ \S+\t([FB])\t", re.MULTILINE)


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with lent_url("postgresql", request, tmp_path) as url:
        yield url


@pytest.fixture
def postgres_database(url: str) -> Iterator[PostgresDatabase]:
    database = open_database(url)
    assert isinstance(database, PostgresDatabase)
    yield database
    database.close()


# Round trips


async def round_trips(database: PostgresDatabase, unit: Callable[[Connection], object]) -> int:
    """How often the writer's connection waits for the server while the unit is written."""
    (driver,) = database._writers._idle
    with tempfile.TemporaryFile() as file:
        driver.pgconn.trace(file.fileno())
        await database.write(unit, lane="one")
        driver.pgconn.untrace()
        file.seek(0)
        directions = "".join(TRACED.findall(file.read().decode()))
    return directions.count("FB")


@asynccontextmanager
async def listening_on(database: PostgresDatabase) -> AsyncIterator[None]:
    """As in a server, which sends notifications beside its units."""
    with database.notifier.subscribe("anything") as event:
        task = asyncio.create_task(database.listen())
        await asyncio.wait_for(event.wait(), 60)  # every subscriber is notified once the connection is there
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


class Talk:
    """Sessions that run, with the same candidate, and the hash of its key."""

    def __init__(self, database: Database, sessions: int = 1) -> None:
        self.sessions = sessions
        self.agent_id, self.key_hash, self.session_ids = database.write_now(self.begin)
        self.session_id = self.session_ids[0]

    def begin(self, db: Connection) -> tuple[str, str, list[str]]:
        ada = accounts.register(db, "ada", "")
        found = []
        for number in range(self.sessions):
            name = f"good-manners-{number}" if number else "good-manners"
            make.evaluation(db, sip=7 + number, id=name)
            proctor = make.agent(db, f"paul-{number}")  # nobody examines more than three at once
            found.append(make.claim(db, ada.agent, proctor, name)[1].session.id)
        return ada.agent.id, ada.key.hash, found

    def post(self, db: Connection) -> Message:
        return channel.send(db, "good-manners", self.session_id, self.agent_id, "Hello.", 1000)

    def post_alone(self, db: Connection) -> Message | None:
        return posting_together.add_messages(db, [self.to_post()])[0]

    def to_post(self, number: int = 0, content: str = "Hello.") -> posting_together.Post:
        name = f"good-manners-{number}" if number else "good-manners"
        return posting_together.Post(self.key_hash, name, self.session_ids[number], content, None)


def test_a_post_takes_one_round_trip(postgres_database: PostgresDatabase):
    talk = Talk(postgres_database)

    async def count() -> list[int]:
        async with listening_on(postgres_database):
            return [await round_trips(postgres_database, talk.post_alone) for _ in range(7)]

    assert asyncio.run(count()) == [1, 1, 1, 1, 1, 2, 1]  # the driver prepares a statement at its sixth use


def test_a_job_is_taken_in_one_round_trip_and_ended_in_one(postgres_database: PostgresDatabase):
    postgres_database.write_now(lambda db: [queue.put(db, "nothing", {}) for _ in range(4)])
    taken: list[Job] = []

    async def count() -> list[int]:
        trips = []
        async with listening_on(postgres_database):
            for _ in range(4):
                trips.append(await round_trips(postgres_database, lambda db: taken.append(require(queue.take(db, 30)))))
                trips.append(await round_trips(postgres_database, lambda db: queue.finish(db, taken[-1])))
        return trips

    assert asyncio.run(count()) == [1] * 8
    assert postgres_database.read_now(queue.tally)["done"] == 4


def test_two_processes_that_post_into_the_same_sessions_leave_no_gap(postgres_database: PostgresDatabase, url: str):
    talk = Talk(postgres_database, sessions=4)
    other = open_database(url)

    async def post_all() -> list[Message | None]:
        writing = (
            database.write_together(posting_together.add_messages, post, post.session_id)
            for number in range(300)
            for database in (postgres_database, other)
            for post in [talk.to_post(number % 4)]
        )
        return await asyncio.gather(*writing)

    added = asyncio.run(post_all())
    other.close()

    assert None not in added
    for session_id in talk.session_ids:
        kept = postgres_database.read_now(partial(store.transcript, session_id=session_id))
        assert [message.sequence for message in kept] == list(range(1, 151))


def test_a_session_that_is_locked_keeps_only_its_own_posts_waiting(postgres_database: PostgresDatabase, url: str):
    talk = Talk(postgres_database, sessions=2)

    async def post(number: int) -> Message | None:
        item = talk.to_post(number)
        return await postgres_database.write_together(posting_together.add_messages, item, item.session_id)

    async def post_all() -> tuple[list, bool, Message | None]:
        held = [asyncio.ensure_future(post(0)) for _ in range(3)]
        others = await asyncio.gather(*(post(1) for _ in range(5)))
        later = await post(1)
        were_done = any(write.done() for write in held)
        return [*others, *await asyncio.gather(*held, return_exceptions=True)], were_done, later

    with psycopg.connect(url) as holder:
        holder.execute("SELECT 1 FROM evaluation_sessions WHERE id = %s FOR UPDATE", [talk.session_ids[0]])
        outcomes, were_done, later = asyncio.run(post_all())
        holder.rollback()

    assert [message.sequence for message in outcomes[:5]] == [1, 2, 3, 4, 5]
    assert [type(outcome) for outcome in outcomes[5:]] == [RowLocked] * 3
    assert later is not None
    assert not were_done
    assert asyncio.run(post(0)).sequence == 1  # type: ignore[union-attr]


def test_a_post_alone_that_is_refused_may_still_be_explained(postgres_database: PostgresDatabase):
    talk = Talk(postgres_database)
    talk.key_hash = "of nobody"

    def unit(db: Connection) -> tuple[Message | None, int]:
        return talk.post_alone(db), db.execute("SELECT count(*) FROM evaluation_messages").fetchone()[0]

    assert postgres_database.write_now(unit) == (None, 0)


def test_a_unit_that_goes_on_after_its_only_statement_is_told_so(postgres_database: PostgresDatabase):
    talk = Talk(postgres_database)

    def unit(db: Connection) -> None:
        talk.post_alone(db)
        talk.post(db)

    with pytest.raises(BrokenUnit):
        postgres_database.write_now(unit)


def test_units_of_one_lane_share_a_transaction(postgres_database: PostgresDatabase):
    talk = Talk(postgres_database)

    async def post_many() -> list[tuple[int, int]]:
        def posting(db: Connection) -> tuple[int, int]:
            message = talk.post_alone(db)  # which it is not in a batch
            assert message is not None
            return message.sequence, db.execute("SELECT pg_current_xact_id()::text::bigint").fetchone()[0]

        return await asyncio.gather(*(postgres_database.write(posting, lane="one") for _ in range(40)))

    posted = asyncio.run(post_many())

    assert [sequence for sequence, _ in posted] == list(range(1, 41))
    assert len({transaction for _, transaction in posted}) == 1


def test_a_refused_unit_of_a_lane_takes_back_only_itself(postgres_database: PostgresDatabase):
    talk = Talk(postgres_database)

    def refused(db: Connection) -> None:
        talk.post(db)
        raise LookupError

    async def post_many() -> list:
        units = [refused if number % 4 == 3 else talk.post for number in range(12)]
        writing = (postgres_database.write(unit, lane="one") for unit in units)
        return await asyncio.gather(*writing, return_exceptions=True)

    outcomes = asyncio.run(post_many())

    posted = [outcome.sequence for outcome in outcomes if isinstance(outcome, Message)]
    assert posted == list(range(1, 10))
    assert [type(outcome) for outcome in outcomes[3::4]] == [LookupError] * 3
    kept = postgres_database.read_now(lambda db: store.transcript(db, talk.session_id))
    assert [message.sequence for message in kept] == posted


# Locks


@contextmanager
def row_held(url: str) -> Iterator[None]:
    """Another process has the row of ada locked."""
    with psycopg.connect(url) as other:
        other.execute("UPDATE agents SET description = 'held' WHERE name = 'ada'")
        yield
        other.rollback()


def change_ada(db: Connection) -> None:
    db.execute("UPDATE agents SET description = 'changed' WHERE name = 'ada'")


def test_a_locked_row_is_waited_for_briefly_and_readers_and_readiness_not_at_all(
    postgres_database: PostgresDatabase, url: str
):
    postgres_database.write_now(lambda db: make.agent(db, "ada"))

    async def meanwhile() -> tuple[list, list[bool]]:
        blocked = [asyncio.ensure_future(postgres_database.write(change_ada)) for _ in range(5 * MAX_WRITE_CONNECTIONS)]
        await asyncio.sleep(LOCK_TIMEOUT_SECONDS / 10)
        await postgres_database.read(lambda db: db.execute("SELECT 1").fetchone())
        await postgres_database.write_aside(lambda db: make.agent(db, "paul"))
        still = [write.done() for write in blocked]
        return await asyncio.gather(*blocked, return_exceptions=True), still

    with row_held(url):
        outcomes, were_done = asyncio.run(meanwhile())

    assert not any(were_done)
    assert {isinstance(outcome, DatabaseDown) for outcome in outcomes} == {True}
    assert [type(outcome) for outcome in outcomes[:MAX_WRITE_CONNECTIONS]] == [RowLocked] * MAX_WRITE_CONNECTIONS
    assert asyncio.run(postgres_database.write(change_ada)) is None


def test_every_connection_has_limits(postgres_database: PostgresDatabase):
    def limits(db: Connection) -> list[str]:
        names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
        return [db.execute(f"SHOW {name}").fetchone()[0] for name in names]

    assert postgres_database.read_now(limits) == ["2s", "30s", "1min"]
    assert postgres_database.write_now(limits) == ["2s", "30s", "1min"]


# What the server says


@pytest.mark.parametrize(
    ("code", "error"), [("53100", DiskFull), ("57014", TookTooLong), ("55P03", RowLocked), ("58030", DatabaseDown)]
)
def test_what_the_server_says_has_a_sentence_of_ours(postgres_database: PostgresDatabase, code: str, error: type):
    def unit(db: Connection) -> None:
        db.execute(f"DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''{code}''; END'")

    with pytest.raises(error) as raised:
        postgres_database.write_now(unit)

    assert type(raised.value) is error
    assert postgres_database.write_now(lambda db: make.agent(db, "ada")).name == "ada"


def end_connections(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_connections_that_were_ended_cost_no_unit(postgres_database: PostgresDatabase, url: str):
    make.together(*(lambda: postgres_database.write_now(lambda db: time.sleep(0.05)) for _ in range(3)))
    postgres_database.write_now(lambda db: make.agent(db, "ada"))
    end_connections(url)

    assert postgres_database.write_now(lambda db: make.agent(db, "paul")).name == "paul"
    assert postgres_database.read_now(lambda db: db.execute("SELECT count(*) FROM agents").fetchone()) == (2,)


def test_listening_goes_on_after_its_connections_were_ended(postgres_database: PostgresDatabase, url: str):
    async def watch() -> bool:
        listening = asyncio.create_task(postgres_database.listen())
        with postgres_database.notifier.subscribe("agents") as event:
            await asyncio.wait_for(event.wait(), 60)  # every subscriber is notified once the connection is there
            event.clear()
            await asyncio.to_thread(end_connections, url)
            await asyncio.wait_for(event.wait(), 60)
            event.clear()
            await asyncio.to_thread(notify_as_another_process, url)
            await asyncio.wait_for(event.wait(), 60)
        is_alive = not listening.done()
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        return is_alive

    assert asyncio.run(watch())


def notify_as_another_process(url: str) -> None:
    other = open_database(url)
    other.write_now(lambda db: db.notify("agents"))
    other.close()


# A server that is away


def test_an_outage_is_told_once_and_answered_at_once(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    with outages.own_server() as server:
        database = open_database(server.get_uri())
        ask = lambda: database.read_now(lambda db: db.execute("SELECT 1").fetchone())  # noqa: E731
        assert ask() == (1,)
        attempts = list_attempts(database)

        with caplog.at_level(logging.INFO, "viva.kit.connections"):
            outages.end(server, signal.SIGINT)
            refusals = make.together(*[ask] * 8) + [refusal_of(ask) for _ in range(30)]
            tried = len(attempts)
            server.ensure_postgres_running()
            outages.wait_until(lambda: outages.is_up(ask))
        database.close()

    assert {type(refusal) for refusal in refusals} == {DatabaseDown}
    assert tried <= 8 + 2  # the first ones at once, and then one a second
    told = [record.getMessage() for record in caplog.records if record.name == "viva.kit.connections"]
    assert [message.partition(":")[0].partition(" after")[0] for message in told] == [
        "The database cannot be reached",
        "The database answers again",
    ]


def refusal_of(ask: Callable[[], object]) -> Exception | None:
    try:
        ask()
    except DatabaseDown as error:
        return error
    return None


def list_attempts(database: Database) -> list[Exception]:
    """A list that gets an entry whenever a connection could not be made."""
    assert isinstance(database, PostgresDatabase)
    attempts: list[Exception] = []
    lock = threading.Lock()
    note_down = database._server.note_down

    def noted(error: Exception) -> None:
        with lock:
            attempts.append(error)
        note_down(error)

    database._server.note_down = noted  # type: ignore[method-assign]
    return attempts
