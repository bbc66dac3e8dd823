"""An upload beyond the quota of its account: what came before is stored, and the answer says so."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from litestar.testing import TestClient

from tests.traces.runs import raw
from viva.api.requests import Requests
from viva.app import litestar_app
from viva.config import Config
from viva.kit.db import Database
from viva.traces.quota import TraceQuota

LINES = {"Content-Type": "application/x-ndjson"}
Post = Callable[..., Any]


@pytest.fixture
def post(database: Database, tmp_path: Path):
    """Posts JSON lines to a hub on which an account may store 70 traces."""
    config = Config.from_environment({"VIVA_DATA_DIR": str(tmp_path), "VIVA_RATE_LIMIT": "off", "VIVA_NO_WORKER": "1"})
    app = litestar_app(config, database)
    app.state.hub = msgspec.structs.replace(app.state.hub, trace_quota=TraceQuota(traces=70))
    with TestClient(Requests(app, config.log)) as client:
        key = client.post("/api/v1/agents/register", json={"name": "ada"}).json()["api_key"]
        headers = {"Authorization": f"Bearer {key}"}

        def send(count: int) -> Any:
            lines = b"\n".join(raw(f"run-{number}") for number in range(count))
            return client.post("/api/v1/traces", content=lines, headers=headers | LINES)

        yield send


def test_the_batches_that_fit_are_stored_and_the_other_lines_are_named(post: Post):
    answer = post(100)

    found = answer.json()
    assert answer.status_code == 202
    assert [trace["line"] for trace in found["traces"]] == list(range(1, 65))
    assert found["refused"] == 36
    assert {fault["code"] for fault in found["errors"]} == {"quota_reached"}
    assert found["errors"][0]["line"] == 65
    assert found["errors"][0]["message"].endswith("This line and all after it were not stored.")


def test_an_upload_of_which_nothing_fits_is_refused(post: Post):
    post(64)

    answer = post(7)

    assert (answer.status_code, answer.json()["code"]) == (413, "quota_reached")
