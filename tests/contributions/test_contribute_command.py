"""`viva sip contribute`: a file becomes a submission, or leaves nothing on the hub."""

import uuid
from pathlib import Path
from typing import Any

import pytest

from tests import make
from tests.hub import Hub, environment_without_settings, run_viva
from viva.cli.contributing import body_of
from viva.client.client import Client
from viva.client.key_files import KeyFile
from viva.evaluations import sip as sips
from viva.evaluations.sip import Executable
from viva.evaluations.templates import mark_template

pytestmark = pytest.mark.slow

DECIDE = """def decide(submission, challenge, config):
    return {"passed": submission == "yes"}
"""


def write_template(folder: Path, sip_id: str = "seven-at-table") -> Path:
    text = mark_template("simple_pass_fail", "2026-01-01").replace("id: TODO", f"id: {sip_id}")
    file = folder / "SIP-100.md"
    file.write_text(text.replace("name: ''", "name: Seven at table").replace("author: ''", "author: Ada"))
    return file


def contribute(hub: Hub, folder: Path, file: Path, *options: str) -> Any:
    arguments = ["sip", "contribute", str(file), "--hub", hub.url, *options]
    return run_viva(arguments, environment_without_settings() | {"XDG_CONFIG_HOME": str(folder)})


def drafts_of(hub: Hub, folder: Path, name: str) -> list[Any]:
    with Client(hub.url, name=name, keys=KeyFile(folder / "viva" / "keys.json")) as client:
        return list(client.contributions.list_drafts().contributions)


def test_a_file_is_submitted_with_all_that_it_says(hub: Hub, tmp_path):
    name, sip_id = f"ada-{uuid.uuid4().hex[:8]}", f"seven-{uuid.uuid4().hex[:8]}"
    done = contribute(hub, tmp_path, write_template(tmp_path, sip_id), "--name", name)

    (draft,) = drafts_of(hub, tmp_path, name)
    assert done.returncode == 0, done.stderr
    assert f"{hub.url}/evaluations/contribute/{draft.id}/status" in done.stdout
    assert (draft.status, draft.name) == ("submitted", "Seven at table")
    with Client(hub.url, name=name, keys=KeyFile(tmp_path / "viva" / "keys.json")) as client:
        sent = client.contributions.show_contribution(draft.id).contribution
    assert (sent.evaluation_id, sent.executable_handler) == (sip_id, "text_check")
    assert [check["id"] for check in sent.config["checks"]] == ["form", "amounts"]
    assert len(sent.exemplars) == 2


def test_the_code_of_a_handler_goes_with_its_file(tmp_path):
    executable = Executable("contributed.say_yes", "SIP-100.py")
    sip = make.sip(sip=100, type="simple_pass_fail", config={"challenge": "Say yes."}, executable=executable)
    (tmp_path / "SIP-100.md").write_text(sips.render(sip))
    (tmp_path / "SIP-100.py").write_text(DECIDE)

    assert body_of(tmp_path / "SIP-100.md")["executable_code"] == DECIDE


def test_a_file_that_the_hub_refuses_leaves_nothing_there(hub: Hub, tmp_path):
    name = f"ada-{uuid.uuid4().hex[:8]}"
    done = contribute(hub, tmp_path, write_template(tmp_path, "plain-dealing"), "--name", name)

    assert done.returncode == 1
    assert "The hub did not take it:\n  evaluation_id: " in done.stdout
    assert drafts_of(hub, tmp_path, name) == []


def test_bad_use_says_what_to_do(hub: Hub, tmp_path):
    no_name = contribute(hub, tmp_path, write_template(tmp_path))
    no_file = contribute(hub, tmp_path, tmp_path / "SIP-9.md", "--name", "ada")

    assert (no_name.returncode, no_file.returncode) == (2, 2)
    assert "Give --name" in no_name.stderr
    assert "There is no file" in no_file.stderr
