"""Every setting the program reads is told to those who run it, and nothing is told that it does not read."""

import ast
import re

from tests.contracts.tree import ROOT, SOURCE

GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs" / "howto").glob("*.md"))]
SETTING = re.compile(r"\bVIVA_[A-Z_]+\b")


def settings_read() -> set[str]:
    """The settings named in the code, as text (environment["VIVA_X"]) or as an option that stands for one (VIVA_X=…)."""
    nodes = [node for path in SOURCE.rglob("*.py") for node in ast.walk(ast.parse(path.read_text()))]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {text for text in texts if SETTING.fullmatch(text)}


def options() -> set[str]:
    nodes = ast.walk(ast.parse((SOURCE / "cli.py").read_text()))
    return {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg and SETTING.fullmatch(node.arg)}


def settings_told() -> set[str]:
    return {name for guide in GUIDES for name in SETTING.findall(guide.read_text())}


def test_every_setting_is_told_and_every_told_one_is_read():
    assert settings_told() == settings_read()


def test_every_option_stands_for_a_setting_that_is_read():
    assert options() - settings_read() == set()
