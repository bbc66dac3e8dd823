"""What is signed of a result: every column of it. A text stands there as its salted hash, so that it can be erased.

A column that is added to `Result` is signed without another line here. If it holds a text of people, name it in TEXT_FIELDS."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from viva.kit.canonical_json import canonical_json
from viva.kit.clock import format_time
from viva.kit.deleted import HIDDEN_LINE_START
from viva.kit.hashing import hash_text, new_salt
from viva.results.model import Result

RESULT_FORMAT = "viva-result-1"
# Texts of people and of agents. They may be erased, so a statement has only their hashes. So it is with the digest, in which
# somebody could search for the answers.
TEXT_FIELDS = (
    "evaluation_digest",
    "result_data",
    "proctor_feedback",
    "agent_owner",
    "agent_model",
    "agent_framework",
    "agent_version",
    "void_reason",
)
# The texts that a maintainer can hide, by the kind under which it is recorded: of the result, or of its agent.
HIDEABLE_FIELDS = {
    "feedback": ("proctor_feedback",),
    "description": ("agent_owner", "agent_model", "agent_framework", "agent_version"),
}
# How far a second reading is changes without changing what was decided. Its outcome is a statement of its own.
UNSIGNED_FIELDS = ("second_reading",)
PLAIN_FIELDS = tuple(name for name in Result.__struct_fields__ if name not in (*TEXT_FIELDS, *UNSIGNED_FIELDS))


class Difference(NamedTuple):
    """A fact that was signed, and what the row says now."""

    field: str
    stated: Any
    found: Any


def facts_of(result: Result, salts: dict[str, str]) -> dict[str, Any]:
    """The facts of the row, by the names in a statement."""
    plain = {name: write_fact(getattr(result, name)) for name in PLAIN_FIELDS}
    hashes = {f"{name}_hash": hash_field(getattr(result, name), salts.get(name)) for name in TEXT_FIELDS}
    return plain | hashes


def write_fact(value: Any) -> Any:
    return format_time(value) if isinstance(value, datetime) else value


def hash_field(value: Any, salt: str | None) -> str | None:
    """The hash of a text of the result; None if it has none, or if the text was erased with its salt."""
    return None if value is None or salt is None else hash_text(salt, text_of(value))


def text_of(value: Any) -> str:
    """The text itself, or the canonical JSON of data."""
    return value if isinstance(value, str) else canonical_json(msgspec.json.decode(msgspec.json.encode(value)))


def add_salts(result: Result, salts: dict[str, str], hidden: Collection[str]) -> dict[str, str]:
    """The salts, with a new one for each text that has none. A text of a `hidden` field may be a line."""
    missing = [
        name
        for name in TEXT_FIELDS
        if name not in salts
        and (value := getattr(result, name)) not in (None, "")
        and not (name in hidden and is_erased(value))
    ]
    return salts | {name: new_salt() for name in missing}


def is_erased(value: Any) -> bool:
    """Whether nothing or the line of a hidden text stands there. Only with its salt gone was a text erased or hidden."""
    return value in (None, "") or (isinstance(value, str) and value.startswith(HIDDEN_LINE_START))


def list_erased(statement: dict[str, Any], result: Result, salts: dict[str, str]) -> list[str]:
    """The fields whose text was signed, and is gone with its salt."""
    erased = (name for name in TEXT_FIELDS if is_erased(getattr(result, name)) and salts.get(name) is None)
    return [name for name in erased if statement.get(f"{name}_hash")]


def find_differences(statement: dict[str, Any], result: Result, salts: dict[str, str]) -> list[Difference]:
    """What the row of the result says otherwise than the statement. A text that was erased with its salt is no difference."""
    found = facts_of(result, salts)
    erased = {f"{name}_hash" for name in TEXT_FIELDS if is_erased(getattr(result, name)) and salts.get(name) is None}
    return [
        Difference(field, statement.get(field), value)
        for field, value in found.items()
        if field not in erased and canonical_json(statement.get(field)) != canonical_json(value)
    ]
