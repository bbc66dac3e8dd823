"""Git repositories, made and changed by git itself."""

import subprocess
from pathlib import Path

AS_ADA = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *AS_ADA, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def new_repository(folder: Path, **files: str) -> Path:
    """A repository with a working tree and one commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "README.md").write_text("Evaluations\n")
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Begin.")
    return folder


def new_bare_copy(repository: Path, folder: Path) -> Path:
    subprocess.run(["git", "clone", "-q", "--bare", str(repository), str(folder)], check=True, capture_output=True)
    return folder
