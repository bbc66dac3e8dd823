"""The files of a published contribution: its SIP and its handler, both named by the number and nothing else."""

import os
from pathlib import Path
from typing import NamedTuple

from viva.evaluations import sip as sips
from viva.evaluations.catalogue import read_text
from viva.evaluations.sip import Sip
from viva.kit.errors import Conflict, VivaError
from viva.kit.files import open_whole


class FileTaken(Conflict):
    """The folder already has a file with this number, of another evaluation."""


class PublishedFiles(NamedTuple):
    """A SIP and the Python code of its handler, if a contributor wrote one."""

    sip: Sip
    code: str | None

    @property
    def contents(self) -> dict[str, bytes]:
        return contents_of(self.sip.sip, sips.render(self.sip), self.code)


def contents_of(number: int, document: str, code: str | None) -> dict[str, bytes]:
    """The files by name. The handler comes first, so that no SIP is ever seen without its handler."""
    sip = {sip_name(number): document.encode()}
    return {handler_name(number): code.encode()} | sip if code else sip


def sip_name(number: int) -> str:
    return f"SIP-{number}.md"


def handler_name(number: int) -> str:
    return f"SIP-{number}.py"


def write_files(folder: Path, files: PublishedFiles) -> None:
    """Write the files. Writing them again does no harm; a file of another evaluation is never replaced."""
    check_is_ours(folder / sip_name(files.sip.sip), files.sip.id)
    write_contents(folder, files.contents)


def write_contents(folder: Path, contents: dict[str, bytes]) -> None:
    """Write each file whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        with open_whole(folder / name) as file:
            file.write(content)
    sync_folder(folder)


def check_is_ours(path: Path, evaluation_id: str) -> None:
    if not path.exists():
        return
    try:
        found = sips.parse(read_text(path)).id
    except VivaError:
        found = None
    if found != evaluation_id:
        raise FileTaken(f"{path.name} in the hub's folder is not {evaluation_id}. Move that file away.")


def sync_folder(folder: Path) -> None:
    """Make the names of new files outlive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
