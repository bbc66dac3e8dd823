"""Databases for property tests: a fresh one for every example."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import lent_url
from viva.kit.db import Database
from viva.kit.opening import open_database


@pytest.fixture
def chain_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], Database]]:
    """Opens an empty database of a kind. The one before it is closed first."""
    with ExitStack() as stack:

        def open_empty(kind: str) -> Database:
            stack.close()
            database = open_database(stack.enter_context(lent_url(kind, request, tmp_path)))
            stack.callback(database.close)
            return database

        yield open_empty
