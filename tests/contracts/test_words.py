"""What people read is written in one place."""

from tests.contracts.tree import ROOT
from viva.kit.deleted import DELETED_NAME


def test_what_a_deleted_agent_is_called_stands_in_one_file():
    written = [
        path.name
        for kind in ("*.py", "*.html", "*.js", "*.sql")
        for path in (ROOT / "src").rglob(kind)
        if f'"{DELETED_NAME}"' in path.read_text() or f"'{DELETED_NAME}'" in path.read_text()
    ]

    assert [name for name in written if name != "deleted.py"] == []
