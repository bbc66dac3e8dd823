"""The docs are true of the code: links lead somewhere, named files and classes exist, walks are drawn anew, each room has its floor in words."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.contracts.tree import ROOT, SOURCE, files
from tests.walks import WALKS

PAGES = [path for path in files() if path.suffix == ".md" and not path.is_relative_to(SOURCE)]
PRESENT = [page for page in PAGES if page.name != "CHANGELOG.md"]  # it may name what is gone
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
NAMED_FILE = re.compile(r"`((?:[\w-]+/)+[\w.-]+\.(?:py|md|html|css|js|yaml))`")
NAME = re.compile(r"`([A-Z][a-z]+[A-Z]\w+|[A-Z]+_[A-Z_]+)`")  # a class of two words, or a constant
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path):
    for link in LINK.findall(page.read_text()):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        target, _, anchor = link.partition("#")
        file = page.parent / target if target else page
        assert file.exists(), link
        assert not anchor or anchor in anchors(file), link


@pytest.mark.parametrize("page", PRESENT, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_files_exist(page: Path):
    for name in NAMED_FILE.findall(page.read_text()):
        assert any((folder / name).exists() for folder in (ROOT, SOURCE)), name


@pytest.mark.parametrize("page", PRESENT, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_classes_and_constants_exist(page: Path):
    assert set(NAME.findall(page.read_text())) <= words_of_the_code()


@cache
def words_of_the_code() -> set[str]:
    return {word for path in files() if path.suffix == ".py" for word in re.findall(r"\w+", path.read_text())}


def test_the_index_names_every_page():
    docs = ROOT / "docs"
    named = {(docs / link.partition("#")[0]).resolve() for link in LINK.findall((docs / "README.md").read_text())}
    pages = {*docs.glob("*.md"), *docs.glob("howto/*.md")} - {docs / "README.md"}

    assert {page.name for page in pages - named} == set()


@pytest.mark.slow
def test_the_walks_are_drawn_from_the_code_as_it_is(tmp_path: Path):
    # In a process of its own: what another test has had rendered is not walked through again.
    subprocess.run([sys.executable, "-m", "tests.walks", tmp_path / "walks.md"], cwd=ROOT, check=True)

    assert (tmp_path / "walks.md").read_text() == WALKS.read_text(), "run `make walk`"


def test_every_room_is_named_in_the_house():
    rooms = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    told = set(re.findall(r"`(\w+)`", (ROOT / "docs" / "house.md").read_text()))

    assert rooms - told - {"__init__", "__main__"} == set()


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_has_its_four_parts(page: Path):
    text = page.read_text()

    assert re.match(rf"# {int(page.name[:4])}\. ", text)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences", "Alternatives"]


def test_decisions_are_numbered_without_gaps():
    assert [int(page.name[:4]) for page in DECISIONS] == list(range(1, len(DECISIONS) + 1))
