"""The catalogue of evaluations. SIP files are the source; the table caches every version of them."""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from viva.evaluations import numbers, sip_yaml, store
from viva.evaluations import sip as sips
from viva.evaluations.companions import parse_with_companion
from viva.evaluations.handler_code import check_handler_code, read_handler_code
from viva.evaluations.known_catalogue import read_catalogue
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import InvalidSip, Sip
from viva.evaluations.sip_yaml import MAX_SIP_BYTES
from viva.evaluations.sync_report import RefusedSip, SyncChange, SyncedSip, SyncReport
from viva.kit import events
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, VivaError

NO_FILE = Fault("text", "NO_FILE", "This is not a file.")
NOT_UTF8 = Fault("text", "NOT_UTF8", "The file is not UTF-8 text.")
IGNORED_NAME = Fault("file", "IGNORED_NAME", "A sync reads only files that are called SIP-<number>.md.")
SIP_LIKE_NAME = re.compile(r"sip[-_ ]?[0-9]+.*\.(md|markdown|mdown|txt)", re.IGNORECASE)
MAX_OLD_VERSIONS_CACHED = 32  # parsed documents in memory


class GradingChanged(Conflict):
    """What is graded has changed, so the version must change too."""


class NumberTaken(Conflict):
    """Another evaluation has this SIP number."""


class IdReserved(Conflict):
    """An approved contribution has this id."""

    def __init__(self, evaluation_id: str = "", number: int | None = None) -> None:
        becomes = f"{evaluation_id} is the id of an approved contribution that becomes SIP-{number}."
        super().__init__(f"{becomes} Give this one another id." if number else None)


class TypeChanged(Conflict):
    """An evaluation keeps its type, because exams of it may be running."""


class OlderVersion(Conflict):
    """This hub already has a newer version of this evaluation."""


class IdTwice(Conflict):
    """Another file has the same id."""


def sync(db: Connection, folders: Iterable[Path]) -> list[RefusedSip]:
    """Read the folders' SIP files into the table. A refused file does not stop the others."""
    return sync_files(db, list(folders)).refused


def sync_files(db: Connection, folders: Sequence[Path], other_folders: Sequence[Path] = ()) -> SyncReport:
    """Sync, and report every file. An evaluation whose file is also not in `other_folders` is reported as removed."""
    report = SyncReport([], [], [], ignored_files(folders))
    known, paths_by_id = read_catalogue(db), dict[str, Path]()
    for path in sip_files(folders):
        try:
            sip = parse_with_companion(path, read_text(path), (*folders, *other_folders))
            if first := paths_by_id.get(sip.id):
                raise IdTwice(f"{sip.id} is the id of {first.name} too. Give one of them another id.")
            paths_by_id[sip.id] = path
            report.synced.append(sync_one(db, path, sip))
        except VivaError as error:
            report.refused.append(RefusedSip(path, error))
    known = known.with_ids(dict.fromkeys(paths_by_id, ""))
    synced = [each.with_warnings(known) if each.change else each for each in report.synced]
    others = [*(refused.path for refused in report.refused), *sip_files(other_folders)]
    ids = {*paths_by_id, *map(find_id, others)}
    return report._replace(synced=synced, removed=[row for row in store.list_known(db) if row.id not in ids])


def sync_one(db: Connection, path: Path, sip: Sip) -> SyncedSip:
    present = store.find_version(db, sip.id)
    if present and store.version_order(sip.version) < store.version_order(present):
        raise OlderVersion(f"This hub already has {sip.id} in version {present}; {sip.version} is older.")
    return SyncedSip(path, sip, put_sip(db, sip, read_handler_code(path, sip)).change, [])


def find_id(path: Path) -> str:
    """The id in a file that may have faults, or an empty text."""
    try:
        id_ = sip_yaml.read(read_text(path)).front.get("id")
    except InvalidSip:
        return ""
    return str(id_) if isinstance(id_, str | int) else ""


def ignored_files(folders: Iterable[Path]) -> list[Path]:
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


class StoredSip(NamedTuple):
    evaluation: Evaluation
    change: SyncChange | None


def put(db: Connection, sip: Sip, code: str | None = None) -> Evaluation:
    return put_sip(db, sip, code).evaluation


