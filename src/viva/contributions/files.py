"""The files of a published contribution: its SIP, its private companion and its handler, named by the number alone."""

import os
from pathlib import Path
from typing import NamedTuple

from viva.evaluations import companions, sip_yaml
from viva.evaluations.sip import Sip
from viva.evaluations.sip_folders import read_text
from viva.kit.errors import Conflict, VivaError
from viva.kit.files import open_whole

PRIVATE_PATTERNS = ("SIP-*.keys.yaml", "SIP-*.py")  # of private files, for git


class FileTaken(Conflict):
    """The folder already has a file with this number, of another evaluation."""


class PublishedFiles(NamedTuple):
    """A SIP and the Python code of its handler, if a contributor wrote one."""

    sip: Sip
    code: str | None

    @property
    def public_contents(self) -> dict[str, bytes]:
        """The file that a repository and a pull request may have, without what the companion has."""
        return {sip_name(self.sip.sip): companions.render_public(self.sip).encode()}

    @property
    def private_contents(self) -> dict[str, bytes]:
        """The companion with what the SIP leaves out, and the code of the handler: what it accepts is an answer."""
        keys = companions.render_keys(self.sip)
        texts = {keys_name(self.sip.sip): keys, handler_name(self.sip.sip): self.code}
        return {name: text.encode() for name, text in texts.items() if text}


def keys_name(number: int) -> str:
    return companions.companion_name(Path(sip_name(number)))


def sip_name(number: int) -> str:
    return f"SIP-{number}.md"


def handler_name(number: int) -> str:
    return f"SIP-{number}.py"


def write_files(files: PublishedFiles, folder: Path | None, private_folder: Path | None) -> None:
    """Write the files. Writing them again does no harm; a file of another evaluation is never replaced.

    The SIP is last, so that it is never seen without the others. A folder of None has its files from elsewhere."""
    if folder:
        check_is_ours(folder / sip_name(files.sip.sip), files.sip.id)
    if private_folder:
        write_contents(private_folder, files.private_contents)
        if is_in_working_tree(private_folder):  # of somebody whose data folder is in a repository
            ignore_private_files(private_folder)
    if folder:
        write_contents(folder, files.public_contents)


def is_in_working_tree(folder: Path) -> bool:
    """Whether git would offer a file of the folder for the next commit. A working tree has `.git`, a folder or a file."""
    resolved = folder.resolve()
    return any((each / ".git").exists() for each in (resolved, *resolved.parents))


def ignore_private_files(folder: Path) -> None:
    """Let git leave out the answers in this folder."""
    path = folder / ".gitignore"
    text = path.read_text("utf-8") if path.exists() else ""
    missing = [pattern for pattern in PRIVATE_PATTERNS if pattern not in text.splitlines()]
    if missing and folder.is_dir():
        write_contents(folder, {path.name: "\n".join([*text.splitlines(), *missing, ""]).encode()})


def write_contents(folder: Path, contents: dict[str, bytes]) -> None:
    """Write each file whole or not at all."""
    if not contents:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        with open_whole(folder / name) as file:
            file.write(content)
    sync_folder(folder)


def check_is_ours(path: Path, evaluation_id: str) -> None:
    if not path.exists():
        return
    try:
        found = sip_yaml.read(read_text(path)).front.get("id")
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
