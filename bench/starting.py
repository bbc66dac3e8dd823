"""The time from the command to the first answer, the memory of an idle hub, and the size of an installation."""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import psutil

from bench.hall import sqlite_hub

ROOT = Path(__file__).parent.parent
MB = 1_000_000


def run() -> None:
    starts = []
    for _ in range(3):
        started = perf_counter()
        with sqlite_hub() as hub:
            starts.append(perf_counter() - started)
            memory = psutil.Process(hub.process.pid).memory_info().rss / MB
    print(f"  first answer, from an empty folder{median(starts):>8.2f} s   goal 3 s")
    print(f"  idle memory{memory:>29.0f} MB  goal 200 MB")
    print(f"  installed without extras{installed_size() / MB:>16.0f} MB  goal 300 MB")


def installed_size() -> int:
    """The size of a virtual environment with the locked requirements and Viva, without development tools."""
    with tempfile.TemporaryDirectory() as folder:
        uv = str(Path(sys.executable).parent / "uv")
        python = f"{folder}/bin/python"
        for command in (
            [uv, "venv", "-q", "--allow-existing", folder],
            [uv, "pip", "sync", "-q", "--python", python, str(ROOT / "requirements.txt")],
            [uv, "pip", "install", "-q", "--no-deps", "--python", python, str(ROOT)],
        ):
            subprocess.run(command, check=True)
        return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file() and not path.is_symlink())
