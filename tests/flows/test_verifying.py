"""What a hub has said can be verified: by Viva without the hub, and by a script that knows nothing of Viva."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hub import EVALUATION, AgentClient, Hub
from viva.kit.event_chain import SignedHead, is_genuine
from viva.kit.hashing import hash_text
from viva.kit.signing import derive_key

GUIDE = Path(__file__).parents[2] / "docs" / "howto" / "verify-a-result.md"
MAX_SCRIPT_LINES = 30
STRANGER = derive_key(b"the secret of somebody else", 1)
TEXTS = ("What do you charge?", "Grüße – 你好 🍵", 'A "quoted" \\ line\nand another.')


@pytest.fixture(scope="module")
def result(hub: Hub) -> dict[str, Any]:
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()
    session_id = paul.claim(registration_id)
    for number, text in enumerate(TEXTS):
        sent = (paul, ada)[number % 2].say(session_id, text).json()
        assert len(sent["hash"]) == 64
    data = {"criteria": [{"id": "plain", "met": True}], "numbers": [0.1, 1e21, 2**40]}
    answer = paul.submit(registration_id, score=87.5, proctor_feedback="Plain dealing.", result_data=data)
    assert answer.status_code == 201, answer.text
    return dict(answer.json()["result"])


def documents(hub: Hub, result: dict[str, Any]) -> dict[str, Any]:
    below = {
        "certificate": f"results/{result['id']}/certificate",
        "result": f"evaluations/results/{result['id']}",
        "transcript": f"evaluations/{EVALUATION}/results/{result['id']}/transcript",
        "record": f"evaluations/{EVALUATION}/results/{result['id']}/record",
    }
    return {name: hub.client.get(f"/api/v1/{path}").json() for name, path in below.items()}


def verify(hub: Hub, folder: Path, document: Any) -> "subprocess.CompletedProcess[str]":
    file = folder / "document.json"
    file.write_text(json.dumps(document))
    keys = folder / "keys.json"
    keys.write_bytes(hub.client.get("/.well-known/viva.json").content)
    return hub.viva("certificate", "verify", str(file), "--keys", str(keys))


def script() -> str:
    """The script of the guide."""
    (code,) = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    return str(code)


def run_script(hub: Hub, record: dict[str, Any], folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run the script on files, in a Python that cannot import Viva and reaches no network."""
    without = "import socket, sys; sys.modules['viva'] = None; socket.socket = None"
    (folder / "verify.py").write_text(f"{without}\n{script()}")
    (folder / "record.json").write_text(json.dumps(record))
    (folder / "keys.json").write_bytes(hub.client.get("/.well-known/viva.json").content)
    command = [sys.executable, "verify.py", "record.json", "keys.json"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", ["certificate", "result", "transcript", "record"])
def test_a_file_is_verified_without_the_hub(hub: Hub, result: dict[str, Any], tmp_path: Path, kind: str):
    verified = verify(hub, tmp_path, documents(hub, result)[kind])

    assert (verified.returncode, verified.stderr) == (0, ""), verified.stdout
    assert verified.stdout.endswith("This is genuine.\n")
    assert "Whether the result was voided since" in verified.stdout


@pytest.mark.parametrize("kind", ["certificate", "record"])
def test_only_with_the_keys_of_the_hub_it_is_genuine(hub: Hub, result: dict[str, Any], tmp_path: Path, kind: str):
    """A stranger signs a file of its own, as this hub does, with the key of somebody else."""
    document = documents(hub, result)[kind]
    (tmp_path / "file.json").write_text(json.dumps(document))
    (tmp_path / "keys.json").write_text(json.dumps({"keys": [{"id": STRANGER.id}]}))

    alone = hub.viva("certificate", "verify", str(tmp_path / "file.json"))
    foreign = hub.viva("certificate", "verify", str(tmp_path / "file.json"), "--keys", str(tmp_path / "keys.json"))
    unusable = hub.viva("certificate", "verify", str(tmp_path / "file.json"), "--keys", str(tmp_path / "file.json"))

    assert (alone.returncode, "genuine" in alone.stdout) == (0, False)
    assert foreign.returncode == 1
    assert foreign.stdout.endswith("This is NOT genuine.\n")
    assert (unusable.returncode, "is no copy of /.well-known/viva.json." in unusable.stderr) == (2, True)


CHANGES = {
    "certificate": (
        lambda file: file["credentialSubject"]["result"][0].update(value="100"),
        lambda file: file["viva"]["proof"]["statement"].update(score=100),
        lambda file: file["viva"]["proof"]["names"].update(agent_name="bob"),
    ),
    "result": (
        lambda file: file["result"].update(score=100),
        lambda file: file["result"].update(proctor_feedback="Another."),
        lambda file: file["result"]["result_data"].update(more=1),
        lambda file: file["proof"]["statement"].update(passed=False),
        lambda file: file["proof"].update(signature="00" * 64),
        lambda file: file["proof"].update(signature="no"),
    ),
    "transcript": (
        lambda file: file["messages"][1].update(content="Another."),
        lambda file: file["messages"][1].update(role="proctor"),
        lambda file: file["messages"].pop(),
        lambda file: file["messages"].pop(0),
        lambda file: file["messages"].reverse(),
        lambda file: file.update(messages=[]),
    ),
    "record": (
        lambda file: file["result"].update(score=100),
        lambda file: file["messages"][1].update(content="Another."),
        lambda file: forge(file["messages"][1]),
        lambda file: file["messages"].pop(),
    ),
}


def forge(message: dict[str, Any]) -> None:
    """Put another text in the place of one whose hash stays."""
    message["content_hash"] = hash_text(message.pop("salt"), message["content"])
    message["content"] = "Another."


@pytest.mark.parametrize("kind", CHANGES)
def test_a_changed_file_is_not_genuine(hub: Hub, result: dict[str, Any], tmp_path: Path, kind: str):
    for change in CHANGES[kind]:
        document = documents(hub, result)[kind]
        change(document)

        verified = verify(hub, tmp_path, document)

        assert verified.returncode == 1
        assert "wrong" in verified.stdout
        assert verified.stdout.endswith("This is NOT genuine.\n")


@pytest.mark.parametrize("document", [[], {}, {"proof": 1}, {"credentialSubject": 1}, {"proof": {"statement": {}}}])
def test_a_file_of_another_kind_is_refused(hub: Hub, tmp_path: Path, document: Any):
    verified = verify(hub, tmp_path, document)

    assert verified.returncode in (1, 2)
    assert "Traceback" not in verified.stderr


def test_a_script_without_viva_agrees(hub: Hub, result: dict[str, Any], tmp_path: Path):
    record = documents(hub, result)["record"]

    agreed = run_script(hub, record, tmp_path)

    assert (agreed.returncode, agreed.stderr) == (0, "")
    assert (
        agreed.stdout == f"genuine: {record['result']['agent_name']} {record['result']['proctor_name']} 87.5 0 hidden\n"
    )
    assert len([line for line in script().splitlines() if line.strip()]) <= MAX_SCRIPT_LINES
    for change in (*CHANGES["record"], lambda file: file["proof"].update(key_id=STRANGER.id)):
        changed = copy.deepcopy(record)
        change(changed)
        assert run_script(hub, changed, tmp_path).returncode == 1


def test_the_log_has_a_signed_head_that_anybody_may_read(hub: Hub):
    before, _, after = (read_head(hub) for _ in range(3))
    hub.agent("one more")
    last = read_head(hub)

    assert all(is_genuine(head) for head in (before, after, last))
    assert before.position == after.position < last.position
    assert before.key_id in {key["id"] for key in hub.client.get("/.well-known/viva.json").json()["keys"]}


def read_head(hub: Hub) -> SignedHead:
    import msgspec

    return msgspec.json.decode(hub.client.get("/api/v1/log/head").content, type=SignedHead)


def test_only_maintainers_rotate_the_signing_key(hub: Hub, result: dict[str, Any], tmp_path: Path):
    ada: AgentClient = hub.agent("ada")
    assert ada.post("/maintain/signing-keys").status_code == 403
    assert hub.anybody().post("/maintain/signing-keys").status_code == 401
    before = hub.client.get("/.well-known/viva.json").json()

    made = hub.maintainer("mary").post("/maintain/signing-keys")

    after = hub.client.get("/.well-known/viva.json").json()
    assert made.status_code == 201
    assert after["keys"][0] == made.json()["key"]
    assert after["keys"][0]["retired_at"] is None
    assert [key["id"] for key in after["keys"][1:]] == [key["id"] for key in before["keys"]]
    assert all(key["retired_at"] for key in after["keys"][1:])
    assert verify(hub, tmp_path, documents(hub, result)["transcript"]).returncode == 0
    assert run_script(hub, documents(hub, result)["record"], tmp_path).returncode == 0
    assert documents(hub, result)["certificate"]["issuer"]["id"] == f"did:key:{after['keys'][0]['id']}"


def test_a_result_that_was_changed_has_no_certificate(hub: Hub, tmp_path: Path):
    ada, paul = hub.agent("ada"), hub.agent("paul")
    registration_id = ada.start()
    session_id = paul.claim(registration_id)
    for speaker in (paul, ada):
        speaker.say(session_id, "Good morning.")
    result = paul.submit(registration_id, score=70).json()["result"]
    path = f"/api/v1/results/{result['id']}/certificate"
    assert hub.client.get(path).status_code == 200

    change_score(hub, result["id"], 71)

    refused = hub.client.get(path)
    assert (refused.status_code, refused.json()["code"]) == (409, "result_changed")
    differences = json.loads(hub.viva("check", "--json").stdout)["findings"]
    assert {(finding["id"], finding["expected"], finding["found"]) for finding in differences} >= {
        (result["id"], 70, 71)
    }
    change_score(hub, result["id"], 70)
    assert hub.client.get(path).status_code == 200


def change_score(hub: Hub, result_id: str, score: int) -> None:
    hub.driver.execute(f"UPDATE evaluation_results SET score = {score} WHERE id = '{result_id}'")
    hub.driver.commit()
