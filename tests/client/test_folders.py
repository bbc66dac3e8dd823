"""A folder of recorded runs is sent to a hub that is served: any form, every fault, and nothing twice."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from tests.client.test_client import MESSAGES, client  # noqa: F401 - a fixture
from viva import Client
from viva.client.folders import list_files
from viva.sending import send_folder

FIXTURES = Path(__file__).parent.parent / "fixtures"
RUN = {"turns": [{"user_message": "Hi", "agent_response": "Hello."}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four runs in three files, a file that is none, and one that cannot be read."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.json").write_text(json.dumps(MESSAGES))
    (tmp_path / "deep" / "b.jsonl").write_text(json.dumps(RUN) + "\n" + json.dumps({**RUN, "id": "second"}) + "\n")
    (tmp_path / "deep" / "c.json.gz").write_bytes(gzip.compress(json.dumps({**RUN, "id": "packed"}).encode()))
    (tmp_path / "notes.txt").write_text("no run")
    (tmp_path / "odd.json").write_text('{"odd": true}')
    return tmp_path


def test_every_run_of_a_folder_is_stored_and_each_fault_names_its_file(client: Client, folder):  # noqa: F811
    sizes: list[int] = []

    sent = client.send_folder(folder, dataset="folder", on_file=sizes.append)

    assert len(sent.traces) == 4
    assert [fault.file for fault in sent.faults] == ["odd.json"]
    assert {trace.id for trace in client.traces.list_traces.each(dataset="folder")} == {
        trace.id for trace in sent.traces
    }
    assert sizes == [path.stat().st_size for path in list_files(folder)]


def test_a_folder_that_is_sent_again_stores_only_what_is_new(client: Client, folder):  # noqa: F811
    first = client.send_folder(folder, dataset="folder")
    (folder / "0.json").write_text(json.dumps({**RUN, "id": "new"}))

    second = client.send_folder(folder, dataset="folder")

    assert {trace.id for trace in first.traces} < {trace.id for trace in second.traces}
    assert len(list(client.traces.list_traces.each(dataset="folder"))) == 5


def test_all_forms_that_viva_reads_can_be_sent(client: Client, tmp_path):  # noqa: F811
    for name in ("anthropic", "autogen", "claude-code", "inspect", "langchain", "langfuse", "spans"):
        shutil.copytree(FIXTURES / name, tmp_path / name)

    sent = client.send_folder(tmp_path)

    assert sent.faults == []
    assert len(sent.traces) >= len(list_files(tmp_path))


def test_the_command_tells_what_was_sent_and_what_was_not(client: Client, folder, capsys, monkeypatch):  # noqa: F811
    monkeypatch.setenv("VIVA_KEY", client.runner.http.headers["Authorization"].removeprefix("Bearer "))
    hub = str(client.runner.http.base_url)

    code = send_folder([str(folder), "--dataset", "folder", "--hub", hub])

    out, err = capsys.readouterr()
    assert (code, out) == (2, "4 runs are stored. 1 faults were found.\n")
    assert err.startswith("odd.json: ")


def test_a_hub_that_is_not_there_is_an_error_in_a_sentence(folder, capsys, monkeypatch):
    monkeypatch.setattr("viva.client.retrying.MAX_TRIES", 1)

    assert send_folder([str(folder), "--hub", "http://127.0.0.1:1"]) == 1

    assert "does not answer" in capsys.readouterr().err
