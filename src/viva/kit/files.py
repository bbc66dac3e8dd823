"""Files that appear under their name only when they are whole."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

DRAFT_PREFIX = ".viva-"


@contextmanager
def open_whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to. It takes the place of `path` at the end; if anything fails, `path` stays as it was."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=DRAFT_PREFIX)
    try:
        with open(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # or a power cut may leave an empty file under the name
        os.chmod(draft, 0o666 & ~current_umask())
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


def write_once(path: Path, text: str) -> None:
    """Make a file that its owner alone can read, unless it is there. Of several writers at once, the first one wins."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=DRAFT_PREFIX)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            path.hardlink_to(draft)
    finally:
        os.unlink(draft)


def current_umask() -> int:
    """What a new file of this process may not allow. It can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
