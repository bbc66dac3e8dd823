"""Checks every result against its signed statements, its session's chain and the names it was given to."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import msgspec

from viva.checking.model import Discrepancy, HubCheck
from viva.kit.db import Connection
from viva.kit.hashing import NO_HASH, hash_joined, hash_text
from viva.kit.multibase import public_key_of
from viva.kit.rows import builder
from viva.kit.signing_keys import list_keys
from viva.results.facts import find_differences
from viva.results.model import Result
from viva.results.statements import SignedStatement

BATCH_RESULTS = 200  # their data may be long
RESULT_FIELDS, STATEMENT_FIELDS = Result.__struct_fields__, SignedStatement.__struct_fields__


class StatedResult(NamedTuple):
    """A result with everything that its statements speak of, all read at one moment."""

    result: Result
    salts: dict[str, str]
    statements: list[SignedStatement]
    names: dict[str, set[str]]  # hashes of the names of its people; a deleted account has none
    heads: dict[int, str]  # hashes of the messages that its statements name as heads, by sequence


def check_results(check: HubCheck) -> Iterator[Discrepancy]:
    keys = {key.id for key in check.database.read_now(list_keys)}
    after = ""
    while batch := check.database.read_now(partial(read_batch, after=after)):
        for stated in batch:
            yield from check_result(stated, keys)
        after = batch[-1].result.id
        check.count("results", len(batch))
        check.count("statements", sum(len(stated.statements) for stated in batch))


def check_keys(check: HubCheck) -> Iterator[Discrepancy]:
    """The id of a key is the key itself."""
    keys = check.database.read_now(list_keys)
    for key in keys:
        if public_key_of(key.id).hex() != key.public_key:
            yield Discrepancy(
                "key", key.id, "The public key is another one.", public_key_of(key.id).hex(), key.public_key
            )
    if sum(key.retired_at is None for key in keys) > 1:
        yield Discrepancy(
            "key", keys[0].id, "More than one key is in use.", 1, sum(key.retired_at is None for key in keys)
        )
    check.count("keys", len(keys))


def read_batch(db: Connection, after: str) -> list[StatedResult]:
    columns = ", ".join(RESULT_FIELDS)
    rows = db.execute(
        f"SELECT {columns}, salts FROM evaluation_results WHERE id > ? ORDER BY id LIMIT ?", [after, BATCH_RESULTS]
    ).fetchall()
    build = builder(Result, RESULT_FIELDS)
    results = [(build(row[:-1]), msgspec.json.decode(row[-1])) for row in rows]
    stated = read_statements(db, [result.id for result, _ in results])
    names = read_names(db, {id_ for result, _ in results for id_ in (result.agent_id, result.proctor_agent_id) if id_})
    return [
        StatedResult(result, salts, stated.get(result.id, []), names, read_heads(db, result, stated.get(result.id, [])))
        for result, salts in results
    ]


def read_statements(db: Connection, result_ids: list[str]) -> dict[str, list[SignedStatement]]:
    rows = read_of(db, f"SELECT {', '.join(STATEMENT_FIELDS)} FROM result_statements", "result_id", result_ids)
    build = builder(SignedStatement, STATEMENT_FIELDS)
    statements: dict[str, list[SignedStatement]] = {}
    for signed in sorted(map(build, rows), key=lambda signed: signed.number):
        statements.setdefault(signed.result_id, []).append(signed)
    return statements


def read_names(db: Connection, agent_ids: Iterable[str]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for agent_id, name, salt in read_of(db, "SELECT agent_id, name, salt FROM agent_names", "agent_id", agent_ids):
        names.setdefault(agent_id, set()).add(hash_text(salt, name))
    return names


def read_heads(db: Connection, result: Result, statements: list[SignedStatement]) -> dict[int, str]:
    counts = [signed.facts["message_count"] for signed in statements if signed.facts.get("message_count")]
    sql = "SELECT sequence, hash FROM evaluation_messages"
    return dict(read_of(db, f"{sql} WHERE session_id = ? AND", "sequence", sorted(set(counts)), result.session_id))


def read_of(db: Connection, sql: str, column: str, ids: Iterable[Any], *before: Any) -> list[Any]:
    """The rows whose column is one of the ids."""
    wanted = list(ids)
    joint = "" if before else "WHERE"
    places = ", ".join("?" for _ in wanted)
    return db.execute(f"{sql} {joint} {column} IN ({places})", [*before, *wanted]).fetchall() if wanted else []


def check_result(stated: StatedResult, keys: set[str]) -> Iterator[Discrepancy]:
    result = stated.result
    if not stated.statements:
        yield Discrepancy("result", result.id, "Nothing was signed about this result.")
        return
    previous = None
    for number, signed in enumerate(stated.statements, 1):
        yield from check_statement(stated, signed, number, previous, keys)
        previous = hash_joined(signed.statement)
    for difference in find_differences(stated.statements[-1].facts, result, stated.salts):
        sentence = f"The {difference.field} is not as it was signed."
        yield Discrepancy("result", result.id, sentence, difference.stated, difference.found)


def check_statement(
    stated: StatedResult, signed: SignedStatement, number: int, previous: str | None, keys: set[str]
) -> Iterator[Discrepancy]:
    id_, facts = f"{signed.result_id}#{signed.number}", signed.facts
    if not signed.is_genuine:
        yield Discrepancy("statement", id_, "The signature does not hold.")
    if signed.key_id not in keys:
        yield Discrepancy("statement", id_, "The hub has no such key.", found=signed.key_id)
    if (signed.number, facts["statement_number"], facts["id"]) != (number, number, stated.result.id):
        yield Discrepancy(
            "statement", id_, "A statement is missing or belongs to another result.", number, signed.number
        )
    if facts["previous_statement_hash"] != previous:
        yield Discrepancy(
            "statement", id_, "The statement before is another one.", facts["previous_statement_hash"], previous
        )
    yield from check_moment(stated, facts, id_, is_in_force=signed is stated.statements[-1])


def check_moment(stated: StatedResult, facts: dict[str, Any], id_: str, is_in_force: bool) -> Iterator[Discrepancy]:
    """The names, and the head of the session. The demo dates messages after its first statements, which are not in force."""
    for role in ("agent", "proctor"):
        names = stated.names.get(facts[f"{role}_agent_id" if role == "proctor" else "agent_id"] or "")
        if names and facts[f"{role}_name_hash"] and facts[f"{role}_name_hash"] not in names:
            yield Discrepancy("result", stated.result.id, f"The {role}'s name is not as it was signed.")
    if is_in_force and facts["message_count"] is not None:
        head = stated.heads.get(facts["message_count"], NO_HASH)
        if facts["chain_head"] != head:
            yield Discrepancy("statement", id_, "The transcript is not as it was signed.", facts["chain_head"], head)
