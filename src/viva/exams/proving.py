"""Proof of a result: its signed statement, and the salts that a stranger needs to check names and texts against it."""

from typing import Any

from msgspec import Struct

from viva.agents import names
from viva.agents.names import GivenName
from viva.kit.db import Connection
from viva.results import statements
from viva.results.facts import TEXT_FIELDS, hash_field
from viva.results.model import Result
from viva.results.statements import SignedResult, SignedStatement


class StatementView(Struct, frozen=True):
    """A statement and its signature: Ed25519 over the canonical JSON (RFC 8785) of `statement`, as hexadecimal digits."""

    statement: dict[str, Any]
    signature: str
    key_id: str


class Proof(StatementView, frozen=True):
    """The statement in force. `names` are as they were then, without those that were erased.

    `salts` has the salt of each name, and of each text that is shown with the result. `earlier` has the statements that
    this one replaces, newest first."""

    names: dict[str, str]
    salts: dict[str, str]
    earlier: list[StatementView]


def show(signed: SignedStatement) -> StatementView:
    return StatementView(signed.facts, signed.signature, signed.key_id)


def find_proof(db: Connection, shown: Result) -> Proof | None:
    """The proof of a result as it is shown; None if nothing was signed."""
    signed = statements.read_signed(db, shown.id)
    return write_proof(db, shown, signed) if signed else None


def write_proof(db: Connection, shown: Result | None, signed: SignedResult) -> Proof:
    """A text that is not shown gets no salt, because it could be guessed then. Without `shown`, no text is."""
    facts = signed.in_force.facts
    salts = {
        name: salt
        for name in (TEXT_FIELDS if shown else ())
        if (salt := signed.salts.get(name)) and hash_field(getattr(shown, name), salt) == facts.get(f"{name}_hash")
    }
    given = find_names(db, facts)
    return Proof(
        facts,
        signed.in_force.signature,
        signed.in_force.key_id,
        {role: name.name for role, name in given.items()},
        salts | {role: name.salt for role, name in given.items()},
        [show(earlier) for earlier in signed.earlier],
    )


def find_names(db: Connection, facts: dict[str, Any]) -> dict[str, GivenName]:
    """The names of the statement that were not erased since."""
    roles = {"agent_name": facts["agent_id"], "proctor_name": facts["proctor_agent_id"]}
    wanted = {agent_id: name_hash for role, agent_id in roles.items() if (name_hash := facts[f"{role}_hash"])}
    found = names.find_by_hash(db, wanted) if wanted else {}
    return {role: found[agent_id] for role, agent_id in roles.items() if agent_id in found}
