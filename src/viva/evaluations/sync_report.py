"""What a sync did with each file: new, changed, unchanged, refused, ignored; and what has no file any more."""

from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from viva.evaluations.known_catalogue import KnownCatalogue
from viva.evaluations.sip import Sip, front_of
from viva.evaluations.store import KnownEvaluation
from viva.evaluations.validation import validate
from viva.kit.errors import Fault, VivaError

SyncChange = Literal["new", "version", "text"]
CHANGE_WORDS: dict[SyncChange, str] = {"new": "new", "version": "changed", "text": "changed"}


class RefusedSip(NamedTuple):
    """A file that is not in the catalogue, and why."""

    path: Path
    error: VivaError


class SyncedSip(NamedTuple):
    """A file in the catalogue, and what it changed there; None if nothing."""

    path: Path
    sip: Sip
    change: SyncChange | None
    warnings: list[Fault]

    def with_warnings(self, known: KnownCatalogue) -> Self:
        """Add what a contribution could not have. A file of the hub may have it."""
        return self._replace(warnings=validate(front_of(self.sip), self.sip.body, "import", known).warnings)


class SyncReport(NamedTuple):
    synced: list[SyncedSip]
    refused: list[RefusedSip]
    removed: list[KnownEvaluation]
    ignored: list[Path]
    known: KnownCatalogue  # before the sync, with the ids of its files

    def with_warnings(self) -> Self:
        """Add the warnings of the changed files. This takes its time, and needs no transaction."""
        return self._replace(synced=[each.with_warnings(self.known) if each.change else each for each in self.synced])

    @property
    def changes(self) -> list[SyncedSip]:
        return [each for each in self.synced if each.change]

    @property
    def lines(self) -> list[str]:
        """The report as lines for the command, without refused files."""
        lines = []
        for path, sip, change, warnings in self.changes:
            lines.append(f"{CHANGE_WORDS[change] if change else ''}: {path.name} {sip.id} {sip.version}")
            lines += [f"  {each.field}: {each.message} {each.suggestion}".rstrip() for each in warnings]
        lines += [f"removed: SIP-{row.sip}.md {row.id} has no file any more; it stays as it is" for row in self.removed]
        lines += [f"ignored: {path.name} is not called SIP-<number>.md" for path in self.ignored]
        return lines

    @property
    def summary(self) -> str:
        files = len(self.synced) + len(self.refused)
        words = [CHANGE_WORDS[each.change] if each.change else "unchanged" for each in self.synced]
        counts = {word: words.count(word) for word in ("new", "changed", "unchanged")}
        counts |= {"removed": len(self.removed), "refused": len(self.refused)}
        listed = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        return f"Read {len(self.synced)} of {files} SIP files. There are {listed or 'none'}."

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "read": len(self.synced),
            "files": len(self.synced) + len(self.refused),
            "changes": [
                {
                    "path": str(each.path),
                    "id": each.sip.id,
                    "version": each.sip.version,
                    "change": each.change,
                    "warnings": [warning.as_json for warning in each.warnings],
                }
                for each in self.changes
            ],
            "removed": [{"sip": row.sip, "id": row.id} for row in self.removed],
            "ignored": [str(path) for path in self.ignored],
            "refused": [
                {"path": str(path), "code": error.code(), "message": str(error)} for path, error in self.refused
            ],
        }
