"""What an earlier release has kept is chained by the migration, and signed at the next start."""

from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests import make
from tests.conftest import DATABASES
from tests.migrations.test_migrating import AT, DATA, empty_url
from viva.agents import names
from viva.checking.hub import check_hub
from viva.kit.db import Connection
from viva.kit.migrating import migrate
from viva.kit.opening import open_database
from viva.kit.signing_keys import ensure_current
from viva.results import statements, sums
from viva.sessions import chain, channel, store

pytestmark = pytest.mark.slow
SECRET = make.HALL.secret
MORE = f"""
INSERT INTO evaluation_messages (id, session_id, sender_agent_id, role, content, created_at, sequence, prompt_id) VALUES
    ('eval_msg_3', 'eval_sess_1', 'agent_paul', 'proctor', 'Grüße 🍵', '{AT}', 3, 'a
prompt'), ('eval_msg_4', 'eval_sess_1', 'agent_ada', 'candidate', '', '2026-11-15T09:31:00.000001Z', 4, NULL);
UPDATE evaluation_sessions SET message_count = 4;
INSERT INTO events (at, action, via, account_id, subject_type, subject_id, data) VALUES
    ('{AT}', 'agent.registered', 'api', NULL, 'agent', 'agent_ada', '{{}}'),
    ('{AT}', 'result.kept', 'page', 'agent_paul', 'result', 'eval_res_1', '{{"passed": true}}')
"""


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A hub of an earlier release."""
    url = empty_url(request.param, request, tmp_path)
    for revision, rows in (("0001", DATA), ("0018", MORE)):
        migrate(url, revision)
        with closing(open_database(url)) as database:
            database.write_now(partial(insert, rows=rows))
    migrate(url)
    return url


def insert(db: Connection, rows: str) -> None:
    for statement in rows.split(";"):
        db.execute(statement)


def test_an_earlier_hub_is_whole_once_it_is_signed(url: str):
    with closing(open_database(url)) as database:
        database.secret = SECRET
        database.write_now(lambda db: sums.recount(db, "tea-making"))  # its session has got longer
        unsigned = check_hub(database)
        database.write_now(ensure_current)
        assert len(database.write_now(statements.sign_missing)) == 2
        signed = check_hub(database)

    assert {finding.sentence for finding in unsigned.findings} == {"Nothing was signed about this result."}
    assert signed.findings == []
    assert (signed.checked["messages"], signed.checked["events"], signed.checked["results"]) == (4, 3, 2)


def test_earlier_chains_go_on(url: str):
    with closing(open_database(url)) as database:
        messages = database.read_now(lambda db: store.transcript(db, "eval_sess_1"))
        head = database.read_now(lambda db: chain.read_head(db, "eval_sess_1"))
        given = database.read_now(lambda db: names.list_names(db, "agent_ada"))
        database.write_now(lambda db: db.execute("UPDATE evaluation_sessions SET status = 'active', ended_at = NULL"))
        database.write_now(lambda db: channel.send(db, "tea-making", "eval_sess_1", "agent_ada", "More tea?", 100))
        longer = database.read_now(lambda db: store.transcript(db, "eval_sess_1"))

    assert len({message.salt for message in messages}) == 4
    assert head == (4, messages[-1].hash)
    assert [name.name for name in given] == ["ada"]
    assert len(longer) == 5
    assert list(chain.find_broken("eval_sess_1", longer)) == []
