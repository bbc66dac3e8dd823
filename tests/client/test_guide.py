"""The guide to the client does what it says."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import serve

GUIDE = Path(__file__).parent.parent.parent / "docs" / "howto" / "use-the-client.md"


def test_the_examples_run_one_after_another(request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    examples = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with serve("sqlite", request, tmp_path) as hub:
        monkeypatch.setenv("VIVA_HUB", hub.url)
        names: dict[str, Any] = {}
        exec("\n".join(examples), names)
        for client in ("ada", "paul"):
            names[client].close()

    printed = capsys.readouterr().out.splitlines()
    assert (printed[0], printed[-3:]) == ("ada", ["wait", "WHAT DOES IT COST?", "True"])
