"""Many maintainers approve at once, also with a kill in the middle: each evaluation gets one number and is live once."""

import signal
import threading
import uuid
from collections.abc import Callable
from functools import partial

import httpx
import pytest

from tests.contributions.submitted import submission
from tests.hub import AgentClient, Hub, at_once
from viva.agents.store import make_maintainer
from viva.contributions import store
from viva.contributions.model import Contribution
from viva.evaluations import sip as sips
from viva.kit.db import Connection
from viva.kit.opening import open_database

MANY = 20
ENOUGH = 5  # approvals answered before the kill


class Review:
    """Submissions, as many maintainers, and what came of it."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.maintainers = [hub.agent("mia") for _ in range(MANY)]
        self.database = open_database(hub.database_url)
        self.ids = self.database.write_now(self.prepare)

    def prepare(self, db: Connection) -> list[str]:
        for agent in self.maintainers:
            make_maintainer(db, agent.id)
        return [submission(db, f"Tea {uuid.uuid4().hex[:12]}").id for _ in range(MANY)]

    def approve(self, maintainer: AgentClient, contribution_id: str) -> httpx.Response:
        return maintainer.post(f"/evaluations/contribute/{contribution_id}/approve", {"auto_merge": True})

    def contributions(self) -> list[Contribution]:
        return self.database.read_now(lambda db: [store.get(db, contribution_id) for contribution_id in self.ids])

    def check_all_are_live_once(self) -> None:
        merged = self.contributions()
        folder = self.hub.folder / "sips"
        files = {path.name: sips.parse(path.read_text("utf-8")) for path in folder.glob("SIP-*.md")}
        live = [self.hub.client.get(f"/api/v1/evaluations/SIP-{one.sip_number}").json() for one in merged]

        assert {one.status for one in merged} == {"merged"}
        assert len({one.sip_number for one in merged}) == MANY
        assert [files[f"SIP-{one.sip_number}.md"].id for one in merged] == [one.evaluation_id for one in merged]
        assert [one["evaluation"]["id"] for one in live] == [one.evaluation_id for one in merged]
        written = [sip.id for sip in files.values()]
        assert [written.count(one.evaluation_id) for one in merged] == [1] * MANY


@pytest.fixture
def review(hub: Hub):
    review = Review(hub)
    yield review
    review.database.close()


@pytest.mark.soak
def test_twenty_maintainers_approve_twenty_submissions_at_once(hub: Hub, review: Review):
    calls = [partial(review.approve, *pair) for pair in zip(review.maintainers, review.ids, strict=True)]

    answers = at_once(calls)

    assert [answer.status_code for answer in answers] == [200] * MANY
    bodies = [answer.json() for answer in answers]
    assert {body["contribution"]["status"] for body in bodies} == {"merged"}
    assert [body["evaluation_url"] for body in bodies] == [
        f"{hub.url}/evaluations/{body['contribution']['evaluation_id']}" for body in bodies
    ]
    review.check_all_are_live_once()


@pytest.mark.soak
def test_of_many_maintainers_one_approves(hub: Hub, review: Review):
    answers = at_once([partial(review.approve, mia, review.ids[0]) for mia in review.maintainers])

    assert sorted(answer.status_code for answer in answers) == [200] + [409] * (MANY - 1)
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"wrong_state"}


@pytest.mark.soak
def test_a_kill_in_the_middle_of_twenty_approvals_is_repaired_at_the_next_start(hub: Hub, review: Review):
    answered: list[str] = []
    enough = threading.Event()

    def approve(maintainer: AgentClient, contribution_id: str) -> None:
        try:
            answer = review.approve(maintainer, contribution_id)
        except httpx.TransportError:
            return  # killed
        assert answer.json()["contribution"]["status"] == "merged"
        answered.append(contribution_id)
        if len(answered) >= ENOUGH:
            enough.set()

    def kill() -> None:
        assert enough.wait(timeout=120)
        hub.stop(signal.SIGKILL)

    approving: list[Callable[[], None]] = [
        partial(approve, *pair) for pair in zip(review.maintainers, review.ids, strict=True)
    ]
    at_once([kill, *approving])
    hub.start()

    repaired = review.contributions()
    assert [one.status for one in repaired if one.id in answered] == ["merged"] * len(answered)
    assert {one.status for one in repaired} <= {"merged", "submitted"}
    left = [one.id for one in repaired if one.status == "submitted"]
    assert [review.approve(review.maintainers[0], one).status_code for one in left] == [200] * len(left)
    review.check_all_are_live_once()


def test_a_repeated_request_gets_the_same_answer(hub: Hub, review: Review):
    path = f"/evaluations/contribute/{review.ids[0]}/approve"
    approve = partial(
        review.maintainers[0].post, path, {"auto_merge": True}, headers={"Idempotency-Key": review.ids[0]}
    )

    first, second = approve(), approve()

    assert first.json()["contribution"]["status"] == "merged"
    assert first.json()["gate"] == "not_checked"
    assert (second.status_code, second.json()) == (200, first.json())


def test_only_maintainers_approve(hub: Hub, review: Review):
    stranger = review.approve(hub.agent("eve"), review.ids[0])
    nobody = review.approve(hub.anybody(), review.ids[0])

    assert (stranger.status_code, stranger.json()["code"]) == (403, "maintainers_only")
    assert nobody.status_code == 401
