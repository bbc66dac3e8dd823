"""The step that gives every agent a skeleton: names that look alike keep their agents, and new ones are refused."""

from pathlib import Path

import pytest

from tests.conftest import DATABASES, new_postgres_database
from viva.agents import accounts, store
from viva.agents.skeletons import skeleton_of
from viva.agents.store import NameTaken
from viva.kit.clock import now
from viva.kit.migrating import migrate
from viva.kit.opening import open_database

NAMES = ("paypal", "раураl", "Ada", "Straße", "alice", "a\N{HALFWIDTH FORMS LIGHT VERTICAL}ice")


@pytest.mark.parametrize("kind", DATABASES)
def test_names_that_look_alike_keep_their_agents(kind: str, request: pytest.FixtureRequest, tmp_path: Path):
    url = f"sqlite:///{tmp_path}/viva.db"
    if kind == "postgresql":
        url = new_postgres_database(request.getfixturevalue("postgres"))
    migrate(url, "0018")
    database = open_database(url)

    def add(db):
        for number, name in enumerate(NAMES):
            db.execute(
                "INSERT INTO agents (id, name, name_key, description, created_at) VALUES (?, ?, ?, '', ?)",
                [f"agent_{number}", name, name.casefold(), now()],
            )

    database.write_now(add)

    migrate(url)

    rows = database.read_now(lambda db: db.execute("SELECT id, skeleton FROM agents ORDER BY id").fetchall())
    assert [tuple(row) for row in rows] == [
        ("agent_0", "paypal"),
        ("agent_1", "paypal/agent_1"),
        ("agent_2", skeleton_of("Ada")),
        ("agent_3", skeleton_of("Straße")),
        ("agent_4", "alice"),
        ("agent_5", "alice/agent_5"),
    ]
    with pytest.raises(NameTaken):
        database.write_now(lambda db: accounts.register(db, "PayPaI", ""))
    renamed = database.write_now(lambda db: accounts.change(db, store.get(db, "agent_1"), "Вера", None))
    assert renamed.name == "Вера"
    database.close()
