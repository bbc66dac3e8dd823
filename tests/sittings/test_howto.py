"""Every example of "Examine your agent" runs as it stands."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.adapters.serving import serve_agent
from tests.hub import environment_without_settings, free_port, run_viva, until
from tests.sittings.agents import echo

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "examine-your-agent.md").read_text()
PROGRAMS = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL))
COMMANDS = [line for line in PAGE.splitlines() if line.startswith("viva sit ")]


def command_with(form: str) -> list[str]:
    (line,) = (line for line in COMMANDS if re.search(rf'--agent "?{form}:', line))
    return shlex.split(line)[1:]


def run(arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, **settings: str) -> str:
    """What the command prints. The agents of the page only repeat what they are asked, so none of them passes."""
    monkeypatch.chdir(folder)
    done = run_viva(arguments, environment_without_settings() | {"VIVA_DATA_DIR": str(folder)} | settings)
    assert done.returncode == 1, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, code in PROGRAMS.items():
        (tmp_path / name).write_text(code)
    return tmp_path


def test_the_page_has_an_example_of_every_form():
    assert sorted(PROGRAMS) == ["my_agent.py", "my_program.py", "my_server.py"]
    forms = [re.search(r'--agent "?(\w+):', line)[1] for line in COMMANDS]  # type: ignore[index]
    assert forms == ["python", "command", "http", "openai", "a2a"]


def test_the_function_sits(folder, monkeypatch):
    assert "not passed, 0 of 100" in run(command_with("python"), folder, monkeypatch)


def test_the_program_sits(folder, monkeypatch):
    arguments = [part.replace("python my", f"{sys.executable} my") for part in command_with("command")]

    assert "not passed, 0 of 100" in run(arguments, folder, monkeypatch)


@contextmanager
def serve_program(folder: Path, port: int) -> Iterator[None]:
    code = PROGRAMS["my_server.py"].replace("9000", str(port))
    (folder / "my_server.py").write_text(code)
    process = subprocess.Popen([sys.executable, "my_server.py"], cwd=folder, stderr=subprocess.DEVNULL)
    try:
        until(lambda: answers(port))
        yield
    finally:
        process.kill()
        process.wait()


def answers(port: int) -> bool:
    try:
        httpx.get(f"http://127.0.0.1:{port}/", verify=False)
    except httpx.TransportError:
        return False
    return True


def test_the_address_sits(folder, monkeypatch):
    port = free_port()
    arguments = [part.replace("9000", str(port)) for part in command_with("http")]

    with serve_program(folder, port):
        assert "not passed, 0 of 100" in run(arguments, folder, monkeypatch)


def test_the_model_sits(folder, monkeypatch):
    with serve_agent(echo) as server:
        settings = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-of-the-test"}

        assert "not passed, 0 of 100" in run(command_with("openai"), folder, monkeypatch, **settings)


def test_the_a2a_agent_sits(folder, monkeypatch):
    with serve_agent(echo) as server:
        arguments = [part.replace("http://127.0.0.1:9001", server.url) for part in command_with("a2a")]

        assert "not passed, 0 of 100" in run(arguments, folder, monkeypatch)
