"""Every import goes down a floor, and a new room has to choose one."""

from importlinter.cli import lint_imports

from tests.contracts.tree import ROOT


def test_every_import_goes_down_a_floor():
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), cache_dir=None, is_debug_mode=False) == 0
