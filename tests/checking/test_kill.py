"""A process that is killed in a verdict or a sweep leaves a hub where everything is as it was signed."""

import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import make
from tests.checking.halls import check, fill, one
from tests.conftest import DATABASES, lent_database
from tests.hub import ROUNDS
from viva.kit import event_retention
from viva.kit.db import Connection, Database
from viva.maintaining import hiding
from viva.sessions import channel

pytestmark = pytest.mark.soak
MOST_STATEMENTS = 60  # more than a verdict has, so that some processes end by themselves


@pytest.fixture(params=DATABASES)
def lent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Database]]:
    with lent_database(request.param, request, tmp_path) as (url, database):
        database.secret = make.HALL.secret
        yield url, database
        database.close()


def talk(db: Connection) -> str:
    """An exam that is ready for its verdict; the id of its registration."""
    fill(db)
    eve, paul = make.agent(db, "eve"), make.found_agent(db, "paul")
    started, claim = make.claim(db, eve, paul)
    for sender in (paul, eve):
        channel.send(db, "good-manners", claim.session.id, sender.id, "Please.", 100)
    return started.id


def die(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.checking.dying", *arguments]
    return subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)


def test_a_kill_in_a_verdict_leaves_all_of_it_or_nothing(lent: tuple[str, Database]):
    url, database = lent
    registration_id = database.write_now(talk)
    place = "INSERT INTO result_statements" if ROUNDS == 1 else str(random.randint(1, MOST_STATEMENTS))

    killed = die(url, place, registration_id)

    assert killed.returncode in ((-signal.SIGKILL,) if ROUNDS == 1 else (-signal.SIGKILL, 0)), killed.stderr
    assert check(database).findings == []
    kept = one(database, f"SELECT count(*) FROM evaluation_results WHERE registration_id = '{registration_id}'")
    assert kept == (1 if killed.returncode == 0 else 0)


@pytest.mark.parametrize("place", ["DELETE FROM events", "INSERT INTO events", "DELETE FROM event_chain"])
def test_a_kill_in_a_sweep_of_events_deletes_nothing_and_the_next_sweep_deletes_all(
    lent: tuple[str, Database], place: str
):
    url, database = lent
    database.write_now(fill)
    message_id = one(database, "SELECT max(id) FROM evaluation_messages")
    database.write_now(lambda db: hiding.hide(db, "message", message_id, "Advertising."))  # what a sweep records again
    database.write_now(lambda db: make.agent(db, "carl"))
    database.write_now(event_retention.sign_daily)
    events, links = "SELECT count(*) FROM events", "SELECT count(*) FROM event_chain"
    before = one(database, events), one(database, links)

    killed = die(url, place)

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert (one(database, events), one(database, links)) == before
    assert check(database).findings == []
    assert database.write_now(lambda db: event_retention.delete_old(db, days=0)) > 0
    assert one(database, "SELECT count(*) FROM events WHERE action = 'event.kept'") == 2  # of the message and the key
    assert check(database).findings == []
