"""Checks the hub's keys, and every result against what was signed and recorded about it."""

from collections.abc import Iterator
from functools import partial

from viva.checking.model import HubCheck
from viva.exams.disproving import check_evidence
from viva.exams.evidence import ResultEvidence, read_evidence
from viva.kit.db import Connection
from viva.kit.multibase import BadMultibase, public_key_of
from viva.kit.signing_keys import SigningKey, list_keys, list_own
from viva.results.discrepancy import Discrepancy

BATCH_RESULTS = 200  # their data may be long


def check_results(check: HubCheck) -> Iterator[Discrepancy]:
    after = ""
    while batch := check.database.read_now(partial(read_batch, after=after)):
        for evidence in batch:
            yield from check_evidence(evidence)
        after = batch[-1].result.id
        check.count("results", len(batch))
        check.count("statements", sum(len(evidence.statements) for evidence in batch))


def read_batch(db: Connection, after: str) -> list[ResultEvidence]:
    rows = db.execute("SELECT id FROM evaluation_results WHERE id > ? ORDER BY id LIMIT ?", [after, BATCH_RESULTS])
    return read_evidence(db, [id_ for (id_,) in rows.fetchall()])


def check_keys(check: HubCheck) -> Iterator[Discrepancy]:
    """The id of a key is the key itself. The hub has made each key: its secret gives it, or the log has it."""
    keys, own = check.database.read_now(lambda db: (list_keys(db), list_own(db)))
    for key in keys:
        yield from check_key(key, own)
    if sum(key.retired_at is None for key in keys) > 1:
        yield Discrepancy(
            "key", keys[0].id, "More than one key is in use.", 1, sum(key.retired_at is None for key in keys)
        )
    check.count("keys", len(keys))


def check_key(key: SigningKey, own: set[str]) -> Iterator[Discrepancy]:
    try:
        public_key = public_key_of(key.id).hex()
    except BadMultibase:
        public_key = ""
    if public_key != key.public_key:
        yield Discrepancy("key", key.id, "The public key is another one.", public_key, key.public_key)
    if key.id not in own:
        yield Discrepancy("key", key.id, "The hub has not made this key.")