def put_sip(db: Connection, sip: Sip, code: str | None) -> StoredSip:
    """Store the SIP as the present version, unless its grading, number or type contradicts what is stored.

    A version that is known keeps the code of its handler. A version without code is stored, but cannot be taken."""
    known_code = store.find_handler_code(db, sip.id, sip.version)
    code = known_code if code is None else code.replace("\r\n", "\n")
    if code is not None and code != known_code:
        check_handler_code(code)
    evaluation = evaluation_of(sip, code)
    known = store.digest_of(db, sip.id, sip.version)
    if known not in (None, evaluation.digest):
        raise GradingChanged(
            f"What {sip.id} grades has changed, but its version is still {sip.version}. Give it a new version."
        )
    type_ = store.find_type(db, sip.id)
    if type_ not in (None, sip.type):
        raise TypeChanged(
            f"{sip.id} is {type_} here, and exams of it may be running. As {sip.type} it needs another id."
        )
    check_id(db, sip)  # first, so that a refused file gets no number
    check_number(db, sip)
    numbers.reserve_id(db, sip.id, sip.sip)
    check_id(db, sip)  # again, because an approval may have been faster

    document = sips.render(sip)
    change = find_change(db, evaluation, document)
    store.put(db, evaluation, document)
    if change:
        events.record(
            db,
            "evaluation.synced",
            "evaluation",
            evaluation.id,
            change=change,
            version=evaluation.version,
            digest=evaluation.digest,
        )
    return StoredSip(evaluation, change)


def check_number(db: Connection, sip: Sip) -> None:
    """Refuse the number of another evaluation, also of one that is not live yet."""
    holder = store.id_of_number(db, sip.sip)
    if holder is None and sip.sip >= numbers.FIRST_FOREIGN_NUMBER and not numbers.reserve(db, sip.sip, sip.id):
        holder = numbers.find_owner(db, sip.sip)
    if holder not in (None, sip.id):
        raise NumberTaken(f"SIP-{sip.sip} is already {holder}. Give {sip.id} another number.")


def check_id(db: Connection, sip: Sip) -> None:
    """Refuse the id of an approved contribution that is not live yet. A live evaluation may change its number."""
    number = numbers.find_reserved_number(db, sip.id)
    if number not in (None, sip.sip) and store.find_number(db, sip.id) is None:
        raise IdReserved(sip.id, number)


def find_change(db: Connection, evaluation: Evaluation, document: str) -> SyncChange | None:
    """What the document changes in the catalogue; None if it changes nothing."""
    version = store.find_version(db, evaluation.id)
    if version is None:
        return "new"
    if version != evaluation.version:
        return "version"
    return None if store.get_document(db, evaluation.id, version) == document else "text"


def get(db: Connection, evaluation_id: str, version: str | None) -> Evaluation:
    """The evaluation with this id as it was in that version."""
    return at_version(db, store.get(db, evaluation_id), version)


def at_version(db: Connection, evaluation: Evaluation, version: str | None) -> Evaluation:
    """The evaluation as it was in that version. An attempt is graded by the version it started with."""
    if version in (None, evaluation.version):
        return evaluation
    document = store.get_document(db, evaluation.id, version or "")
    return parse_evaluation(document, store.find_handler_code(db, evaluation.id, version or ""))


@lru_cache(MAX_OLD_VERSIONS_CACHED)  # a long one takes 0.1 seconds to parse, and every step of an attempt needs it
def parse_evaluation(document: str, code: str | None) -> Evaluation:
    return evaluation_of(sips.parse(document), code)


def at_known_version(db: Connection, evaluation: Evaluation, version: str | None) -> Evaluation:
    """The evaluation in one of its versions. A version known only from old results has no text: it gives the present one."""
    store.check_version(db, evaluation, version)
    try:
        return at_version(db, evaluation, version)
    except store.NoSuchVersion:
        return evaluation


def evaluation_of(sip: Sip, code: str | None = None) -> Evaluation:
    return Evaluation(
        id=sip.id,
        sip=sip.sip,
        name=sip.name,
        title=sip.title,
        description=sips.purpose_of(sip),
        module=sip.module,
        department=sip.department,
        type=sip.type,
        status=sip.status,
        version=sip.version,
        digest=sips.digest(sip, code),
        points=sip.points,
        prerequisites=list(sip.prerequisites),
        author=sip.author,
        config=sip.config,
        handler=sip.executable.handler,
        body=sip.body,
        created_at=sip.created_at,
        updated_at=sip.updated_at,
        handler_code=code,
    )
