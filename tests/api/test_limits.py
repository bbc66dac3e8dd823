"""What callers who come too often cost the hub."""

import sqlite3
from pathlib import Path

from tests.hub import Hub

ADDRESS = 30  # calls a minute, five times those of a key


def test_keys_that_are_made_up_leave_no_more_rows_than_their_address_may_call(tmp_path: Path):
    with Hub(f"sqlite:///{tmp_path}/viva.db", tmp_path, VIVA_RATE_LIMIT="6") as hub:
        for number in range(5 * ADDRESS):
            hub.client.get("/api/v1/agents/me", headers={"Authorization": f"Bearer made-up-{number}"})

        with sqlite3.connect(tmp_path / "viva.db") as db:
            (rows,) = db.execute("SELECT count(*) FROM limit_counters WHERE subject LIKE 'key:%'").fetchone()

    assert 0 < rows <= 2 * ADDRESS  # a minute may end meanwhile
