"""Units of work: what is written together, what is taken back, and when others learn of it."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests import make
from viva.agents import accounts
from viva.agents.store import NameTaken
from viva.kit.db import Connection, Database, Violation, refusing
from viva.kit.errors import Conflict
from viva.kit.migrating import migrate
from viva.kit.opening import open_database
from viva.kit.sqlite_connection import connect
from viva.sessions import store as sessions


class Failed(Exception):
    """A unit's own error."""


def names(database: Database) -> list[str]:
    return [
        name for (name,) in database.read_now(lambda db: db.execute("SELECT name FROM agents ORDER BY name").fetchall())
    ]


def adding(name: str, fails: bool = False):
    def unit(db: Connection) -> str:
        make.agent(db, name)
        if fails:
            raise Failed(name)
        return name

    return unit


def seatless(db: Connection) -> None:
    """Open a proctored session that nobody sits in, which only the commit finds out."""
    candidate = make.agent(db, f"candidate {time.time_ns()}")
    registration = make.registration(db, candidate)
    sessions.open_session(db, "good-manners", "proctored", registration.id)


def together(database: Database, *units) -> list:
    """What came of units that were asked for in the same moment of the event loop."""

    async def all_of_them() -> list:
        return await asyncio.gather(*map(database.write, units), return_exceptions=True)

    return asyncio.run(all_of_them())


def in_threads(database: Database, *units) -> list:
    return make.together(*(lambda unit=unit: database.write_now(unit) for unit in units))


@pytest.mark.parametrize("run", [together, in_threads])
def test_a_unit_that_raises_takes_back_only_itself(database, run):
    units = [adding(f"agent-{number:02}", fails=number % 3 == 0) for number in range(30)]

    outcomes = run(database, *units)

    good = [f"agent-{number:02}" for number in range(30) if number % 3]
    assert [outcome for outcome in outcomes if isinstance(outcome, str)] == good
    assert [str(outcome) for outcome in outcomes[::3]] == [f"agent-{number:02}" for number in range(0, 30, 3)]
    assert {type(outcome) for outcome in outcomes[::3]} == {Failed}
    assert names(database) == good


@pytest.mark.parametrize("run", [together, in_threads])
def test_a_constraint_that_speaks_at_the_commit_hits_only_the_unit_that_broke_it(database, run):
    database.write_now(make.evaluation)

    outcomes = run(database, adding("ada"), seatless, adding("paul"), seatless, adding("pia"))

    assert [type(outcome) for outcome in outcomes] == [str, Violation, str, Violation, str]
    assert names(database) == ["ada", "paul", "pia"]
    assert database.read_now(lambda db: db.execute("SELECT count(*) FROM evaluation_sessions").fetchone()) == (0,)


def test_nothing_of_a_unit_that_raises_is_written(database):
    def unit(db: Connection) -> None:
        make.agent(db, "ada")
        make.evaluation(db)
        raise Failed

    with pytest.raises(Failed):
        database.write_now(unit)

    assert names(database) == []
    assert database.read_now(lambda db: db.execute("SELECT count(*) FROM evaluation_versions").fetchone()) == (0,)


def test_what_a_unit_wrote_before_it_was_refused_is_taken_back(database):
    database.write_now(adding("ada"))

    def unit(db: Connection) -> None:
        make.agent(db, "paul")
        accounts.register(db, "ADA", "")

    with pytest.raises(NameTaken):
        database.write_now(unit)

    assert names(database) == ["ada"]


def test_many_more_units_than_fit_one_batch_are_all_answered(database):
    outcomes = together(database, *(adding(f"agent-{number:03}") for number in range(300)))

    assert outcomes == [f"agent-{number:03}" for number in range(300)]
    assert len(names(database)) == 300


def test_who_stops_waiting_for_a_unit_does_not_stop_the_others(database):
    async def one_leaves() -> str:
        left = asyncio.create_task(database.write(adding("ada")))
        await asyncio.sleep(0)
        left.cancel()
        return await database.write(adding("paul"))

    assert asyncio.run(one_leaves()) == "paul"
    assert database.write_now(adding("pia")) == "pia"
    assert {"paul", "pia"} <= set(names(database))


def test_what_a_unit_writes_is_seen_once_it_is_committed_and_not_before(database):
    def unit(db: Connection) -> list[str]:
        make.agent(db, "ada")
        (seen_by_others,) = make.together(lambda: names(database))
        return seen_by_others

    assert database.write_now(unit) == []
    assert names(database) == ["ada"]


def test_all_statements_of_a_read_see_the_same_moment(database):
    def count(db: Connection) -> int:
        return db.execute("SELECT count(*) FROM agents").fetchone()[0]

    def unit(db: Connection) -> tuple[int, int]:
        before = count(db)
        make.together(lambda: database.write_now(adding("ada")))
        return before, count(db)

    assert database.read_now(unit) == (0, 0)
    assert names(database) == ["ada"]


def test_a_read_of_the_server_sees_one_moment_too(database):
    def unit(db: Connection) -> tuple[int, int]:
        (before,) = db.execute("SELECT count(*) FROM agents").fetchone()
        make.together(lambda: database.write_now(adding("ada")))
        return before, db.execute("SELECT count(*) FROM agents").fetchone()[0]

    async def read() -> tuple[int, int]:
        return await database.read(unit)

    assert asyncio.run(read()) == (0, 0)


