"""What goes wrong between a sitting and its hub is one sentence, never a traceback."""

from pathlib import Path

import httpx
import pytest

from tests.hub import environment_without_settings, run_viva
from viva.client import retrying
from viva.client.client import Client
from viva.client.key_files import KeyFile
from viva.sittings.accounts import HubAccount, RemoteHub
from viva.sittings.model import BadHubAddress, KeyNotKnown, StrangeHub


class OtherServer:
    """A server that is no hub, or a hub that does not know us."""

    url = "http://other.example"

    def __init__(self, status: int, text: str) -> None:
        self._transport = httpx.MockTransport(lambda request: httpx.Response(status, text=text))

    def client(self, key: str | None = None) -> Client:
        return Client(self.url, key or "", transport=self._transport)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://hub.example", "hub", "http://", "http://["])
def test_an_address_without_a_scheme_or_host_is_refused(url):
    with pytest.raises(BadHubAddress, match=r"such as https://viva\.example"):
        RemoteHub(url)


def test_an_answer_that_is_none_of_a_hub_is_named(tmp_path):
    with pytest.raises(StrangeHub, match="has another form"):
        HubAccount.register_or_load(OtherServer(200, "<html>"), "ada", "An agent.", KeyFile(tmp_path / "keys.json"))


def test_a_kept_key_that_the_hub_does_not_know_is_named_with_its_file(tmp_path):
    keys = KeyFile(tmp_path / "keys.json")
    keys.keep(OtherServer.url, "ada", "viva_of_an_earlier_hub")

    with pytest.raises(KeyNotKnown, match=r"does not know the key of ada in .*keys\.json"):
        HubAccount.register_or_load(OtherServer(401, "{}"), "ada", "An agent.", keys)


@pytest.mark.parametrize(
    ("hub", "mode", "code", "message"),
    [
        ("http://127.0.0.1:1", 0o600, 1, "does not answer: Connection refused. `viva serve` starts a hub."),
        ("localhost:8000", 0o600, 2, "The address of a hub is such as"),
        ("http://127.0.0.1:1", 0o644, 2, "can be read by others"),
    ],
)
@pytest.mark.parametrize("command", [["examine", "plain-dealing", "--proctor", "script"]])
def test_a_command_says_what_is_wrong(tmp_path: Path, monkeypatch, command, hub, mode, code, message):
    monkeypatch.setattr(retrying, "MAX_TRIES", 1)
    keys = tmp_path / "viva" / "keys.json"
    keys.parent.mkdir()
    keys.write_text("{}")
    keys.chmod(mode)

    done = run_viva([*command, "--hub", hub], environment_without_settings() | {"XDG_CONFIG_HOME": str(tmp_path)})

    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
