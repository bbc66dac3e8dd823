"""`viva sit --keep` keeps its results in a hub without changing that hub."""

import fcntl
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DATABASES, lent_url
from tests.hub import environment_without_settings, run_viva, write_sip
from viva import serving
from viva.kit import signing_keys
from viva.kit.opening import open_database
from viva.kit.signing_keys import SigningKey
from viva.served_hubs import ServedHub, leave_record, list_served

pytestmark = pytest.mark.slow

PLAIN = "python:tests.sittings.agents:deal_plainly"
SECRET = "a secret that somebody has set for this hub"


class KeepingHub:
    """A hub with settings of its own, in a folder."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = url
        self.environment = environment_without_settings() | {
            "VIVA_DATA_DIR": str(folder / "data"),
            "VIVA_DATABASE_URL": url,
            "XDG_CONFIG_HOME": str(folder),
        }

    def viva(self, *arguments: str, **settings: str) -> Any:
        return run_viva(arguments, self.environment | settings)

    def sit(self, evaluation_id: str, *arguments: str, **settings: str) -> Any:
        return self.viva("sit", evaluation_id, "--agent", PLAIN, "--keep", *arguments, **settings)

    def read_keys(self) -> list[SigningKey]:
        database = open_database(self.url)
        try:
            return database.read_now(signing_keys.list_keys)
        finally:
            database.close()


@pytest.fixture(params=DATABASES)
def hub(request: pytest.FixtureRequest, tmp_path: Path):
    with lent_url(request.param, request, tmp_path) as url:
        yield KeepingHub(tmp_path, url)


def test_a_hub_with_another_secret_is_refused_and_stays_as_it_is(hub):
    assert hub.sit("proof-of-identity", VIVA_SECRET=SECRET).returncode == 0
    keys = hub.read_keys()

    without, with_another = hub.sit("proof-of-identity"), hub.sit("proof-of-identity", VIVA_SECRET=SECRET[::-1])

    for done in (without, with_another):
        assert done.returncode == 2
        assert "signs with another secret, so nothing was changed. Set VIVA_SECRET" in done.stderr
    assert hub.read_keys() == keys
    assert not (hub.folder / "data" / "secret").exists()


def test_the_catalogue_is_that_of_the_hub(hub):
    sips = hub.folder / "sips"
    sips.mkdir()
    evaluation_id = write_sip(sips)

    assert hub.sit(evaluation_id, VIVA_SIPS_DIR=str(sips)).returncode == 1
    assert "There is no evaluation" in hub.sit("proof-of-identity", VIVA_SIPS_DIR=str(sips)).stderr


@pytest.mark.parametrize("hub", ["sqlite"], indirect=True)
def test_the_catalogue_of_a_served_hub_is_left_to_whoever_serves_it(hub):
    sips = hub.folder / "sips"
    sips.mkdir()
    assert hub.sit(write_sip(sips), VIVA_SIPS_DIR=str(sips)).returncode == 1

    with serving.lock_path(hub.url).open("w") as lock:  # as `viva serve` holds it
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = hub.sit("proof-of-identity")

    assert "There is no evaluation" in done.stderr


def test_the_rules_are_those_of_the_hub(hub):
    done = hub.sit("plain-dealing", VIVA_PROCTORS="qualified")

    assert (done.returncode, done.stderr) == (1, "")
    assert "has no script, or it is not shown to your account" in done.stdout


def test_a_name_sits_again_and_again(hub):
    runs = [json.loads(hub.sit("plain-dealing", "--name", "ada", "--json").stdout) for _ in range(2)]

    assert [each["agents"][0]["runs"][0]["state"] for each in runs] == ["passed", "passed"]
    exported = hub.viva("export", "plain-dealing", "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["agent_name"] for line in exported] == ["ada", "ada"]


def test_the_options_of_the_hub_that_is_served_hold(hub):
    served = ServedHub(serving.name_database(hub.url), "https://viva.example", "qualified")
    assert hub.sit("proof-of-identity").returncode == 0  # the settings alone say `anyone`

    with leave_record(hub.folder / "data", served):
        done = hub.sit("plain-dealing")

    assert (done.returncode, done.stderr) == (1, "")
    assert "has no script, or it is not shown to your account" in done.stdout


@pytest.mark.parametrize("hub", ["sqlite"], indirect=True)
def test_a_hub_that_is_served_from_another_database_is_named(hub):
    elsewhere = f"sqlite:///{hub.folder / 'elsewhere.db'}"
    served = ServedHub(elsewhere, "http://127.0.0.1:8123", "anyone")

    with leave_record(hub.folder / "data", served):
        refused = hub.sit("proof-of-identity", VIVA_DATABASE_URL="")
        chosen = hub.sit("proof-of-identity", VIVA_DATABASE_URL=hub.url)

    assert refused.returncode == 2
    assert f"keeps its results in {elsewhere}" in refused.stderr
    assert "--hub http://127.0.0.1:8123" in refused.stderr
    assert not (hub.folder / "data" / "viva.db").exists()
    assert chosen.returncode == 0, chosen.stderr


def test_a_record_counts_only_while_its_server_runs(tmp_path):
    served = ServedHub("sqlite:////var/viva.db", "http://127.0.0.1:8000", "anyone")

    with leave_record(tmp_path, served):
        assert list_served(tmp_path) == [served]
        (left,) = (tmp_path / "served").iterdir()
        text = left.read_bytes()
    left.write_bytes(text)  # as a server that is killed leaves it

    assert list_served(tmp_path) == []


@pytest.mark.parametrize("hub", ["sqlite"], indirect=True)
def test_a_class_of_others_is_not_joined(hub):
    assert hub.viva("demo").returncode == 0  # one of its classes waits for its leader, who is not there

    done = hub.sit("island-round", "--json")

    assert json.loads(done.stdout)["agents"][0]["runs"][0]["state"] == "undecided", done.stderr


@pytest.mark.parametrize("hub", ["sqlite"], indirect=True)
def test_an_error_in_a_later_run_leaves_the_earlier_runs(hub):
    hub.sit("proof-of-identity", "--name", "ada-2", XDG_CONFIG_HOME=str(hub.folder / "of-another-user"))

    done = hub.sit("proof-of-identity", "--name", "ada", "--runs", "2")

    assert done.returncode == 2
    assert "passed" in done.stdout
    assert "The hub refuses" in done.stderr
