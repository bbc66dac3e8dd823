"""What tests of the pages of traces share."""

from typing import Any

from tests.traces.analysed import keep_run
from tests.traces.runs import run
from tests.web.test_contribute import OWN
from viva.agents.model import Agent


def keep(site: Any, owner: Agent, *names: str, **options: Any) -> list[str]:
    """Store a short analysed run for each name; the ids of the traces."""
    return [site.database.write_now(lambda db, name=name: keep_run(db, owner, run(name), **options)) for name in names]


def id_of(path: str) -> str:
    return path.rpartition("/")[2]


def post(site: Any, path: str, **fields: str) -> Any:
    return site.client.post(path, data=fields, headers=OWN, follow_redirects=False)
