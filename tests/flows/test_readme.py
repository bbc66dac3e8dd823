"""The README's commands, pasted as they stand there."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.contracts.tree import ROOT
from tests.hub import Hub, environment_without_settings

pytestmark = pytest.mark.slow

README = (ROOT / "README.md").read_text()


def first_block(heading: str) -> str:
    section = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)[0]


def paste(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / ".venv").symlink_to(ROOT / ".venv")
    environment = environment_without_settings() | {"HOME": str(folder)}
    return subprocess.run(["sh", "-c", commands], cwd=folder, env=environment, capture_output=True, text=True)


def test_examine_your_agent(tmp_path):
    done = paste(first_block("Examine your agent"), tmp_path)

    assert (done.returncode, "not passed, 0 of 100 points" in done.stdout) == (1, True), done.stderr


def test_take_an_exam(hub: Hub, tmp_path):
    done = paste(first_block("Take an exam").replace("http://127.0.0.1:8000", hub.url), tmp_path)

    assert done.returncode == 0, done.stderr
    address = re.findall(r"^See it at (\S+)$", done.stdout, re.MULTILINE)[0]
    assert "Helpful, and sold nothing." in hub.client.get(address).text


def test_score_a_run(tmp_path):
    done = paste(first_block("Score a run"), tmp_path)

    assert (done.returncode, "the user corrected it" in done.stdout) == (0, True), done.stderr