def test_nothing_can_be_written_in_a_read_of_the_server(database):
    async def read() -> str:
        return await database.read(adding("ada"))

    with pytest.raises(Exception):  # noqa: B017, PT011 - each driver has its own
        asyncio.run(read())

    assert names(database) == []


def test_a_read_that_raises_leaves_the_next_one_unharmed(database):
    def unit(db: Connection) -> None:
        db.execute("SELECT count(*) FROM agents")
        raise Failed

    with pytest.raises(Failed):
        database.read_now(unit)

    assert names(database) == []


# Notifications


@asynccontextmanager
async def waiting_for(database: Database, topic: str) -> AsyncIterator[asyncio.Event]:
    """The topic's event, once this process receives notifications."""
    listening = asyncio.create_task(database.listen())
    with database.notifier.subscribe("ready") as ready, database.notifier.subscribe(topic) as event:
        while not ready.is_set():
            await database.write(lambda db: db.notify("ready"))
            await asyncio.sleep(0.01)
        event.clear()
        yield event
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)


async def is_notified(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True


def test_a_notification_comes_after_the_commit_so_that_the_subscriber_sees_the_rows(database):
    may_commit = threading.Event()

    def unit(db: Connection) -> None:
        db.notify("agents")
        make.agent(db, "ada")
        may_commit.wait(10)

    async def watch() -> tuple[bool, bool, list[str]]:
        async with waiting_for(database, "agents") as event:
            writing = asyncio.create_task(asyncio.to_thread(database.write_now, unit))
            before = await is_notified(event, 0.2)
            may_commit.set()
            after = await is_notified(event, 10)
            seen = await database.read(
                lambda db: [name for (name,) in db.execute("SELECT name FROM agents").fetchall()]
            )
            await writing
            return before, after, seen

    assert asyncio.run(watch()) == (False, True, ["ada"])


def test_a_unit_of_the_server_notifies_the_subscribers_of_its_topic(database):
    async def watch() -> tuple[bool, bool]:
        async with waiting_for(database, "agents") as event:
            with database.notifier.subscribe("sessions") as other:
                other.clear()
                await database.write(lambda db: db.notify("agents"))
                return await is_notified(event, 10), await is_notified(other, 0.1)

    assert asyncio.run(watch()) == (True, False)


def test_a_unit_that_raises_notifies_nobody(database):
    def unit(db: Connection) -> None:
        db.notify("agents")
        raise Failed

    async def watch() -> tuple[bool, bool]:
        async with waiting_for(database, "agents") as event:
            outcomes = await asyncio.gather(database.write(unit), database.write(adding("ada")), return_exceptions=True)
            return isinstance(outcomes[0], Failed), await is_notified(event, 0.3)

    assert asyncio.run(watch()) == (True, False)


def test_a_unit_that_fails_at_the_commit_notifies_nobody(database):
    database.write_now(make.evaluation)

    def unit(db: Connection) -> None:
        db.notify("agents")
        seatless(db)

    async def watch() -> tuple[bool, bool]:
        async with waiting_for(database, "agents") as event:
            outcomes = await asyncio.gather(database.write(unit), database.write(adding("ada")), return_exceptions=True)
            return isinstance(outcomes[0], Violation), await is_notified(event, 0.3)

    assert asyncio.run(watch()) == (True, False)


def test_units_that_notify_succeed_when_nobody_listens_any_more(database):
    async def listen_for_a_moment() -> None:
        async with waiting_for(database, "agents"):
            pass

    asyncio.run(listen_for_a_moment())

    def unit(db: Connection) -> str:
        db.notify("agents")
        return make.agent(db, "ada").name

    assert make.together(lambda: database.write_now(unit)) == ["ada"]
    assert names(database) == ["ada"]


# Names of constraints


def test_a_violation_becomes_the_error_that_stands_for_it():
    class Taken(Conflict):
        """It is taken."""

    with pytest.raises(Taken, match="It is taken"), refusing({"a_key": Taken}):
        raise Violation("a_key")


def test_a_violation_nobody_stands_for_stays_what_it_is():
    with pytest.raises(Violation) as refused, refusing({"a_key": Conflict}):
        raise Violation("b_key")

    assert refused.value.constraint == "b_key"


def test_the_address_says_which_database_it_is():
    with pytest.raises(ValueError, match="not mysql:"):
        open_database("mysql://localhost/viva")


def test_a_new_file_is_for_its_owner_alone(tmp_path):
    path = tmp_path / "viva.db"
    migrate(f"sqlite:///{path}")

    database = open_database(f"sqlite:///{path}")
    database.write_now(lambda db: db.execute("CREATE TABLE things (a)"))

    assert {file.stat().st_mode & 0o777 for file in tmp_path.glob("viva.db*")} == {0o600}
    database.close()


def test_a_deleted_text_is_no_longer_in_the_file(tmp_path):
    path = tmp_path / "hub.db"
    driver = connect(path)
    driver.execute("CREATE TABLE texts (words TEXT)")
    driver.executemany("INSERT INTO texts VALUES (?)", [("a private sentence " * 300,)] * 20)
    driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()

    driver.execute("DELETE FROM texts")
    driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    assert b"a private sentence" in before
    assert b"a private sentence" not in path.read_bytes()
