"""A backup is taken while agents talk, the hub is killed, and the backup comes back whole."""

import signal
import threading
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.conftest import DATABASES, fresh_url
from tests.hub import AgentClient, Hub, load, until
from viva.kit.sqlite_check import find_damage

WRITERS = load(2, 8)


@pytest.fixture(params=DATABASES)
def own_hub(request: pytest.FixtureRequest, tmp_path: Path) -> Hub:
    """A hub that the test starts, kills and restores."""
    return Hub(fresh_url(request.param, request, tmp_path), tmp_path)


def talk(agent: AgentClient, session_id: str, answered: list[str], stopped: threading.Event) -> None:
    """Send messages until the hub dies, and note those that it has acknowledged."""
    while not stopped.is_set():
        try:
            answer = agent.say(session_id, f"word {len(answered)}")
        except httpx.TransportError:
            return  # killed
        answered.append(answer.json()["id"])


def all_have_spoken(said: list[list[str]]) -> bool:
    return min(map(len, said)) >= load(5, 50)


def message_ids(hub: Hub) -> set[str]:
    return {id_ for (id_,) in hub.driver.execute("SELECT id FROM evaluation_messages").fetchall()}


@pytest.mark.soak
def test_what_was_acknowledged_before_the_backup_is_there_after_a_kill_and_a_restore(own_hub: Hub, tmp_path: Path):
    backup = tmp_path / "hub.zip"
    with own_hub as hub:
        said = [list[str]() for _ in range(WRITERS)]
        stopped, talkers = threading.Event(), []
        for answered in said:
            candidate, proctor = hub.agent("ada"), hub.agent("paul")
            session_id = proctor.claim(candidate.start())
            talkers.append(threading.Thread(target=talk, args=(candidate, session_id, answered, stopped)))
        for talker in talkers:
            talker.start()
        until(partial(all_have_spoken, said))

        before = [id_ for answered in said for id_ in answered]
        assert hub.viva("backup", str(backup)).returncode == 0
        hub.stop(signal.SIGKILL)
        stopped.set()
        for talker in talkers:
            talker.join()
        restored = hub.viva("restore", str(backup))
        assert restored.returncode == 0, restored.stderr
        if hub.database_url.startswith("sqlite:"):
            assert find_damage(Path(hub.database_url.removeprefix("sqlite:///"))) is None

        hub.start()
        assert set(before) <= message_ids(hub)
        checked = hub.viva("check")
        assert checked.returncode == 0, checked.stdout
        assert hub.client.get("/readyz").status_code == 200
        assert hub.with_key(proctor.key or "").id == proctor.id


def test_a_running_hub_is_not_replaced(own_hub: Hub, tmp_path: Path):
    backup = tmp_path / "hub.zip"
    with own_hub as hub:
        ada = hub.agent("ada")
        assert hub.viva("backup", str(backup)).returncode == 0
        refused = hub.viva("restore", str(backup))

        assert (refused.returncode, refused.stderr) == (
            2,
            "viva: A hub or another program uses the database. Stop the hub and its workers first; nothing was changed.\n",
        )
        assert hub.with_key(ada.key or "").id == ada.id
