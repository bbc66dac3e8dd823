"""A folder of recorded runs is sent to a hub that is served: any form, every fault, and nothing twice."""

import gzip
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.client.test_client import MESSAGES, client  # noqa: F401 - a fixture
from tests.hub import run_viva
from viva import Client
from viva.client.folders import list_files

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

    sent = client.send_folder(folder, dataset="folder", on_progress=sizes.append)

    assert len(sent.traces) == 4
    assert [fault.file for fault in sent.faults] == ["odd.json"]
    assert {trace.id for trace in client.traces.list_traces.each(dataset="folder")} == {
        trace.id for trace in sent.traces
    }
    assert sum(sizes) == sum(path.stat().st_size for path in list_files(folder))


def test_a_fault_names_its_line_below_the_folder_once(client: Client, tmp_path):  # noqa: F811
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "runs.jsonl").write_text(json.dumps(RUN) + '\n{"odd": true}\n')

    (fault,) = client.send_folder(tmp_path).faults

    assert fault.file == "deep/runs.jsonl:2"
    assert "runs.jsonl" not in fault.message


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


def test_one_file_is_sent_as_well_and_a_place_that_does_not_exist_is_an_error(client: Client, folder):  # noqa: F811
    from_folder = client.send_folder(folder)

    sent = client.send_folder(folder / "a.json")

    assert {trace.id for trace in sent.traces} <= {trace.id for trace in from_folder.traces}
    with pytest.raises(FileNotFoundError):
        client.send_folder(folder / "nothing")


def send(client: Client | None, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:  # noqa: F811
    """Run the command as the account of a client, or as nobody."""
    key = client.runner.http.headers["Authorization"].removeprefix("Bearer ") if client else ""
    hub = str(client.runner.http.base_url) if client else ""
    return run_viva(["send", *arguments], {"VIVA_KEY": key, "VIVA_HUB": hub} | settings)


def test_the_command_tells_what_was_sent_and_what_was_not(client: Client, folder):  # noqa: F811
    done = send(client, str(folder), "--dataset", "sent", "--tags", "nightly, beta")

    assert (done.returncode, done.stdout) == (2, "Stored in the dataset sent: 4 runs. Not sent: 1.\n")
    assert done.stderr.startswith("odd.json: ")
    traces = list(client.traces.list_traces.each(dataset="sent"))
    assert [sorted(trace.tags) for trace in traces] == [["beta", "nightly"]] * 4


def test_the_command_that_runs_again_stores_nothing_twice(client: Client, folder):  # noqa: F811
    (folder / "odd.json").unlink()
    sendings = [send(client, str(folder), "--dataset", "again", "--json") for _ in range(2)]

    first, second = (json.loads(done.stdout) for done in sendings)
    assert (first["faults"], len(first["traces"]), first["traces"]) == ([], 4, second["traces"])
    assert [done.returncode for done in sendings] == [0, 0]
    assert len(list(client.traces.list_traces.each(dataset="again"))) == 4


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "nowhere cannot be read: No such file or directory."),
        (["."], ". has no files with recorded runs."),
        ([".", "--dataset", "a/b"], "A dataset's name has"),
        ([".", "--tags", "x" * 1_000], "tags"),
    ],
)
def test_a_mistake_of_the_user_is_a_sentence(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)

    done = send(None, *arguments)

    assert done.returncode == 2
    assert sentence in done.stderr


def test_sending_needs_an_account(folder):
    done = send(None, str(folder))

    assert (done.returncode, done.stderr) == (
        2,
        "viva: Which account is it? Give --name, or the key of your account as VIVA_KEY.\n",
    )


def test_a_hub_that_is_not_there_or_refuses_is_an_error_in_a_sentence(client: Client, folder, monkeypatch):  # noqa: F811
    monkeypatch.setattr("viva.client.retrying.MAX_TRIES", 1)

    absent = send(client, str(folder), "--hub", "http://127.0.0.1:1")
    refused = send(client, str(folder), VIVA_KEY="viva_unknown")

    assert [done.returncode for done in (absent, refused)] == [1, 1]
    assert "does not answer" in absent.stderr
    assert "401" in refused.stderr
    assert "Run the command again" in absent.stderr
