"""Every import goes down a floor, and a new room has to choose one."""

import subprocess
import sys
from pathlib import Path

from tests.contracts.tree import ROOT


def test_every_import_goes_down_a_floor():
    # A process of its own: the linter silences every logger there is.
    lint_imports = Path(sys.executable).with_name("lint-imports")

    checked = subprocess.run([lint_imports, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120)

    assert checked.returncode == 0, checked.stdout
