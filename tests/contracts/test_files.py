"""What holds for every file: it says what it is for, and names no machine."""

import ast
import re
from pathlib import Path

import pytest

from tests.contracts.tree import ROOT, SOURCE, texts

# Where packages come from is the business of whoever installs; a lock names versions and hashes only.
REGISTRIES = [
    "py" + "pi.org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "npm" + "js.com",
    "deb.deb" + "ian.org",
    "crates" + ".io",
]
# A folder of one machine; the first letter in brackets, so that this line does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.~}\])-])/([w]ork|[r]oot|[h]ome/\w+|[U]sers/\w+)(?=[/\s\"'`]|$)", re.MULTILINE)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_file_begins_with_what_it_is_for(path: Path):
    first = (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n\n")[0]

    assert first.endswith(".")


def test_no_file_names_a_package_registry():
    named = [f"{path}: {host}" for path, text in texts() for host in REGISTRIES if host in text]

    assert named == []


def test_no_file_names_a_path_of_one_machine():
    named = [f"{path}: {found[0]}" for path, text in texts() for found in MACHINE_PATH.finditer(text)]

    assert named == []


def test_nothing_large_is_committed():
    large = [str(path) for path, text in texts() if len(text) > 1_000_000]

    assert large == []
    assert (ROOT / "LICENSE").read_text().startswith("MIT License\n\nCopyright 2026 The Viva authors\n")
