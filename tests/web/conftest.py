"""A hub whose pages are asked for without a network, on a database of its own."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from tests import make
from tests.conftest import DATABASES, lent_database
from viva.agents import accounts
from viva.agents.accounts import Account
from viva.app import litestar_app, state_of
from viva.config import Config
from viva.kit.db import Database
from viva.results.model import NamedResult


class Site:
    """The pages, and what stands in the database behind them."""

    def __init__(self, client: TestClient[Any], database: Database) -> None:
        self.client = client
        self.database = database

    @property
    def secret(self) -> bytes:
        secret: bytes = self.client.app.state.hub.secret
        return secret

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.client.get(path, **options)

    def text(self, path: str, **query: str) -> str:
        answer = self.client.get(path, params=query or None)
        assert answer.status_code == 200, answer.text
        return answer.text

    def sip(self, **changes: Any) -> None:
        self.database.write_now(lambda db: make.evaluation(db, **changes))

    def account(self, name: str) -> Account:
        return self.database.write_now(lambda db: accounts.register(db, name, ""))

    def result(self, name: str, passed: bool = True, proctor: str = "paul", **verdict: Any) -> NamedResult:
        """A decided exam of somebody new, examined by somebody new."""

        def unit(db: Any) -> NamedResult:
            return make.result(
                db, make.agent(db, name), make.agent(db, f"{proctor} for {name}"[:200]), passed, **verdict
            )

        return self.database.write_now(unit)


@pytest.fixture(scope="session")
def idle_apps() -> dict[int, list[Litestar]]:
    """Apps that no site has, by the longest body they take: putting one together takes longer than a test."""
    return defaultdict(list)


@pytest.fixture(params=DATABASES)
def new_site(request: pytest.FixtureRequest, tmp_path: Path, idle_apps: dict[int, list[Litestar]]) -> Iterator[Any]:
    """A function that makes an empty site, with settings of the test's own."""
    with ExitStack() as opened:

        def make_site(**settings: str) -> Site:
            url, database = opened.enter_context(lent_database(request.param, request, tmp_path))
            config = Config.from_environment(
                {"VIVA_DATABASE_URL": url, "VIVA_DATA_DIR": str(tmp_path), "VIVA_RATE_LIMIT": "off", **settings}
            )
            idle = idle_apps[config.body_bytes]
            app = idle.pop() if idle else litestar_app(config, database)
            app.state = state_of(config, database)
            opened.callback(idle.append, app)
            return Site(opened.enter_context(TestClient(app, base_url=config.base_url)), database)

        yield make_site


@pytest.fixture
def site(new_site: Any) -> Site:
    """A site with one evaluation, good-manners, that nobody has tried."""
    made: Site = new_site()
    made.sip()
    return made


@pytest.fixture
def quiet(new_site: Any) -> Site:
    """A site without a worker: what is uploaded waits for its analysis."""
    made: Site = new_site(VIVA_NO_WORKER="1")
    return made
