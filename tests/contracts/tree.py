"""The project's files as a clone would have them."""

import ast
import importlib
import pkgutil
import shutil
import subprocess
from functools import cache
from pathlib import Path
from types import ModuleType

import viva

ROOT = Path(__file__).parent.parent.parent
SOURCE = Path(viva.__file__).parent
NOT_OURS = (".venv", ".git", "__pycache__", ".hypothesis", "dist", "var")


@cache
def files() -> list[Path]:
    """Committed files and those that would be; where there is no git, all that no tool made."""
    names = names_by_git() or [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")]
    return sorted(ROOT / name for name in names if name and (ROOT / name).is_file() and not is_made(Path(name)))


def names_by_git() -> list[str]:
    git = shutil.which("git")
    if git is None:
        return []
    command = [git, "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.split("\0")[:-1]


def is_made(path: Path) -> bool:
    return any(part in NOT_OURS or part.endswith(("_cache", ".egg-info")) for part in path.parts)


def texts() -> list[tuple[Path, str]]:
    """The files that are text, with it."""
    found = []
    for path in files():
        content = path.read_bytes()
        if b"\0" not in content:
            found.append((path.relative_to(ROOT), content.decode()))
    return found


@cache
def modules() -> list[ModuleType]:
    """Every module of src/viva that can be imported without running it; Alembic alone runs the steps."""
    found = pkgutil.walk_packages(viva.__path__, "viva.")
    names = [module.name for module in found if not module.name.startswith("viva.migrations.")]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


@cache
def syntax_trees() -> list[tuple[str, ast.Module]]:
    """Migrations are left out: they never change once they have landed. So are the client's copies of the API's structs."""
    paths = {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}
    return [
        (name, ast.parse(path.read_text()))
        for name, path in paths.items()
        if not name.startswith("migrations/") and name != "client/structs.py"
    ]
