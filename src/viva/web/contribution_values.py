"""The values of the contribution form: what each field shows for a proposal."""

from typing import Any

import yaml

from viva.contributions.model import Proposal
from viva.evaluations.sip_fields import BUILT_IN_HANDLERS
from viva.evaluations.sip_yaml import SipDumper
from viva.web.contribution_fields import COMMON_FIELDS, CONFIG_FIELDS, MAX_FORM_ROWS, MORE
from viva.web.contribution_form import OWN_HANDLER
from viva.web.contribution_paths import look_up
from viva.web.contribution_rows import count_rows
from viva.web.contribution_sections import split_body

MANAGED_KEYS = {"summary"}  # follows the description


def values_of(proposal: Proposal) -> dict[str, Any]:
    """The proposal as a tree whose paths are the names of the fields."""
    tree: dict[str, Any] = {name: getattr(proposal, name) for name in Proposal.__struct_fields__}
    is_own = bool(proposal.executable_code) or proposal.executable_handler not in BUILT_IN_HANDLERS | {""}
    return tree | {
        "config": shown_config(proposal.type, proposal.config),
        "body": split_body(proposal.body, with_sections=proposal.type == "proctored"),
        "handler": OWN_HANDLER if is_own else proposal.executable_handler,
        "executable_handler": proposal.executable_handler if is_own else "",
        "research_mapping": [as_row(row, "research") for row in proposal.research_mapping],
        "exemplars": [as_row(row, "pass") for row in proposal.exemplars],
    }


def shown_config(type_: str, config: dict[str, Any]) -> dict[str, Any]:
    """The config with everything that has no field under `more`, so that no key is ever lost."""
    patterns = COMMON_FIELDS | CONFIG_FIELDS.get(type_, {})
    fields = {key: value for key, value in config.items() if has_field(key, value, patterns)}
    if count_rows(fields) > MAX_FORM_ROWS:
        fields = {key: value for key, value in fields.items() if not isinstance(value, list)}
    more = {key: value for key, value in config.items() if key not in fields and key not in MANAGED_KEYS}
    shown = {key: shown_rows(key, value, patterns) for key, value in fields.items()}
    return shown | ({MORE: more} if more else {})


def has_field(key: str, value: Any, patterns: dict[str, Any]) -> bool:
    if f"{key}[]" in patterns:
        return isinstance(value, list) and all(isinstance(row, dict) for row in value)
    return key in patterns and key != MORE and not isinstance(value, dict | list)


def shown_rows(key: str, value: Any, patterns: dict[str, Any]) -> Any:
    if not isinstance(value, list):
        return value
    known = {path.removeprefix(f"{key}[].") for path in patterns if path.startswith(f"{key}[].")}
    return [shown_row(row, known) for row in value]


def shown_row(row: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """A row with its keys that have no field under `more`."""
    fields = {key: value for key, value in row.items() if is_shown(key, value, known)}
    more = {key: value for key, value in row.items() if key not in fields}
    return fields | ({MORE: more} if more else {})


def is_shown(key: str, value: Any, known: set[str]) -> bool:
    if f"{key}[]" in known:
        inner = {name.removeprefix(f"{key}[].") for name in known}
        return isinstance(value, list) and all(isinstance(row, dict) and row.keys() <= inner for row in value)
    if isinstance(value, list):
        return key in known and all(is_one_line(item) for item in value)
    return key in known and key != MORE and (key == "schema" or not isinstance(value, dict))


def is_one_line(item: Any) -> bool:
    return isinstance(item, str) and item.splitlines() == [item.strip()]


def as_row(row: Any, name: str) -> dict[str, Any]:
    """A row of a draft, which may hold anything."""
    return row if isinstance(row, dict) else {name: text_of_value(row)}


def text_of_value(value: Any) -> str:
    """The text of a field."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    if isinstance(value, dict | list):
        return yaml.dump(value, Dumper=SipDumper, sort_keys=False, allow_unicode=True).strip()
    return str(value)


def text_at(tree: dict[str, Any], path: str) -> str:
    return text_of_value(look_up(tree, path))
