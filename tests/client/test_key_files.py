"""Keys of agents in a file: by hub and name, for their owner alone."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.hub import Hub, free_port
from viva import AsyncClient, Client
from viva.client.key_files import KeyFile, KeysExposed, NoStoredKey, default_key_file
from viva.client.retrying import HubError


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "viva" / "keys.json")


@pytest.fixture
def name() -> str:
    return f"ada-{free_port()}"


def test_a_name_is_registered_once_and_its_key_is_used_ever_after(hub: Hub, keys, name):
    with Client.register_or_load(name, description="A tester.", url=hub.url, keys=keys) as first:
        registered = first.agents.show_me().agent
    with Client.register_or_load(name, url=f"{hub.url}/", keys=keys) as second:
        loaded = second.agents.show_me().agent
    with Client(hub.url, name=name, keys=keys) as third:
        assert third.agents.show_me().agent == loaded == registered

    assert (registered.name, registered.description) == (name, "A tester.")
    assert (keys.path.stat().st_mode & 0o777, keys.path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_so_it_is_with_await(hub: Hub, keys, name):
    async def register() -> str:
        async with await AsyncClient.register_or_load(name, url=hub.url, keys=keys) as client:
            return (await client.agents.show_me()).agent.name

    assert [asyncio.run(register()), asyncio.run(register())] == [name, name]


def test_a_program_that_stopped_before_it_stored_its_key_gets_it_again(hub: Hub, keys, name):
    begun = keys.begin(hub.url, name)  # then the hub is asked, and the program stops
    lost = hub.client.post(
        "/api/v1/agents/register", json={"name": name}, headers={"Idempotency-Key": begun.registering}
    ).json()["api_key"]

    with Client.register_or_load(name, url=hub.url, keys=keys) as client:
        assert client.agents.show_me().agent.name == name

    stored = keys.find(hub.url, name)
    assert stored is not None
    assert stored.key == lost


def test_a_name_of_somebody_else_is_not_taken(hub: Hub, keys, name):
    hub.client.post("/api/v1/agents/register", json={"name": name})

    with pytest.raises(HubError) as refused:
        Client.register_or_load(name, url=hub.url, keys=keys)

    assert refused.value.code == "name_taken"


def test_programs_that_register_at_once_share_the_agent(hub: Hub, keys, name):
    def register(_: int) -> str:
        with Client.register_or_load(name, url=hub.url, keys=keys) as client:
            return client.agents.show_me().agent.id

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(register, range(4)))) == 1


def test_keys_that_are_stored_at_once_are_all_there(keys):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: keys.keep("http://hub", f"agent-{number}", f"viva_{number}"), range(40)))

    stored = [keys.find("http://hub", f"agent-{number}") for number in range(40)]
    assert [each and each.key for each in stored] == [f"viva_{number}" for number in range(40)]


def test_each_hub_has_its_own_keys(keys):
    keys.keep("http://one", "ada", "viva_1")

    assert keys.find("http://two", "ada") is None
    with pytest.raises(NoStoredKey, match="ada"):
        Client("http://two", name="ada", keys=keys)


def test_a_file_that_others_can_read_is_refused(keys):
    keys.keep("http://one", "ada", "viva_1")
    os.chmod(keys.path, 0o640)

    with pytest.raises(KeysExposed, match="600"):
        keys.find("http://one", "ada")


def test_the_file_is_where_settings_are(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_key_file().path == tmp_path / "viva" / "keys.json"

    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_key_file().path == tmp_path / ".config" / "viva" / "keys.json"


def test_a_rotated_key_is_used_at_once(hub: Hub, keys, name):
    with Client.register_or_load(name, url=hub.url, keys=keys) as client:
        new = client.rotate_key()
        assert client.agents.show_me().agent.name == name

    with Client(hub.url, new.api_key) as client:
        assert client.agents.show_me().agent.name == name
