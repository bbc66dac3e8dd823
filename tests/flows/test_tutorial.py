"""The tutorial, block after block, as somebody pastes it into an empty folder."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.contracts.tree import ROOT
from tests.hub import environment_without_settings, free_port, until

PAGE = (ROOT / "docs" / "tutorial.md").read_text()
# A note for this test, a block of commands, and what they print.
BLOCK = re.compile(
    r"(?:<!-- (?P<note>[^>]+) -->\n)?```sh\n(?P<commands>.*?)```(?:\n\n```text\n(?P<shown>.*?)```)?", re.DOTALL
)
PORT = "8000"


class TutorialBlock(NamedTuple):
    note: str
    commands: str
    shown: str


BLOCKS = [TutorialBlock(*(part or "" for part in found.groups())) for found in BLOCK.finditer(PAGE)]


def pattern_of(shown: str) -> str:
    """The shown text as a pattern: “…” stands for anything. Spaces at the end of a line are not seen."""
    return ".*".join(re.escape(part.strip("\n")) for part in shown.split("…"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path


def environment(folder: Path, port: int) -> dict[str, str]:
    bare = {name: value for name, value in environment_without_settings().items() if not name.startswith("XDG_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{bare['PATH']}"
    address = {"VIVA_PORT": str(port), "VIVA_HUB": f"http://127.0.0.1:{port}"}
    return bare | {"HOME": str(folder / "home"), "PATH": path, "COLUMNS": "120"} | address


@contextmanager
def serve_in_another_terminal(commands: str, folder: Path, port: int) -> Iterator[None]:
    with (folder / "hub.log").open("w") as log:
        process = subprocess.Popen(
            ["sh", "-c", f"exec {commands}"], cwd=folder / "work", env=environment(folder, port), stdout=log, stderr=log
        )
        try:
            until(lambda: is_ready(port))
            yield
        finally:
            process.terminate()
            process.wait()


def is_ready(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", verify=False).is_success
    except httpx.TransportError:
        return False


def run_block(block: TutorialBlock, folder: Path, port: int) -> None:
    done = subprocess.run(
        ["sh", "-c", block.commands.replace(PORT, str(port))],
        cwd=folder / "work",
        env=environment(folder, port),
        capture_output=True,
        text=True,
    )
    printed = re.sub(r" +$", "", done.stdout, flags=re.MULTILINE).replace(str(port), PORT)
    assert done.returncode == (1 if block.note == "ends with 1" else 0), done.stderr
    assert re.match(pattern_of(block.shown), printed, re.DOTALL), f"{block.commands}\n{printed}\n{done.stderr}"


def test_the_notes_are_known():
    assert {block.note for block in BLOCKS} == {"", "not run", "ends with 1", "another terminal"}


def test_no_block_and_no_output_is_left_out():
    assert (len(BLOCKS), sum(bool(block.shown) for block in BLOCKS)) == (PAGE.count("```sh\n"), PAGE.count("```text\n"))


@pytest.mark.slow
def test_every_block_does_what_stands_below_it(folder):
    port = free_port()
    with ExitStack() as terminals:
        for block in BLOCKS:
            if block.note == "another terminal":
                terminals.enter_context(serve_in_another_terminal(block.commands, folder, port))
            elif block.note != "not run":
                run_block(block, folder, port)
