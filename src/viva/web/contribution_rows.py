"""Add, remove and move the rows of a proposal's lists."""

from copy import deepcopy
from typing import Any, NamedTuple

import msgspec

from viva.contributions.model import Proposal
from viva.contributions.templates import NEW_ROWS
from viva.web.contribution_fields import MAX_FORM_ROWS, fields_of, pattern_of
from viva.web.contribution_paths import keys_of, look_up, parent_of

ROW_VERBS = ("add", "remove", "up", "down")


class RowAction(NamedTuple):
    """What a button does: `add` to a list, or `remove`, `up` or `down` for a row."""

    verb: str
    path: str


class ChangedRows(NamedTuple):
    """The changed proposal, and the path of the row to show next."""

    proposal: Proposal
    path: str


def row_action_in(button: str) -> RowAction | None:
    """The action of a button such as `remove config.prompts[2]`."""
    verb, _, path = button.partition(" ")
    return RowAction(verb, path) if verb in ROW_VERBS and keys_of(path) else None


def change_rows(proposal: Proposal, step: int, action: RowAction) -> ChangedRows:
    """Do the action if its list belongs to the step. Otherwise nothing changes."""
    list_path = action.path if action.verb == "add" else parent_of(action.path)
    if fields_of(step, proposal.type).get(f"{pattern_of(list_path)}[]") != "row":
        return ChangedRows(proposal, action.path)
    tree = {name: deepcopy(getattr(proposal, name)) for name in ("config", "research_mapping", "exemplars")}
    rows = rows_at(tree, list_path)
    if rows is None:
        return ChangedRows(proposal, action.path)
    place = move_row(rows, list_path, action, has_space=count_rows(tree) < MAX_FORM_ROWS)
    return ChangedRows(msgspec.structs.replace(proposal, **tree), f"{list_path}[{place}]" if rows else list_path)


def rows_at(tree: dict[str, Any], list_path: str) -> list[Any] | None:
    """The list at the path. An absent list is made if its parent is there."""
    *_, last = keys_of(list_path)
    parent = look_up(tree, parent_of(list_path)) if "." in list_path else tree
    if not isinstance(parent, dict):
        return None
    rows = parent.setdefault(str(last), [])
    return rows if isinstance(rows, list) else None


def move_row(rows: list[Any], list_path: str, action: RowAction, has_space: bool) -> int:
    """Change the list, and return the place of the row to show."""
    if action.verb == "add":
        if has_space:
            rows.append(new_row(list_path, rows))
        return len(rows) - 1
    at = keys_of(action.path)[-1]
    if not isinstance(at, int) or at >= len(rows):
        return max(0, len(rows) - 1)
    row = rows.pop(at)
    if action.verb == "remove":
        return max(0, min(at, len(rows) - 1))
    target = max(0, at - 1) if action.verb == "up" else min(len(rows), at + 1)
    rows.insert(target, row)
    return target


def new_row(list_path: str, rows: list[Any]) -> dict[str, Any]:
    """A new row. A new message has the role that follows the last one."""
    row = deepcopy(NEW_ROWS.get(pattern_of(list_path), {}))
    last = rows[-1] if rows and isinstance(rows[-1], dict) else {}
    if list_path.endswith(".messages") and last.get("role") == "user":
        row["role"] = "assistant"
    return row


def count_rows(node: Any) -> int:
    """All rows in the tree, those of inner lists too."""
    if isinstance(node, dict):
        return sum(map(count_rows, node.values()))
    if isinstance(node, list):
        return sum(1 + count_rows(row) for row in node if isinstance(row, dict))
    return 0
