"""Every setting the program reads is told to those who run it, and nothing is told that it does not read."""

import ast
import re
from functools import cache

from tests.contracts.tree import ROOT, SOURCE
from viva.config import SETTINGS

GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs" / "howto").glob("*.md"))]
SETTING = re.compile(r"\bVIVA_[A-Z_]+\b")


@cache
def settings_read() -> set[str]:
    """The settings named in the code, as text (environment["VIVA_X"]) or as an option that stands for one (VIVA_X=…)."""
    statements = [
        each for path in SOURCE.rglob("*.py") for each in ast.parse(path.read_text()).body if not is_list(each)
    ]
    nodes = [node for statement in statements for node in ast.walk(statement)]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {text for text in texts if SETTING.fullmatch(text)}


def is_list(statement: ast.stmt) -> bool:
    """Whether this is the list of known settings, which reads none of them."""
    return isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "SETTINGS"


def options() -> set[str]:
    nodes = [node for path in (SOURCE / "cli").glob("*.py") for node in ast.walk(ast.parse(path.read_text()))]
    return {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg and SETTING.fullmatch(node.arg)}


def settings_told() -> set[str]:
    return {name for guide in GUIDES for name in SETTING.findall(guide.read_text())}


def test_every_setting_is_told_and_every_told_one_is_read():
    assert settings_told() == settings_read()


def test_the_list_of_known_settings_has_those_that_are_read():
    assert sorted(settings_read()) == list(SETTINGS)


def test_every_option_stands_for_a_setting_that_is_read():
    assert options() - settings_read() == set()
