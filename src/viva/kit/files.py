"""Files that appear under their name only once they are complete."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

DRAFT_PREFIX = ".viva-"


@contextmanager
def open_whole(path: Path, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """A file to write to. It replaces `path` at the end; after a failure `path` is unchanged."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=DRAFT_PREFIX)
    try:
        with open(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # otherwise a power cut may leave an empty file
        os.chmod(draft, mode & ~current_umask())
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


def write_once(path: Path, text: str) -> None:
    """Make a file that only its owner can read, unless it exists. The first of several writers wins."""
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
    """The umask of this process, which can be read only by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
