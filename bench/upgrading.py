"""How long each step of the schema since 0.2.0 takes with 100,000 results and 100,000 messages, and the signing after it."""

import secrets
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from time import perf_counter
from unittest import mock

from alembic.script import ScriptDirectory

from bench import filling
from bench.jobs import new_database, postgres
from viva import migrations, serving
from viva.kit import signing_keys
from viva.kit.actors import COMMAND
from viva.kit.events import act_as
from viva.kit.migrating import migrate
from viva.kit.opening import open_database

RELEASED_STEP = "0011"  # the last one of 0.2.0
RESULTS, AGENTS, MESSAGES = 100_000, 10_000, 100_000


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as server:
        for where, url in (
            ("SQLite", f"sqlite:///{folder}/viva.db"),
            ("PostgreSQL", new_database(server, "upgrading")),
        ):
            fill_released(url)
            started = perf_counter()
            for step in list_steps():
                began = perf_counter()
                migrate(url, step)
                print(f"  {where}, {step}: {perf_counter() - began:.1f} s", flush=True)
            print(f"  {where}, all: {perf_counter() - started:.1f} s", flush=True)
            began = perf_counter()
            sign_all(url)
            print(f"  {where}, signing at the first start: {perf_counter() - began:.1f} s", flush=True)


def fill_released(url: str) -> None:
    """A database as 0.2.0 left it."""
    migrate(url, filling.BEFORE_SUMS)
    database = open_database(url)
    with mock.patch.object(filling, "LONG_SESSION_MESSAGES", MESSAGES):
        database.write_now(partial(filling.insert_all, count=RESULTS, agents=AGENTS))
    database.close()
    migrate(url, RELEASED_STEP)


def sign_all(url: str) -> None:
    with closing(open_database(url)) as database:
        database.secret = secrets.token_bytes(32)
        database.write_now(act_as(COMMAND, signing_keys.ensure_current))
        serving.sign_results(database)


def list_steps() -> list[str]:
    """The steps after the released one, oldest first."""
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    return [step.revision for step in scripts.iterate_revisions("heads", RELEASED_STEP)][::-1]
