"""Reading folders of SIP files, before any transaction begins: parsing and rendering take most of the time of a sync."""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from viva.evaluations import sip as sips
from viva.evaluations import sip_yaml
from viva.evaluations.companions import parse_with_companion
from viva.evaluations.handler_code import read_handler_code
from viva.evaluations.sip import InvalidSip, Sip
from viva.evaluations.sip_yaml import MAX_SIP_BYTES
from viva.evaluations.sync_report import RefusedSip
from viva.kit.errors import Conflict, Fault, VivaError

NO_FILE = Fault("text", "NO_FILE", "This is not a file.")
NOT_UTF8 = Fault("text", "NOT_UTF8", "The file is not UTF-8 text.")
IGNORED_NAME = Fault("file", "IGNORED_NAME", "A sync reads only files that are called SIP-<number>.md.")
SIP_LIKE_NAME = re.compile(r"sip[-_ ]?[0-9]+.*\.(md|markdown|mdown|txt)", re.IGNORECASE)


class IdTwice(Conflict):
    """Another file has the same id."""


class ReadSip(NamedTuple):
    """A SIP file with the answers of its companion, the code of its handler, and its canonical text."""

    path: Path
    sip: Sip
    code: str | None
    document: str


class ReadFolders(NamedTuple):
    """What the files of some folders say. `ids` are those of all files, also of refused ones."""

    sips: list[ReadSip]
    refused: list[RefusedSip]
    ignored: list[Path]
    ids: frozenset[str]


def read_folders(
    folders: Iterable[Path], keys_folders: Iterable[Path] = (), other_folders: Iterable[Path] = ()
) -> ReadFolders:
    """Read the folders' SIP files. Companions and handlers may also be in `keys_folders` and `other_folders`."""
    folders, others = list(folders), list(other_folders)
    private = (*folders, *keys_folders, *others)
    paths_by_id, read, refused = dict[str, Path](), list[ReadSip](), list[RefusedSip]()
    for path in sip_files(folders):
        try:
            sip = parse_with_companion(path, read_text(path), private)
            if first := paths_by_id.get(sip.id):
                raise IdTwice(f"{sip.id} is the id of {first.name} too. Give one of them another id.")
            paths_by_id[sip.id] = path
            read.append(ReadSip(path, sip, read_handler_code(path, sip, private), sips.render(sip)))
        except VivaError as error:
            refused.append(RefusedSip(path, error))
    named = map(find_id, [*(each.path for each in refused), *sip_files(others)])
    return ReadFolders(read, refused, ignored_files(folders), frozenset({*paths_by_id, *named}))


def find_id(path: Path) -> str:
    """The id in a file that may have faults, or an empty text."""
    try:
        id_ = sip_yaml.read(read_text(path)).front.get("id")
    except InvalidSip:
        return ""
    return str(id_) if isinstance(id_, str | int) else ""


def ignored_files(folders: Sequence[Path]) -> list[Path]:
    """Files that look like SIPs, but have another name than those that are read."""
    files = (path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir()))
    return [path for path in files if is_ignored(path)]


def is_ignored(path: Path) -> bool:
    return SIP_LIKE_NAME.fullmatch(path.name) is not None and not fnmatchcase(path.name, "SIP-*.md")


def read_text(path: Path) -> str:
    try:
        if not path.is_file():  # a link may lead to a device or a pipe, which never ends
            raise InvalidSip([NO_FILE])
        with path.open(encoding="utf-8") as file:
            return file.read(MAX_SIP_BYTES + 1)  # one more than allowed, so that parse() refuses it
    except UnicodeDecodeError as error:
        raise InvalidSip([NOT_UTF8]) from error
    except OSError as error:
        raise InvalidSip([Fault("text", "UNREADABLE", f"The file cannot be read: {error.strerror}.")]) from error


def sip_files(folders: Iterable[Path]) -> list[Path]:
    """SIP files sorted by number. If two have the same number, the file of the earlier folder comes first."""
    return sorted((path for folder in folders for path in sorted(folder.glob("SIP-*.md"))), key=sip_number)


def sip_number(path: Path) -> int:
    number = path.stem.removeprefix("SIP-")
    return int(number) if number.isascii() and number.isdigit() else 0
