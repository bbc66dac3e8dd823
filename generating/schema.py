"""Writes `migrations/sqlite.sql` from the steps of the schema: `make schema`."""

import tempfile
from pathlib import Path

from viva.kit.migrating import NEWEST_REVISION, replay
from viva.kit.sqlite_schema import SCHEMA_FILE, write_script


def schema_script() -> str:
    """The script that makes what the steps make."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "viva.db")
        replay(f"sqlite:///{path}", NEWEST_REVISION)
        return write_script(path)


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_script(), encoding="utf-8")
