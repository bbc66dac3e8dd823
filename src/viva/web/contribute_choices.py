"""What the contribution form offers from the catalogue of the hub: modules, departments, evaluations, a number."""

from typing import NamedTuple

from viva.evaluations import numbers, store
from viva.evaluations.known_catalogue import OFFERED_DEPARTMENTS, OFFERED_MODULES, read_catalogue
from viva.kit.db import Connection

MAX_OFFERED_EVALUATIONS = 100  # as checkboxes; others are named by their id
MAX_OFFERED_PLACES = 100  # modules or departments in a select


class FormChoices(NamedTuple):
    modules: list[str]
    departments: list[str]
    evaluations: dict[str, str]  # names by id
    has_all_evaluations: bool
    suggested_number: int


def read_choices(db: Connection) -> FormChoices:
    known = read_catalogue(db)
    found = store.list_evaluations(db, {"status": "active"}, None, MAX_OFFERED_EVALUATIONS, None, False)
    return FormChoices(
        list_places(OFFERED_MODULES, known.modules),
        list_places(OFFERED_DEPARTMENTS, known.departments),
        {evaluation.id: evaluation.name for evaluation in found.items},
        found.next_cursor is None,
        numbers.suggest_number(db),
    )


def list_places(first: tuple[str, ...], known: frozenset[str]) -> list[str]:
    """Those of every hub, then those of the catalogue. Values that differ only in case are one."""
    found: dict[str, str] = {}
    for value in (*first, *sorted(known)):
        found.setdefault(value.lower(), value)
    return list(found.values())[:MAX_OFFERED_PLACES]
