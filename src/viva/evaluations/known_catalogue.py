"""What a validation knows of the catalogue: numbers and ids in use, versions, modules, departments and handlers."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from viva.evaluations import sip as sips
from viva.evaluations import store
from viva.evaluations.sip_fields import BUILT_IN_HANDLERS
from viva.kit.db import Connection

# Offered by every hub, beside those that its own catalogue uses.
OFFERED_MODULES = ("core", "safety", "advanced")
OFFERED_DEPARTMENTS = ("Admissions", "Communication", "Safety", "Advanced Studies")


@dataclass(frozen=True)
class KnownCatalogue:
    numbers: dict[int, str] = field(default_factory=dict)  # the id of each number in use
    versions: dict[str, str] = field(default_factory=dict)  # the present version of each id
    modules: frozenset[str] = frozenset(OFFERED_MODULES)
    departments: frozenset[str] = frozenset(OFFERED_DEPARTMENTS)
    handlers: frozenset[str] = BUILT_IN_HANDLERS

    def with_handler(self, handler: str) -> Self:
        """The same catalogue with a handler whose code was given."""
        return replace(self, handlers=self.handlers | {handler})

    def with_ids(self, versions: dict[str, str]) -> Self:
        """The same catalogue with evaluations that come with the same batch of files."""
        return replace(self, versions=versions | self.versions)

    def number_of(self, evaluation_id: str) -> int | None:
        return next((number for number, id_ in self.numbers.items() if id_ == evaluation_id), None)


def read_catalogue(db: Connection) -> KnownCatalogue:
    return known_from(store.list_known(db))


def read_folder(folder: Path) -> KnownCatalogue:
    """What is known from sound SIP files alone, without a hub."""
    read = [sips.parse(path.read_text("utf-8")) for path in sorted(folder.glob("SIP-*.md"))]
    return known_from(
        [
            store.KnownEvaluation(sip.id, sip.sip, sip.version, sip.module, sip.department, sip.executable.handler)
            for sip in read
        ]
    )


def known_from(rows: list[store.KnownEvaluation]) -> KnownCatalogue:
    return KnownCatalogue(
        numbers={row.sip: row.id for row in rows},
        versions={row.id: row.version for row in rows},
        modules=frozenset(OFFERED_MODULES).union(row.module for row in rows),
        departments=frozenset(OFFERED_DEPARTMENTS).union(row.department for row in rows if row.department),
        handlers=BUILT_IN_HANDLERS.union(row.handler for row in rows),
    )
