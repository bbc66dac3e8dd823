"""The built package in an environment of its own, as `pip install` leaves it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.tree import ROOT
from tests.hub import environment_without_settings, write_sip

pytestmark = pytest.mark.slow

UV = Path(sys.executable).parent / "uv"
# Answers in one line what it was asked in one line, and says nothing wrong.
AGENT = """\
import json, sys
for line in sys.stdin:
    json.loads(line)
    print(json.dumps({"content": "I do not know. Please ask the shop."}), flush=True)
"""


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands that the wheel brings, without any extra."""
    folder = tmp_path_factory.mktemp("wheel")
    environment = folder / "environment"
    for arguments in (
        ("build", "--wheel", "--quiet", "--out-dir", folder, ROOT),
        ("venv", "--quiet", "--python", sys.executable, environment),
        ("pip", "sync", "--quiet", "--python", environment, ROOT / "requirements.txt"),
    ):
        subprocess.run([UV, *arguments], check=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([UV, "pip", "install", "--quiet", "--no-deps", "--python", environment, wheel], check=True)
    return environment / "bin"


def run(commands: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in an empty folder of somebody who has nothing else."""
    environment = environment_without_settings() | {"HOME": str(folder), "PATH": str(commands)}
    environment.pop("PYTHONPATH", None)
    return subprocess.run(
        [commands / "viva", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_an_agent_gets_a_verdict_from_an_empty_folder(commands, tmp_path):
    (tmp_path / "agent.py").write_text(AGENT)

    done = run(commands, tmp_path, "sit", "plain-dealing", "--agent", "command:python agent.py")

    assert "not passed" in done.stdout, done.stderr
    assert done.returncode == 1
    assert [path.name for path in tmp_path.iterdir()] == ["agent.py"]  # no hub is left


def test_an_evaluation_with_code_is_refused_and_the_extra_is_named(commands, tmp_path):
    executable = {"handler": "contributed.any_answer"}
    fields: dict[str, Any] = {"id": "any-answer", "sip": 901, "type": "simple_pass_fail", "config": {}}
    write_sip(tmp_path, "SIP-901.md", **fields, executable=executable)
    (tmp_path / "SIP-901.py").write_text("def decide(submission, challenge, config):\n    return {'passed': True}\n")

    done = run(commands, tmp_path, "sit", "./SIP-901.md", "--agent", "command:python")

    assert (done.returncode, 'pip install "viva[sandbox]"' in done.stderr) == (2, True), done.stderr
    assert "Traceback" not in done.stderr


def test_a_shipped_evaluation_with_expressions_needs_no_extra(commands, tmp_path):
    (tmp_path / "agent.py").write_text(AGENT)

    done = run(commands, tmp_path, "sit", "SIP-7", "--agent", "command:python agent.py")

    assert "Checks have marked answers" in done.stdout, done.stderr  # and the texts wait for people


def test_a_command_that_needs_an_extra_names_it(commands, tmp_path):
    done = run(commands, tmp_path, "mcp")

    assert (done.returncode, 'pip install "viva[mcp]"' in done.stderr) == (1, True), done.stderr
