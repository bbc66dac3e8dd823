"""The catalogue of evaluations. SIP files are the source; the table caches every version of them."""

from collections.abc import Iterable
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from viva.evaluations import numbers, store
from viva.evaluations import sip as sips
from viva.evaluations.handler_code import check_handler_code
from viva.evaluations.known_catalogue import KnownCatalogue, read_catalogue
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import Sip
from viva.evaluations.sip_folders import ReadFolders, ReadSip, read_folders, sip_number
from viva.evaluations.sync_report import RefusedSip, SyncChange, SyncedSip, SyncReport
from viva.kit import events
from viva.kit.db import Connection, Write
from viva.kit.errors import Conflict, VivaError

MAX_OLD_VERSIONS_CACHED = 32  # parsed documents in memory
SIPS_IN_A_UNIT = 20  # one takes up to 2 ms, and a hub beside a sync waits for the whole unit


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


def sync(db: Connection, folders: Iterable[Path], keys_folders: Iterable[Path] = ()) -> list[RefusedSip]:
    """Read the folders' SIP files into the table. A refused file does not stop the others."""
    return sync_files(db, read_folders(folders, keys_folders)).refused


def sync_files(db: Connection, read: ReadFolders) -> SyncReport:
    """Store what was read in one transaction, and report every file."""
    return sync_in_units(lambda unit: unit(db), read)


def sync_in_units(write: Write, read: ReadFolders) -> SyncReport:
    """Store what was read, a few files in each unit, and report every file. A sync that was stopped goes on with the next.

    An evaluation that none of the files has is reported as removed."""
    known: KnownCatalogue = write(read_catalogue)
    report = SyncReport(
        [], list(read.refused), [], read.ignored, known.with_ids({each.sip.id: "" for each in read.sips})
    )
    for first in range(0, len(read.sips), SIPS_IN_A_UNIT):
        done: SyncedPart = write(partial(sync_part, sips=read.sips[first : first + SIPS_IN_A_UNIT]))
        report.synced.extend(done.synced)
        report.refused.extend(done.refused)
    report.refused.sort(key=lambda refused: sip_number(refused.path))
    return report._replace(removed=[row for row in write(store.list_known) if row.id not in read.ids])


class SyncedPart(NamedTuple):
    synced: list[SyncedSip]
    refused: list[RefusedSip]


def sync_part(db: Connection, sips: list[ReadSip]) -> SyncedPart:
    done = SyncedPart([], [])
    for each in sips:
        try:
            done.synced.append(sync_one(db, each))
        except VivaError as error:
            done.refused.append(RefusedSip(each.path, error))
    return done


def sync_one(db: Connection, read: ReadSip) -> SyncedSip:
    check_not_older(db, read.sip)
    return SyncedSip(read.path, read.sip, put_sip(db, read.sip, read.code, read.document).change, [])


class StoredSip(NamedTuple):
    evaluation: Evaluation
    change: SyncChange | None


def put(db: Connection, sip: Sip, code: str | None = None) -> Evaluation:
    return put_sip(db, sip, code, sips.render(sip)).evaluation


def put_sip(db: Connection, sip: Sip, code: str | None, document: str) -> StoredSip:
    """Store the SIP as the present version, unless its grading, number or type contradicts what is stored.

    `document` is its canonical text: rendering a long one takes too long for a transaction that others wait for.

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


def check_not_older(db: Connection, sip: Sip) -> None:
    present = store.find_version(db, sip.id)
    if present and store.version_order(sip.version) < store.version_order(present):
        raise OlderVersion(f"This hub already has {sip.id} in version {present}; {sip.version} is older.")


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
