"""Signed statements about results. The first is made with the result; a later one names the one before, and is in force."""

from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from viva.kit.canonical_json import canonical_json
from viva.kit.clock import format_time, now
from viva.kit.db import Connection
from viva.kit.hashing import hash_joined, hash_text
from viva.kit.rows import builder, many
from viva.kit.signing import is_signature
from viva.kit.signing_keys import ensure_current
from viva.results.facts import HIDEABLE_FIELDS, RESULT_FORMAT, add_salts, facts_of
from viva.results.model import Result

# Why a statement was made. `signed_later` is for results of a hub that did not sign yet, `backdated` for those of the demo.
StatementReason = Literal[
    "decided", "signed_later", "backdated", "voided", "second_reading", "appeal", "text_shown", "text_hidden"
]
MAX_SHOWN_STATEMENTS = 20


class SignedStatement(Struct, frozen=True):
    """`statement` is canonical JSON; the signature is over exactly these bytes."""

    result_id: str
    number: int
    statement: str
    signature: str
    key_id: str
    made_at: datetime

    @property
    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = msgspec.json.decode(self.statement)
        return facts

    @property
    def is_genuine(self) -> bool:
        return is_signature(self.key_id, bytes.fromhex(self.signature), self.statement.encode())


STATEMENT_COLUMNS = ", ".join(SignedStatement.__struct_fields__)


class SignedResult(NamedTuple):
    """What was signed about a result, and the salts of its texts."""

    in_force: SignedStatement
    earlier: list[SignedStatement]
    salts: dict[str, str]


def read_signed(db: Connection, result_id: str) -> SignedResult | None:
    """The statements and salts of a result; None if nothing was signed."""
    columns = ", ".join(f"s.{name}" for name in SignedStatement.__struct_fields__)
    rows = db.execute(
        f"""
        SELECT {columns}, r.salts FROM result_statements s JOIN evaluation_results r ON r.id = s.result_id
        WHERE s.result_id = ? ORDER BY s.number DESC LIMIT ?
        """,
        [result_id, MAX_SHOWN_STATEMENTS],
    ).fetchall()
    build = builder(SignedStatement, SignedStatement.__struct_fields__)
    stated = [build(row[:-1]) for row in rows]
    return SignedResult(stated[0], stated[1:], msgspec.json.decode(rows[0][-1])) if rows else None


def list_statements(db: Connection, result_id: str, limit: int = MAX_SHOWN_STATEMENTS) -> list[SignedStatement]:
    """The statements about the result. The last one, which is in force, comes first."""
    return many(
        SignedStatement,
        db.execute(
            f"SELECT {STATEMENT_COLUMNS} FROM result_statements WHERE result_id = ? ORDER BY number DESC LIMIT ?",
            [result_id, limit],
        ),
    )


def read_salts(db: Connection, result_id: str) -> dict[str, str]:
    (salts,) = db.execute("SELECT salts FROM evaluation_results WHERE id = ?", [result_id]).fetchone()
    return dict(msgspec.json.decode(salts))


def write_salts(db: Connection, result_id: str, salts: dict[str, str]) -> None:
    db.execute("UPDATE evaluation_results SET salts = ? WHERE id = ?", [msgspec.json.encode(salts).decode(), result_id])


def erase_salt(db: Connection, result_id: str, field: str) -> None:
    """Forget the salt of a text that is erased. Its hash then tells nothing, and the statements still hold."""
    write_salts(db, result_id, {name: salt for name, salt in read_salts(db, result_id).items() if name != field})


def state(db: Connection, result: Result, reason: StatementReason, hides: str = "") -> SignedStatement:
    """Sign what the result says now. Of two at once, the number of the statement admits one.

    `hides` is what is being hidden: a line stands for it already."""
    salts = read_salts(db, result.id)
    complete = add_salts(result, salts, find_hidden_fields(db, result) | set(HIDEABLE_FIELDS.get(hides, ())))
    if complete != salts:
        write_salts(db, result.id, complete)
    last = list_statements(db, result.id, 1)
    number, moment = (last[0].number + 1 if last else 1), now()
    about = {
        "format": RESULT_FORMAT,
        "statement_number": number,
        "statement_reason": reason,
        "stated_at": format_time(moment),
        "previous_statement_hash": hash_joined(last[0].statement) if last else None,
    }
    statement = canonical_json(about | facts_of(result, complete) | moment_facts(db, result))
    key = ensure_current(db)
    signed = SignedStatement(result.id, number, statement, key.sign(statement.encode()).hex(), key.id, moment)
    store(db, signed)
    return signed


def find_hidden_fields(db: Connection, result: Result) -> set[str]:
    """The fields in which the line of a hidden text may stand: what a maintainer has hidden of the result and its agent."""
    rows = db.execute(
        """
        SELECT subject_type FROM hidden_texts
        WHERE (subject_type = 'feedback' AND subject_id = ?) OR (subject_type = 'description' AND subject_id = ?)
        """,
        [result.id, result.agent_id],
    )
    return {field for (subject_type,) in rows.fetchall() for field in HIDEABLE_FIELDS[subject_type]}


def store(db: Connection, signed: SignedStatement) -> None:
    db.execute(
        f"INSERT INTO result_statements ({STATEMENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
        [signed.result_id, signed.number, signed.statement, signed.signature, signed.key_id, signed.made_at],
    )


def moment_facts(db: Connection, result: Result) -> dict[str, Any]:
    """The last message of the session, and hashes of the names that agent and proctor have now."""
    head = db.execute(
        "SELECT message_count, chain_head FROM evaluation_sessions WHERE id = ?", [result.session_id]
    ).fetchone()
    names = name_hashes(db, result.agent_id, result.proctor_agent_id)
    return {
        "message_count": head[0] if head else None,
        "chain_head": head[1] if head else None,
        "agent_name_hash": names.get(result.agent_id),
        "proctor_name_hash": names.get(result.proctor_agent_id or ""),
    }


def name_hashes(db: Connection, agent_id: str, proctor_id: str | None) -> dict[str, str]:
    rows = db.execute(
        "SELECT agent_id, name, salt FROM agent_names WHERE agent_id IN (?, ?) ORDER BY given_at",
        [agent_id, proctor_id or agent_id],
    ).fetchall()
    return {id_: hash_text(salt, name) for id_, name, salt in rows}  # the last name of each counts


def list_unsigned(db: Connection, after: str, limit: int) -> list[Result]:
    """Results without a statement behind the id `after`, oldest first."""
    columns = ", ".join(f"r.{name}" for name in Result.__struct_fields__)
    return many(
        Result,
        db.execute(
            f"""
            SELECT {columns} FROM evaluation_results r
            WHERE r.id > ? AND NOT EXISTS (SELECT 1 FROM result_statements s WHERE s.result_id = r.id)
            ORDER BY r.id LIMIT ?
            """,
            [after, limit],
        ),
    )


def sign_missing(db: Connection, after: str = "", limit: int = 500) -> list[str]:
    """Sign results of an earlier release behind the id `after`, some at a time. Returns the ids of those that were signed."""
    unsigned = list_unsigned(db, after, limit)
    for result in unsigned:
        state(db, result, "signed_later")
    return [result.id for result in unsigned]
