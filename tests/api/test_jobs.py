"""Maintainers see the queue and can have a failed job tried anew."""

import contextlib
from typing import Any

import pytest

from tests.api.problem import problem
from tests.hub import AgentClient, Hub, until
from viva.jobs import queue
from viva.kit.opening import open_database

FIELDS = {"id", "work", "data", "status", "tries", "due_at", "reason", "created_at", "finished_at"}


@pytest.fixture(scope="module")
def maintainer(hub: Hub) -> AgentClient:
    return hub.maintainer("mary")


@pytest.fixture(scope="module")
def failed(hub: Hub, maintainer: AgentClient) -> dict[str, Any]:
    """A job that the hub's own worker has failed, since nothing of its name is known there."""
    with contextlib.closing(open_database(hub.database_url)) as database:
        put = database.write_now(lambda db: queue.put(db, "count sheep", {"field": "north"}))
    return once_failed(maintainer, put.id)


def once_failed(maintainer: AgentClient, job_id: str) -> dict[str, Any]:
    def found() -> list[dict[str, Any]]:
        failed = maintainer.get("/jobs", params={"status": "failed"}).json()["jobs"]
        return [job for job in failed if job["id"] == job_id]

    return until(found)[0]


def test_a_job_that_no_worker_knows_fails_and_says_so(failed: dict[str, Any]):
    assert failed.keys() == FIELDS
    assert (failed["work"], failed["data"]) == ("count sheep", {"field": "north"})
    assert (failed["tries"], failed["due_at"]) == (1, None)
    assert failed["reason"] == "No work is called count sheep here."


def test_a_failed_job_can_be_tried_anew(maintainer: AgentClient, failed: dict[str, Any]):
    answer = maintainer.post(f"/jobs/{failed['id']}/retry")

    assert answer.status_code == 200
    job = answer.json()["job"]
    assert (job["status"], job["tries"], job["reason"]) == ("waiting", 0, None)
    again = once_failed(maintainer, failed["id"])
    assert again["finished_at"] > failed["finished_at"]


def test_jobs_are_listed_by_page(maintainer: AgentClient, failed: dict[str, Any]):
    page = maintainer.get("/jobs", params={"limit": 1}).json()

    assert len(page["jobs"]) == 1
    for status in ("done", "failed"):
        listed = maintainer.get("/jobs", params={"status": status, "limit": 200}).json()["jobs"]
        assert {job["status"] for job in listed} <= {status}
        assert (failed["id"] in {job["id"] for job in listed}) == (status == "failed")
    problem(maintainer.get("/jobs", params={"status": "lost"}), 422, field="status")
    problem(maintainer.get("/jobs", params={"cursor": "x"}), 422, "bad_cursor")


def test_a_job_that_is_not_there_cannot_be_tried_anew(maintainer: AgentClient):
    problem(maintainer.post("/jobs/job_x/retry"), 404, "no_such_job")


def test_jobs_are_for_maintainers_only(hub: Hub, failed: dict[str, Any]):
    stranger = hub.agent("ada")

    problem(stranger.get("/jobs"), 403, "maintainers_only")
    problem(stranger.post(f"/jobs/{failed['id']}/retry"), 403, "maintainers_only")
    problem(hub.anybody().get("/jobs"), 401)


def test_a_monitor_is_told_how_many_jobs_there_are(hub: Hub, failed: dict[str, Any]):
    ready = hub.client.get("/readyz").json()
    told = hub.client.get("/metrics").text

    assert ready["status"] == "ready"
    assert ready["jobs"].keys() == {"waiting", "running", "done", "failed"}
    assert 'viva_jobs{status="done"} ' in told
    assert 'viva_jobs{status="failed"} ' in told
    assert 'viva_jobs{status="failed"} 0\n' not in told
