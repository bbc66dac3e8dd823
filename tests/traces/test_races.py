"""Uploads of one account at the same moment: the quota holds, and nothing is stored twice."""

import pytest

from tests import make
from tests.traces import runs
from viva.kit.db import Database
from viva.traces import quota
from viva.traces.quota import QuotaReached, TraceQuota
from viva.traces.store import UploadedTwice

pytestmark = pytest.mark.soak


@pytest.fixture
def ada(database: Database):
    return database.write_now(lambda db: make.agent(db, "ada"))


def test_uploads_at_once_do_not_pass_the_quota_together(database: Database, ada):
    def upload() -> None:
        database.write_now(lambda db: runs.upload(db, ada, "one", quota=TraceQuota(traces=3)))

    outcomes = make.together(*[upload] * 8)

    assert sum(isinstance(outcome, QuotaReached) for outcome in outcomes) == 5
    assert database.read_now(lambda db: quota.read_usage(db, ada.id)).traces == 3


def test_the_same_upload_at_once_is_stored_once(database: Database, ada):
    outcomes = make.together(
        *[lambda: database.write_now(lambda db: runs.upload(db, ada, "one", "two", key="key"))] * 6
    )

    stored = [tuple(taken.id for taken in outcome) for outcome in outcomes if isinstance(outcome, list)]
    assert len(set(stored)) == 1
    assert all(isinstance(outcome, list | UploadedTwice) for outcome in outcomes)
    assert database.read_now(lambda db: quota.read_usage(db, ada.id)).traces == 2
