"""What changed between two revisions: for each changed field, a unified diff of its lines."""

import difflib
from typing import Any

import msgspec
from msgspec import Struct

from viva.contributions.model import Proposal

CONTEXT_LINES = 3
# Lines that are compared with each other. More of them are shown as replaced, because the comparison takes quadratic time.
MAX_COMPARED_LINES = 1_000


class FieldChange(Struct, frozen=True):
    field: str
    diff: str


def list_changes(before: Proposal, after: Proposal) -> list[FieldChange]:
    """The changed fields, in the order of the columns."""
    changes = []
    for field in Proposal.__struct_fields__:
        old, new = getattr(before, field), getattr(after, field)
        if old != new:
            changes.append(FieldChange(field, diff(lines_of(old), lines_of(new))))
    return changes


def lines_of(value: Any) -> list[str]:
    """A value as lines of text. The parts of a list or an object stand on lines of their own."""
    if value is None:
        return []
    text = value if isinstance(value, str) else msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    return text.splitlines()


def diff(old: list[str], new: list[str]) -> str:
    start = common_start(old, new)
    end = common_start(old[start:][::-1], new[start:][::-1])
    if max(len(old), len(new)) - start - end > MAX_COMPARED_LINES:
        removed, added = old[start : len(old) - end], new[start : len(new) - end]
        return "\n".join([*(f"-{line}" for line in removed), *(f"+{line}" for line in added)])
    first, last = max(0, start - CONTEXT_LINES), max(0, end - CONTEXT_LINES)
    lines = difflib.unified_diff(
        old[first : len(old) - last], new[first : len(new) - last], lineterm="", n=CONTEXT_LINES
    )
    return "\n".join(list(lines)[2:])  # the first two lines name files


def common_start(old: list[str], new: list[str]) -> int:
    """How many lines both have in common at the start."""
    return next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new))
    )
