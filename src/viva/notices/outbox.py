"""The outbox: a folder with the e-mails of a hub that has no mail server."""

import re
from collections.abc import Iterable
from contextlib import suppress
from email.message import EmailMessage
from pathlib import Path

from viva.kit.files import write_once

MAX_OUTBOX_FILES = 1_000  # the oldest beyond this are deleted
EMAIL_ID_PATTERN = re.compile(r"email_[0-9a-f]{32}")


def write_file(folder: Path, email_id: str, message: EmailMessage) -> None:
    """Write the e-mail, for its owner only. Writing it twice leaves one file."""
    folder.mkdir(parents=True, exist_ok=True)
    write_once(folder / f"{email_id}.eml", message.as_bytes().decode("ascii"))
    remove_oldest(folder)


def remove_oldest(folder: Path) -> None:
    """Ids sort by time."""
    for path in sorted(folder.glob("email_*.eml"))[:-MAX_OUTBOX_FILES]:
        path.unlink(missing_ok=True)


def remove_files(folder: Path, email_ids: Iterable[str]) -> None:
    for email_id in email_ids:
        if EMAIL_ID_PATTERN.fullmatch(email_id):
            with suppress(FileNotFoundError):
                (folder / f"{email_id}.eml").unlink()
